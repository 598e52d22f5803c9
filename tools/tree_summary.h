// What the tables of a database are, by level, from their properties.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <map>

#include "tools/counting_file_system.h"
#include "tools/filter_spec.h"

namespace sstfilter::tools {

struct LevelSummary {
  uint64_t files = 0;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
  // Mean over the keys: a lookup meets a table in proportion to its share of
  // the key range. 1 without a filter.
  double expected_rate = 0;
};

// Reads the properties of every table of `database`, which was built under
// `spec`, and tells `counter` where the filter blocks are.
rocksdb::Status SummarizeTree(rocksdb::DB* database, const FilterSpec& spec,
                              TableReadCounter* counter,
                              std::map<int, LevelSummary>* levels);

}  // namespace sstfilter::tools
