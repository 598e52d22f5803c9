// The figures of the textbook treatment of Bloom filters, one by one, and the
// cache-line filter against simulation.
#include "sstfilter/sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "filter/algorithm.h"

namespace sstfilter {
namespace {

TEST(StandardBloomSizing, RatesAtTenBitsPerKey) {
  EXPECT_NEAR(StandardBloomRate(10, 1), 0.095, 0.0005);
  EXPECT_NEAR(StandardBloomRate(10, 2), 0.033, 0.0005);
  EXPECT_NEAR(StandardBloomRate(10, 3), 0.017, 0.0005);
  EXPECT_LT(StandardBloomRate(10, 5), 0.01);
  EXPECT_NEAR(StandardBloomRate(10, 7), 0.008, 0.0005);
}

TEST(StandardBloomSizing, SevenProbesAreBestAtTenBitsPerKey) {
  for (int probes = 1; probes <= 30; ++probes) {
    if (probes == 7) continue;
    EXPECT_GT(StandardBloomRate(10, probes), StandardBloomRate(10, 7))
        << probes << " probes";
  }
  EXPECT_GT(StandardBloomRate(10, 10), StandardBloomRate(10, 7));
  EXPECT_GT(StandardBloomRate(10, 14), StandardBloomRate(10, 3));
  EXPECT_EQ(BestWholeProbes(10), 7);
}

TEST(StandardBloomSizing, BestProbesIsBitsPerKeyTimesLn2) {
  EXPECT_NEAR(BestProbes(10), 6.93, 0.005);
  EXPECT_EQ(BestWholeProbes(0.5), 1);
  EXPECT_EQ(BestWholeProbes(20), 14);
}

TEST(StandardBloomSizing, BestRateIsAPowerOfBitsPerKey) {
  EXPECT_NEAR(BestStandardBloomRate(1), 0.6185, 0.00005);
  for (double bits : {1.0, 8.0, 10.0, 14.0, 20.0}) {
    EXPECT_NEAR(BestStandardBloomRate(bits) / std::pow(0.6185, bits), 1, 0.001);
  }
  EXPECT_NEAR(BestStandardBloomRate(8), 0.02, 0.002);
  EXPECT_NEAR(BestStandardBloomRate(14), 0.001, 0.0003);
  EXPECT_NEAR(BestStandardBloomRate(20), 0.00007, 0.000005);
}

TEST(StandardBloomSizing, BitsPerKeyIsTheInverse) {
  for (double rate : {0.5, 0.02, 0.01, 1e-3, 1e-9}) {
    EXPECT_NEAR(BestStandardBloomRate(StandardBloomBitsPerKey(rate)) / rate, 1,
                1e-9);
  }
}

TEST(StandardBloomSizing, FillOfASixteenBitRow) {
  EXPECT_NEAR(StandardBloomFill(16.0 / 3, 3), 0.43, 0.005);
  EXPECT_NEAR(StandardBloomFill(16.0 / 12, 3), 0.90, 0.01);
}

TEST(StandardBloomSizing, HalfTheBitsAreSetAtTheBestProbes) {
  for (double bits : {1.0, 5.0, 10.0, 24.0}) {
    EXPECT_NEAR(StandardBloomFill(bits, BestProbes(bits)), 0.5, 1e-12);
  }
}

TEST(StandardBloomSizing, OneProbeAgainstTheBest) {
  EXPECT_NEAR(StandardBloomRate(10, 1), 0.095, 0.0005);
  EXPECT_NEAR(StandardBloomRate(100, 1), 0.01, 0.0001);
  EXPECT_NEAR(BestStandardBloomRate(100), 1.3e-21, 0.1e-21);
}

TEST(FilterBytes, ABillionKeysAtTenBitsAreOneAndAQuarterGigabytes) {
  EXPECT_EQ(FilterBytes(1'000'000'000, 10), 1'250'000'000u);
}

TEST(FilterBytes, RoundsUpAndSaturates) {
  EXPECT_EQ(FilterBytes(0, 10), 0u);
  EXPECT_EQ(FilterBytes(1, 1), 1u);
  EXPECT_EQ(FilterBytes(3, 10), 4u);
  EXPECT_EQ(FilterBytes(std::numeric_limits<uint64_t>::max(), 100),
            std::numeric_limits<uint64_t>::max());
}

TEST(FilterBytes, GrowsWithKeysAndBitsAndNeverWraps) {
  for (double bits : {1.0, 2.5, 10.0, 33.0, 100.0}) {
    uint64_t last = 0;
    for (double keys = 1e3; keys <= 1e12; keys *= 3) {
      const uint64_t bytes = FilterBytes(static_cast<uint64_t>(keys), bits);
      EXPECT_GT(bytes, last);
      EXPECT_NEAR(static_cast<double>(bytes) / (keys * bits / 8), 1, 0.01);
      last = bytes;
    }
  }
}

TEST(BitsPerKeyOf, IsTheInverseOfBytes) {
  EXPECT_DOUBLE_EQ(BitsPerKey(1250, 1000), 10);
  EXPECT_DOUBLE_EQ(BitsPerKey(1250, 0), 0);
}

// Throws balls the way a cache-line filter does: keys into blocks, k positions
// into the block, independent of each other.
double SimulatedCacheLineRate(double bits_per_key, int probes) {
  std::mt19937_64 random(7);
  const size_t blocks = 20000;
  const auto keys = static_cast<size_t>(
      static_cast<double>(blocks * kBlockBits) / bits_per_key);
  std::vector<bool> bits(blocks * kBlockBits);
  for (size_t key = 0; key < keys; ++key) {
    const size_t block = random() % blocks;
    for (int probe = 0; probe < probes; ++probe) {
      bits[block * kBlockBits + random() % kBlockBits] = true;
    }
  }
  const int asked = 1'000'000;
  int passed = 0;
  for (int key = 0; key < asked; ++key) {
    const size_t block = random() % blocks;
    bool all = true;
    for (int probe = 0; all && probe < probes; ++probe) {
      all = bits[block * kBlockBits + random() % kBlockBits];
    }
    passed += all;
  }
  return static_cast<double>(passed) / asked;
}

TEST(CacheLineBloomSizing, AgreesWithSimulation) {
  for (const auto& [bits, probes] :
       {std::pair{5.0, 3}, std::pair{8.0, 5}, std::pair{10.0, 6}}) {
    EXPECT_NEAR(
        SimulatedCacheLineRate(bits, probes) / CacheLineBloomRate(bits, probes),
        1, 0.04)
        << bits << " bits per key";
  }
}

TEST(CacheLineBloomSizing, IsWorseThanTheTextbookAndMoreSoAtHighBits) {
  double last_ratio = 1;
  for (double bits : {6.0, 10.0, 14.0, 20.0}) {
    const double ratio = CacheLineBloomRate(bits, BestCacheLineProbes(bits)) /
                         StandardBloomRate(bits, BestWholeProbes(bits));
    EXPECT_GT(ratio, last_ratio);
    last_ratio = ratio;
  }
}

TEST(CacheLineBloomSizing, FillAtTheBestProbesIsNearOneHalf) {
  EXPECT_NEAR(CacheLineBloomFill(10, BestCacheLineProbes(10)), 0.5, 0.06);
}

TEST(CacheLineBloomSizing, BitsPerKeyIsTheInverse) {
  for (double rate : {0.1, 0.01, 0.001}) {
    const double bits = CacheLineBloomBitsPerKey(rate);
    EXPECT_NEAR(CacheLineBloomRate(bits, BestCacheLineProbes(bits)) / rate, 1,
                0.001);
  }
  EXPECT_TRUE(std::isinf(CacheLineBloomBitsPerKey(1e-30)));
}

TEST(PoissonAverageOf, SumsToOneAndKeepsTheMean) {
  for (double mean : {0.01, 1.0, 51.2, 512.0}) {
    EXPECT_NEAR(PoissonAverage(mean, [](uint64_t) { return 1.0; }), 1, 1e-9);
    EXPECT_NEAR(
        PoissonAverage(mean, [](uint64_t load) { return double(load); }), mean,
        1e-6);
  }
}

TEST(BitsPerKeyForRateOf, FindsTheCrossingAndSaysWhenThereIsNone) {
  const auto half_per_bit = [](double bits) { return std::exp2(-bits); };
  EXPECT_NEAR(BitsPerKeyForRate(half_per_bit, 1.0 / 1024, 1, 40), 10, 1e-5);
  EXPECT_EQ(BitsPerKeyForRate(half_per_bit, 0.9, 1, 40), 1);
  EXPECT_TRUE(std::isinf(BitsPerKeyForRate(half_per_bit, 1e-20, 1, 40)));
}

}  // namespace
}  // namespace sstfilter
