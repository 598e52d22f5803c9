// In the place of classes that a database names and this process does not have.
// With them it is opened as it is, for looking at its tables; they must not be
// used for reading keys through it.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>

#include <memory>
#include <string>

namespace sstfilter::tools {

// No key has a prefix.
std::shared_ptr<const rocksdb::SliceTransform> StandInPrefixExtractor(
    const std::string& name);

// Neither builds nor reads filters.
std::shared_ptr<const rocksdb::FilterPolicy> StandInFilterPolicy(
    const std::string& name);

}  // namespace sstfilter::tools
