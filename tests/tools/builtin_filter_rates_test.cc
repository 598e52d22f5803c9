#include "tools/builtin_filter_rates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sstfilter::tools {
namespace {

TEST(BuiltinFilterRatesTest, Probes) {
  EXPECT_EQ(RocksdbBloomProbes(1), 1);
  EXPECT_EQ(RocksdbBloomProbes(5), 3);
  EXPECT_EQ(RocksdbBloomProbes(8), 5);
  EXPECT_EQ(RocksdbBloomProbes(10), 6);
  EXPECT_EQ(RocksdbBloomProbes(14), 8);
  EXPECT_EQ(RocksdbBloomProbes(20), 11);
  EXPECT_EQ(RocksdbBloomProbes(25.501), 12);
  EXPECT_EQ(RocksdbBloomProbes(28), 12);
  EXPECT_EQ(RocksdbBloomProbes(28.001), 13);
  EXPECT_EQ(RocksdbBloomProbes(50), 23);
  EXPECT_EQ(RocksdbBloomProbes(100), 24);
}

TEST(BuiltinFilterRatesTest, ProbesNeverFallWithBitsButOnce) {
  for (double bits = 1; bits < 100; bits += 0.01) {
    // RocksDB's rule for many bits begins one probe below the end of its table.
    if (bits > 25.4 && bits < 25.6) continue;
    EXPECT_LE(RocksdbBloomProbes(bits), RocksdbBloomProbes(bits + 0.01))
        << bits;
  }
}

// Rates measured with RocksDB 7.8.3's filters over random keys.
TEST(BuiltinFilterRatesTest, AgreesWithMeasuredFilters) {
  EXPECT_NEAR(RocksdbBloomRate(7.5, RocksdbBloomProbes(7.5)), 0.029, 0.0006);
  EXPECT_NEAR(RocksdbBloomRate(10, RocksdbBloomProbes(10)), 0.00967, 0.0002);
  EXPECT_NEAR(RocksdbBloomRate(14, RocksdbBloomProbes(14)), 0.00184, 0.00005);
  EXPECT_NEAR(RocksdbBloomRate(20, RocksdbBloomProbes(20)), 0.0002, 0.00001);
}

TEST(BuiltinFilterRatesTest, WorseThanTheTextbookFilter) {
  // A cache line that happens to be full costs more than an empty one saves.
  for (const double bits : {4.0, 10.0, 20.0, 40.0}) {
    const int probes = RocksdbBloomProbes(bits);
    const double textbook =
        std::pow(1 - std::exp(-probes / bits), static_cast<double>(probes));
    EXPECT_GT(RocksdbBloomRate(bits, probes), textbook) << bits;
    EXPECT_LT(RocksdbBloomRate(bits, probes), 1) << bits;
  }
}

TEST(BuiltinFilterRatesTest, TablesAreWholeCacheLines) {
  EXPECT_EQ(RocksdbBloomFilterBytes(10, 0), 64u + 5);
  EXPECT_EQ(RocksdbBloomFilterBytes(10, 1), 64u + 5);
  EXPECT_EQ(RocksdbBloomFilterBytes(10, 51), 64u + 5);
  EXPECT_EQ(RocksdbBloomFilterBytes(10, 52), 128u + 5);
  // Rounding up helps a small table.
  EXPECT_LT(RocksdbBloomTableRate(10, 52), RocksdbBloomTableRate(10, 1000000));
  EXPECT_NEAR(RocksdbBloomTableRate(10, 1000000),
              RocksdbBloomRate(10, RocksdbBloomProbes(10)), 1e-5);
  EXPECT_EQ(RocksdbBloomTableRate(10, 0), 0);
}

TEST(BuiltinFilterRatesTest, RibbonIsSolvedForTheBloomRate) {
  for (const double bits : {5.0, 10.0, 15.5}) {
    EXPECT_DOUBLE_EQ(RocksdbRibbonRate(bits),
                     RocksdbBloomRate(bits, RocksdbBloomProbes(bits)));
  }
}

TEST(BuiltinFilterRatesTest, EdgesAreProbabilities) {
  EXPECT_EQ(RocksdbBloomRate(0, 6), 1);
  for (double bits = 0.01; bits < 200; bits *= 1.3) {
    const double rate = RocksdbBloomRate(bits, RocksdbBloomProbes(bits));
    EXPECT_GE(rate, 0) << bits;
    EXPECT_LE(rate, 1 + 1e-9) << bits;
  }
}

}  // namespace
}  // namespace sstfilter::tools
