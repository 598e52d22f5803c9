#include "tools/inspect.h"

#include <fmt/format.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "integration/counted.h"
#include "sstfilter/filter_policy.h"
#include "tools/interrupt.h"

namespace sstfilter::tools {

namespace {

// Bits per key this far from the level's mean belong to another level.
constexpr double kOddBits = 1.5;

// Whether our policy is told to leave tables of `level` without a filter.
bool HasNoBits(const rocksdb::Options& options, int level) {
  const auto* table = options.table_factory == nullptr
                          ? nullptr
                          : options.table_factory
                                ->GetOptions<rocksdb::BlockBasedTableOptions>();
  FilterOptions filter;
  if (table == nullptr || table->filter_policy == nullptr ||
      !GetFilterOptions(*table->filter_policy, &filter).ok() ||
      filter.level_bits_per_key.empty() || level < 0) {
    return false;
  }
  // The last value holds for all deeper levels.
  const auto& bits = filter.level_bits_per_key;
  return bits[std::min(static_cast<size_t>(level), bits.size() - 1)] == 0;
}

class Inspection {
 public:
  Inspection(const std::vector<std::string>& paths, InspectReport* report)
      : found_(FindTables(paths)), report_(*report) {
    report_.problems = found_.problems;
    report_.notes = found_.notes;
    for (const TableFile& table : found_.tables) {
      int& last = last_level_[{table.database, table.column_family}];
      last = std::max(last, table.level);
    }
  }

  rocksdb::Status Run() {
    for (const TableFile& table : found_.tables) {
      const rocksdb::Status status = CheckInterrupt();
      if (!status.ok()) return status;
      Look(table);
    }
    Sum(Totals::kLevels, &report_.levels);
    Sum(Totals::kFamilies, &report_.families);
    Sum(Totals::kDatabases, &report_.databases);
    RemarkOddBits();
    for (const auto& database : found_.databases) {
      // Without the options of the service, what it opened with is not known.
      const std::vector<rocksdb::ColumnFamilyHandle*> none;
      for (FilterWarning& warning :
           CheckFilters(database->db(), database->knows_options()
                                            ? database->column_families()
                                            : none)) {
        report_.warnings.push_back(std::move(warning));
      }
    }
    return CheckInterrupt();
  }

 private:
  void Look(const TableFile& file) {
    std::unique_ptr<StoredTable> table;
    const rocksdb::Status status =
        StoredTable::Open(rocksdb::Options(), file.path, &table);
    if (!status.ok()) {
      report_.problems.push_back(
          fmt::format("{}: {}", file.path, status.ToString()));
      return;
    }
    InspectedTable row;
    row.table = file;
    row.entries = table->properties().num_entries;
    row.filter = Combine(FactsOf(*table));
    if (!table->filters().empty()) {
      row.key_transform = table->filters().front().key_transform;
    }
    row.remark = Remark(file, *table, row.filter);
    report_.tables.push_back(row);
  }

  std::string Remark(const TableFile& file, const StoredTable& table,
                     const FilterFacts& filter) {
    const rocksdb::TableProperties& properties = table.properties();
    switch (table.lack()) {
      case StoredTable::Lack::kNone:
        break;
      case StoredTable::Lack::kNoPolicy:
        return "no filter policy when it was written";
      case StoredTable::Lack::kSkipped:
        return WhySkipped(file, properties);
      case StoredTable::Lack::kOtherPolicy:
        return fmt::format("filter of another policy, {}",
                           properties.filter_policy_name);
      case StoredTable::Lack::kGivenUp:
        return WhyGivenUp(properties, filter);
      case StoredTable::Lack::kUnreadable:
        report_.problems.push_back(
            fmt::format("{}: filter block of {} is damaged", file.path,
                        Counted(properties.filter_size, "byte")));
        return "filter block is damaged";
    }
    if (!filter.usable) {
      report_.problems.push_back(
          fmt::format("{}: filter cannot be used: {}", file.path, filter.name));
      return "cannot be used";
    }
    if (filter.fill.value_or(0) > kTooFull) {
      return fmt::format("{:.0f} % full: made for fewer keys",
                         100 * *filter.fill);
    }
    return WhyGivenUp(properties, filter);
  }

  std::string WhySkipped(const TableFile& file,
                         const rocksdb::TableProperties& properties) {
    if (properties.num_entries == properties.num_range_deletions) {
      return "no keys, only range deletions";
    }
    const bool is_last =
        file.level >= 0 &&
        file.level == last_level_[{file.database, file.column_family}];
    const rocksdb::Options* options = OptionsOf(file);
    if (options != nullptr && is_last && options->optimize_filters_for_hits) {
      return "last level, skipped by optimize_filters_for_hits";
    }
    if (options != nullptr && HasNoBits(*options, file.level)) {
      return fmt::format("level_bits_per_key gives level {} no bits",
                         file.level);
    }
    const auto& collected = properties.user_collected_properties;
    const auto whole =
        collected.find("rocksdb.block.based.table.whole.key.filtering");
    if (whole != collected.end() && whole->second == "0") {
      return "whole_key_filtering is off, and no key has a prefix";
    }
    return fmt::format(
        "policy {} made none: no bits for the level it was written to, "
        "optimize_filters_for_hits, or memory ran out",
        properties.filter_policy_name);
  }

  // As the service opens the column family; null when that is not known.
  const rocksdb::Options* OptionsOf(const TableFile& file) {
    const auto key = std::make_pair(file.database, file.column_family);
    const auto known = options_.find(key);
    if (known != options_.end()) return &known->second;
    for (const auto& database : found_.databases) {
      if (database->db()->GetName() != file.database ||
          !database->knows_options()) {
        continue;
      }
      for (rocksdb::ColumnFamilyHandle* handle : database->column_families()) {
        if (handle->GetName() != file.column_family) continue;
        return &options_.emplace(key, database->db()->GetOptions(handle))
                    .first->second;
      }
    }
    return nullptr;
  }

  enum class Totals { kLevels, kFamilies, kDatabases };

  void Sum(Totals of, std::vector<LevelTotal>* totals) const {
    std::map<std::tuple<std::string, std::string, int>, LevelTotal> sums;
    for (const InspectedTable& row : report_.tables) {
      const int level = of == Totals::kLevels ? row.table.level : -1;
      const std::string family =
          of == Totals::kDatabases ? "" : row.table.column_family;
      LevelTotal& sum = sums[{row.table.database, family, level}];
      sum.database = row.table.database;
      sum.column_family = family;
      sum.level = level;
      ++sum.tables;
      if (!row.filter.has_filter()) ++sum.unfiltered;
      sum.entries += row.entries;
      sum.filter_keys += row.filter.keys;
      sum.filter_bytes += row.filter.bytes;
      sum.expected_rate +=
          static_cast<double>(row.entries) *
          (row.filter.has_filter() ? row.filter.expected_rate : 1);
    }
    for (auto& [key, sum] : sums) {
      if (sum.entries > 0) {
        sum.expected_rate /= static_cast<double>(sum.entries);
      }
      if (sum.filter_keys > 0) {
        sum.bits_per_key =
            8 * static_cast<double>(sum.filter_bytes) / sum.filter_keys;
      }
      totals->push_back(sum);
    }
  }

  // Files move down without being rebuilt and keep the bits of the level they
  // were made for.
  void RemarkOddBits() {
    for (InspectedTable& row : report_.tables) {
      if (row.table.level < 0 || !row.remark.empty()) continue;
      for (const LevelTotal& level : report_.levels) {
        if (level.database != row.table.database ||
            level.column_family != row.table.column_family ||
            level.level != row.table.level) {
          continue;
        }
        // Small tables are rounded up to whole blocks.
        if (row.filter.keys >= 1000 &&
            std::abs(row.filter.bits_per_key - level.bits_per_key) > kOddBits) {
          row.remark = fmt::format(
              "{:.1f} bits per key on a level of {:.1f}: made for another "
              "level "
              "or setting",
              row.filter.bits_per_key, level.bits_per_key);
        }
      }
    }
  }

  const TableFiles found_;
  InspectReport& report_;
  std::map<std::pair<std::string, std::string>, int> last_level_;
  std::map<std::pair<std::string, std::string>, rocksdb::Options> options_;
};

}  // namespace

rocksdb::Status InspectTables(const std::vector<std::string>& paths,
                              InspectReport* report) {
  *report = InspectReport();
  return Inspection(paths, report).Run();
}

}  // namespace sstfilter::tools
