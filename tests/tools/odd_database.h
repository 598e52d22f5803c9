// What databases of other people may hold: a filter that disagrees with its
// table, a comparator that nobody else knows.
#pragma once

#include <rocksdb/comparator.h>
#include <rocksdb/filter_policy.h>

#include <memory>

namespace sstfilter::tools {

// Like `base`, but tells RocksDB of one key more than it put into the filter.
std::shared_ptr<const rocksdb::FilterPolicy> MiscountingPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> base);

// Compares the last bytes of keys first.
const rocksdb::Comparator* ForeignComparator();

}  // namespace sstfilter::tools
