#include "sstfilter/report.h"

#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/statistics.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "run_tool.h"
#include "sample_database.h"
#include "sstfilter/filter_policy.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

constexpr int kKeys = 2000;

std::vector<std::string> Codes(const std::vector<FilterWarning>& warnings) {
  std::vector<std::string> codes;
  for (const FilterWarning& warning : warnings) {
    EXPECT_FALSE(warning.message.empty());
    EXPECT_FALSE(warning.advice.empty());
    codes.push_back(warning.code);
  }
  return codes;
}

using CodeList = std::vector<std::string>;

void LookUpAbsent(rocksdb::DB* db, int count) {
  std::string value;
  for (int i = 0; i < count; ++i) {
    EXPECT_TRUE(db->Get({}, SampleKey(i) + "-no", &value).IsNotFound());
  }
}

TEST(ReportTest, CountsTablesAndLookups) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  options.statistics = rocksdb::CreateDBStatistics();
  const auto db = OpenSample(options, directory.Path("db"));
  AddSampleTable(db.get(), 0, kKeys);
  LookUpAbsent(db.get(), kKeys - 1);
  FilterReport report;
  ASSERT_TRUE(CollectFilterReport(db.get(), db->DefaultColumnFamily(),
                                  options.statistics.get(), &report)
                  .ok());
  EXPECT_EQ(report.column_family, "default");
  ASSERT_EQ(report.levels.size(), 1u);
  const LevelFilterReport& level = report.levels[0];
  EXPECT_EQ(level.level, 0);
  EXPECT_EQ(level.tables, 1u);
  EXPECT_EQ(level.tables_without_filter, 0u);
  EXPECT_EQ(level.keys, uint64_t{kKeys});
  EXPECT_EQ(level.filter_keys, uint64_t{kKeys});
  EXPECT_NEAR(level.bits_per_key, 10, 0.4);
  EXPECT_EQ(level.policies.at("sstfilter"), 1u);
  ASSERT_TRUE(report.lookups.has_value());
  EXPECT_EQ(report.lookups->tables_skipped + report.lookups->false_positives,
            uint64_t{kKeys - 1});
  EXPECT_LT(report.lookups->false_positive_rate.value_or(1), 0.02);

  const auto json = nlohmann::json::parse(FilterReportToJson(report));
  EXPECT_EQ(json.at("levels")[0].at("filter_bytes"), level.filter_bytes);
  EXPECT_EQ(json.at("lookups").at("tables_skipped"),
            report.lookups->tables_skipped);
  ExpectSays(FilterReportToText(report), "level 0: 1 tables (1 sstfilter)");
}

TEST(ReportTest, OddNamesStayWellFormed) {
  FilterReport report;
  report.column_family = "a\"b\\c\n\x80";
  report.levels.emplace_back().policies["\"\x01"] = 1;
  const auto json = nlohmann::json::parse(FilterReportToJson(report));
  EXPECT_TRUE(json.at("lookups").is_null());
  const std::string text = FilterReportsToPrometheus({report});
  ExpectSays(text, "column_family=\"a\\\"b\\\\c\\n?\"");
}

// Every sample follows the head of its metric, and no metric comes twice. Where
// promtool is installed, it is asked too.
TEST(ReportTest, Prometheus) {
  FilterReport report;
  report.column_family = "default";
  LevelFilterReport& level = report.levels.emplace_back();
  level.tables = 2;
  level.policies["sstfilter"] = 2;
  report.lookups.emplace().tables_skipped = 7;
  FilterReport other = report;
  other.column_family = "other";
  const std::string text = FilterReportsToPrometheus({report, other});
  std::istringstream lines(text);
  std::vector<std::string> metrics;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    std::string third;
    words >> first >> second >> third;
    if (first == "#" && second == "TYPE") {
      EXPECT_EQ(std::count(metrics.begin(), metrics.end(), third), 0) << third;
      metrics.push_back(third);
    } else if (first != "#") {
      ASSERT_FALSE(metrics.empty());
      EXPECT_EQ(first.substr(0, first.find('{')), metrics.back());
    }
  }
  ExpectSays(text, "sstfilter_tables{column_family=\"other\",level=\"0\"} 2\n");
  ExpectSays(text, "\nsstfilter_tables_skipped_total 7\n");

  if (std::system("command -v promtool >/dev/null") != 0) {
    GTEST_SKIP() << "promtool is not installed";
  }
  const TemporaryDirectory directory;
  const std::string file = directory.Write("metrics", text);
  EXPECT_EQ(std::system(("promtool check metrics <" + file).c_str()), 0);
}

TEST(CheckFiltersTest, NothingToSay) {
  const TemporaryDirectory directory;
  const auto db =
      OpenSample(SampleOptions({"sstfilter:10"}), directory.Path("db"));
  EXPECT_EQ(Codes(CheckFilters(db.get())), CodeList());
  AddSampleTable(db.get(), 0, kKeys);
  EXPECT_EQ(Codes(CheckFilters(db.get())), CodeList());
}

TEST(CheckFiltersTest, SwitchedFromNoneAndFromBuiltin) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  MakeSample(SampleOptions({"none"}), path, 0, kKeys);
  MakeSample(SampleOptions({"rocksdb-bloom:10"}), path, kKeys, 2 * kKeys);
  const auto db = OpenSample(SampleOptions({"sstfilter:10"}), path);
  const auto warnings = CheckFilters(db.get());
  EXPECT_EQ(Codes(warnings), (CodeList{"no-filter", "other-family"}));
  ExpectSays(warnings[0].message, "1 of 2 tables");
}

TEST(CheckFiltersTest, NoPolicy) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  MakeSample(SampleOptions({"sstfilter:10"}), path, 0, kKeys);
  const auto db = OpenSample(SampleOptions({"none"}), path);
  EXPECT_EQ(Codes(CheckFilters(db.get())), CodeList{"no-policy"});
}

TEST(CheckFiltersTest, OtherTransform) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  MakeSample(SampleOptions({"sstfilter:10"}), path, 0, kKeys);
  const auto db = OpenSample(
      SampleOptions({"sstfilter:bits_per_key=10;key_transform=ascii_lower"}),
      path);
  EXPECT_EQ(Codes(CheckFilters(db.get())), CodeList{"other-transform"});
}

TEST(CheckFiltersTest, PrefixExtractorChanged) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  auto options = SampleOptions({"sstfilter:10"});
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  MakeSample(options, path, 0, kKeys);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(5));
  const auto db = OpenSample(options, path);
  EXPECT_EQ(Codes(CheckFilters(db.get())),
            CodeList{"prefix-extractor-changed"});
}

TEST(CheckFiltersTest, Unreadable) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  const std::string table =
      MakeSample(SampleOptions({"sstfilter:10"}), path, 0, kKeys);
  // Data comes first: somewhere in the filter, close to the end.
  const auto db = OpenSample(SampleOptions({"sstfilter:10"}), path);
  rocksdb::TablePropertiesCollection tables;
  ASSERT_TRUE(db->GetPropertiesOfAllTables(&tables).ok());
  Overwrite(table, tables.begin()->second->data_size + 50, "????");
  EXPECT_EQ(Codes(CheckFilters(db.get())), CodeList{"unreadable"});
}

TEST(CheckFiltersTest, NeverAsked) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  options.statistics = rocksdb::CreateDBStatistics();
  const auto db = OpenSample(options, directory.Path("db"));
  AddSampleTable(db.get(), 0, kKeys);
  // In level 0 RocksDB asks without looking at the range of keys first.
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  EXPECT_EQ(Codes(CheckFilters(db.get())), CodeList());
  std::string value;
  EXPECT_TRUE(db->Get({}, "zzz outside", &value).IsNotFound());
  auto warnings = CheckFilters(db.get());
  ASSERT_EQ(Codes(warnings), CodeList{"never-asked"});
  ExpectSays(warnings[0].message, "outside every table");

  ASSERT_TRUE(options.statistics->Reset().ok());
  std::unique_ptr<rocksdb::Iterator>(db->NewIterator({}))->Seek("key");
  warnings = CheckFilters(db.get());
  ASSERT_EQ(Codes(warnings), CodeList{"never-asked"});
  ExpectSays(warnings[0].message, "only iterators");

  ASSERT_TRUE(options.statistics->Reset().ok());
  EXPECT_TRUE(db->Put({}, "in memory", "value").ok());
  EXPECT_TRUE(db->Get({}, "in memory", &value).ok());
  warnings = CheckFilters(db.get());
  ASSERT_EQ(Codes(warnings), CodeList{"never-asked"});
  ExpectSays(warnings[0].message, "memtable");

  LookUpAbsent(db.get(), 10);
  EXPECT_EQ(Codes(CheckFilters(db.get())), CodeList());
}

TEST(FilterListenerTest, OneLinePerTable) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  options.listeners.push_back(NewFilterListener());
  {
    const auto db = OpenSample(options, directory.Path("db"));
    AddSampleTable(db.get(), 0, kKeys);
    AddSampleTable(db.get(), 0, kKeys);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  }
  const std::string log = directory.Read("db/LOG");
  size_t lines = 0;
  for (size_t at = log.find("[sstfilter]"); at != std::string::npos;
       at = log.find("[sstfilter]", at + 1)) {
    ++lines;
  }
  EXPECT_EQ(lines, 3u);
  ExpectSays(log, "level=0 filter=sstfilter keys=2000 bytes=");
  ExpectSays(log, "level=1 filter=sstfilter keys=1800 bytes=");
  ExpectSays(log, " job_micros=");
}

}  // namespace
}  // namespace sstfilter::tools
