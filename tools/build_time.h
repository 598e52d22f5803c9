// How long a filter takes to build.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <optional>
#include <string_view>
#include <vector>

namespace sstfilter::tools {

// Microseconds in which `policy` makes one filter of `keys`, as it does for a
// table that a compaction writes to `level`, the bottommost of the tree. Goes
// through the builder that RocksDB is given, so that all policies are timed
// alike, and apart from any database, so that no table waits for the clock. The
// second of two builds: the first one warms up. Not set when the policy, which
// may be null, makes no filter.
std::optional<double> TimeFilterBuild(
    const rocksdb::FilterPolicy* policy,
    const rocksdb::BlockBasedTableOptions& table_options, int level,
    const std::vector<std::string_view>& keys);

}  // namespace sstfilter::tools
