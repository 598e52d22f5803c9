#include "tools/benchmark/figures.h"

#include <algorithm>

#include "tools/median.h"

namespace sstfilter::benchmarks {

using tools::Median;

void Rounds::AddRound(const std::vector<double>& nanoseconds) {
  // Less than a clock tick of difference between a loop and its dry run can
  // come out at or below zero, in tiny cases only.
  const double reference = std::max(nanoseconds[0], 0.01);
  for (size_t i = 0; i < nanoseconds.size(); ++i) {
    current_[i].nanoseconds.push_back(nanoseconds[i]);
    current_[i].ratios.push_back(nanoseconds[i] / reference);
  }
}

void Rounds::EndRepeat() {
  for (size_t i = 0; i < current_.size(); ++i) {
    repeats_[i].push_back(
        {Median(current_[i].nanoseconds), Median(current_[i].ratios)});
    current_[i] = {};
  }
}

Figure Rounds::FigureOf(size_t filter) const {
  std::vector<double> nanoseconds;
  std::vector<double> ratios;
  for (const Repeat& repeat : repeats_[filter]) {
    nanoseconds.push_back(repeat.nanoseconds);
    ratios.push_back(repeat.ratio);
  }
  Figure figure;
  if (ratios.empty()) return figure;
  figure.nanoseconds = Median(nanoseconds);
  figure.ratio = Median(ratios);
  figure.lowest_ratio = *std::min_element(ratios.begin(), ratios.end());
  figure.highest_ratio = *std::max_element(ratios.begin(), ratios.end());
  return figure;
}

}  // namespace sstfilter::benchmarks
