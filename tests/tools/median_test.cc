#include "tools/median.h"

#include <gtest/gtest.h>

namespace sstfilter::tools {
namespace {

TEST(MedianTest, MiddleValue) {
  EXPECT_EQ(Median({}), 0);
  EXPECT_EQ(Median({7}), 7);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({9, 1, 5, 6}), 5.5);
}

}  // namespace
}  // namespace sstfilter::tools
