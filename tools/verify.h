// Asks the filters of table files for every key that the tables hold.
#pragma once

#include <rocksdb/status.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tools/table_files.h"

namespace sstfilter::tools {

struct VerifyOptions {
  uint64_t absent = 100000;  // absent keys to ask each table's filter for
  uint64_t seed = 1;         // of absent keys
  unsigned threads = 0;      // 0: one per CPU
  // Where to show how far the work is; null for nowhere.
  std::ostream* progress = nullptr;
};

struct TableVerdict {
  enum class State {
    kNotReached,  // interrupted before
    kPartial,     // interrupted in the middle: what was read is in order
    kSound,
    kUnfiltered,  // no filter; the table itself can be read
    kNotChecked,  // a filter that cannot be asked here; the table can be read
    kFailed,
  };
  TableFile table;
  State state = State::kNotReached;
  std::string filter;         // kind
  std::string key_transform;  // of filters written under one
  uint64_t filters = 0;
  uint64_t keys = 0;  // of the table, asked for or not
  uint64_t prefixes = 0;
  uint64_t false_negatives = 0;
  uint64_t absent_asked = 0;
  uint64_t absent_passed = 0;
  std::optional<double> expected_rate;
  // kFailed: why, one line each. The first false negative is in it.
  std::vector<std::string> failures;
  std::vector<std::string> notes;
};

// One verdict for each table, in the same order. Tables are read side by side.
// Returns Aborted, with the verdicts there are, after an interrupt.
rocksdb::Status VerifyTables(const std::vector<TableFile>& tables,
                             const VerifyOptions& options,
                             std::vector<TableVerdict>* verdicts);

}  // namespace sstfilter::tools
