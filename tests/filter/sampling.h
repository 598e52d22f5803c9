// What the statistical tests share: reproducible randomness, and bounds that a
// right program leaves once in millions of runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <vector>

#include "filter/algorithm.h"
#include "filter/cpu.h"

namespace sstfilter {

// SplitMix64: the same numbers everywhere, unlike the standard's distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t x = state_ += uint64_t{0x9E3779B97F4A7C15};
    x = (x ^ (x >> 30)) * uint64_t{0xBF58476D1CE4E5B9};
    x = (x ^ (x >> 27)) * uint64_t{0x94D049BB133111EB};
    return x ^ (x >> 31);
  }

  // In [0, limit), limit < 2^32.
  uint64_t Below(uint64_t limit) { return ((Next() >> 32) * limit) >> 32; }

 private:
  uint64_t state_;
};

// The environment variable SSTFILTER_TEST_SCALE, 1 if unset: how many samples
// to take, as a multiple of the usual number. Small for emulated CPUs.
inline double TestScale() {
  const char* text = std::getenv("SSTFILTER_TEST_SCALE");
  const double scale = text == nullptr ? 1 : std::strtod(text, nullptr);
  return scale > 0 ? scale : 1;
}

// `count` samples scaled, but at least `least`.
inline size_t Scaled(size_t count, size_t least = 1) {
  return std::max(
      least, static_cast<size_t>(static_cast<double>(count) * TestScale()));
}

// What an observed count must be within when `expected` is its mean: five
// standard deviations of a binomial count of rare events, and `model` of the
// mean for what the expectation leaves out. The constant is for means near 0,
// where the distribution is not yet bell-shaped.
struct CountBounds {
  double low;
  double high;
};

inline CountBounds BoundsOfCount(double expected, double model) {
  const double reach = 5 * std::sqrt(expected) + model * expected;
  return {expected - reach - 1, expected + reach + 6};
}

// Chi-square of equal expectations, as the number of standard deviations by
// which it is off. For counts of balls thrown into bins that is a standard
// normal variable when there are many bins.
inline double ChiSquareDeviation(const std::vector<uint32_t>& counts) {
  double sum = 0;
  for (uint32_t count : counts) sum += count;
  const double mean = sum / static_cast<double>(counts.size());
  double chi_square = 0;
  for (uint32_t count : counts) {
    chi_square += (count - mean) * (count - mean) / mean;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

// A kind with one of its kernels that this CPU can run.
struct KindAndKernel {
  FilterKind kind;
  CpuLevel level;

  const FilterAlgorithm& algorithm() const { return *AlgorithmFor(kind); }
  const FilterKernel& kernel() const { return KernelFor(algorithm(), level); }
};

inline void PrintTo(const KindAndKernel& tested, std::ostream* out) {
  *out << FilterKindName(tested.kind) << '_' << CpuLevelName(tested.level);
}

inline constexpr FilterKind kStoredKinds[] = {
    FilterKind::kBloom, FilterKind::kStandardBloom, FilterKind::kParity};

inline std::vector<KindAndKernel> AllKernels() {
  std::vector<KindAndKernel> all;
  for (FilterKind kind : kStoredKinds) {
    const FilterAlgorithm& algorithm = *AlgorithmFor(kind);
    for (size_t i = 0; i < algorithm.kernel_count; ++i) {
      const CpuLevel level = algorithm.kernels[i].level;
      if (level <= DetectedCpuLevel()) all.push_back({kind, level});
    }
  }
  return all;
}

}  // namespace sstfilter
