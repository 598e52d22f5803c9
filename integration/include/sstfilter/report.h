// What the filters of a running database do: for a service's metrics, its log
// and its health checks.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
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
  // Tables by what their filter is, if FilterReportOptions::kinds asks for it,
  // else empty: "bloom", "parity" and "standard" are ours; "rocksdb-bloom",
  // "rocksdb-ribbon"; "none" for no filter; "other" for one that is none of
  // these, has partitions of several kinds, cannot be read, or was compacted
  // away meanwhile.
  std::map<std::string, uint64_t> kinds;
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

// Filters that a policy built, and those it could not use, since it was made,
// for all the databases and column families that share it. A build is what
// turns the keys of a table, or of a partition, into a filter, once they are
// all there; hashing the keys as they come is not in its time.
struct FilterBuildReport {
  // Which policy: a number of its own in this process, from 1.
  uint64_t policy = 0;
  uint64_t tables = 0;   // that got a filter
  uint64_t filters = 0;  // a partitioned table has many
  uint64_t keys = 0;     // distinct keys and prefixes
  uint64_t bytes = 0;
  double microseconds = 0;          // of all builds together, over all threads
  double longest_microseconds = 0;  // of one build
  // Tables and partitions that were left without a filter because memory ran
  // out; a compaction makes up for it.
  uint64_t filters_out_of_memory = 0;
  // Filter blocks that were read and are not used; every key may be in their
  // tables. Counted each time one is loaded, so one that the block cache drops
  // and loads again counts again.
  uint64_t blocks_unknown = 0;  // a later version's, or of a kind unknown here
  uint64_t blocks_damaged = 0;
  // Written under another key transform; with a transform set, RocksDB's too.
  // Met in a block cache that outlived another policy: in tables RocksDB does
  // not look for such filters (CheckFilters: "other-transform").
  uint64_t blocks_other_transform = 0;
};

struct FilterReport {
  std::string column_family;
  std::vector<LevelFilterReport> levels;      // those that hold tables
  std::optional<FilterLookupReport> lookups;  // not set without Statistics
  // Not set when the column family's policy is not one of ours.
  std::optional<FilterBuildReport> builds;
};

struct FilterReportOptions {
  // Whether to tell the kinds of filters. RocksDB does not record them: each
  // table is opened once more and its filter read, so this reads about as many
  // bytes as the filters have, past the block cache. For a health page or once
  // in a while, not for every scrape.
  bool kinds = false;
};

// Reads the properties of every live table of `column_family`, which may open
// tables, the tickers of `statistics` (may be null) and what the policy
// counted. Any thread.
rocksdb::Status CollectFilterReport(rocksdb::DB* db,
                                    rocksdb::ColumnFamilyHandle* column_family,
                                    rocksdb::Statistics* statistics,
                                    FilterReport* report,
                                    const FilterReportOptions& options = {});

// What `policy` counted; not set when it is null or not one of ours.
// Microseconds by tables is the time a table waits for its filter. Any thread.
std::optional<FilterBuildReport> CollectFilterBuilds(
    const rocksdb::FilterPolicy* policy);

// For people.
std::string FilterReportToText(const FilterReport& report);

// One JSON object.
std::string FilterReportToJson(const FilterReport& report);

// Prometheus text exposition of any number of column families. Tickers belong
// to the whole database: those of the first report that has them are printed,
// once. Builds are summed up over the policies, each counted once.
std::string FilterReportsToPrometheus(const std::vector<FilterReport>& reports);

// --- What is wrong. ----------------------------------------------------------

struct FilterWarning {
  // Stable, for programs: "no-filter", "other-family", "unreadable",
  // "unreadable-table", "other-transform", "other-policy", "no-policy",
  // "prefix-extractor-changed", "skipped-for-hits", "never-asked".
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
// compaction made:
//
//   [sstfilter] [default] file=000012.sst level=1 filter=sstfilter kind=parity
//   keys=1800 bytes=2329 filters=1 build_micros=96.5 job_micros=5120
//
// `filter` is the policy, "none" without a filter. `kind` is that of our
// filters, the policy's name for others. `filters` (more than 1: partitions)
// and `build_micros`, the time spent in building them (FilterBuildReport), are
// there for filters of our policy only. `job_micros` is the time of the whole
// compaction; RocksDB does not tell it for a flush.
//
// Tables that DB::Open recovers from the log get a line, with
// "reason=recovery", when their filter is ours. Not logged: ingested tables,
// whose filters were built elsewhere; tables moved down as they are; what
// another process compacted. When a filter of ours was built out of this
// library's sight, by a copy of it in another shared library, its kind is
// "unknown" and the other two are left out. Parallel compression, partitions
// and subcompactions are all seen.
//
// Put it into DBOptions::listeners; it may be shared by databases. Costs a few
// hundred bytes per table until the table's flush or compaction is completed.
std::shared_ptr<rocksdb::EventListener> NewFilterListener();

}  // namespace sstfilter
