#include "integration/counted.h"

#include <gtest/gtest.h>

namespace sstfilter {
namespace {

TEST(CountedTest, OneAndMany) {
  EXPECT_EQ(Counted(0, "table"), "0 tables");
  EXPECT_EQ(Counted(1, "table"), "1 table");
  EXPECT_EQ(Counted(2, "filter block"), "2 filter blocks");
}

}  // namespace
}  // namespace sstfilter
