#include "tools/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "tools/interrupt.h"

namespace sstfilter::tools {

namespace {

// Bits per key this far from the level's mean belong to another level.
constexpr double kOddBits = 1.5;

bool SkipsLastLevel(const ReadOnlyDatabase& database,
                    const std::string& column_family) {
  for (rocksdb::ColumnFamilyHandle* handle : database.column_families()) {
    if (handle->GetName() == column_family) {
      return database.db()->GetOptions(handle).optimize_filters_for_hits;
    }
  }
  return false;
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
    Sum(&report_.levels, true);
    Sum(&report_.families, false);
    RemarkOddBits();
    for (const auto& database : found_.databases) {
      for (FilterWarning& warning :
           CheckFilters(database->db(), database->column_families())) {
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
      case StoredTable::Lack::kUnreadable:
        report_.problems.push_back(
            fmt::format("{}: filter block is damaged", file.path));
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
    return "";
  }

  std::string WhySkipped(const TableFile& file,
                         const rocksdb::TableProperties& properties) {
    if (properties.num_entries == properties.num_range_deletions) {
      return "no keys, only range deletions";
    }
    const bool is_last =
        file.level >= 0 &&
        file.level == last_level_[{file.database, file.column_family}];
    for (const auto& database : found_.databases) {
      if (is_last && database->db()->GetName() == file.database &&
          SkipsLastLevel(*database, file.column_family)) {
        return "last level, skipped by optimize_filters_for_hits";
      }
    }
    const auto& collected = properties.user_collected_properties;
    const auto whole =
        collected.find("rocksdb.block.based.table.whole.key.filtering");
    if (whole != collected.end() && whole->second == "0") {
      return "whole_key_filtering is off, and no key has a prefix";
    }
    return fmt::format(
        "policy {} made none: no bits for this level, or "
        "optimize_filters_for_hits",
        properties.filter_policy_name);
  }

  void Sum(std::vector<LevelTotal>* totals, bool by_level) const {
    std::map<std::tuple<std::string, std::string, int>, LevelTotal> sums;
    for (const InspectedTable& row : report_.tables) {
      const int level = by_level ? row.table.level : -1;
      LevelTotal& sum =
          sums[{row.table.database, row.table.column_family, level}];
      sum.database = row.table.database;
      sum.column_family = row.table.column_family;
      sum.level = level;
      ++sum.tables;
      if (row.filter.filters == 0) ++sum.unfiltered;
      sum.entries += row.entries;
      sum.filter_keys += row.filter.keys;
      sum.filter_bytes += row.filter.bytes;
      sum.expected_rate +=
          static_cast<double>(row.entries) * row.filter.expected_rate;
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
};

}  // namespace

rocksdb::Status InspectTables(const std::vector<std::string>& paths,
                              InspectReport* report) {
  *report = InspectReport();
  return Inspection(paths, report).Run();
}

}  // namespace sstfilter::tools
