// `sstfilter measure` as a user meets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "temporary_directory.h"
#include "tests/tools/run_tool.h"

namespace sstfilter::tools {
namespace {

using Json = nlohmann::json;

TEST(MeasureCommandTest, Help) {
  const Outcome top = RunTool({"--help"});
  EXPECT_EQ(top.code, 0);
  EXPECT_NE(top.out.find("measure"), std::string::npos);
  EXPECT_EQ(top.err, "");
  const Outcome measure = RunTool({"measure", "--help"});
  EXPECT_EQ(measure.code, 0);
  for (const char* expected :
       {"--keys", "--absent", "--num", "--db", "--filter", "--format",
        "--young-files", "--cache-filters", "Examples:"}) {
    EXPECT_NE(measure.out.find(expected), std::string::npos) << expected;
  }
}

TEST(MeasureCommandTest, BadCommandLines) {
  ExpectRefused({}, "subcommand");
  ExpectRefused({"nonesuch"}, "");
  ExpectRefused({"measure"}, "no keys: give --keys FILE or --num N");
  ExpectRefused({"measure", "--nonesuch"}, "--nonesuch");
  ExpectRefused({"measure", "--num", "0"}, "--num");
  ExpectRefused({"measure", "--num", "-5"}, "--num");
  ExpectRefused({"measure", "--num", "many"}, "--num");
  ExpectRefused({"measure", "--num", "5", "--keys", "x"}, "excludes");
  ExpectRefused({"measure", "--num", "5", "--format", "xml"}, "xml");
  ExpectRefused({"measure", "--num", "5", "--cache", "5zz"}, "zz");
  ExpectRefused({"measure", "--num", "5", "--cache", "-1"}, "--cache");
  ExpectRefused({"measure", "--num", "5", "--lookups", "-1"}, "--lookups");
  ExpectRefused({"measure", "--num", "5", "--batch", "0"}, "--batch");
  ExpectRefused({"measure", "--num", "5", "--young-files", "-1"},
                "--young-files");
  ExpectRefused({"measure", "--num", "5", "--levels", "0"}, "--levels");
}

TEST(MeasureCommandTest, BadFilters) {
  for (const char* filter :
       {"nonesuch:10", "rocksdb-bloom:-1", "rocksdb-bloom:0",
        "rocksdb-bloom:nan", "rocksdb-bloom:101", "rocksdb-ribbon:x",
        "sstfilter:-1", "sstfilter:0", "sstfilter:nan", "sstfilter:101",
        "sstfilter:kind=nonesuch", "sstfilter:nonesuch=3"}) {
    ExpectRefused(
        {"measure", "--num", "5", "--filter", "none", "--filter", filter},
        filter);
  }
}

TEST(MeasureCommandTest, BadKeyFiles) {
  const TemporaryDirectory directory;
  const std::string empty = directory.Write("empty", "");
  const std::string missing = directory.Path("missing");
  ExpectRefused({"measure", "--keys", empty}, empty);
  ExpectRefused({"measure", "--keys", missing}, missing);
  ExpectRefused({"measure", "--keys", directory.path()}, directory.path());
  ExpectRefused({"measure", "--num", "5", "--absent", empty}, empty);
  ExpectRefused({"measure", "--num", "5", "--absent", missing}, missing);
  ExpectRefused({"measure", "--keys", "-", "--absent", "-"}, "standard input");
}

TEST(MeasureCommandTest, ForeignDatabaseDirectory) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.Path("mine"));
  directory.Write("mine/CURRENT", "MANIFEST-000005\n");
  ExpectRefused({"measure", "--num", "5", "--db", directory.Path("mine")},
                directory.Path("mine"));
  EXPECT_EQ(directory.Read("mine/CURRENT"), "MANIFEST-000005\n");
  EXPECT_EQ(directory.Entries(), 1u);
  const std::string file = directory.Write("file", "text");
  ExpectRefused({"measure", "--num", "5", "--db", file}, file);
  EXPECT_EQ(directory.Read("file"), "text");
}

TEST(MeasureCommandTest, OutputThatCannotBeWritten) {
  const char* argv[] = {"sstfilter", "measure", "--num",     "100",
                        "--filter",  "none",    "--lookups", "10"};
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  std::ostringstream err;
  EXPECT_EQ(RunCommand(8, argv, out, err), kExitFailure);
  EXPECT_EQ(err.str(), "sstfilter: cannot write the output\n");
}

TEST(MeasureCommandTest, Json) {
  const TemporaryDirectory directory;
  const Outcome outcome = RunTool(
      {"measure", "--num", "5000", "--lookups", "1000", "--present-lookups",
       "500", "--db", directory.Path("db"), "--format", "json", "--young-files",
       "2", "--filter", "sstfilter:bits_per_key=12", "--filter", "none",
       "--filter", "rocksdb-bloom:10"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json document = Json::parse(outcome.out);
  const Json& results = document.at("results");
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].at("filter"), "sstfilter:bits_per_key=12");
  EXPECT_EQ(results[1].at("filter"), "none");
  EXPECT_EQ(results[2].at("filter"), "rocksdb-bloom:10");
  for (const Json& result : results) {
    for (const char* field :
         {"keys", "filter_bytes", "absent_lookups", "present_lookups",
          "tables_skipped", "false_positives", "disk_reads_absent",
          "disk_reads_present", "filter_reads", "false_negatives"}) {
      EXPECT_TRUE(result.at(field).is_number_unsigned()) << field;
    }
    for (const char* field :
         {"bits_per_key", "us_per_absent_get", "us_per_present_get"}) {
      EXPECT_TRUE(result.at(field).is_number_float()) << field;
    }
    EXPECT_TRUE(result.at("reads_avoided").is_number_integer());
    const bool is_none = result.at("filter") == "none";
    for (const char* field : {"observed_fpr", "expected_fpr",
                              "build_us_per_table", "build_ns_per_key"}) {
      EXPECT_EQ(result.at(field).is_null(), is_none) << field;
    }
    EXPECT_EQ(result.at("keys"), 5000);
    EXPECT_EQ(result.at("absent_lookups"), 1000);
    EXPECT_EQ(result.at("present_lookups"), 500);
    EXPECT_EQ(result.at("false_negatives"), 0);
    ASSERT_EQ(result.at("levels").size(), 4u);
    for (const Json& level : result.at("levels")) {
      std::set<std::string> fields;
      for (const auto& [name, value] : level.items()) fields.insert(name);
      EXPECT_EQ(fields,
                (std::set<std::string>{"level", "files", "keys", "filter_bytes",
                                       "checks", "false_positives"}));
    }
  }
  EXPECT_GT(results[0].at("reads_avoided"), 1000);
  EXPECT_EQ(results[1].at("reads_avoided"), 0);
}

TEST(MeasureCommandTest, ReadsAvoidedIsNullWithoutNone) {
  const Outcome outcome =
      RunTool({"measure", "--num", "1000", "--lookups", "100", "--format",
               "json", "--filter", "rocksdb-ribbon:10"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(
      Json::parse(outcome.out).at("results")[0].at("reads_avoided").is_null());
}

TEST(MeasureCommandTest, TableSaysItsMethod) {
  const TemporaryDirectory directory;
  const std::string keys = directory.Write("keys", "ant\nbee\ncat\ndog\nant\n");
  const std::string absent = directory.Write("absent", "bat\ncat\nbug\n");
  const Outcome outcome = RunTool({"measure", "--keys", keys, "--absent",
                                   absent, "--by-level", "--batch", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* expected :
       {"sstfilter:10", "rocksdb-ribbon:10", "A disk read is", "Block cache",
        "MultiGet of 2 keys", "RocksDB 7.", "build ns",
        "Build time: ", "sstfilter kernels:", "2 absent and 4 present",
        "1 repeated key was put once",
        "1 of the absent keys given was present"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n"
                                                             << outcome.out;
  }
}

TEST(MeasureCommandTest, Csv) {
  const Outcome outcome =
      RunTool({"measure", "--num", "1000", "--lookups", "100", "--format",
               "csv", "--filter", "none", "--filter", "sstfilter:10"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line.rfind("filter,keys,filter_bytes,bits_per_key,", 0), 0u);
  const auto commas = std::count(line.begin(), line.end(), ',');
  for (const char* filter : {"none,1000,0,", "sstfilter:10,1000,"}) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line.rfind(filter, 0), 0u) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas);
  }
  EXPECT_FALSE(std::getline(lines, line));
}

}  // namespace
}  // namespace sstfilter::tools
