// `sstfilter inspect` as a user meets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "run_tool.h"
#include "sample_database.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

using Json = nlohmann::json;
constexpr int kKeys = 3000;

Json InspectJson(const std::string& path) {
  const Outcome outcome = RunTool({"inspect", path, "--format", "json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

bool HasWarning(const Json& document, const std::string& code) {
  const Json& warnings = document.at("warnings");
  return std::any_of(
      warnings.begin(), warnings.end(),
      [&code](const Json& warning) { return warning.at("code") == code; });
}

TEST(InspectCommandTest, HelpHasAnExample) {
  const Outcome outcome = RunTool({"inspect", "--help"});
  EXPECT_EQ(outcome.code, 0);
  ExpectSays(outcome.out, "Examples:");
}

TEST(InspectCommandTest, BadInput) {
  const TemporaryDirectory directory;
  ExpectRefused({"inspect"}, "path");
  ExpectRefused({"inspect", "x", "--format", "xml"}, "xml");
  ExpectRefused({"inspect", directory.Path("missing")},
                directory.Path("missing"));
  ExpectRefused({"inspect", directory.Write("foreign.sst", "text")},
                directory.Path("foreign.sst"));
}

TEST(InspectCommandTest, OurFilter) {
  const TemporaryDirectory directory;
  const std::string path = MakeSample(SampleOptions({"sstfilter:10"}),
                                      directory.Path("db"), 0, kKeys);
  const auto before = Everything(directory.path());
  const Json document = InspectJson(directory.Path("db"));
  EXPECT_EQ(Everything(directory.path()), before);
  ASSERT_EQ(document.at("tables").size(), 1u);
  const Json& table = document.at("tables")[0];
  EXPECT_EQ(table.at("file"), path);
  EXPECT_EQ(table.at("column_family"), "default");
  EXPECT_EQ(table.at("level"), 0);
  EXPECT_EQ(table.at("filter"), "sstfilter bloom");
  EXPECT_EQ(table.at("format_version"), 1);
  EXPECT_EQ(table.at("partitions"), 1);
  EXPECT_EQ(table.at("filter_keys"), kKeys);
  EXPECT_NEAR(table.at("bits_per_key"), 10, 0.2);
  EXPECT_NEAR(table.at("fill"), 0.5, 0.1);
  EXPECT_NEAR(table.at("expected_fpr"), 0.0065, 0.001);
  EXPECT_EQ(table.at("remark"), "");
  EXPECT_EQ(document.at("levels").size(), 1u);
  EXPECT_EQ(document.at("levels")[0].at("entries"), kKeys);
  EXPECT_EQ(document.at("column_families")[0].at("tables"), 1);
  EXPECT_TRUE(document.at("warnings").empty()) << document.at("warnings");
}

TEST(InspectCommandTest, LevelsFamiliesAndLiveDatabases) {
  const TemporaryDirectory directory;
  const auto options = SampleOptions({"rocksdb-bloom:10"});
  const auto db = OpenSample(options, directory.Path("db"));
  AddSampleTable(db.get(), 0, 1000);
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  AddSampleTable(db.get(), 0, 1000);
  rocksdb::ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(
      db->CreateColumnFamily(SampleOptions({"none"}), "other", &other).ok());
  ASSERT_TRUE(db->Put({}, other, "key", "value").ok());
  ASSERT_TRUE(db->Flush({}, other).ok());

  const Json document = InspectJson(directory.Path("db"));
  EXPECT_EQ(document.at("tables").size(), 3u);
  EXPECT_EQ(document.at("levels").size(), 3u);
  ASSERT_EQ(document.at("column_families").size(), 2u);
  const Json& families = document.at("column_families");
  EXPECT_EQ(families[0].at("column_family"), "default");
  EXPECT_EQ(families[0].at("tables_without_filter"), 0);
  EXPECT_EQ(families[1].at("column_family"), "other");
  EXPECT_EQ(families[1].at("tables_without_filter"), 1);
  EXPECT_EQ(document.at("tables")[0].at("filter"), "rocksdb bloom");
  EXPECT_EQ(document.at("tables")[2].at("filter"), "none");
  EXPECT_EQ(document.at("tables")[2].at("remark"),
            "no filter policy when it was written");
  EXPECT_TRUE(HasWarning(document, "no-policy"));
  EXPECT_TRUE(HasWarning(document, "no-filter"));
  EXPECT_TRUE(db->DestroyColumnFamilyHandle(other).ok());
}

TEST(InspectCommandTest, SkippedForHits) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"rocksdb-bloom:10"});
  options.optimize_filters_for_hits = true;
  {
    const auto db = OpenSample(options, directory.Path("db"));
    // Two files, so that the compaction writes a new one.
    AddSampleTable(db.get(), 0, 1000);
    AddSampleTable(db.get(), 0, 1000);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  }
  const Json document = InspectJson(directory.Path("db"));
  ASSERT_EQ(document.at("tables").size(), 1u);
  EXPECT_EQ(document.at("tables")[0].at("filter"), "none");
  EXPECT_EQ(document.at("tables")[0].at("remark"),
            "last level, skipped by optimize_filters_for_hits");
  EXPECT_TRUE(HasWarning(document, "skipped-for-hits"));
  EXPECT_FALSE(HasWarning(document, "no-filter"));
}

TEST(InspectCommandTest, GoesOnAfterATruncatedTable) {
  const TemporaryDirectory directory;
  const std::string good = MakeSample(SampleOptions({"sstfilter:10"}),
                                      directory.Path("db"), 0, kKeys);
  const std::string bad = directory.Path("bad.sst");
  std::filesystem::copy_file(good, bad);
  std::filesystem::resize_file(bad, 1000);
  const Outcome outcome = RunTool({"inspect", bad, good});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, bad);
  ExpectSays(outcome.out, good);
}

TEST(InspectCommandTest, TableAndCsv) {
  const TemporaryDirectory directory;
  SampleTable sample{"rocksdb-bloom:10"};
  sample.partitioned = true;
  MakeSample(SampleOptions(sample), directory.Path("db"), 0, kKeys);
  const Outcome table = RunTool({"inspect", directory.Path("db")});
  EXPECT_EQ(table.code, 0) << table.err;
  ExpectSays(table.out, "rocksdb bloom");
  ExpectSays(table.out, "column family  level");
  const Outcome csv =
      RunTool({"inspect", directory.Path("db"), "--format", "csv"});
  std::istringstream lines(csv.out);
  std::string head;
  std::string row;
  std::string more;
  ASSERT_TRUE(std::getline(lines, head));
  ASSERT_TRUE(std::getline(lines, row));
  EXPECT_FALSE(std::getline(lines, more));
  EXPECT_EQ(head.rfind("file,column_family,level,filter,", 0), 0u) << head;
  EXPECT_EQ(std::count(head.begin(), head.end(), ','),
            std::count(row.begin(), row.end(), ','));
}

}  // namespace
}  // namespace sstfilter::tools
