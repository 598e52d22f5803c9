// The measured part: point lookups in one database, counted and timed.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "tools/counting_file_system.h"

namespace sstfilter::tools {

// What filters answered in the tables of one level.
struct LevelChecks {
  uint64_t skipped = 0;          // "absent": one table not looked into
  uint64_t false_positives = 0;  // "may match", and the key was not there
  uint64_t true_positives = 0;

  uint64_t checks() const { return skipped + false_positives + true_positives; }
};

struct LookupCounts {
  uint64_t lookups = 0;
  uint64_t found = 0;
  double microseconds = 0;
  ReadCounts disk;
  std::map<int, LevelChecks> levels;
};

LookupCounts& operator+=(LookupCounts& sum, const LookupCounts& more);

// Looks up every key of `keys`, with Get, or with MultiGet of `batch` keys when
// batch > 1. Uses this thread's PerfContext.
rocksdb::Status LookUp(rocksdb::DB* database, const TableReadCounter& counter,
                       const std::vector<std::string_view>& keys, size_t batch,
                       LookupCounts* counts);

// How many of `keys` the filters hide: asks for each without permission to read
// a disk, so that "not found" can only come from a filter. Filters that are not
// in memory at that moment hide nothing and are not tested.
rocksdb::Status CountHiddenKeys(rocksdb::DB* database,
                                const std::vector<std::string_view>& keys,
                                uint64_t* hidden);

}  // namespace sstfilter::tools
