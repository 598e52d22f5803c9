#include "integration/filter_build.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace sstfilter {
namespace {

TEST(FilterBuildTest, BuilderAndListenerMeet) {
  BeginTable("/db/1.sst");
  const auto build = TakeTable();
  ASSERT_NE(build, nullptr);
  EXPECT_EQ(EndTable("/db/1.sst"), build);
}

TEST(FilterBuildTest, EveryListenerGetsIt) {
  BeginTable("/db/1.sst");
  BeginTable("/db/1.sst");
  const auto build = TakeTable();
  ASSERT_NE(build, nullptr);
  EXPECT_EQ(TakeTable(), nullptr);
  EXPECT_EQ(EndTable("/db/1.sst"), build);
  EXPECT_EQ(EndTable("/db/1.sst"), build);
}

TEST(FilterBuildTest, NobodyAsked) {
  BeginTable("/db/1.sst");
  EXPECT_EQ(EndTable("/db/1.sst"), nullptr);
  // A builder of something else, that no listener hears of.
  EXPECT_EQ(TakeTable(), nullptr);
  EXPECT_EQ(EndTable("/db/1.sst"), nullptr);
}

TEST(FilterBuildTest, GivenUp) {
  BeginTable("/db/1.sst");
  EXPECT_EQ(EndTable("(nil)"), nullptr);
  EXPECT_EQ(TakeTable(), nullptr);
}

TEST(FilterBuildTest, SideBySide) {
  BeginTable("/db/1.sst");
  const auto first = TakeTable();
  BeginTable("/db/2.sst");
  const auto second = TakeTable();
  ASSERT_NE(first, second);
  EXPECT_EQ(EndTable("/db/1.sst"), first);
  EXPECT_EQ(EndTable("/db/2.sst"), second);
}

TEST(FilterBuildTest, SamePathAgain) {
  BeginTable("/db/1.sst");
  const auto first = TakeTable();
  EXPECT_EQ(EndTable("/db/1.sst"), first);
  BeginTable("/db/1.sst");
  const auto second = TakeTable();
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first, second);
  EXPECT_EQ(EndTable("/db/1.sst"), second);
}

TEST(FilterBuildTest, NoGrowth) {
  std::weak_ptr<FilterBuild> first;
  for (int i = 0; i < 100; ++i) {
    BeginTable("/db/" + std::to_string(i) + ".sst");
    if (i == 0) first = TakeTable();
    EXPECT_EQ(EndTable("(nil)"), nullptr);
  }
  EXPECT_TRUE(first.expired());
}

TEST(FilterBuildTest, ThreadsDoNotMix) {
  BeginTable("/db/1.sst");
  std::thread([] {
    EXPECT_EQ(TakeTable(), nullptr);
    BeginTable("/db/2.sst");
    EXPECT_NE(TakeTable(), nullptr);
  }).join();
  const auto build = TakeTable();
  ASSERT_NE(build, nullptr);
  EXPECT_EQ(EndTable("/db/2.sst"), nullptr);
  EXPECT_EQ(EndTable("/db/1.sst"), build);
}

}  // namespace
}  // namespace sstfilter
