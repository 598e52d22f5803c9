#include "sstfilter/report.h"

#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/statistics.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "integration/policy.h"
#include "integration/rocksdb_internals.h"
#include "integration/stored_filters.h"
#include "odd_database.h"
#include "run_tool.h"
#include "sample_database.h"
#include "sstfilter/filter_policy.h"
#include "sstfilter/key_transform.h"
#include "table/trailer.h"
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
  EXPECT_TRUE(level.kinds.empty());
  ASSERT_TRUE(report.lookups.has_value());
  EXPECT_EQ(report.lookups->tables_skipped + report.lookups->false_positives,
            uint64_t{kKeys - 1});
  EXPECT_LT(report.lookups->false_positive_rate.value_or(1), 0.02);

  const auto json = nlohmann::json::parse(FilterReportToJson(report));
  EXPECT_EQ(json.at("levels")[0].at("filter_bytes"), level.filter_bytes);
  EXPECT_EQ(json.at("lookups").at("tables_skipped"),
            report.lookups->tables_skipped);
  EXPECT_EQ(
      json.at("lookups").at("corrected_for_key_may_exist_and_cache_only_reads"),
      false);
  const std::string text = FilterReportToText(report);
  ExpectSays(text, "level 0: 1 table (1 sstfilter), ");
  ExpectSays(text, "not corrected for KeyMayExist");
}

TEST(ReportTest, Kinds) {
  const struct {
    const char* filter;
    const char* kind;
  } cases[] = {
      {"none", "none"},
      {"sstfilter:10", "bloom"},
      {"sstfilter:bits_per_key=10;kind=parity", "parity"},
      {"sstfilter:bits_per_key=10;kind=standard", "standard"},
      {"sstfilter:kind=parity;key_transform=ascii_lower", "parity"},
      {"rocksdb-bloom:10", "rocksdb-bloom"},
  };
  for (const auto& one : cases) {
    for (const bool partitioned : {false, true}) {
      const TemporaryDirectory directory;
      SampleTable sample{one.filter};
      sample.partitioned = partitioned;
      const auto db = OpenSample(SampleOptions(sample), directory.Path("db"));
      AddSampleTable(db.get(), 0, kKeys);
      AddSampleTable(db.get(), 0, kKeys);
      FilterReportOptions options;
      options.kinds = true;
      FilterReport report;
      ASSERT_TRUE(CollectFilterReport(db.get(), db->DefaultColumnFamily(),
                                      nullptr, &report, options)
                      .ok());
      ASSERT_EQ(report.levels.size(), 1u);
      const std::map<std::string, uint64_t> expected = {{one.kind, 2}};
      EXPECT_EQ(report.levels[0].kinds, expected) << one.filter;
      const auto json = nlohmann::json::parse(FilterReportToJson(report));
      EXPECT_EQ(json.at("levels")[0].at("kinds").at(one.kind), 2);
      ExpectSays(FilterReportToText(report),
                 std::string("; 2 ") + one.kind + ")");
      ExpectSays(FilterReportsToPrometheus({report}),
                 std::string("sstfilter_kind_tables{column_family=\"default\","
                             "level=\"0\",kind=\"") +
                     one.kind + "\"} 2\n");
    }
  }
}

TEST(ReportTest, KindOfRibbonAndOfADamagedFilter) {
  const TemporaryDirectory directory;
  const auto db =
      OpenSample(SampleOptions({"rocksdb-ribbon:10"}), directory.Path("db"));
  // Flushes get Bloom filters, compactions Ribbon, both if large enough.
  AddSampleTable(db.get(), 0, 20000);
  AddSampleTable(db.get(), 0, 20000);
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  AddSampleTable(db.get(), 0, kKeys);
  FilterReportOptions options;
  options.kinds = true;
  FilterReport report;
  const auto collect = [&] {
    return CollectFilterReport(db.get(), db->DefaultColumnFamily(), nullptr,
                               &report, options)
        .ok();
  };
  ASSERT_TRUE(collect());
  ASSERT_EQ(report.levels.size(), 2u);
  using Kinds = std::map<std::string, uint64_t>;
  EXPECT_EQ(report.levels[0].kinds, (Kinds{{"rocksdb-bloom", 1}}));
  EXPECT_EQ(report.levels[1].kinds, (Kinds{{"rocksdb-ribbon", 1}}));
  EXPECT_FALSE(report.builds.has_value());

  rocksdb::TablePropertiesCollection tables;
  ASSERT_TRUE(db->GetPropertiesOfAllTables(&tables).ok());
  for (const auto& [path, table] : tables) {
    Overwrite(path, table->data_size + 50, "????");
  }
  ASSERT_TRUE(collect());
  EXPECT_EQ(report.levels[0].kinds, (Kinds{{"other", 1}}));
}

TEST(ReportTest, Builds) {
  for (const bool partitioned : {false, true}) {
    const TemporaryDirectory directory;
    SampleTable sample;
    sample.partitioned = partitioned;
    const auto options = SampleOptions(sample);
    const auto db = OpenSample(options, directory.Path("db"));
    FilterReport report;
    const auto collect = [&] {
      return CollectFilterReport(db.get(), db->DefaultColumnFamily(), nullptr,
                                 &report)
          .ok();
    };
    ASSERT_TRUE(collect());
    ASSERT_TRUE(report.builds.has_value());
    EXPECT_EQ(report.builds->tables, 0u);
    EXPECT_EQ(report.builds->microseconds, 0);
    AddSampleTable(db.get(), 0, kKeys);
    AddSampleTable(db.get(), 0, kKeys);
    ASSERT_TRUE(collect());
    ASSERT_TRUE(report.builds.has_value());
    const FilterBuildReport& builds = *report.builds;
    EXPECT_GT(builds.policy, 0u);
    EXPECT_EQ(builds.tables, 2u);
    EXPECT_EQ(builds.keys, uint64_t{2 * kKeys});
    if (partitioned) {
      EXPECT_GT(builds.filters, 4u);
      EXPECT_LT(builds.longest_microseconds, builds.microseconds);
      // RocksDB counts the index of the partitions too.
      EXPECT_LT(builds.bytes, report.levels[0].filter_bytes);
    } else {
      EXPECT_EQ(builds.filters, 2u);
      EXPECT_EQ(builds.bytes, report.levels[0].filter_bytes);
    }
    EXPECT_GT(builds.longest_microseconds, 0);
    const auto json = nlohmann::json::parse(FilterReportToJson(report));
    EXPECT_EQ(json.at("builds").at("filters"), builds.filters);
    EXPECT_EQ(json.at("builds").at("bytes"), builds.bytes);
    ExpectSays(FilterReportToText(report),
               "filters of 2 tables, " + std::to_string(2 * kKeys) + " keys, ");
  }
}

TEST(ReportTest, BuildsOfOtherPolicies) {
  EXPECT_FALSE(CollectFilterBuilds(nullptr).has_value());
  const std::unique_ptr<const rocksdb::FilterPolicy> builtin(
      rocksdb::NewBloomFilterPolicy(10));
  EXPECT_FALSE(CollectFilterBuilds(builtin.get()).has_value());
  const TemporaryDirectory directory;
  const auto db = OpenSample(SampleOptions({"none"}), directory.Path("db"));
  FilterReport report;
  ASSERT_TRUE(
      CollectFilterReport(db.get(), db->DefaultColumnFamily(), nullptr, &report)
          .ok());
  EXPECT_FALSE(report.builds.has_value());
  EXPECT_TRUE(
      nlohmann::json::parse(FilterReportToJson(report)).at("builds").is_null());
}

// A policy that several column families share is counted once.
TEST(ReportTest, BuildsInPrometheus) {
  FilterReport report;
  FilterBuildReport& builds = report.builds.emplace();
  builds.policy = 1;
  builds.tables = 2;
  builds.filters = 3;
  builds.keys = 1000;
  builds.bytes = 1250;
  builds.microseconds = 40;
  builds.longest_microseconds = 25;
  builds.filters_out_of_memory = 5;
  builds.blocks_unknown = 7;
  builds.blocks_damaged = 11;
  builds.blocks_other_transform = 13;
  const FilterReport shares_it = report;
  FilterReport other = report;
  other.builds->policy = 2;
  other.builds->filters = 4;
  other.builds->longest_microseconds = 30;
  const std::string text =
      FilterReportsToPrometheus({report, shares_it, other});
  ExpectSays(text, "\nsstfilter_tables_built_total 4\n");
  ExpectSays(text, "\nsstfilter_filters_built_total 7\n");
  ExpectSays(text, "\nsstfilter_filter_keys_built_total 2000\n");
  ExpectSays(text, "\nsstfilter_filter_built_bytes_total 2500\n");
  ExpectSays(text, "\nsstfilter_filter_build_seconds_total 8e-05\n");
  ExpectSays(text, "\nsstfilter_longest_filter_build_seconds 3e-05\n");
  ExpectSays(text, "\nsstfilter_filters_out_of_memory_total 10\n");
  const std::string unused = "\nsstfilter_unused_filter_blocks_total{reason=\"";
  ExpectSays(text, unused + "unknown\"} 14\n");
  ExpectSays(text, unused + "damaged\"} 22\n");
  ExpectSays(text, unused + "other_transform\"} 26\n");
  EXPECT_EQ(FilterReportsToPrometheus({FilterReport()}).find("_built_"),
            std::string::npos);
}

// Whatever the policy counts is told, each under its own name.
TEST(ReportTest, FiltersLackingAndNotUsed) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  ASSERT_TRUE(NewFilterPolicy({}, &policy).ok());
  FilterReport report;
  report.builds = CollectFilterBuilds(policy.get());
  ExpectSays(FilterReportToText(report),
             ", 0 left out as memory ran out\n  filter blocks not used: "
             "0 of unknown version or kind, 0 damaged, 0 of another key "
             "transform\n");
  auto& counters =
      const_cast<FilterCounters&>(AsPolicy(policy.get())->counters());
  counters.filters_out_of_memory = 5;
  counters.blocks_unknown = 7;
  counters.blocks_damaged = 11;
  counters.blocks_other_transform = 13;
  report.builds = CollectFilterBuilds(policy.get());
  ASSERT_TRUE(report.builds.has_value());
  EXPECT_EQ(report.builds->filters_out_of_memory, 5u);
  EXPECT_EQ(report.builds->blocks_unknown, 7u);
  EXPECT_EQ(report.builds->blocks_damaged, 11u);
  EXPECT_EQ(report.builds->blocks_other_transform, 13u);
  ExpectSays(FilterReportToText(report),
             ", 5 left out as memory ran out\n  filter blocks not used: "
             "7 of unknown version or kind, 11 damaged, 13 of another key "
             "transform\n");
  const auto json =
      nlohmann::json::parse(FilterReportToJson(report)).at("builds");
  EXPECT_EQ(json.at("filters_out_of_memory"), 5);
  EXPECT_EQ(json.at("blocks_unknown"), 7);
  EXPECT_EQ(json.at("blocks_damaged"), 11);
  EXPECT_EQ(json.at("blocks_other_transform"), 13);
}

TEST(ReportTest, FiltersNotUsedAreCounted) {
  FilterOptions options;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  ASSERT_TRUE(NewFilterPolicy(options, &policy).ok());
  options.key_transform = AsciiLowerTransform();
  std::shared_ptr<const rocksdb::FilterPolicy> transforming;
  ASSERT_TRUE(NewFilterPolicy(options, &transforming).ok());
  const rocksdb::BlockBasedTableOptions table;
  const rocksdb::FilterBuildingContext context(table);
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(context));
  builder->AddKey("key");
  std::unique_ptr<const char[]> bytes;
  const std::string block = builder->Finish(&bytes).ToString();
  const auto is_used = [](const rocksdb::FilterPolicy& reading,
                          const std::string& contents) {
    return std::unique_ptr<rocksdb::FilterBitsReader>(
               reading.GetFilterBitsReader(contents)) != nullptr;
  };
  EXPECT_TRUE(is_used(*policy, block));
  EXPECT_FALSE(is_used(*transforming, block));
  std::string damaged = block;
  damaged[damaged.size() - kTrailerBytes] ^= 1;
  std::string unknown = block;
  unknown[unknown.size() - 6] = kFormatVersion + 1;  // see table/FORMAT.md
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(is_used(*policy, unknown));
    EXPECT_FALSE(is_used(*policy, damaged));
  }
  EXPECT_FALSE(is_used(*policy, damaged));
  const auto builds = CollectFilterBuilds(policy.get());
  EXPECT_EQ(builds->blocks_unknown, 2u);
  EXPECT_EQ(builds->blocks_damaged, 3u);
  EXPECT_EQ(builds->blocks_other_transform, 0u);
  EXPECT_EQ(CollectFilterBuilds(transforming.get())->blocks_other_transform,
            1u);
}

// A counter of a long-running service must be seen to grow.
TEST(ReportTest, NothingIsRoundedForPrograms) {
  FilterReport report;
  report.levels.emplace_back().bits_per_key = 10.0 / 3;
  FilterBuildReport& builds = report.builds.emplace();
  builds.microseconds = 123456789012.345;
  report.lookups.emplace().false_positive_rate = 0.0012345678;
  ExpectSays(FilterReportsToPrometheus({report}),
             "\nsstfilter_filter_build_seconds_total 123456.789012345\n");
  const auto json = nlohmann::json::parse(FilterReportToJson(report));
  EXPECT_EQ(json.at("levels")[0].at("bits_per_key"), 10.0 / 3);
  EXPECT_EQ(json.at("builds").at("microseconds"), 123456789012.345);
  EXPECT_EQ(json.at("lookups").at("false_positive_rate"), 0.0012345678);
  ExpectSays(FilterReportToText(report), " 3.33333 bits per key");
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
  level.kinds["parity"] = 2;
  report.builds.emplace().filters = 2;
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
  ExpectSays(text, "Not corrected for KeyMayExist");

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

TEST(CheckFiltersTest, UsersOwnTransform) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  const auto options = OwnTransformOptions({}, "their_own");
  MakeSample(options, path, 0, kKeys);
  {
    const auto db = OpenSample(options, path);
    EXPECT_EQ(Codes(CheckFilters(db.get())), CodeList());
  }
  const auto db = OpenSample(SampleOptions({"sstfilter:10"}), path);
  EXPECT_EQ(Codes(CheckFilters(db.get())), CodeList{"other-transform"});
}

TEST(CheckFiltersTest, OtherPolicy) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  const auto options = SampleOptions({"rocksdb-bloom:10"});
  PolicyIn(options) = RenamedPolicy(PolicyIn(options), "their.Filter");
  MakeSample(options, path, 0, kKeys);
  MakeSample(SampleOptions({"sstfilter:10"}), path, kKeys, 2 * kKeys);
  const auto db = OpenSample(SampleOptions({"sstfilter:10"}), path);
  const auto warnings = CheckFilters(db.get());
  ASSERT_EQ(Codes(warnings), CodeList{"other-policy"});
  ExpectSays(warnings[0].message, "1 of 2 tables");
}

TEST(CheckFiltersTest, SkippedForHits) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  options.optimize_filters_for_hits = true;
  const auto db = OpenSample(options, directory.Path("db"));
  // Two files, so that the compaction writes a new one.
  AddSampleTable(db.get(), 0, kKeys);
  AddSampleTable(db.get(), 0, kKeys);
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  auto warnings = CheckFilters(db.get());
  ASSERT_EQ(Codes(warnings), CodeList{"skipped-for-hits"});
  ExpectSays(warnings[0].message, "all filters are skipped");
  AddSampleTable(db.get(), 0, kKeys);
  warnings = CheckFilters(db.get());
  ASSERT_EQ(Codes(warnings), CodeList{"skipped-for-hits"});
  ExpectSays(warnings[0].message, "1 of 2 tables");
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

// The filter of a table that cannot be read is not what is wrong.
TEST(CheckFiltersTest, UnreadableTable) {
  const TemporaryDirectory directory;
  const std::string table = MakeSample(SampleOptions({"sstfilter:10"}),
                                       directory.Path("db"), 0, kKeys);
  auto options = SampleOptions({"sstfilter:10"});
  options.paranoid_checks = false;
  options.max_open_files = 10;  // tables are opened when they are read
  std::filesystem::resize_file(table, 100);
  const auto db = OpenSample(options, directory.Path("db"));
  ASSERT_NE(db, nullptr);
  const auto warnings = CheckFilters(db.get());
  ASSERT_EQ(Codes(warnings), CodeList{"unreadable-table"});
  ExpectSays(warnings[0].message, "1 of 1 table cannot be read");
  ExpectSays(warnings[0].message, table);
  ExpectSays(warnings[0].advice, "backup");
}

TEST(CheckFiltersTest, FilterThatWasGivenUp) {
  const TemporaryDirectory directory;
  const auto options = SampleOptions({"sstfilter:10"});
  PolicyIn(options) = ReplacingPolicy(PolicyIn(options), std::string(6, '\0'));
  const auto db = OpenSample(options, directory.Path("db"));
  AddSampleTable(db.get(), 0, kKeys);
  const auto warnings = CheckFilters(db.get());
  ASSERT_EQ(Codes(warnings), CodeList{"no-filter"});
  ExpectSays(warnings[0].message, "1 of 1 table has no filter");
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

// The listener's lines in RocksDB's info log.
std::vector<std::string> LinesOf(const std::string& log) {
  std::vector<std::string> found;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("[sstfilter]") != std::string::npos) found.push_back(line);
  }
  return found;
}

// The value of ` name=`, empty without one.
std::string ValueOf(const std::string& line, const std::string& name) {
  const size_t at = line.find(" " + name + "=");
  if (at == std::string::npos) return "";
  const size_t value = at + name.size() + 2;
  return line.substr(value, line.find(' ', value) - value);
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
  EXPECT_EQ(LinesOf(log).size(), 3u);
  ExpectSays(log, "level=0 filter=sstfilter kind=bloom keys=2000 bytes=");
  ExpectSays(log, "level=1 filter=sstfilter kind=bloom keys=1800 bytes=");
  ExpectSays(log, " job_micros=");
}

TEST(FilterListenerTest, KindAndTimeOfEveryTable) {
  const struct {
    const char* filter;
    const char* kind;
    bool ours;
  } cases[] = {
      {"sstfilter:10", "bloom", true},
      {"sstfilter:bits_per_key=10;kind=parity", "parity", true},
      {"sstfilter:bits_per_key=10;kind=standard", "standard", true},
      {"rocksdb-bloom:10", "bloomfilter", false},
      {"none", "none", false},
  };
  for (const auto& one : cases) {
    const TemporaryDirectory directory;
    auto options = SampleOptions({one.filter});
    options.listeners = {NewFilterListener()};
    {
      const auto db = OpenSample(options, directory.Path("db"));
      AddSampleTable(db.get(), 0, kKeys);
      AddSampleTable(db.get(), 0, kKeys);
      ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
    }
    const auto lines = LinesOf(directory.Read("db/LOG"));
    ASSERT_EQ(lines.size(), 3u) << one.filter;
    for (const std::string& line : lines) {
      EXPECT_EQ(ValueOf(line, "kind"), one.kind) << line;
      EXPECT_EQ(ValueOf(line, "filters"), one.ours ? "1" : "") << line;
      const std::string micros = ValueOf(line, "build_micros");
      EXPECT_EQ(!micros.empty(), one.ours) << line;
      if (one.ours) {
        EXPECT_GT(std::stod(micros), 0) << line;
      }
    }
  }
}

// Compression and subcompactions on threads of their own, partitions finished
// there, and two listeners.
TEST(FilterListenerTest, ManyThreads) {
  const TemporaryDirectory directory;
  SampleTable sample{"sstfilter:kind=parity"};
  sample.partitioned = true;
  auto options = SampleOptions(sample);
  options.compression = rocksdb::kZSTD;
  options.compression_opts.parallel_threads = 4;
  options.max_subcompactions = 4;
  options.target_file_size_base = 32 << 10;
  options.listeners = {NewFilterListener(), NewFilterListener()};
  std::map<std::string, uint64_t> live;  // by file: its filters
  FilterReport report;
  {
    const auto db = OpenSample(options, directory.Path("db"));
    for (int i = 0; i < 4; ++i) AddSampleTable(db.get(), 0, 20 * kKeys);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
    ASSERT_TRUE(CollectFilterReport(db.get(), db->DefaultColumnFamily(),
                                    nullptr, &report)
                    .ok());
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      std::unique_ptr<StoredTable> table;
      ASSERT_TRUE(StoredTable::Open({}, file.db_path + file.name, &table).ok());
      live[file.name.substr(1)] = table->filters().size();
    }
  }
  EXPECT_GT(live.size(), 1u);
  std::map<std::string, int> seen;
  uint64_t filters = 0;
  for (const std::string& line : LinesOf(directory.Read("db/LOG"))) {
    const std::string file = ValueOf(line, "file");
    ++seen[file];
    EXPECT_EQ(ValueOf(line, "kind"), "parity") << line;
    filters += std::stoull(ValueOf(line, "filters"));
    const auto found = live.find(file);
    if (found == live.end()) continue;
    EXPECT_EQ(ValueOf(line, "filters"), std::to_string(found->second)) << line;
  }
  for (const auto& [file, count] : live) EXPECT_EQ(seen[file], 2) << file;
  ASSERT_TRUE(report.builds.has_value());
  EXPECT_EQ(filters, 2 * report.builds->filters);
  EXPECT_EQ(seen.size(), report.builds->tables);
}

TEST(FilterListenerTest, SharedByDatabases) {
  const TemporaryDirectory directory;
  const auto listener = NewFilterListener();
  const char* kinds[] = {"bloom", "parity"};
  std::vector<std::unique_ptr<rocksdb::DB>> databases;
  for (const char* kind : kinds) {
    auto options = SampleOptions({std::string("sstfilter:kind=") + kind});
    options.listeners = {listener};
    databases.push_back(OpenSample(options, directory.Path(kind)));
  }
  // Files of the same names.
  for (int i = 0; i < 3; ++i) {
    for (const auto& db : databases) AddSampleTable(db.get(), 0, kKeys);
  }
  databases.clear();
  for (const std::string kind : kinds) {
    const auto lines = LinesOf(directory.Read(kind + "/LOG"));
    EXPECT_EQ(lines.size(), 3u);
    for (const std::string& line : lines) {
      EXPECT_EQ(ValueOf(line, "kind"), kind) << line;
    }
  }
}

TEST(FilterListenerTest, Recovery) {
  for (const bool ours : {true, false}) {
    const TemporaryDirectory directory;
    auto options = SampleOptions({ours ? "sstfilter:10" : "rocksdb-bloom:10"});
    options.listeners = {NewFilterListener()};
    options.avoid_flush_during_shutdown = true;
    {
      const auto db = OpenSample(options, directory.Path("db"));
      ASSERT_TRUE(db->Put({}, "key", "value").ok());
    }
    OpenSample(options, directory.Path("db"));
    const auto lines = LinesOf(directory.Read("db/LOG"));
    if (!ours) {
      EXPECT_TRUE(lines.empty()) << lines[0];
      continue;
    }
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(ValueOf(lines[0], "kind"), "bloom");
    EXPECT_EQ(ValueOf(lines[0], "keys"), "1");
    EXPECT_EQ(ValueOf(lines[0], "reason"), "recovery");
    EXPECT_FALSE(ValueOf(lines[0], "build_micros").empty());
  }
}

// A filter whose building was not seen, as when the policy is in another copy
// of the library.
TEST(FilterListenerTest, SaysNothingItDoesNotKnow) {
  const TemporaryDirectory directory;
  {
    const auto db =
        OpenSample(SampleOptions({"sstfilter:10"}), directory.Path("db"));
    rocksdb::FlushJobInfo info;
    info.cf_name = "default";
    info.file_path = directory.Path("db") + "/000007.sst";
    info.table_properties.filter_policy_name = "sstfilter";
    info.table_properties.filter_size = 100;
    NewFilterListener()->OnFlushCompleted(db.get(), info);
  }
  const auto lines = LinesOf(directory.Read("db/LOG"));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(ValueOf(lines[0], "file"), "000007.sst");
  EXPECT_EQ(ValueOf(lines[0], "kind"), "unknown");
  EXPECT_EQ(ValueOf(lines[0], "filters"), "");
  EXPECT_EQ(ValueOf(lines[0], "build_micros"), "");
}

}  // namespace
}  // namespace sstfilter::tools
