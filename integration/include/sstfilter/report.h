// What the filters of a running database do: for a service's metrics, its log
// and its health checks.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/statistics.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sstfilter {

// --- What there is and what it did. ------------------------------------------

struct LevelFilterReport {
  int level = 0;
  uint64_t tables = 0;
  uint64_t tables_without_filter = 0;
  uint64_t keys = 0;          // entries of the tables
  uint64_t filter_keys = 0;   // distinct keys and prefixes in filters
  uint64_t filter_bytes = 0;  // on disk
  double bits_per_key = 0;    // over filter_keys
  // Tables by the policy that built their filter, as RocksDB records it:
  // "sstfilter", "bloomfilter", "ribbonfilter", ...; "none" for no filter.
  std::map<std::string, uint64_t> policies;
};

// RocksDB's tickers, of everything that shares the Statistics, since they were
// made or reset. RocksDB counts a KeyMayExist or a read restricted to the cache
// as it counts any other, and a filter's "may match" that such a read did not
// follow up counts as a false positive: these numbers are not corrected for
// them.
struct FilterLookupReport {
  uint64_t tables_skipped = 0;   // "absent": one table not looked into
  uint64_t false_positives = 0;  // "may match", and the key was not there
  uint64_t true_positives = 0;
  uint64_t prefix_checks = 0;
  uint64_t prefix_skipped = 0;
  // false positives / (false positives + skipped); not set before the first.
  std::optional<double> false_positive_rate;
};

struct FilterReport {
  std::string column_family;
  std::vector<LevelFilterReport> levels;      // those that hold tables
  std::optional<FilterLookupReport> lookups;  // not set without Statistics
};

// Reads the properties of every live table of `column_family`, which may open
// tables, and the tickers of `statistics` (may be null). Any thread.
rocksdb::Status CollectFilterReport(rocksdb::DB* db,
                                    rocksdb::ColumnFamilyHandle* column_family,
                                    rocksdb::Statistics* statistics,
                                    FilterReport* report);

// For people.
std::string FilterReportToText(const FilterReport& report);

// One JSON object.
std::string FilterReportToJson(const FilterReport& report);

// Prometheus text exposition of any number of column families. Tickers belong
// to the whole database: those of the first report that has them are printed,
// once.
std::string FilterReportsToPrometheus(const std::vector<FilterReport>& reports);

// --- What is wrong. ----------------------------------------------------------

struct FilterWarning {
  // Stable, for programs: "no-filter", "other-family", "unreadable",
  // "other-transform", "other-policy", "no-policy", "prefix-extractor-changed",
  // "skipped-for-hits", "never-asked".
  std::string code;
  std::string message;  // what is the case, with numbers
  std::string advice;   // what to do
};

// Looks for filters that RocksDB does not use without saying so. Reads the
// filter block of every live table: for a start, a health page or a test, not
// for every request. Knows the options of `column_families`, or of the default
// one alone; tables of all column families are looked at. Whether a filter was
// ever asked is known only to databases that have Statistics.
std::vector<FilterWarning> CheckFilters(rocksdb::DB* db);
std::vector<FilterWarning> CheckFilters(
    rocksdb::DB* db,
    const std::vector<rocksdb::ColumnFamilyHandle*>& column_families);

// --- What is built. ----------------------------------------------------------

// Logs one line to RocksDB's info log for every table that a flush or a
// compaction made: file, level, policy, keys, bytes, and the microseconds of
// the compaction that made it. Put it into DBOptions::listeners; it may be
// shared by databases.
std::shared_ptr<rocksdb::EventListener> NewFilterListener();

}  // namespace sstfilter
