// `sstfilter inspect` as a user meets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "odd_database.h"
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

std::string RemarkOf(const Json& document) {
  EXPECT_EQ(document.at("tables").size(), 1u);
  const Json& table = document.at("tables")[0];
  EXPECT_EQ(table.at("filter"), "none");
  return table.at("remark");
}

TEST(InspectCommandTest, WhyThereIsNoFilter) {
  {
    const TemporaryDirectory directory;
    MakeSample(SampleOptions({"none"}), directory.Path("db"), 0, 100);
    EXPECT_EQ(RemarkOf(InspectJson(directory.Path("db"))),
              "no filter policy when it was written");
  }
  {
    const TemporaryDirectory directory;
    const auto db =
        OpenSample(SampleOptions({"sstfilter:10"}), directory.Path("db"));
    ASSERT_TRUE(db->DeleteRange({}, db->DefaultColumnFamily(), "a", "b").ok());
    ASSERT_TRUE(db->Flush({}).ok());
    EXPECT_EQ(RemarkOf(InspectJson(directory.Path("db"))),
              "no keys, only range deletions");
  }
  {
    const TemporaryDirectory directory;
    const std::string path =
        MakeSample(SampleOptions({"sstfilter:level_bits_per_key=0:10"}),
                   directory.Path("db"), 0, 100);
    EXPECT_EQ(RemarkOf(InspectJson(directory.Path("db"))),
              "level_bits_per_key gives level 0 no bits");
    // A table by itself does not say why.
    EXPECT_EQ(RemarkOf(InspectJson(path)),
              "policy sstfilter made none: no bits for the level it was "
              "written to, optimize_filters_for_hits, or memory ran out");
  }
  {
    const TemporaryDirectory directory;
    SampleTable sample{"sstfilter:10"};
    sample.whole_keys = false;
    MakeSample(SampleOptions(sample), directory.Path("db"), 0, 100);
    EXPECT_EQ(RemarkOf(InspectJson(directory.Path("db"))),
              "whole_key_filtering is off, and no key has a prefix");
  }
  {
    const TemporaryDirectory directory;
    const auto options = SampleOptions({"rocksdb-bloom:10"});
    PolicyIn(options) = RenamedPolicy(PolicyIn(options), "their.Filter");
    MakeSample(options, directory.Path("db"), 0, 100);
    const Json document = InspectJson(directory.Path("db"));
    EXPECT_EQ(RemarkOf(document), "filter of another policy, their.Filter");
    EXPECT_FALSE(HasWarning(document, "no-policy"));
    EXPECT_TRUE(HasWarning(document, "other-policy"));
  }
}

TEST(InspectCommandTest, FilterThatWasGivenUp) {
  const TemporaryDirectory directory;
  const auto path = [&](const std::string& filter, bool partitioned,
                        const std::string& block, int every) {
    SampleTable sample{filter};
    sample.partitioned = partitioned;
    const auto options = SampleOptions(sample);
    PolicyIn(options) = ReplacingPolicy(PolicyIn(options), block, every);
    const std::string db = directory.Path(
        "db" + std::to_string(std::distance(
                   std::filesystem::directory_iterator(directory.path()), {})));
    MakeSample(options, db, 0, kKeys);
    return db;
  };
  const std::string zeros(6, '\0');
  const Json ours = InspectJson(path("sstfilter:10", false, zeros, 1));
  EXPECT_EQ(RemarkOf(ours),
            "no filter: memory ran out while it was built; every lookup reads "
            "the table until a compaction rewrites it");
  EXPECT_EQ(ours.at("tables")[0].at("filter_bytes"), 6);
  EXPECT_EQ(ours.at("levels")[0].at("tables_without_filter"), 1);
  EXPECT_TRUE(HasWarning(ours, "no-filter"));
  EXPECT_FALSE(HasWarning(ours, "unreadable"));
  EXPECT_EQ(
      RemarkOf(InspectJson(path("rocksdb-bloom:10", false, zeros, 1))),
      "no filter: its builder gave up, as RocksDB's do when memory changes "
      "under them; every lookup reads the table until a compaction "
      "rewrites it");

  const Json part = InspectJson(path("sstfilter:10", true, zeros, 2));
  EXPECT_EQ(part.at("tables")[0].at("filter"), "sstfilter bloom");
  const std::string remark = part.at("tables")[0].at("remark");
  ExpectSays(remark, std::to_string(
                         part.at("tables")[0].at("partitions").get<int>() / 2) +
                         " of ");
  ExpectSays(remark,
             " partitions without a filter: memory ran out while it was "
             "built; every lookup of their keys reads");
  EXPECT_TRUE(part.at("warnings").empty()) << part.at("warnings");

  for (const char* filter : {"sstfilter:10", "rocksdb-bloom:10"}) {
    const Outcome cut = RunTool({"inspect", path(filter, false, "x", 1)});
    EXPECT_EQ(cut.code, kExitFailure);
    ExpectSays(cut.err, "filter block of 1 byte is damaged");
    ExpectSays(cut.out,
               "Warning (unreadable): column family default: 1 of 1 "
               "table has a filter that cannot be read");
  }
}

// RocksDB's Bloom filter of no keys is a few bytes.
TEST(InspectCommandTest, PartitionsWithoutKeys) {
  const TemporaryDirectory directory;
  for (const std::string filter : {"rocksdb-bloom:10", "sstfilter:10"}) {
    SampleTable sample{filter};
    sample.partitioned = true;
    sample.whole_keys = false;
    auto options = SampleOptions(sample);
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(10));
    {
      const auto db = OpenSample(options, directory.Path(filter));
      for (int i = 10000; i < 12000; ++i) {  // too short for a prefix
        ASSERT_TRUE(
            db->Put({}, "a" + std::to_string(i), std::string(500, 'v')).ok());
      }
      AddSampleTable(db.get(), 0, kKeys);
    }
    const Json document = InspectJson(directory.Path(filter));
    EXPECT_EQ(document.at("tables")[0].at("filter"),
              filter == "sstfilter:10" ? "sstfilter bloom" : "rocksdb bloom");
    EXPECT_EQ(document.at("tables")[0].at("remark"), "");
    EXPECT_TRUE(document.at("warnings").empty()) << document.at("warnings");
    const Outcome verified = RunTool({"verify", directory.Path(filter)});
    EXPECT_EQ(verified.code, kExitOk) << verified.err;
    ExpectSays(verified.out, "1 table: 1 sound");
  }
}

TEST(InspectCommandTest, TotalsOfEachDatabase) {
  const TemporaryDirectory directory;
  MakeSample(SampleOptions({"sstfilter:10"}), directory.Path("one"), 0, 1000);
  {
    const auto db =
        OpenSample(SampleOptions({"rocksdb-bloom:10"}), directory.Path("two"));
    AddSampleTable(db.get(), 0, 2000);
    rocksdb::ColumnFamilyHandle* other = nullptr;
    ASSERT_TRUE(
        db->CreateColumnFamily(SampleOptions({"none"}), "other", &other).ok());
    ASSERT_TRUE(db->Put({}, other, "key", "value").ok());
    ASSERT_TRUE(db->Flush({}, other).ok());
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(other).ok());
  }
  const std::vector<std::string> paths = {directory.Path("one"),
                                          directory.Path("two")};
  const Outcome json =
      RunTool({"inspect", paths[0], paths[1], "--format", "json"});
  ASSERT_EQ(json.code, kExitOk) << json.err;
  const Json databases = Json::parse(json.out).at("databases");
  ASSERT_EQ(databases.size(), 2u);
  EXPECT_EQ(databases[0].at("database"), paths[0]);
  EXPECT_EQ(databases[0].at("tables"), 1);
  EXPECT_EQ(databases[0].at("entries"), 1000);
  EXPECT_EQ(databases[1].at("database"), paths[1]);
  EXPECT_EQ(databases[1].at("tables"), 2);
  EXPECT_EQ(databases[1].at("tables_without_filter"), 1);
  EXPECT_EQ(databases[1].at("entries"), 2001);
  EXPECT_EQ(databases[1].count("level") + databases[1].count("column_family"),
            0u);

  const Outcome table = RunTool({"inspect", paths[0], paths[1]});
  const size_t second = table.out.find("Database " + paths[1] + ":\n");
  ASSERT_NE(second, std::string::npos) << table.out;
  const size_t first = table.out.find("Database " + paths[0] + ":\n");
  ASSERT_LT(first, second);
  EXPECT_EQ(table.out.substr(first, second - first).find("other"),
            std::string::npos);
  EXPECT_TRUE(std::regex_search(table.out.substr(second),
                                std::regex("\nall +all +2 +1 +2001 ")))
      << table.out;
  // Of one database they need no heading.
  EXPECT_EQ(RunTool({"inspect", paths[1]}).out.find("Database "),
            std::string::npos);
}

TEST(InspectCommandTest, UnknownComparator) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  options.comparator = ForeignComparator();
  MakeSample(options, directory.Path("db"), 0, kKeys);
  for (const bool has_options : {true, false}) {
    if (!has_options) RemoveOptionsFiles(directory.Path("db"));
    const Json document = InspectJson(directory.Path("db"));
    ASSERT_EQ(document.at("tables").size(), 1u);
    EXPECT_EQ(document.at("tables")[0].at("filter"), "sstfilter bloom");
    EXPECT_EQ(document.at("tables")[0].at("filter_keys"), kKeys);
    EXPECT_TRUE(document.at("tables")[0].at("level").is_null());
    ExpectSays(document.at("notes").dump(),
               "comparator test.LastBytesFirst is not known here");
  }
}

TEST(InspectCommandTest, UnknownOptions) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  auto options = OwnTransformOptions({}, "their_own");
  options.prefix_extractor = ForeignPrefixExtractor();
  options.merge_operator = ForeignMergeOperator();
  MakeSample(options, path, 0, kKeys);
  // RocksDB writes no options file that it cannot read again, so this one comes
  // from a database whose transform it knows. The service's process knows its
  // own.
  PolicyIn(options) =
      PolicyIn(SampleOptions({"sstfilter:key_transform=ascii_lower"}));
  MakeSample(options, directory.Path("model"), 0, 1);
  CopyOptionsFiles(directory.Path("model"), path);
  ReplaceInOptionsFiles(path, "ascii_lower", "their_own");
  ReplaceInOptionsFiles(path, "  max_open_files=-1",
                        "  max_open_files=-1\n  of_tomorrow=3");
  const auto before = Everything(directory.path());
  const Json document = InspectJson(path);
  EXPECT_EQ(Everything(directory.path()), before);
  ASSERT_EQ(document.at("tables").size(), 1u);
  EXPECT_EQ(document.at("tables")[0].at("level"), 0);
  EXPECT_EQ(document.at("tables")[0].at("key_transform"), "their_own");
  ASSERT_EQ(document.at("notes").size(), 1u);
  const std::string note = document.at("notes")[0];
  for (const char* part :
       {"of_tomorrow=3 (database)",
        "prefix_extractor=test.FirstBytes (column family default)",
        "merge_operator=test.Merge (column family default)",
        "filter_policy={id=sstfilter;"}) {
    ExpectSays(note, part);
  }
  // What is not known is not called wrong.
  EXPECT_TRUE(document.at("warnings").empty()) << document.at("warnings");
}

TEST(InspectCommandTest, NoOptionsFile) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  options.prefix_extractor = ForeignPrefixExtractor();
  MakeSample(options, directory.Path("db"), 0, kKeys);
  RemoveOptionsFiles(directory.Path("db"));
  const Json document = InspectJson(directory.Path("db"));
  ExpectSays(document.at("notes").dump(), "opened with RocksDB's defaults");
  EXPECT_TRUE(document.at("warnings").empty()) << document.at("warnings");
}

TEST(InspectCommandTest, BadFilesOfADatabase) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  std::vector<std::string> paths;
  {
    const auto db = OpenSample(SampleOptions({"sstfilter:10"}), path);
    for (int i = 0; i < 4; ++i) AddSampleTable(db.get(), i * 100, i * 100 + 90);
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (const auto& file : files) paths.push_back(path + file.name);
  }
  std::filesystem::remove(paths[0]);
  Garble(paths[1]);
  std::filesystem::resize_file(paths[2], 300);
  const std::string foreign = directory.Write("db/notes.txt", "text");
  const Outcome outcome = RunTool({"inspect", path, "--format", "json"});
  EXPECT_EQ(outcome.code, kExitFailure);
  for (const std::string& bad : {paths[0], paths[1], paths[2], foreign}) {
    ExpectSays(outcome.err, std::filesystem::path(bad).filename().string());
  }
  const Json document = Json::parse(outcome.out);
  ASSERT_EQ(document.at("tables").size(), 1u);
  EXPECT_EQ(document.at("tables")[0].at("file"), paths[3]);
  EXPECT_EQ(document.at("problems").size(), 4u);
  // The missing one was compacted away, for all that is known.
  EXPECT_TRUE(HasWarning(document, "unreadable-table"));
  EXPECT_FALSE(HasWarning(document, "unreadable"));
  ExpectSays(document.at("warnings").dump(), "2 of 3 tables cannot be read");
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
