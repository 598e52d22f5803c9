#include "tools/measure_chart.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/bar_chart.h"
#include "tools/chart_axis.h"
#include "tools/thousands.h"

namespace sstfilter::tools {

namespace {

std::optional<double> Percent(const std::optional<double>& rate) {
  if (!rate.has_value()) return std::nullopt;
  return 100 * *rate;
}

}  // namespace

Chart MeasureChart(const MeasureReport& report) {
  BarSeries absent = {"absent keys", {}};
  BarSeries present = {"present keys", {}};
  BarSeries observed = {"observed", {}};
  BarSeries expected = {"expected", {}};
  std::vector<uint64_t> bytes;
  BarChart bars;
  for (const FilterResult& result : report.results) {
    bars.rows.push_back(result.filter);
    absent.values.emplace_back(result.disk_reads_absent);
    present.values.emplace_back(result.disk_reads_present);
    observed.values.push_back(Percent(result.observed_fpr));
    expected.values.push_back(Percent(result.expected_fpr));
    bytes.push_back(result.filter_bytes);
  }
  const FilterResult& first = report.results.front();
  bars.title = fmt::format(
      "{} keys; {} lookups of absent keys, {} of present ones",
      WithThousands(first.keys), WithThousands(first.absent_lookups),
      WithThousands(first.present_lookups));
  bars.panels = {
      {"Disk reads", "reads", "", {absent, present}},
      {"False positive rate",
       "% of filter checks for absent keys",
       "no filter",
       {observed, expected}},
      MemoryPanel(bytes),
  };
  return DrawBars(bars);
}

}  // namespace sstfilter::tools
