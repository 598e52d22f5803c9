#include "tools/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sstfilter::tools {

namespace {

// A bar of less than this part of the longest one is hardly to be seen.
constexpr double kLeastPart = 1.0 / 30;
// The part of the scale that the longest bar leaves to the number behind it.
constexpr double kRoom = 0.35;
constexpr int kMostParts = 5;     // between the numbers of a short axis
constexpr int kMostDecades = 10;  // and of a long one

std::string Trimmed(double value) {
  std::string text = fmt::format("{:.12f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string TicText(double value) {
  if (value >= 1e9) return Trimmed(value / 1e9) + "G";
  if (value >= 1e6) return Trimmed(value / 1e6) + "M";
  if (value >= 1e4) return Trimmed(value / 1e3) + "k";
  return Trimmed(value);
}

std::string ListOfTics(const std::vector<double>& values) {
  std::vector<std::string> tics;
  tics.reserve(values.size());
  for (const double value : values) {
    tics.push_back(fmt::format("'{}' {:.9g}", TicText(value), value));
  }
  return fmt::format("({})", fmt::join(tics, ", "));
}

std::string LinearTics(double longest) {
  const double unit =
      std::pow(10, std::floor(std::log10(longest / kMostParts)));
  double step = unit;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step * kMostParts < longest) step = factor * unit;
  }
  std::vector<double> tics;
  for (int i = 0; i * step <= longest * (1 + 1e-9); ++i) {
    tics.push_back(i * step);
  }
  return ListOfTics(tics);
}

std::string LogarithmicTics(double low, double high, int most_parts) {
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int stride = std::max(1, (last - first + most_parts - 1) / most_parts);
  std::vector<double> tics;
  for (int i = first; i <= last; i += stride) tics.push_back(std::pow(10, i));
  return ListOfTics(tics);
}

}  // namespace

ChartAxis AxisForBars(const std::vector<double>& values) {
  double longest = 0;
  double shortest = 0;  // of those that have a length
  for (const double value : values) {
    longest = std::max(longest, value);
    if (value > 0 && (shortest == 0 || value < shortest)) shortest = value;
  }
  ChartAxis axis;
  axis.is_logarithmic = longest > 0 && shortest < longest * kLeastPart;
  if (axis.is_logarithmic) {
    // Less than the shortest, so that it has a length.
    axis.low = std::pow(10, std::floor(std::log10(shortest / 1.5)));
    axis.high = longest * std::pow(longest / axis.low, kRoom / (1 - kRoom));
    axis.tics = LogarithmicTics(axis.low, longest, kMostParts);
  } else if (longest > 0) {
    axis.high = longest / (1 - kRoom);
    axis.tics = LinearTics(longest);
  } else {
    axis.tics = ListOfTics({0});
  }
  return axis;
}

ChartAxis LogarithmicAxis(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  ChartAxis axis;
  axis.is_logarithmic = true;
  axis.low = std::pow(10, std::floor(std::log10(*least) + 1e-9));
  axis.high = std::pow(10, std::ceil(std::log10(*most) - 1e-9));
  if (axis.low == axis.high) axis.high *= 10;
  axis.tics = LogarithmicTics(axis.low, axis.high, kMostDecades);
  return axis;
}

std::string ChartNumber(double value) {
  if (value >= 1000 || value == std::floor(value)) {
    return fmt::format("{:.0f}", value);
  }
  const int digits = 2 - static_cast<int>(std::floor(std::log10(value)));
  return fmt::format("{:.{}f}", value, std::max(0, digits));
}

}  // namespace sstfilter::tools
