// Averages over how many keys a block has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sstfilter {

// Calls visit(i, probability) for the values of a distribution on 0..last whose
// probabilities are not negligible. `ratio(i)` is the probability of i + 1 over
// that of i. Works outward from the mode and normalizes by the sum: no lgamma,
// which is not thread-safe in common C libraries, and no loss of digits for
// large numbers.
template <typename Ratio, typename Visitor>
void ForLikely(double mode, double last, Ratio ratio, Visitor visit) {
  const auto walk = [=](double top, auto each) {
    constexpr double kNegligible = 1e-18;
    double probability = top;
    for (double i = mode;; --i) {
      each(i, probability);
      if (i < 1) break;
      probability /= ratio(i - 1);
      if (!(probability > kNegligible * top)) break;
    }
    probability = top;
    for (double i = mode; i < last;) {
      probability *= ratio(i);
      if (!(probability > kNegligible * top)) break;
      each(++i, probability);
    }
  };
  double sum = 0;
  walk(1, [&](double, double probability) { sum += probability; });
  walk(1 / sum, [&](double i, double probability) {
    visit(static_cast<size_t>(i), probability);
  });
}

// The number of successes in n tries, each with probability p in [0, 1].
template <typename Visitor>
void ForBinomial(double n, double p, Visitor visit) {
  if (p >= 1) {
    visit(static_cast<size_t>(n), 1.0);
    return;
  }
  const double mode = std::min(n, std::floor((n + 1) * p));
  const auto ratio = [=](double i) {
    return (n - i) * p / ((i + 1) * (1 - p));
  };
  ForLikely(mode, n, ratio, visit);
}

}  // namespace sstfilter
