#include "sstfilter/level_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "filter/rate_curve.h"
#include "sstfilter/sizing.h"

namespace sstfilter {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kLn2 = std::log(2.0);

using Curve = std::shared_ptr<const RateCurve>;

Curve MakeCurve(const std::function<double(double)>& rate, double low = 1,
                double high = 24) {
  return std::make_shared<RateCurve>(rate, low, high);
}

// The textbook filter, for which everything can be worked out by hand.
Curve TextbookCurve(double high = 24) {
  return MakeCurve(BestStandardBloomRate, 1, high);
}

// Rate 2^-r with whole r only: rounded corners, but far from convex.
Curve StaircaseCurve() {
  return MakeCurve([](double bits) {
    const double whole = std::floor(bits);
    const double part = bits - whole;
    return std::exp2(-(whole + std::pow(part, 4)));
  });
}

std::vector<RunGroup> Tree(const std::vector<double>& keys,
                           const Curve& curve) {
  std::vector<RunGroup> groups;
  for (double n : keys) groups.push_back({n, 1, curve});
  return groups;
}

double TotalKeys(const std::vector<RunGroup>& groups) {
  return std::accumulate(
      groups.begin(), groups.end(), 0.0,
      [](double sum, const RunGroup& group) { return sum + group.keys; });
}

// The fewest wasted reads of all allocations whose bits are 0 or a multiple of
// 1/8, by trying them all; the last group takes what is left.
double BruteForce(const std::vector<RunGroup>& groups, double total_bits,
                  Unfiltered unfiltered, size_t group = 0) {
  const RunGroup& it = groups[group];
  const double most = std::min(it.curve->high(), total_bits / it.keys);
  if (group + 1 == groups.size()) {
    if (most >= it.curve->low()) return it.lookups * it.curve->Rate(most);
    return unfiltered == Unfiltered::kAllowed ? it.lookups : kInfinity;
  }
  double best = kInfinity;
  if (unfiltered == Unfiltered::kAllowed) {
    best = it.lookups + BruteForce(groups, total_bits, unfiltered, group + 1);
  }
  for (double bits = it.curve->low(); bits <= most; bits += 0.125) {
    best = std::min(best, it.lookups * it.curve->Rate(bits) +
                              BruteForce(groups, total_bits - bits * it.keys,
                                         unfiltered, group + 1));
  }
  return best;
}

TEST(RateCurve, FollowsTheKindsItTabulates) {
  for (FilterKind kind :
       {FilterKind::kBloom, FilterKind::kStandardBloom, FilterKind::kParity}) {
    const Curve curve = KindRateCurve(kind, 24);
    for (double bits :
         {1.0, 1.3, 2.2, 4.4, 6.6, 9.5, 10.0, 13.0, 17.3, 23.1, 24.0}) {
      const double rate = RateAt(kind, bits);
      // A kind may change its layout between two points of the table.
      EXPECT_NEAR(curve->Rate(bits) / rate, 1, bits < 6 ? 0.06 : 0.01)
          << FilterKindName(kind) << " " << bits;
      if (bits > curve->low()) {
        EXPECT_NEAR(curve->BitsForRate(curve->Rate(bits)), bits, 1e-6);
      }
    }
  }
}

TEST(RateCurve, IsMadeOnce) {
  EXPECT_EQ(KindRateCurve(FilterKind::kBloom, 20),
            KindRateCurve(FilterKind::kBloom, 20));
}

TEST(RateCurve, Ends) {
  const Curve curve = TextbookCurve(20);
  EXPECT_EQ(curve->Rate(0), 1);
  EXPECT_DOUBLE_EQ(curve->Rate(0.5), curve->Rate(1));
  EXPECT_DOUBLE_EQ(curve->Rate(25), curve->Rate(20));
  EXPECT_EQ(curve->BitsForRate(1), 0);
  EXPECT_EQ(curve->BitsForRate(0.99), 1);
  EXPECT_EQ(curve->BitsForRate(BestStandardBloomRate(20) * 0.99), kInfinity);
  EXPECT_NEAR(curve->BitsForRate(0.01), StandardBloomBitsPerKey(0.01), 1e-3);
}

TEST(RateCurve, OfOneSizeOnly) {
  const Curve curve = KindRateCurve(FilterKind::kBloom, 1);
  EXPECT_NEAR(curve->Rate(1), RateAt(FilterKind::kBloom, 1), 1e-6);
}

TEST(RateCurve, HullIsConvexAndNotAboveTheCurve) {
  for (const Curve& curve : {TextbookCurve(), StaircaseCurve(),
                             KindRateCurve(FilterKind::kBloom, 24),
                             KindRateCurve(FilterKind::kParity, 24)}) {
    for (const auto* hull : {&curve->hull(), &curve->hull_from_none()}) {
      for (size_t i = 0; i < hull->size(); ++i) {
        const auto& point = (*hull)[i];
        EXPECT_NEAR(point.rate / curve->Rate(point.bits_per_key), 1, 1e-9);
        if (i < 2) continue;
        const auto& before = (*hull)[i - 1];
        const auto& first = (*hull)[i - 2];
        EXPECT_LT((before.rate - first.rate) /
                      (before.bits_per_key - first.bits_per_key),
                  (point.rate - before.rate) /
                      (point.bits_per_key - before.bits_per_key));
      }
    }
  }
}

// Every level T times smaller gets ln T / (ln 2)^2 more bits.
TEST(AllocateBits, TextbookFilterHasMonkeysSteps) {
  for (double ratio : {2.0, 4.0, 10.0}) {
    const auto groups =
        Tree({1, 1 / ratio, std::pow(ratio, -2)}, TextbookCurve(30));
    const double average = 9;
    const Allocation got = AllocateBits(groups, average * TotalKeys(groups));
    const double step = std::log(ratio) / (kLn2 * kLn2);
    // sum of keys * (b0 + d * step) = average * keys
    const double b0 =
        average - step * (1 / ratio + 2 / (ratio * ratio)) / TotalKeys(groups);
    for (int d = 0; d < 3; ++d) {
      EXPECT_NEAR(got.bits_per_key[static_cast<size_t>(d)], b0 + d * step, 0.07)
          << ratio << " " << d;
    }
    EXPECT_NEAR(got.total_bits, average * TotalKeys(groups), 1e-6);
    EXPECT_NEAR(got.wasted_reads, BestStandardBloomRate(b0) * TotalKeys(groups),
                1e-5);
  }
}

TEST(AllocateBits, EqualRunsGetEqualBits) {
  const auto groups = Tree({7, 7, 7, 7}, TextbookCurve());
  const Allocation got = AllocateBits(groups, 10 * 28);
  for (double bits : got.bits_per_key) EXPECT_NEAR(bits, 10, 1.0 / 16);
}

// Files of level 0 as one group or each by itself: the same.
TEST(AllocateBits, LookupsCountTheRunsOfAGroup) {
  const Curve curve = KindRateCurve(FilterKind::kBloom, 24);
  const std::vector<RunGroup> together = {{1000, 1, curve}, {80, 8, curve}};
  std::vector<RunGroup> apart = {{1000, 1, curve}};
  for (int i = 0; i < 8; ++i) apart.push_back({10, 1, curve});
  const Allocation one = AllocateBits(together, 10'800);
  const Allocation each = AllocateBits(apart, 10'800);
  EXPECT_NEAR(one.bits_per_key[1], each.bits_per_key[4], 0.1);
  EXPECT_NEAR(one.wasted_reads, each.wasted_reads, 1e-4 * one.wasted_reads);
}

TEST(AllocateBits, BoundsAreKept) {
  const auto groups = Tree({100'000, 10, 1}, TextbookCurve(12));
  const Allocation got = AllocateBits(groups, 100'011 * 6.0);
  EXPECT_NEAR(got.bits_per_key[0], 6, 0.01);
  EXPECT_DOUBLE_EQ(got.bits_per_key[1], 12);
  EXPECT_DOUBLE_EQ(got.bits_per_key[2], 12);

  const Allocation all = AllocateBits(groups, 1e9);
  EXPECT_EQ(all.price, 0);
  for (double bits : all.bits_per_key) EXPECT_DOUBLE_EQ(bits, 12);
  EXPECT_NEAR(all.total_bits, 12 * 100'011, 1e-3);
}

TEST(AllocateBits, LittleMemoryGoesToTheSmallRuns) {
  const auto groups = Tree({1000, 1}, TextbookCurve());
  // Enough for the small run only: a filter for the large one starts at 1000.
  const Allocation got = AllocateBits(groups, 500);
  EXPECT_EQ(got.bits_per_key[0], 0);
  EXPECT_DOUBLE_EQ(got.bits_per_key[1], 24);
  EXPECT_LE(got.total_bits, 500);
  EXPECT_NEAR(got.wasted_reads, 1 + BestStandardBloomRate(24), 1e-6);

  const Allocation none = AllocateBits(groups, 0);
  EXPECT_EQ(none.total_bits, 0);
  EXPECT_EQ(none.wasted_reads, 2);
}

TEST(AllocateBits, EveryRunHasAFilterWhenToldSo) {
  const auto groups = Tree({1000, 1}, TextbookCurve());
  const Allocation got = AllocateBits(groups, 500, Unfiltered::kForbidden);
  EXPECT_DOUBLE_EQ(got.bits_per_key[0], 1);
  EXPECT_DOUBLE_EQ(got.bits_per_key[1], 1);
}

TEST(AllocateBits, EmptyRunsAndRunsNobodyAsks) {
  const Curve curve = TextbookCurve();
  EXPECT_TRUE(AllocateBits({}, 100).bits_per_key.empty());
  const Allocation got =
      AllocateBits({{0, 1, curve}, {100, 0, curve}, {100, 1, curve}}, 1000);
  EXPECT_DOUBLE_EQ(got.bits_per_key[0], 24);
  EXPECT_EQ(got.bits_per_key[1], 0);
  EXPECT_NEAR(got.bits_per_key[2], 10, 1e-6);
}

TEST(AllocateBits, AsGoodAsBruteForce) {
  std::mt19937_64 random(1);
  const std::vector<Curve> curves = {
      TextbookCurve(12), MakeCurve(BestStandardBloomRate, 2, 10),
      StaircaseCurve(), KindRateCurve(FilterKind::kBloom, 16),
      KindRateCurve(FilterKind::kParity, 16)};
  std::uniform_real_distribution<double> log_keys(0, 7);
  std::uniform_real_distribution<double> average(0.1, 14);
  std::uniform_int_distribution<size_t> pick(0, curves.size() - 1);
  std::uniform_int_distribution<int> lookups(1, 8);
  double sum = 0;
  int count = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<RunGroup> groups;
    // Each tree of one curve, or of mixed ones.
    const size_t common = pick(random);
    for (int i = 0; i < 3; ++i) {
      groups.push_back({std::exp(log_keys(random)),
                        static_cast<double>(lookups(random)),
                        curves[round % 2 == 0 ? common : pick(random)]});
    }
    const double total = average(random) * TotalKeys(groups);
    for (Unfiltered unfiltered :
         {Unfiltered::kAllowed, Unfiltered::kForbidden}) {
      const double best = BruteForce(groups, total, unfiltered);
      if (best == kInfinity) continue;
      const Allocation got = AllocateBits(groups, total, unfiltered);
      EXPECT_LE(got.total_bits, total * (1 + 1e-9));
      // Best possible where the curve is convex, a little less where a filter
      // that just fits has to make do.
      EXPECT_LE(got.wasted_reads, best * 1.05) << "round " << round;
      sum += got.wasted_reads / best;
      ++count;
      EXPECT_NEAR(got.wasted_reads, WastedReads(groups, got.bits_per_key),
                  1e-12);
      for (size_t i = 0; i < groups.size(); ++i) {
        const double bits = got.bits_per_key[i];
        EXPECT_TRUE(bits == 0 || bits >= groups[i].curve->low());
        EXPECT_LE(bits, groups[i].curve->high() + 1e-9);
      }
    }
  }
  EXPECT_GT(count, 400);
  EXPECT_LT(sum / count, 1.001);
}

TEST(AllocateForWastedReads, IsTheInverse) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> log_keys(0, 9);
  std::uniform_real_distribution<double> average(1.5, 20);
  for (int round = 0; round < 200; ++round) {
    std::vector<RunGroup> groups;
    for (int i = 0; i < 4; ++i) {
      groups.push_back(
          {std::exp(log_keys(random)), 1.0 + i,
           KindRateCurve(
               round % 2 == 0 ? FilterKind::kBloom : FilterKind::kParity, 24)});
    }
    const Allocation there =
        AllocateBits(groups, average(random) * TotalKeys(groups));
    const Allocation back = AllocateForWastedReads(groups, there.wasted_reads);
    EXPECT_LE(back.wasted_reads, there.wasted_reads * (1 + 1e-6));
    EXPECT_LE(back.total_bits, there.total_bits * 1.005) << "round " << round;
  }
}

TEST(AllocateForWastedReads, EndsOfTheRange) {
  const auto groups = Tree({1000, 100}, TextbookCurve());
  const Allocation none = AllocateForWastedReads(groups, 2);
  EXPECT_EQ(none.total_bits, 0);
  const Allocation all = AllocateForWastedReads(groups, 1e-9);
  EXPECT_NEAR(all.total_bits, 24 * 1100, 1e-6);
  EXPECT_GT(all.wasted_reads, 1e-9);
  // A target within the step from no filter to the smallest.
  const Allocation some = AllocateForWastedReads(groups, 0.99);
  EXPECT_LE(some.wasted_reads, 0.99);
}

// What a young file gets beside a tree that was planned without it.
TEST(BitsAtPrice, AgreesWithTheAllocation) {
  const Curve curve = KindRateCurve(FilterKind::kParity, 24);
  const auto groups = Tree({1000, 100, 10}, curve);
  const Allocation got = AllocateBits(groups, 8 * 1110);
  for (size_t i = 0; i < groups.size(); ++i) {
    EXPECT_NEAR(BitsAtPrice(groups[i], got.price), got.bits_per_key[i],
                1.0 / 16 + 1e-9);
  }
  EXPECT_DOUBLE_EQ(BitsAtPrice({1e-9, 1, curve}, got.price), 24);
  EXPECT_DOUBLE_EQ(BitsAtPrice({1e9, 1, curve}, got.price), 1);
}

// A tree of one run per file must not take for ever.
TEST(AllocateBits, ManyRuns) {
  std::vector<RunGroup> groups;
  for (int i = 0; i < 200; ++i) {
    groups.push_back({1000.0 + i, 1, KindRateCurve(FilterKind::kBloom, 24)});
  }
  for (double average : {0.3, 1.0, 10.0}) {
    const double total = average * TotalKeys(groups);
    EXPECT_LE(AllocateBits(groups, total).total_bits, total * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace sstfilter
