// Comparators, prefix extractors and merge operators of the kinds users write.
#pragma once

#include <rocksdb/comparator.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>

#include <memory>

namespace sstfilter::dbtest {

// Calls keys equal that differ in the case of ASCII letters only, and says so.
const rocksdb::Comparator* CaselessComparator();

// Keys end in a time stamp of 8 bytes, newest first.
const rocksdb::Comparator* TimestampComparator();

// The prefix goes up to and including the first slash; keys without one have
// none.
std::shared_ptr<const rocksdb::SliceTransform> UpToSlash();

// Merging joins values with commas.
std::shared_ptr<rocksdb::MergeOperator> JoinWithCommas();

}  // namespace sstfilter::dbtest
