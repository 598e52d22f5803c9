// What every kind promises to the layers above.
#include "filter/algorithm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "filter/rate_curve.h"

namespace sstfilter {
namespace {

constexpr FilterKind kConcreteKinds[] = {
    FilterKind::kBloom, FilterKind::kStandardBloom, FilterKind::kParity};

class EveryKind : public testing::TestWithParam<FilterKind> {
 protected:
  const FilterAlgorithm& algorithm() const { return *AlgorithmFor(GetParam()); }
};

TEST(Kinds, NamesRoundTrip) {
  for (FilterKind kind : {FilterKind::kBloom, FilterKind::kStandardBloom,
                          FilterKind::kParity, FilterKind::kAuto}) {
    FilterKind parsed = FilterKind::kBloom;
    EXPECT_TRUE(ParseFilterKind(FilterKindName(kind), &parsed));
    EXPECT_EQ(parsed, kind);
  }
  FilterKind kind = FilterKind::kParity;
  EXPECT_FALSE(ParseFilterKind("Bloom", &kind));
  EXPECT_FALSE(ParseFilterKind("", &kind));
  EXPECT_EQ(kind, FilterKind::kParity);
}

TEST(Kinds, AutoIsNotAnAlgorithm) {
  EXPECT_EQ(AlgorithmFor(FilterKind::kAuto), nullptr);
}

TEST_P(EveryKind, KernelsAreOrderedAndEndWithTheScalarOne) {
  const FilterAlgorithm& algorithm = this->algorithm();
  EXPECT_EQ(algorithm.kind, GetParam());
  ASSERT_GE(algorithm.kernel_count, 1u);
  for (size_t i = 1; i < algorithm.kernel_count; ++i) {
    EXPECT_GT(algorithm.kernels[i - 1].level, algorithm.kernels[i].level);
  }
  EXPECT_EQ(algorithm.kernels[algorithm.kernel_count - 1].level,
            CpuLevel::kScalar);
  EXPECT_EQ(KernelFor(algorithm, CpuLevel::kScalar).level, CpuLevel::kScalar);
  EXPECT_LE(KernelFor(algorithm, CpuLevel::kAvx2).level, CpuLevel::kAvx2);
}

TEST_P(EveryKind, ShapesAreValidMonotoneAndCapped) {
  for (double bits = 1; bits <= 100; bits *= 1.7) {
    uint64_t last = 0;
    for (double keys = 0; keys <= 1e12; keys = keys * 1.9 + 1) {
      keys = std::floor(keys);
      const FilterShape shape =
          algorithm().shape_for(static_cast<uint64_t>(keys), bits);
      ASSERT_TRUE(algorithm().is_valid_shape(shape))
          << keys << " keys, " << bits << " bits";
      ASSERT_GE(shape.payload_bytes, last);
      ASSERT_LE(shape.payload_bytes, kMaxPayloadBytes);
      if (keys * bits / 8 < static_cast<double>(kMaxPayloadBytes)) {
        ASSERT_GE(static_cast<double>(shape.payload_bytes), keys * bits / 8);
        ASSERT_LE(static_cast<double>(shape.payload_bytes),
                  keys * bits / 8 + kBlockBytes);
      }
      last = shape.payload_bytes;
    }
    EXPECT_GT(last, kMaxPayloadBytes - kBlockBytes) << "the cap is reached";
  }
}

TEST_P(EveryKind, BytesGrowWithBitsPerKey) {
  uint64_t last = 0;
  for (double bits = 1; bits <= 100; bits += 0.25) {
    const uint64_t bytes = algorithm().shape_for(100000, bits).payload_bytes;
    ASSERT_GE(bytes, last);
    last = bytes;
  }
}

TEST_P(EveryKind, RatesFallWithBitsPerKeyAndStayRates) {
  double last = 1;
  for (double bits = 1; bits <= 100; bits += 0.5) {
    const double rate = RateAt(GetParam(), bits);
    ASSERT_GE(rate, 0);
    // Floors and rounding to whole blocks may hold a rate, never raise it.
    ASSERT_LE(rate, last * 1.001) << bits << " bits per key";
    last = rate;
  }
  EXPECT_LT(last, 1e-4);
}

TEST_P(EveryKind, BitsForRateIsTheInverse) {
  for (double rate : {0.3, 0.1, 0.01, 0.001}) {
    const double bits = BitsForRate(GetParam(), rate);
    EXPECT_LE(RateAt(GetParam(), bits), rate * 1.0001);
    EXPECT_GT(RateAt(GetParam(), bits * 0.99), rate * 0.9999);
  }
  EXPECT_TRUE(std::isinf(BitsForRate(GetParam(), 1e-300)));
}

// 5 GiB of synthetic hashes would not fit a test machine; the slots are
// arithmetic.
TEST_P(EveryKind, SlotsOfTheLargestShapeAreNotTruncated) {
  FilterShape shape = algorithm().shape_for(uint64_t{1} << 40, 100);
  const uint64_t slots = algorithm().slots(shape);
  EXPECT_GE(slots, shape.payload_bytes / kBlockBytes);
  if (GetParam() == FilterKind::kStandardBloom) {
    EXPECT_EQ(slots, shape.payload_bytes * 8);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryKind, testing::ValuesIn(kConcreteKinds),
                         [](const auto& param) {
                           return std::string(FilterKindName(param.param));
                         });

// RocksDB asks from its own threads. What is computed at first use must not
// depend on who comes first, and ThreadSanitizer must find no race.
TEST(RateCurve, ManyThreadsGetTheSameRates) {
  constexpr int kThreads = 4;
  const double bits[] = {3.3, 6.1, 9.7, 13.9, 21.5};
  std::vector<std::vector<double>> rates(kThreads);
  std::vector<std::thread> threads;
  for (auto& of_thread : rates) {
    threads.emplace_back([&of_thread, &bits] {
      for (FilterKind kind : {FilterKind::kBloom, FilterKind::kParity,
                              FilterKind::kStandardBloom}) {
        for (double each : bits) of_thread.push_back(RateAt(kind, each));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_thread : rates) EXPECT_EQ(of_thread, rates[0]);
  // Falling from one number of bits to the next.
  for (size_t i = 0; i < rates[0].size(); ++i) {
    if (i % 5 != 0) {
      EXPECT_LT(rates[0][i], rates[0][i - 1]);
    }
  }
}

}  // namespace
}  // namespace sstfilter
