// Horizontal bars in panels side by side, which share their rows: for names
// that are long.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gnuplot.h"

namespace sstfilter::tools {

// The bars of one colour; none where there is nothing to say.
struct BarSeries {
  std::string name;  // for the legend, which is there for two or more
  std::vector<std::optional<double>> values;  // one per row, none negative
};

struct BarPanel {
  std::string title;
  std::string axis;     // what the numbers are, with their unit
  std::string missing;  // written where a value is missing
  std::vector<BarSeries> series;
};

// One series, in the unit that fits the largest.
BarPanel MemoryPanel(const std::vector<uint64_t>& bytes);

struct BarChart {
  std::string title;
  std::vector<std::string> rows;  // from the top
  std::vector<BarPanel> panels;
};

// REQUIRES: a row, a panel, and in each panel a series.
Chart DrawBars(const BarChart& bars);

}  // namespace sstfilter::tools
