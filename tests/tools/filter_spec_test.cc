#include "tools/filter_spec.h"

#include <gtest/gtest.h>

#include <string>

namespace sstfilter::tools {
namespace {

TEST(FilterSpecTest, Families) {
  FilterSpec spec;
  ASSERT_TRUE(ParseFilterSpec("none", &spec).ok());
  EXPECT_EQ(spec.family, FilterFamily::kNone);
  EXPECT_EQ(spec.policy, nullptr);

  ASSERT_TRUE(ParseFilterSpec("rocksdb-bloom:9.5", &spec).ok());
  EXPECT_EQ(spec.family, FilterFamily::kRocksdbBloom);
  EXPECT_EQ(spec.bits_per_key, 9.5);
  ASSERT_NE(spec.policy, nullptr);

  ASSERT_TRUE(ParseFilterSpec("rocksdb-ribbon:100", &spec).ok());
  EXPECT_EQ(spec.family, FilterFamily::kRocksdbRibbon);
  ASSERT_NE(spec.policy, nullptr);
}

TEST(FilterSpecTest, EveryFormOfOurOptions) {
  for (const char* text : {"sstfilter:12", "sstfilter:bits_per_key=12",
                           "{id=sstfilter;bits_per_key=12}",
                           "sstfilter:bits_per_key=12;kind=standard"}) {
    FilterSpec spec;
    ASSERT_TRUE(ParseFilterSpec(text, &spec).ok()) << text;
    EXPECT_EQ(spec.family, FilterFamily::kSstfilter);
    EXPECT_EQ(spec.options.bits_per_key, 12);
    EXPECT_EQ(spec.text, text);
    ASSERT_NE(spec.policy, nullptr);
  }
  FilterSpec spec;
  ASSERT_TRUE(ParseFilterSpec("sstfilter", &spec).ok());
  EXPECT_EQ(spec.options.bits_per_key, FilterOptions().bits_per_key);
}

TEST(FilterSpecTest, RefusesInOneLineThatNamesTheText) {
  for (const char* text : {"",
                           ":",
                           "none:1",
                           "nonesuch",
                           "nonesuch:10",
                           "rocksdb-bloom",
                           "rocksdb-bloom:",
                           "rocksdb-bloom:-3",
                           "rocksdb-bloom:0",
                           "rocksdb-bloom:0.5",
                           "rocksdb-bloom:nan",
                           "rocksdb-bloom:inf",
                           "rocksdb-bloom:100.1",
                           "rocksdb-bloom:10 ",
                           "rocksdb-bloom:ten",
                           "rocksdb-ribbon:1e9",
                           "sstfilter:-3",
                           "sstfilter:0",
                           "sstfilter:nan",
                           "sstfilter:100.1",
                           "sstfilter:kind=nonesuch",
                           "sstfilter:nonesuch=1",
                           "{id=sstfilter;bits_per_key=0}",
                           "sstfilterx:10"}) {
    FilterSpec spec;
    const rocksdb::Status status = ParseFilterSpec(text, &spec);
    EXPECT_TRUE(status.IsInvalidArgument()) << text;
    EXPECT_EQ(spec.policy, nullptr) << text;
    const std::string message = status.ToString();
    EXPECT_NE(message.find(std::string("\"") + text + "\""), std::string::npos)
        << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(FilterSpecTest, ExpectedRatesOfBuiltinFilters) {
  rocksdb::TableProperties table;
  table.num_filter_entries = 1000000;
  table.filter_size = 1250005;
  FilterSpec spec;
  ASSERT_TRUE(ParseFilterSpec("rocksdb-bloom:10", &spec).ok());
  EXPECT_NEAR(ExpectedRate(spec, table, ""), 0.0096, 0.0003);
  ASSERT_TRUE(ParseFilterSpec("rocksdb-ribbon:10", &spec).ok());
  table.filter_size = 880000;
  EXPECT_NEAR(ExpectedRate(spec, table, ""), 0.0096, 0.0003);
}

TEST(FilterSpecTest, EverythingPassesWithoutAUsableFilter) {
  rocksdb::TableProperties table;
  table.num_filter_entries = 1000;
  FilterSpec spec;
  for (const char* text : {"none", "rocksdb-bloom:10", "sstfilter:10"}) {
    ASSERT_TRUE(ParseFilterSpec(text, &spec).ok());
    EXPECT_EQ(ExpectedRate(spec, table, ""), 1) << text;
  }
  table.filter_size = 1250;
  EXPECT_EQ(ExpectedRate(spec, table, std::string(1250, 'x')), 1);
}

}  // namespace
}  // namespace sstfilter::tools
