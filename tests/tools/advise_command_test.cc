// `sstfilter advise` as a user meets it.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "odd_database.h"
#include "run_tool.h"
#include "sample_database.h"
#include "sstfilter/options.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

using Json = nlohmann::json;

// 5000 keys at the bottom, 500 in a file of level 0 above them.
void MakeTree(const std::string& filter, const std::string& path) {
  const auto db = OpenSample(SampleOptions({filter}), path);
  AddSampleTable(db.get(), 0, 5000);
  AddSampleTable(db.get(), 0, 5000);
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  AddSampleTable(db.get(), 1000, 1500);
}

Json AdviseJson(const std::string& path,
                std::vector<std::string> budget = {"--bits", "10"}) {
  std::vector<std::string> arguments = {"advise", "--db", path, "--format",
                                        "json"};
  arguments.insert(arguments.end(), budget.begin(), budget.end());
  const Outcome outcome = RunTool(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

void ExpectShare(const Json& share) {
  EXPECT_EQ(share.size(), 3u);
  EXPECT_TRUE(share.at("bits_per_key").is_number());
  EXPECT_TRUE(share.at("filter_bytes").is_number_unsigned());
  EXPECT_TRUE(share.at("wasted_reads").is_number());
}

TEST(AdviseCommandTest, HelpHasAnExample) {
  const Outcome outcome = RunTool({"advise", "--help"});
  EXPECT_EQ(outcome.code, 0);
  ExpectSays(outcome.out, "Examples:");
  ExpectSays(outcome.out, "sstfilter advise --db");
}

TEST(AdviseCommandTest, ExactlyOneBudget) {
  const TemporaryDirectory directory;
  MakeTree("none", directory.Path("db"));
  const std::string db = directory.Path("db");
  ExpectRefused({"advise", "--bits", "10"}, "--db");
  ExpectRefused({"advise", "--db", db}, "no budget");
  ExpectRefused({"advise", "--db", db, "--bits", "9", "--memory", "9MiB"},
                "excludes");
  ExpectRefused(
      {"advise", "--db", db, "--wasted-reads", "1", "--memory", "9MiB"},
      "excludes");
  ExpectRefused({"advise", "--db", db, "--bits", "9", "--wasted-reads", "1"},
                "excludes");
  ExpectRefused({"advise", "--db", db, "--bits", "nan"}, "--bits");
  ExpectRefused({"advise", "--db", db, "--bits", "0"}, "--bits");
  ExpectRefused({"advise", "--db", db, "--bits", "1000"}, "--bits");
  ExpectRefused({"advise", "--db", db, "--wasted-reads", "nan"},
                "--wasted-reads");
  ExpectRefused({"advise", "--db", db, "--wasted-reads", "-1"},
                "--wasted-reads");
  ExpectRefused({"advise", "--db", db, "--bits", "9", "--kind", "ribbon"},
                "ribbon");
  ExpectRefused({"advise", "--db", db, "--bits", "9", "--format", "xml"},
                "xml");
}

TEST(AdviseCommandTest, BudgetsOutOfReach) {
  const TemporaryDirectory directory;
  MakeTree("none", directory.Path("db"));
  const std::string db = directory.Path("db");
  ExpectRefused({"advise", "--db", db, "--memory", "10"}, "--memory");
  ExpectRefused({"advise", "--db", db, "--wasted-reads", "1e-12"},
                "out of reach");
}

TEST(AdviseCommandTest, NoDatabase) {
  const TemporaryDirectory directory;
  const auto refused = [](const std::string& path, const std::string& why) {
    ExpectRefused({"advise", "--db", path, "--bits", "10"}, path);
    ExpectRefused({"advise", "--db", path, "--bits", "10"}, why);
  };
  refused(directory.Path("missing"), "no such directory");
  refused(directory.Write("file", "text"), "not a RocksDB database");
  std::filesystem::create_directory(directory.Path("empty"));
  refused(directory.Path("empty"), "not a RocksDB database");
  std::filesystem::create_directory(directory.Path("broken"));
  directory.Write("broken/CURRENT", "nonsense");
  refused(directory.Path("broken"), "cannot be opened");
  EXPECT_FALSE(std::filesystem::exists(directory.Path("missing")));
}

TEST(AdviseCommandTest, DatabaseWithoutTables) {
  const TemporaryDirectory directory;
  OpenSample(SampleOptions({"none"}), directory.Path("db"));
  ExpectRefused({"advise", "--db", directory.Path("db"), "--bits", "10"},
                "no table files");
}

TEST(AdviseCommandTest, JsonSchemaAndUntouchedDatabase) {
  const TemporaryDirectory directory;
  MakeTree("rocksdb-bloom:10", directory.Path("db"));
  const auto before = Everything(directory.path());
  const Json document = AdviseJson(directory.Path("db"));
  EXPECT_EQ(Everything(directory.path()), before);
  EXPECT_EQ(document.at("database"), directory.Path("db"));
  EXPECT_EQ(document.at("kind"), "bloom");
  EXPECT_EQ(document.at("budget"), Json({{"bits", 10.0}}));
  EXPECT_TRUE(document.at("notes").empty());
  EXPECT_TRUE(document.at("problems").empty());
  ASSERT_EQ(document.at("column_families").size(), 1u);
  const Json& family = document.at("column_families")[0];
  EXPECT_EQ(family.at("column_family"), "default");
  EXPECT_EQ(family.at("keys"), 5000);
  for (const char* share : {"today", "uniform", "optimal"}) {
    ExpectShare(family.at(share));
  }
  for (const Json& level : family.at("levels")) {
    EXPECT_TRUE(level.at("level").is_number_integer());
    EXPECT_EQ(level.at("files"), 1);
    EXPECT_TRUE(level.at("keys").is_number_unsigned());
    EXPECT_EQ(level.at("lookups"), 1);
    EXPECT_EQ(level.at("filter"), "rocksdb bloom");
    EXPECT_TRUE(level.at("bits_per_key_to_set").is_number());
    EXPECT_TRUE(level.at("files_that_do_not_fit").is_number_unsigned());
    for (const char* share : {"today", "uniform", "optimal"}) {
      ExpectShare(level.at(share));
    }
  }
  ASSERT_FALSE(family.at("costs").empty());
  for (const Json& cost : family.at("costs")) {
    EXPECT_TRUE(cost.at("wasted_reads").is_number());
    ExpectShare(cost.at("optimal"));
    ExpectShare(cost.at("uniform"));
  }
  EXPECT_TRUE(family.at("files_that_do_not_fit").is_array());
  EXPECT_TRUE(family.at("notes").is_array());
  for (const char* form : {"optimal", "levels"}) {
    FilterOptions options;
    const rocksdb::Status status =
        ParseFilterOptions(family.at("options").at(form), &options);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

TEST(AdviseCommandTest, AnyFilterOfToday) {
  struct Case {
    const char* filter;
    const char* name;
    double low;  // wasted reads
    double high;
  };
  const Case cases[] = {
      {"none", "none", 2, 2},
      {"rocksdb-bloom:10", "rocksdb bloom", 0.014, 0.025},
      {"rocksdb-ribbon:10", "rocksdb ribbon", 0.01, 0.025},
      {"sstfilter:10", "sstfilter bloom", 0.01, 0.02},
      {"sstfilter:bits_per_key=10;kind=parity", "sstfilter parity", 0.001,
       0.006},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.filter);
    const TemporaryDirectory directory;
    MakeTree(test.filter, directory.Path("db"));
    const auto before = Everything(directory.path());
    const Json document = AdviseJson(directory.Path("db"));
    EXPECT_EQ(Everything(directory.path()), before);
    const Json& family = document.at("column_families")[0];
    ASSERT_EQ(family.at("levels").size(), 2u);
    // Level 0 of a Ribbon setting has Bloom filters.
    EXPECT_EQ(family.at("levels")[1].at("filter"), test.name);
    EXPECT_EQ(family.at("levels")[0].at("level"), 0);
    EXPECT_EQ(family.at("levels")[0].at("keys"), 500);
    const double reads = family.at("today").at("wasted_reads");
    EXPECT_GE(reads, test.low);
    EXPECT_LE(reads, test.high);
    EXPECT_LT(family.at("optimal").at("wasted_reads"),
              family.at("uniform").at("wasted_reads"));
  }
}

TEST(AdviseCommandTest, MemoryKindAndWastedReads) {
  const TemporaryDirectory directory;
  MakeTree("sstfilter:10", directory.Path("db"));
  const Json by_memory = AdviseJson(directory.Path("db"), {"--memory", "8KiB"});
  EXPECT_EQ(by_memory.at("budget"), Json({{"memory", 8192}}));
  EXPECT_NEAR(
      by_memory.at("column_families")[0].at("optimal").at("filter_bytes"), 8192,
      200);
  const Json by_reads = AdviseJson(
      directory.Path("db"), {"--wasted-reads", "0.02", "--kind", "parity"});
  EXPECT_EQ(by_reads.at("kind"), "parity");
  EXPECT_NEAR(
      by_reads.at("column_families")[0].at("optimal").at("wasted_reads"), 0.02,
      0.004);
}

TEST(AdviseCommandTest, ColumnFamiliesAndLiveDatabase) {
  const TemporaryDirectory directory;
  const auto db =
      OpenSample(SampleOptions({"sstfilter:10"}), directory.Path("db"));
  AddSampleTable(db.get(), 0, 2000);
  rocksdb::ColumnFamilyHandle* other = nullptr;
  auto options = SampleOptions({"none"});
  options.optimize_filters_for_hits = true;
  ASSERT_TRUE(db->CreateColumnFamily(options, "other", &other).ok());
  ASSERT_TRUE(db->Put({}, other, "key", "value").ok());
  ASSERT_TRUE(db->Flush({}, other).ok());
  const Json document = AdviseJson(directory.Path("db"));
  const Json& families = document.at("column_families");
  ASSERT_EQ(families.size(), 2u);
  EXPECT_EQ(families[0].at("column_family"), "default");
  EXPECT_TRUE(families[0].at("notes").empty());
  EXPECT_EQ(families[1].at("column_family"), "other");
  EXPECT_EQ(families[1].at("levels")[0].at("filter"), "none");
  EXPECT_EQ(families[1].at("notes").size(), 1u);
  EXPECT_TRUE(db->DestroyColumnFamilyHandle(other).ok());
}

// One file with nothing to merge it with moves down as it is.
TEST(AdviseCommandTest, NamesFilesThatMovedDown) {
  const TemporaryDirectory directory;
  {
    const auto db =
        OpenSample(SampleOptions({"sstfilter:level_bits_per_key=16:10"}),
                   directory.Path("db"));
    AddSampleTable(db.get(), 0, 5000);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  }
  const Json document = AdviseJson(directory.Path("db"));
  const Json& family = document.at("column_families")[0];
  ASSERT_EQ(family.at("levels").size(), 1u);
  EXPECT_GT(family.at("levels")[0].at("level"), 0);
  EXPECT_EQ(family.at("levels")[0].at("files_that_do_not_fit"), 1);
  const Json& misfits = family.at("files_that_do_not_fit");
  ASSERT_EQ(misfits.size(), 1u);
  const std::string file = misfits[0].at("file");
  EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_NEAR(misfits[0].at("bits_per_key"), 16, 0.5);
  EXPECT_NEAR(misfits[0].at("level_bits_per_key"), 10, 0.1);
  const Outcome outcome =
      RunTool({"advise", "--db", directory.Path("db"), "--bits", "10"});
  ExpectSays(outcome.out, file);
}

TEST(AdviseCommandTest, Table) {
  const TemporaryDirectory directory;
  MakeTree("rocksdb-bloom:10", directory.Path("db"));
  const Outcome outcome =
      RunTool({"advise", "--db", directory.Path("db"), "--bits", "10"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  ExpectSays(outcome.out, "Column family default");
  ExpectSays(outcome.out, "rocksdb bloom");
  ExpectSays(outcome.out,
             "sstfilter:bits_per_key=10,kind=bloom,level_allocation=optimal");
  ExpectSays(outcome.out, "level_bits_per_key=");
}

std::string OnlyTable(const std::string& database) {
  std::string table;
  for (const auto& entry : std::filesystem::directory_iterator(database)) {
    if (entry.path().extension() == ".sst") table = entry.path().string();
  }
  return table;
}

TEST(AdviseCommandTest, TheOnlyTableIsMissingOrCut) {
  const TemporaryDirectory directory;
  const std::string db = directory.Path("db");
  MakeSample(SampleOptions({"sstfilter:10"}), db, 0, 1000);
  const std::string table = OnlyTable(db);
  const auto says = [&](const std::string& why) {
    const Outcome outcome = RunTool({"advise", "--db", db, "--bits", "10"});
    EXPECT_EQ(outcome.code, kExitFailure);
    EXPECT_EQ(outcome.out, "");
    ExpectSays(outcome.err, table + why);
    ExpectSays(outcome.err, "no table file of it can be read");
  };
  std::filesystem::resize_file(table, 100);
  says(": the table itself cannot be read: ");
  std::filesystem::remove(table);
  says(": the table file is missing");
}

TEST(AdviseCommandTest, PlansWithTheKindOfToday) {
  const struct {
    const char* filter;
    const char* kind;
    bool noted;
  } cases[] = {
      {"sstfilter:10", "bloom", true},
      {"sstfilter:kind=parity", "parity", true},
      // Level 0 has bloom, and a tenth of the keys.
      {"sstfilter:kind=auto", "parity", true},
      {"sstfilter:kind=standard", "bloom", false},
      {"rocksdb-ribbon:10", "bloom", false},
      {"none", "bloom", false},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.filter);
    const TemporaryDirectory directory;
    MakeTree(test.filter, directory.Path("db"));
    const Json document = AdviseJson(directory.Path("db"));
    EXPECT_EQ(document.at("kind"), test.kind);
    EXPECT_EQ(document.at("notes").size(), test.noted ? 1u : 0u);
    ExpectSays(document.at("column_families")[0].at("options").at("optimal"),
               std::string("kind=") + test.kind);
    const Json chosen =
        AdviseJson(directory.Path("db"), {"--bits", "10", "--kind", "parity"});
    EXPECT_EQ(chosen.at("kind"), "parity");
    EXPECT_TRUE(chosen.at("notes").empty());
  }
}

TEST(AdviseCommandTest, FilterThatWasGivenUp) {
  const TemporaryDirectory directory;
  const auto options = SampleOptions({"sstfilter:10"});
  PolicyIn(options) = ReplacingPolicy(PolicyIn(options), std::string(6, '\0'));
  MakeSample(options, directory.Path("db"), 0, 1000);
  const Json document = AdviseJson(directory.Path("db"));
  const Json& family = document.at("column_families")[0];
  EXPECT_EQ(family.at("keys"), 1000);
  EXPECT_EQ(family.at("levels")[0].at("filter"), "none");
  EXPECT_EQ(family.at("today").at("wasted_reads"), 1);
}

TEST(AdviseCommandTest, GoesOnAfterADamagedTable) {
  const TemporaryDirectory directory;
  MakeTree("sstfilter:10", directory.Path("db"));
  std::string damaged;
  for (const auto& entry :
       std::filesystem::directory_iterator(directory.Path("db"))) {
    if (entry.path().extension() == ".sst") damaged = entry.path().string();
  }
  std::filesystem::resize_file(damaged, 100);
  const Outcome outcome = RunTool({"advise", "--db", directory.Path("db"),
                                   "--bits", "10", "--format", "json"});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, damaged + ": the table itself cannot be read: ");
  const Json document = Json::parse(outcome.out);
  EXPECT_EQ(document.at("problems").size(), 1u);
  EXPECT_EQ(document.at("column_families")[0].at("levels").size(), 1u);
}

}  // namespace
}  // namespace sstfilter::tools
