#include "tools/thousands.h"

#include <gtest/gtest.h>

namespace sstfilter::tools {
namespace {

TEST(ThousandsTest, CommasBetweenThem) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1000), "1,000");
  EXPECT_EQ(WithThousands(999999), "999,999");
  EXPECT_EQ(WithThousands(1234567890), "1,234,567,890");
}

}  // namespace
}  // namespace sstfilter::tools
