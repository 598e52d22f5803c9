// Builds a real RocksDB database whose tree is the planned one.
#pragma once

#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/progress.h"
#include "tools/tree_plan.h"

namespace sstfilter::tools {

// Sets what BuildTree depends on: no compaction but the ones it asks for, no
// compression (so that every configuration reads the same bytes), one output
// file size for `data_bytes` of keys and values. Leaves environment, block
// cache and filter policy alone.
void PrepareTreeOptions(uint64_t data_bytes, int levels,
                        rocksdb::Options* options);

// Creates the database `path` and writes `keys`, each with `value_bytes` bytes
// of value, run by run: flushes of sorted memtables, then one compaction of the
// flushed files into the run's level. Every step is waited for, so equal input
// gives equal trees, whatever the filter policy. Closes the database.
rocksdb::Status BuildTree(const rocksdb::Options& options,
                          const std::string& path,
                          const std::vector<std::string_view>& keys,
                          size_t value_bytes,
                          const std::vector<PlannedRun>& plan,
                          Progress* progress);

}  // namespace sstfilter::tools
