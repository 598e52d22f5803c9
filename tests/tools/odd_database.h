// What databases of other people may hold: a filter that disagrees with its
// table, a comparator that nobody else knows.
#pragma once

#include <rocksdb/comparator.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>

#include <memory>
#include <string>

namespace sstfilter::tools {

// Like `base`, but tells RocksDB of one key more than it put into the filter.
std::shared_ptr<const rocksdb::FilterPolicy> MiscountingPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> base);

// Like `base`, but `block` stands for every `every`th filter of a table.
std::shared_ptr<const rocksdb::FilterPolicy> ReplacingPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> base, const std::string& block,
    int every = 1);

// Like `base`, but goes by another name, also in tables.
std::shared_ptr<const rocksdb::FilterPolicy> RenamedPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> base, const std::string& name);

// A class of the service's own: the first three bytes.
std::shared_ptr<const rocksdb::SliceTransform> ForeignPrefixExtractor();

// The same: keeps the newest operand.
std::shared_ptr<rocksdb::MergeOperator> ForeignMergeOperator();

// Options files in the directory of a database that is closed.
void RemoveOptionsFiles(const std::string& database);
void CopyOptionsFiles(const std::string& from, const std::string& to);
void ReplaceInOptionsFiles(const std::string& database, const std::string& part,
                           const std::string& by);

// Compares the last bytes of keys first.
const rocksdb::Comparator* ForeignComparator();

}  // namespace sstfilter::tools
