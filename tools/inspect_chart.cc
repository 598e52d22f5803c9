#include "tools/inspect_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tools/bar_chart.h"
#include "tools/chart_axis.h"
#include "tools/thousands.h"

namespace sstfilter::tools {

namespace {

// More do not fit into a picture that people look at.
constexpr size_t kMostRows = 60;

// Those with the most entries, in their order.
std::vector<LevelTotal> Largest(const std::vector<LevelTotal>& levels) {
  std::vector<size_t> rows(levels.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&levels](size_t a, size_t b) {
    return levels[a].entries > levels[b].entries;
  });
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  std::sort(rows.begin(), rows.end());
  std::vector<LevelTotal> largest;
  for (const size_t row : rows) largest.push_back(levels[row]);
  return largest;
}

std::string Title(const InspectReport& report, size_t rows) {
  uint64_t tables = 0;
  uint64_t entries = 0;
  for (const LevelTotal& level : report.levels) {
    tables += level.tables;
    entries += level.entries;
  }
  const std::string all =
      fmt::format("Filters of {} tables with {} entries", WithThousands(tables),
                  WithThousands(entries));
  return rows == report.levels.size()
             ? all
             : fmt::format("{}: the {} largest of {} levels", all, rows,
                           report.levels.size());
}

// The database only when there are several.
std::string RowName(const LevelTotal& level, bool with_database) {
  if (level.level < 0) return "tables of no known level";
  const std::string name =
      fmt::format("{}, level {}", level.column_family, level.level);
  return with_database ? fmt::format("{}: {}", level.database, name) : name;
}

}  // namespace

Chart InspectChart(const InspectReport& report) {
  const std::vector<LevelTotal> levels = Largest(report.levels);
  std::set<std::string> databases;
  for (const LevelTotal& level : levels) databases.insert(level.database);

  BarChart bars;
  BarSeries rate;
  BarSeries bits;
  std::vector<uint64_t> bytes;
  for (const LevelTotal& level : levels) {
    bars.rows.push_back(RowName(level, databases.size() > 1));
    rate.values.emplace_back(100 * level.expected_rate);
    bits.values.emplace_back(level.bits_per_key);
    bytes.push_back(level.filter_bytes);
  }
  bars.title = Title(report, levels.size());
  bars.panels = {
      {"Expected false positive rate", "% of absent keys", "", {rate}},
      {"Size of the filters", "bits per key in a filter", "", {bits}},
      MemoryPanel(bytes),
  };
  return DrawBars(bars);
}

}  // namespace sstfilter::tools
