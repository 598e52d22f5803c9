#include "tools/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tools/chart_axis.h"

namespace sstfilter::tools {

namespace {

// Pixels.
constexpr double kCharacter = 7.4;  // mean width in a label
constexpr int kBar = 17;
constexpr int kBetweenRows = 12;
constexpr int kPanelWidth = 280;
constexpr int kBetweenPanels = 24;
constexpr int kTop = 100;    // titles and legend
constexpr int kLegend = 84;  // from the top
constexpr int kBottom = 64;  // the numbers of the axis and what they are
constexpr int kRightMargin = 16;

constexpr size_t kWidestLabel = 40;  // characters in a line
constexpr size_t kMostLines = 3;

// Far from each other for every kind of eye, and in grey.
constexpr const char* kColours[] = {"#0072b2", "#e69f00", "#7f7f7f"};

// At a separator of option strings, where there is one.
std::vector<std::string> Lines(std::string text) {
  std::vector<std::string> lines;
  while (text.size() > kWidestLabel) {
    size_t end = text.find_last_of(";: /", kWidestLabel - 1);
    // Not into the middle of a character.
    if (end == std::string::npos) {
      end = kWidestLabel - 1;
      while (end > 1 && (text[end + 1] & 0xC0) == 0x80) --end;
    }
    lines.push_back(text.substr(0, end + 1));
    text.erase(0, end + 1);
  }
  lines.push_back(text);
  if (lines.size() > kMostLines) {
    lines.resize(kMostLines);
    lines.back() += "...";
  }
  return lines;
}

std::string Label(const std::string& text) {
  std::string label;
  for (const std::string& line : Lines(text)) {
    if (!label.empty()) label += " . \"\\n\" . ";
    label += GnuplotText(line);
  }
  return label;
}

size_t WidestLine(const std::vector<std::string>& rows) {
  size_t widest = 0;
  for (const std::string& row : rows) {
    for (const std::string& line : Lines(row)) {
      widest = std::max(widest, line.size());
    }
  }
  return widest;
}

// The data of a panel: a block of bars and one of numbers for each series.
class Panel {
 public:
  Panel(const BarPanel& panel, size_t rows, size_t index)
      : panel_(panel), rows_(rows), index_(index) {
    std::vector<double> values;
    for (const BarSeries& series : panel.series) {
      for (const auto& value : series.values) {
        if (value.has_value()) values.push_back(*value);
      }
    }
    axis_ = AxisForBars(values);
  }

  std::string Data() const {
    std::string data;
    for (size_t s = 0; s < panel_.series.size(); ++s) {
      data += fmt::format("{} << EOD\n{}EOD\n", Block("bars", s), Bars(s));
      data +=
          fmt::format("{} << EOD\n{}EOD\n", Block("numbers", s), Numbers(s));
    }
    return data;
  }

  std::string Plot() const {
    std::string text = fmt::format(
        "set title {} offset 0,1.5\nset xlabel {}\nset xrange [{:.9g}:{:.9g}]\n"
        "set xtics {}\n{} logscale x\n{} key\n",
        GnuplotText(panel_.title),
        GnuplotText(panel_.axis + (axis_.is_logarithmic ? " (log scale)" : "")),
        axis_.low, axis_.high, axis_.tics,
        axis_.is_logarithmic ? "set" : "unset",
        panel_.series.size() > 1 ? "set" : "unset");
    std::vector<std::string> parts;
    for (size_t s = 0; s < panel_.series.size(); ++s) {
      parts.push_back(
          fmt::format("{} using 1:2:3:4:5:6 with boxxyerror linecolor rgb '{}' "
                      "fillstyle solid noborder title {}",
                      Block("bars", s), kColours[s % std::size(kColours)],
                      GnuplotText(panel_.series[s].name)));
      parts.push_back(fmt::format(
          "{} using 1:2:3 with labels left offset char 0.4,0 font ',10' "
          "notitle",
          Block("numbers", s)));
    }
    return text + fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
  }

 private:
  std::string Block(const char* what, size_t series) const {
    return fmt::format("${}_{}_{}", what, index_, series);
  }

  // Rows are at 0, 1, ...; the bars of one are beside each other.
  double Thickness() const {
    return 0.7 / static_cast<double>(panel_.series.size());
  }
  double Middle(size_t row, size_t series) const {
    return static_cast<double>(row) - 0.35 +
           Thickness() * (static_cast<double>(series) + 0.5);
  }

  std::string Bars(size_t series) const {
    std::string text;
    for (size_t row = 0; row < rows_; ++row) {
      const std::optional<double>& value = panel_.series[series].values[row];
      if (!value.has_value() || *value <= axis_.low) continue;
      const double middle = Middle(row, series);
      const double half = 0.46 * Thickness();
      text +=
          fmt::format("{:.9g} {:.4f} {:.9g} {:.9g} {:.4f} {:.4f}\n", *value,
                      middle, axis_.low, *value, middle - half, middle + half);
    }
    // gnuplot takes an empty block for a mistake.
    return text.empty() ? "NaN NaN NaN NaN NaN NaN\n" : text;
  }

  std::string Numbers(size_t series) const {
    std::string text;
    for (size_t row = 0; row < rows_; ++row) {
      const std::optional<double>& value = panel_.series[series].values[row];
      // Once for the row is enough.
      if (!value.has_value() && series > 0) continue;
      text += fmt::format(
          "{:.9g} {:.4f} \"{}\"\n",
          value.has_value() ? std::max(*value, axis_.low) : axis_.low,
          Middle(row, series),
          value.has_value() ? ChartNumber(*value) : panel_.missing);
    }
    return text.empty() ? "NaN NaN \"\"\n" : text;
  }

  const BarPanel& panel_;
  size_t rows_;
  size_t index_;
  ChartAxis axis_;
};

std::string RowLabels(const std::vector<std::string>& rows) {
  std::vector<std::string> labels;
  for (size_t row = 0; row < rows.size(); ++row) {
    labels.push_back(fmt::format("{} {}", Label(rows[row]), row));
  }
  return fmt::format("set ytics ({}) font ',11'\n", fmt::join(labels, ", "));
}

}  // namespace

BarPanel MemoryPanel(const std::vector<uint64_t>& bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  const uint64_t most =
      bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
  size_t unit = 0;
  double scale = 1;
  while (static_cast<double>(most) >= 1024 * scale &&
         unit + 1 < std::size(kUnits)) {
    scale *= 1024;
    ++unit;
  }
  BarSeries series;
  for (const uint64_t value : bytes) {
    series.values.emplace_back(static_cast<double>(value) / scale);
  }
  return {"Memory of the filters", kUnits[unit], "", {series}};
}

Chart DrawBars(const BarChart& bars) {
  const int left =
      30 +
      static_cast<int>(kCharacter * static_cast<double>(WidestLine(bars.rows)));
  size_t most_series = 2;  // room for two lines of a label
  for (const BarPanel& panel : bars.panels) {
    most_series = std::max(most_series, panel.series.size());
  }
  const int row_height = kBar * static_cast<int>(most_series) + kBetweenRows;
  Chart chart;
  chart.width =
      left + kRightMargin +
      static_cast<int>(bars.panels.size()) * (kPanelWidth + kBetweenPanels);
  chart.height =
      kTop + kBottom + row_height * static_cast<int>(bars.rows.size());

  std::string plots;
  for (size_t i = 0; i < bars.panels.size(); ++i) {
    const Panel panel(bars.panels[i], bars.rows.size(), i);
    chart.commands += panel.Data();
    const int begin =
        left + static_cast<int>(i) * (kPanelWidth + kBetweenPanels);
    plots += fmt::format(
        "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n{}",
        begin / static_cast<double>(chart.width),
        (begin + kPanelWidth) / static_cast<double>(chart.width), panel.Plot());
    // Only the first panel has the names.
    if (i == 0) plots += "unset ytics\n";
  }
  chart.commands += fmt::format(
      "set termoption noenhanced\n"
      "set multiplot title {} font ',14'\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
      "set yrange [{}.5:-0.5]\n"
      "set border 3 linecolor rgb '#444444'\nset tics nomirror out\n"
      "set grid xtics noytics linecolor rgb '#cccccc'\n"
      "set key at graph 0.5, screen {:.5f} center horizontal maxrows 1 "
      "samplen 1 font ',10'\n{}{}"
      "unset multiplot\n",
      GnuplotText(bars.title), 1 - kTop / static_cast<double>(chart.height),
      kBottom / static_cast<double>(chart.height), bars.rows.size() - 1,
      1 - kLegend / static_cast<double>(chart.height), RowLabels(bars.rows),
      plots);
  return chart;
}

}  // namespace sstfilter::tools
