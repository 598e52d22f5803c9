// What filters a set of tables has.
#pragma once

#include <rocksdb/status.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sstfilter/report.h"
#include "tools/filter_facts.h"
#include "tools/table_files.h"

namespace sstfilter::tools {

struct InspectedTable {
  TableFile table;
  uint64_t entries = 0;
  FilterFacts filter;         // all partitions together
  std::string key_transform;  // of filters written under one
  std::string remark;         // why there is no filter, or what is odd about it
};

// Tables of one level of one column family, or of no known one (-1).
struct LevelTotal {
  std::string database;
  std::string column_family;
  int level = -1;
  uint64_t tables = 0;
  uint64_t unfiltered = 0;
  uint64_t entries = 0;
  double filter_keys = 0;
  uint64_t filter_bytes = 0;
  double bits_per_key = 0;   // over filter_keys
  double expected_rate = 0;  // mean over entries, 1 where there is no filter
};

struct InspectReport {
  std::vector<InspectedTable> tables;
  std::vector<LevelTotal> levels;    // each level, in order
  std::vector<LevelTotal> families;  // `level` is -1
  // No column family either. Tables of no database are one of no name.
  std::vector<LevelTotal> databases;
  std::vector<FilterWarning> warnings;
  std::vector<std::string> notes;
  std::vector<std::string> problems;  // bad input, a line each
};

// Goes on after tables that cannot be read. Aborted after an interrupt.
rocksdb::Status InspectTables(const std::vector<std::string>& paths,
                              InspectReport* report);

}  // namespace sstfilter::tools
