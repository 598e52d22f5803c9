#include "tools/size_chart.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "sstfilter/filter_kind.h"
#include "tools/chart_axis.h"
#include "tools/thousands.h"

namespace sstfilter::tools {

namespace {

// Far from each other for every kind of eye.
constexpr const char* kColours[] = {"#7f7f7f", "#0072b2", "#d55e00", "#56b4e9",
                                    "#e69f00"};

// Ours have bare names where everything is about sstfilter; a picture travels.
std::string Name(const std::string& kind) {
  FilterKind ours;
  return ParseFilterKind(kind, &ours) ? "sstfilter " + kind : kind;
}

}  // namespace

Chart SizeChart(uint64_t keys,
                const std::vector<std::vector<FilterSize>>& curve) {
  Chart chart;
  chart.width = 720;
  chart.height = 460;
  std::vector<double> rates;
  std::string data;
  for (const std::vector<FilterSize>& sizes : curve) {
    data += fmt::format("{:.9g}", sizes.front().bits_per_key);
    for (const FilterSize& size : sizes) {
      rates.push_back(100 * size.rate);
      data += fmt::format(" {:.9g}", rates.back());
    }
    data += "\n";
  }
  const ChartAxis axis = LogarithmicAxis(rates);
  std::vector<std::string> lines;
  for (size_t i = 0; i < curve.front().size(); ++i) {
    // Marks too, for print without colours.
    lines.push_back(fmt::format(
        "$curve using 1:{} with linespoints linewidth 1.5 pointtype {} "
        "pointsize 0.6 linecolor rgb '{}' title {}",
        i + 2, i + 4, kColours[i % std::size(kColours)],
        GnuplotText(Name(curve.front()[i].kind))));
  }
  chart.commands = fmt::format(
      "$curve << EOD\n{}EOD\n"
      "set termoption noenhanced\n"
      "set title {} font ',14'\n"
      "set xlabel 'bits per key'\nset ylabel 'false positive rate, %'\n"
      "set xrange [{:.9g}:{:.9g}]\nset xtics 2\n"
      "set logscale y\nset yrange [{:.9g}:{:.9g}]\nset ytics {}\n"
      "set border 3 linecolor rgb '#444444'\nset tics nomirror out\n"
      "set grid xtics ytics linecolor rgb '#cccccc'\n"
      "set key top right\n"
      "plot {}\n",
      data,
      GnuplotText(fmt::format("False positive rate of filters of {} keys",
                              WithThousands(keys))),
      curve.front().front().bits_per_key, curve.back().front().bits_per_key,
      axis.low, axis.high, axis.tics, fmt::join(lines, ", \\\n     "));
  return chart;
}

}  // namespace sstfilter::tools
