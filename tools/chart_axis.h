// The scale of a chart: where it begins and ends and which numbers it shows.
#pragma once

#include <string>
#include <vector>

namespace sstfilter::tools {

struct ChartAxis {
  double low = 0;
  double high = 1;
  bool is_logarithmic = false;
  std::string tics;  // as gnuplot's `set xtics` takes them
};

// For bars of these lengths, none negative, with a number behind each:
// logarithmic when a linear scale would leave the shortest hardly to be seen.
ChartAxis AxisForBars(const std::vector<double>& values);

// From one power of ten to another, around these values, all positive.
ChartAxis LogarithmicAxis(const std::vector<double>& values);

// For people: three significant digits, whole numbers in full, no exponent.
std::string ChartNumber(double value);

}  // namespace sstfilter::tools
