#include "tools/chart_axis.h"

#include <gtest/gtest.h>

namespace sstfilter::tools {
namespace {

TEST(ChartAxisTest, BarsOfLikeLengthAreLinear) {
  const ChartAxis axis = AxisForBars({0.95, 0, 0.16});
  EXPECT_FALSE(axis.is_logarithmic);
  EXPECT_EQ(axis.low, 0);
  EXPECT_GT(axis.high, 0.95);
  EXPECT_EQ(axis.tics, "('0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6, '0.8' 0.8)");
}

TEST(ChartAxisTest, BarsOfUnlikeLengthAreLogarithmic) {
  const ChartAxis axis = AxisForBars({298137, 477, 0});
  EXPECT_TRUE(axis.is_logarithmic);
  EXPECT_EQ(axis.low, 100);
  EXPECT_GT(axis.high, 298137);
  EXPECT_EQ(axis.tics, "('100' 100, '1000' 1000, '10k' 10000, '100k' 100000)");
}

TEST(ChartAxisTest, TheShortestBarHasALength) {
  for (const double shortest : {0.01, 1.0, 1.1, 9.9, 10.0}) {
    EXPECT_LT(AxisForBars({1e6, shortest}).low, shortest);
  }
}

TEST(ChartAxisTest, NothingToShow) {
  for (const std::vector<double>& values :
       {std::vector<double>(), std::vector<double>{0, 0}}) {
    const ChartAxis axis = AxisForBars(values);
    EXPECT_FALSE(axis.is_logarithmic);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_EQ(axis.tics, "('0' 0)");
  }
}

TEST(ChartAxisTest, PowersOfTen) {
  const ChartAxis axis = LogarithmicAxis({39, 2e-3});
  EXPECT_NEAR(axis.low, 1e-3, 1e-12);
  EXPECT_NEAR(axis.high, 100, 1e-9);
  EXPECT_EQ(axis.tics,
            "('0.001' 0.001, '0.01' 0.01, '0.1' 0.1, '1' 1, '10' 10, "
            "'100' 100)");
  const ChartAxis one = LogarithmicAxis({1});
  EXPECT_LT(one.low, one.high);
}

TEST(ChartAxisTest, Numbers) {
  EXPECT_EQ(ChartNumber(0), "0");
  EXPECT_EQ(ChartNumber(57), "57");
  EXPECT_EQ(ChartNumber(298137), "298137");
  EXPECT_EQ(ChartNumber(1234.5), "1234");
  EXPECT_EQ(ChartNumber(99.25), "99.2");
  EXPECT_EQ(ChartNumber(0.95312), "0.953");
  EXPECT_EQ(ChartNumber(0.0000123), "0.0000123");
}

}  // namespace
}  // namespace sstfilter::tools
