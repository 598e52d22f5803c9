#include "tools/build_time.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "sample_database.h"
#include "sstfilter/report.h"

namespace sstfilter::tools {
namespace {

class BuildTimeTest : public testing::Test {
 protected:
  BuildTimeTest() {
    for (int i = 0; i < 1000; ++i) texts_.push_back(SampleKey(i));
    keys_.assign(texts_.begin(), texts_.end());
  }

  std::optional<double> Time(const std::string& filter, int level = 3) {
    EXPECT_TRUE(ParseFilterSpec(filter, &spec_).ok()) << filter;
    return TimeFilterBuild(spec_.policy.get(), table_options_, level, keys_);
  }

  rocksdb::BlockBasedTableOptions table_options_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> keys_;
  FilterSpec spec_;
};

TEST_F(BuildTimeTest, EveryPolicyThatMakesFilters) {
  for (const char* filter :
       {"rocksdb-bloom:10", "rocksdb-ribbon:10", "sstfilter:10",
        "sstfilter:kind=parity", "sstfilter:level_allocation=optimal"}) {
    const auto time = Time(filter);
    ASSERT_TRUE(time.has_value()) << filter;
    EXPECT_GT(*time, 0) << filter;
  }
  EXPECT_FALSE(Time("none").has_value());
}

TEST_F(BuildTimeTest, TheFilterOfThatLevel) {
  EXPECT_FALSE(Time("sstfilter:level_bits_per_key=10:0", 1).has_value());
  ASSERT_TRUE(Time("sstfilter:level_bits_per_key=0:10", 1).has_value());
  const auto builds = CollectFilterBuilds(spec_.policy.get());
  ASSERT_TRUE(builds.has_value());
  EXPECT_EQ(builds->filters, 2u);
  EXPECT_EQ(builds->keys, 2000u);
  EXPECT_NEAR(static_cast<double>(builds->bytes) * 8 / 2000, 10, 1);
}

TEST_F(BuildTimeTest, NothingToBuild) {
  keys_.clear();
  EXPECT_FALSE(Time("sstfilter:10").has_value());
}

}  // namespace
}  // namespace sstfilter::tools
