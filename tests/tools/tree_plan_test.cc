#include "tools/tree_plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sstfilter::tools {
namespace {

uint64_t Total(const std::vector<PlannedRun>& runs) {
  uint64_t total = 0;
  for (const PlannedRun& run : runs) {
    EXPECT_EQ(run.first, total) << "runs follow each other";
    EXPECT_GT(run.count, 0u);
    total += run.count;
  }
  return total;
}

TEST(TreePlanTest, EveryLevelIsTenTimesTheOneAbove) {
  const std::vector<PlannedRun> runs = PlanTree(1110000, TreeShape{3, 10, 0});
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].level, 3);
  EXPECT_EQ(runs[0].count, 1000000u);
  EXPECT_EQ(runs[1].level, 2);
  EXPECT_EQ(runs[1].count, 100000u);
  EXPECT_EQ(runs[2].level, 1);
  EXPECT_EQ(runs[2].count, 10000u);
  EXPECT_EQ(Total(runs), 1110000u);
}

TEST(TreePlanTest, YoungFilesComeLastAndAreAQuarterOfLevelOne) {
  const std::vector<PlannedRun> runs = PlanTree(1000000, TreeShape{3, 10, 8});
  ASSERT_EQ(runs.size(), 11u);
  for (size_t i = 3; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].level, 0);
    EXPECT_NEAR(static_cast<double>(runs[i].count) * 4,
                static_cast<double>(runs[2].count), 4);
  }
  EXPECT_EQ(Total(runs), 1000000u);
}

TEST(TreePlanTest, OtherRatios) {
  const std::vector<PlannedRun> runs = PlanTree(31000, TreeShape{5, 2, 0});
  ASSERT_EQ(runs.size(), 5u);
  EXPECT_EQ(runs[0].count, 16000u);
  EXPECT_EQ(runs[4].count, 1000u);
}

TEST(TreePlanTest, ASmallRunStillHasEveryLevel) {
  const std::vector<PlannedRun> runs = PlanTree(10, TreeShape{3, 10, 2});
  EXPECT_EQ(runs.size(), 5u);
  EXPECT_EQ(Total(runs), 10u);
}

TEST(TreePlanTest, FewerKeysThanRuns) {
  for (uint64_t keys = 1; keys <= 12; ++keys) {
    const std::vector<PlannedRun> runs = PlanTree(keys, TreeShape{4, 10, 6});
    EXPECT_EQ(Total(runs), keys);
    EXPECT_EQ(runs.front().level, 4) << "the bottom level is never empty";
  }
}

}  // namespace
}  // namespace sstfilter::tools
