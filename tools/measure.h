// The main job: one real database per filter configuration, the same keys and
// the same lookups for all of them, and what each one cost.
#pragma once

#include <rocksdb/file_system.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/progress.h"
#include "tools/tree_plan.h"

namespace sstfilter::tools {

struct MeasureOptions {
  std::vector<std::string> filters = {"none", "rocksdb-bloom:10",
                                      "rocksdb-ribbon:10", "sstfilter:10"};
  std::string keys_path;  // see KeySourceOptions
  std::string absent_path;
  uint64_t generated = 0;
  uint64_t seed = 1;

  std::string directory;  // see WorkDirectory::Open
  TreeShape shape;
  uint64_t value_bytes = 100;

  // Of absent and of present keys; 0 for all. Fewer of the latter, because they
  // read whatever the filter.
  uint64_t lookups = 100000;
  uint64_t present_lookups = 20000;
  uint64_t rounds = 5;
  uint64_t batch = 1;  // keys per MultiGet; 1 for Get
  uint64_t cache_bytes = 64 << 10;
  bool cache_filters = false;

  // For tests that need a failing disk; null for the usual one.
  std::shared_ptr<rocksdb::FileSystem> file_system;
};

// Checks and false positives are those of absent lookups.
struct LevelResult {
  int level = 0;
  uint64_t files = 0;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
  uint64_t checks = 0;
  uint64_t false_positives = 0;
};

// One configuration. Reads of filter blocks are part of every count of disk
// reads.
struct FilterResult {
  std::string filter;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
  double bits_per_key = 0;
  uint64_t absent_lookups = 0;
  uint64_t present_lookups = 0;
  uint64_t tables_skipped = 0;         // of absent lookups
  uint64_t false_positives = 0;        // of absent lookups
  std::optional<double> observed_fpr;  // none when no filter was asked
  std::optional<double> expected_fpr;
  uint64_t disk_reads_absent = 0;
  uint64_t disk_reads_present = 0;
  uint64_t disk_bytes_absent = 0;
  uint64_t disk_bytes_present = 0;
  uint64_t filter_reads = 0;
  uint64_t filter_read_bytes = 0;
  // Disk reads of configuration "none" less this one's; none if that was not
  // run.
  std::optional<int64_t> reads_avoided;
  double us_per_absent_get = 0;
  double us_per_present_get = 0;
  // Of the filter of one table; none without filters. See TimeFilterBuild.
  std::optional<double> build_us_per_table;
  std::optional<double> build_ns_per_key;
  uint64_t false_negatives = 0;
  std::vector<LevelResult> levels;
};

struct MeasureReport {
  std::vector<FilterResult> results;  // in the order asked for
  std::vector<std::string> method;    // how it was measured, a sentence each
  std::vector<std::string> notes;     // what the user should know of this run

  bool has_false_negatives() const;
};

// InvalidArgument for what the user asked for, before anything is written;
// other errors are RocksDB's or the file system's. The message is one line.
rocksdb::Status Measure(const MeasureOptions& options, Progress* progress,
                        MeasureReport* report);

}  // namespace sstfilter::tools
