#include "sstfilter/report.h"

#include <rocksdb/metadata.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <memory>

#include "integration/policy.h"
#include "integration/stored_filters.h"

namespace sstfilter {

using rocksdb::Status;

namespace {

// Tables go by their whole path here and by a name with a slash there.
std::string BaseName(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

void AddTable(const rocksdb::TableProperties& table, LevelFilterReport* level) {
  ++level->tables;
  level->keys += table.num_entries;
  if (table.filter_size == 0) {
    ++level->tables_without_filter;
    ++level->policies["none"];
    return;
  }
  level->filter_bytes += table.filter_size;
  level->filter_keys += table.num_filter_entries;
  ++level
        ->policies[table.filter_policy_name.empty() ? "unknown"
                                                    : table.filter_policy_name];
}

std::string KindOfTable(rocksdb::Env* env, const std::string& path,
                        const rocksdb::TableProperties& properties) {
  if (properties.filter_size == 0) return "none";
  rocksdb::Options options;
  options.env = env;
  std::unique_ptr<StoredTable> table;
  const Status status = StoredTable::Open(options, path, &table);
  return status.ok() ? table->kind() : "other";
}

std::shared_ptr<const rocksdb::FilterPolicy> PolicyOf(
    rocksdb::DB* db, rocksdb::ColumnFamilyHandle* column_family) {
  const auto factory = db->GetOptions(column_family).table_factory;
  const auto* table =
      factory == nullptr
          ? nullptr
          : factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  return table == nullptr ? nullptr : table->filter_policy;
}

double Microseconds(uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e3;
}

FilterLookupReport ReadTickers(const rocksdb::Statistics& statistics) {
  FilterLookupReport report;
  report.tables_skipped =
      statistics.getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  report.true_positives =
      statistics.getTickerCount(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  // Read one after the other while lookups go on: never below zero.
  report.false_positives =
      std::max(statistics.getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE),
               report.true_positives) -
      report.true_positives;
  report.prefix_checks =
      statistics.getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_CHECKED);
  report.prefix_skipped =
      statistics.getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
  const uint64_t absent = report.false_positives + report.tables_skipped;
  if (absent > 0) {
    report.false_positive_rate = static_cast<double>(report.false_positives) /
                                 static_cast<double>(absent);
  }
  return report;
}

}  // namespace

std::optional<FilterBuildReport> CollectFilterBuilds(
    const rocksdb::FilterPolicy* policy) {
  const Policy* ours = AsPolicy(policy);
  if (ours == nullptr) return std::nullopt;
  const FilterCounters& counters = ours->counters();
  FilterBuildReport report;
  report.policy = ours->number();
  report.tables = counters.tables_built;
  report.filters = counters.filters_built;
  report.keys = counters.keys_built;
  report.bytes = counters.bytes_built;
  report.microseconds = Microseconds(counters.build_nanoseconds);
  report.longest_microseconds =
      Microseconds(counters.longest_build_nanoseconds);
  report.filters_out_of_memory = counters.filters_out_of_memory;
  report.blocks_unknown = counters.blocks_unknown;
  report.blocks_damaged = counters.blocks_damaged;
  report.blocks_other_transform = counters.blocks_other_transform;
  return report;
}

Status CollectFilterReport(rocksdb::DB* db,
                           rocksdb::ColumnFamilyHandle* column_family,
                           rocksdb::Statistics* statistics,
                           FilterReport* report,
                           const FilterReportOptions& options) {
  *report = FilterReport();
  report->column_family = column_family->GetName();
  rocksdb::TablePropertiesCollection tables;
  const Status status = db->GetPropertiesOfAllTables(column_family, &tables);
  if (!status.ok()) return status;
  rocksdb::ColumnFamilyMetaData family;
  db->GetColumnFamilyMetaData(column_family, &family);
  std::map<std::string, int> level_of;
  for (const rocksdb::LevelMetaData& level : family.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      level_of[BaseName(file.name)] = level.level;
    }
  }
  std::map<int, LevelFilterReport> levels;
  for (const auto& [path, table] : tables) {
    const auto found = level_of.find(BaseName(path));
    // A compaction came between the two questions: the next report has it.
    if (found == level_of.end()) continue;
    LevelFilterReport& level = levels[found->second];
    level.level = found->second;
    AddTable(*table, &level);
    if (options.kinds) {
      ++level.kinds[KindOfTable(db->GetEnv(), path, *table)];
    }
  }
  for (auto& [number, level] : levels) {
    if (level.filter_keys > 0) {
      level.bits_per_key = 8 * static_cast<double>(level.filter_bytes) /
                           static_cast<double>(level.filter_keys);
    }
    report->levels.push_back(std::move(level));
  }
  if (statistics != nullptr) report->lookups = ReadTickers(*statistics);
  report->builds = CollectFilterBuilds(PolicyOf(db, column_family).get());
  return status;
}

}  // namespace sstfilter
