// How a filter budget is best spread over the sorted runs of an LSM tree.
//
// A lookup of an absent key asks one filter per sorted run whose range covers
// the key: one for each level below level 0, one for each file of level 0. Each
// filter that wrongly answers "may be here" costs a read in vain. With
//
//   n_i     keys in run (or level) i
//   a_i     filters of i that one absent lookup asks, on average: 1 for a full
//           level, 8 for a level 0 of eight files, less where lookups fall
//           outside the range
//   b_i     bits per key given to i
//   p_i(b)  false positive rate of i's kind of filter at b bits per key;
//           p_i(0) = 1: no filter, always a read
//
// the expected number of wasted reads is W = sum a_i p_i(b_i) and the memory is
// M = sum n_i b_i. To minimise W for a given M, set the derivatives of
// W + x (M - budget) to zero (Lagrange):
//
//   -a_i p_i'(b_i) / n_i = x      for every i
//
// the last bit per key of every run saves the same number of reads per bit of
// memory, the price x. Where that would take b_i below what a filter needs or
// above the cap, b_i stays at the bound. For a textbook Bloom filter p' is
// proportional to p, so the rule reads "rates in proportion to keys":
// p_i ~ n_i / a_i, and a level T times smaller gets ln T / (ln 2)^2 more bits
// per key. That is the result of Dayan, Athanassoulis and Idreos, "Monkey:
// Optimal Navigable Key-Value Store", SIGMOD 2017; here no formula for p is
// assumed.
//
// The condition finds the minimum only where p is convex. No curve is between 0
// bits and the smallest filter, and real ones have kinks where the number of
// probes or the layout of a block changes, so every curve is replaced by its
// lower convex hull. On hulls made of straight edges the minimum is found
// without searching for x: take the edges of all runs in the order of reads
// saved per bit until the memory is spent.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "sstfilter/filter_kind.h"

namespace sstfilter {

// False positive rate against bits per key of one kind of filter, tabulated.
// Immutable.
class RateCurve {
 public:
  // `rate_of_bits` falls; it is evaluated at some dozens of points of [low,
  // high], 0 < low < high, and interpolated between them.
  RateCurve(const std::function<double(double)>& rate_of_bits, double low,
            double high);

  // Range of bits per key of a filter.
  double low() const { return low_; }
  double high() const { return low_ + step_ * static_cast<double>(last()); }

  // 1 at 0 bits (no filter). Other values are brought into [low, high].
  double Rate(double bits_per_key) const;

  // The smallest bits per key with at most this rate; 0 for a rate of 1 or
  // more, infinity where even high() does not reach it.
  double BitsForRate(double rate) const;

  // A corner of the lower convex hull.
  struct Point {
    double bits_per_key;
    double rate;
  };
  // From low() to high().
  const std::vector<Point>& hull() const { return hull_; }
  // The same with "no filter", 0 bits and a rate of 1, as the first corner.
  const std::vector<Point>& hull_from_none() const { return hull_from_none_; }

 private:
  size_t last() const { return rates_.size() - 1; }

  double low_;
  double step_;
  std::vector<double> rates_;  // at low, low + step, ...
  std::vector<Point> hull_;
  std::vector<Point> hull_from_none_;
};

// The curve of large filters of `kind` (not kAuto) up to `max_bits_per_key` in
// [1, 100]. Made when first asked for, then kept: later calls cost next to
// nothing. Thread-safe.
std::shared_ptr<const RateCurve> KindRateCurve(FilterKind kind,
                                               double max_bits_per_key);

// What shares one number of bits per key: a level, or files of level 0.
struct RunGroup {
  // In all runs of the group together.
  double keys = 0;
  // How many of its filters one lookup of an absent key asks.
  double lookups = 1;
  std::shared_ptr<const RateCurve> curve;
};

// Whether a group may be left without filters where the memory saves more reads
// elsewhere.
enum class Unfiltered { kAllowed, kForbidden };

struct Allocation {
  // One per group: 0 (no filter) or in the range of its curve.
  std::vector<double> bits_per_key;
  // Sum of keys times bits.
  double total_bits = 0;
  // Expected false positives, and reads of unfiltered runs, per absent lookup.
  double wasted_reads = 0;
  // Wasted reads that one bit more would have saved; 0 when every group is at
  // its cap.
  double price = 0;
};

// The allocation of at most `total_bits` with the fewest wasted reads. With
// kForbidden every group gets the smallest filter first, even when that alone
// is more than `total_bits`.
Allocation AllocateBits(const std::vector<RunGroup>& groups, double total_bits,
                        Unfiltered unfiltered = Unfiltered::kAllowed);

// The allocation of the fewest bits with at most `wasted_reads`. When the caps
// do not allow as few, every group is at its cap, and Allocation::wasted_reads
// tells what that gives.
Allocation AllocateForWastedReads(const std::vector<RunGroup>& groups,
                                  double wasted_reads,
                                  Unfiltered unfiltered = Unfiltered::kAllowed);

// The bits per key of one more group when reads saved are bought at `price`
// (Allocation::price), at least the smallest filter.
double BitsAtPrice(const RunGroup& group, double price);

// Any allocation, for instance the one a database has.
double WastedReads(const std::vector<RunGroup>& groups,
                   const std::vector<double>& bits_per_key);

}  // namespace sstfilter
