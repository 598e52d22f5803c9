// `sstfilter verify` as a user meets it.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "integration/stored_filters.h"
#include "odd_database.h"
#include "run_tool.h"
#include "sample_database.h"
#include "sstfilter/filter_policy.h"
#include "temporary_directory.h"
#include "tools/interrupt.h"
#include "tools/table_keys.h"

namespace sstfilter::tools {
namespace {

constexpr int kKeys = 5000;

TEST(VerifyCommandTest, HelpHasAnExample) {
  const Outcome outcome = RunTool({"verify", "--help"});
  EXPECT_EQ(outcome.code, 0);
  ExpectSays(outcome.out, "Examples:");
  ExpectSays(outcome.out, "--absent");
}

TEST(VerifyCommandTest, BadInput) {
  const TemporaryDirectory directory;
  ExpectRefused({"verify"}, "path");
  ExpectRefused({"verify", directory.Path("missing")},
                directory.Path("missing"));
  ExpectRefused({"verify", directory.path()}, directory.path());
  ExpectRefused({"verify", "--absent", "-1", "x"}, "--absent");
}

TEST(VerifyCommandTest, SoundFilters) {
  for (const char* spec :
       {"sstfilter:10", "sstfilter:bits_per_key=10;kind=parity",
        "sstfilter:bits_per_key=10;kind=standard", "rocksdb-bloom:10",
        "sstfilter:bits_per_key=10;key_transform=ascii_lower",
        "sstfilter:key_transform=strip_trailing_spaces;kind=parity"}) {
    for (const bool partitioned : {false, true}) {
      const TemporaryDirectory directory;
      SampleTable sample{spec};
      sample.partitioned = partitioned;
      MakeSample(SampleOptions(sample), directory.Path("db"), 0, kKeys);
      const auto before = Everything(directory.path());
      const Outcome outcome = RunTool({"verify", directory.Path("db")});
      EXPECT_EQ(outcome.code, 0) << spec << "\n" << outcome.err;
      EXPECT_EQ(outcome.err, "");
      ExpectSays(outcome.out, "1 table: 1 sound");
      ExpectSays(outcome.out, "5000 keys read, 0 denied");
      EXPECT_EQ(Everything(directory.path()), before) << spec;
    }
  }
}

TEST(VerifyCommandTest, Prefixes) {
  for (const bool partitioned : {false, true}) {
    for (const bool whole_keys : {false, true}) {
      const TemporaryDirectory directory;
      SampleTable sample;
      sample.partitioned = partitioned;
      sample.whole_keys = whole_keys;
      auto options = SampleOptions(sample);
      options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(10));
      MakeSample(options, directory.Path("db"), 0, kKeys);
      const Outcome outcome = RunTool({"verify", directory.Path("db")});
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      ExpectSays(outcome.out, " 5000      5000       0 ");
    }
  }
}

TEST(VerifyCommandTest, FalseNegatives) {
  // A filter of keys other than the table's: its transform is not the one its
  // name stands for.
  FilterOptions lying;
  lying.key_transform = std::make_shared<const KeyTransform>(KeyTransform{
      "ascii_lower", [](const rocksdb::Slice& key, std::string* out) {
        *out = key.ToString() + (key.ends_with("77") ? "x" : "");
      }});
  for (const bool partitioned : {false, true}) {
    const TemporaryDirectory directory;
    SampleTable sample;
    sample.partitioned = partitioned;
    auto options = SampleOptions(sample);
    ASSERT_TRUE(NewFilterPolicy(
                    lying, &options.table_factory
                                ->GetOptions<rocksdb::BlockBasedTableOptions>()
                                ->filter_policy)
                    .ok());
    const std::string path =
        MakeSample(options, directory.Path("db"), 0, kKeys);
    const Outcome outcome = RunTool({"verify", path});
    EXPECT_EQ(outcome.code, kExitFailure);
    ExpectSays(outcome.err, path + ": key 0x");
    ExpectSays(outcome.err, "its filter says absent");
    ExpectSays(outcome.out, "FAILED");
    // 50 keys end so; a few of them pass by chance.
    ExpectSays(outcome.out, "5000 keys read, ");
    EXPECT_EQ(outcome.out.find(" 0 denied"), std::string::npos);
  }
}

TEST(VerifyCommandTest, TrailerThatDisagreesWithTheTable) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  auto& policy =
      options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
          ->filter_policy;
  policy = MiscountingPolicy(policy);
  const std::string path = MakeSample(options, directory.Path("db"), 0, kKeys);
  const Outcome outcome = RunTool({"verify", path});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, path +
                              ": trailer says 5000 keys, but the properties "
                              "say 5001");
}

TEST(VerifyCommandTest, UnknownComparator) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  options.comparator = ForeignComparator();
  MakeSample(options, directory.Path("db"), 0, kKeys);
  const auto before = Everything(directory.path());
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_EQ(outcome.err, "");
  ExpectSays(outcome.out, "comparator test.LastBytesFirst is not known here");
  ExpectSays(outcome.out, "1 table: 1 sound");
  ExpectSays(outcome.out, "5000 keys read, 0 denied");
  EXPECT_EQ(Everything(directory.path()), before);
}

TEST(VerifyCommandTest, UnknownKeyTransform) {
  // A name of more than 127 bytes is stored differently.
  for (const std::string& name :
       {std::string("their_own"), std::string(150, 'x')}) {
    for (const bool partitioned : {false, true}) {
      const TemporaryDirectory directory;
      SampleTable sample;
      sample.partitioned = partitioned;
      const std::string path = MakeSample(OwnTransformOptions(sample, name),
                                          directory.Path("db"), 0, kKeys);
      for (const std::string& input : {path, directory.Path("db")}) {
        const Outcome outcome = RunTool({"verify", input});
        EXPECT_EQ(outcome.code, kExitOk);
        EXPECT_EQ(outcome.err, "");
        ExpectSays(outcome.out,
                   path + ": not checked: written under key transform " + name +
                       ", which is not known here");
        ExpectSays(outcome.out,
                   "1 table: 0 sound, 0 without a filter, 0 failed, 1 not "
                   "checked; 5000 keys read, 0 denied");
      }
    }
  }
}

TEST(VerifyCommandTest, DamageUnderAnUnknownKeyTransform) {
  const TemporaryDirectory directory;
  const std::string path = MakeSample(OwnTransformOptions({}, "their_own"),
                                      directory.Path("db"), 0, kKeys);
  std::unique_ptr<StoredTable> table;
  ASSERT_TRUE(StoredTable::Open(TableReadOptions(), path, &table).ok());
  Overwrite(path, table->properties().data_size + 100, "????????");
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, "damaged");
}

TEST(VerifyCommandTest, FilterOfAnotherPolicy) {
  const TemporaryDirectory directory;
  const auto options = SampleOptions({"rocksdb-bloom:10"});
  PolicyIn(options) = RenamedPolicy(PolicyIn(options), "their.Filter");
  MakeSample(options, directory.Path("db"), 0, kKeys);
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, kExitOk) << outcome.err;
  ExpectSays(outcome.out, "not checked: filter of policy their.Filter");
  ExpectSays(outcome.out, "1 not checked");
  ExpectSays(outcome.out, "filter_policy=their.Filter");
}

TEST(VerifyCommandTest, UnknownPrefixExtractor) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  options.prefix_extractor = ForeignPrefixExtractor();
  MakeSample(options, directory.Path("db"), 0, kKeys);
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, kExitOk) << outcome.err;
  ExpectSays(outcome.out, "prefix_extractor=test.FirstBytes (column family");
  ExpectSays(outcome.out,
             "prefixes were not asked for: prefix extractor test.FirstBytes");
  ExpectSays(outcome.out, "5000 keys read, 0 denied");
}

TEST(VerifyCommandTest, JsonAndCsv) {
  const TemporaryDirectory directory;
  const std::string good =
      MakeSample(SampleOptions({"sstfilter:key_transform=ascii_lower"}),
                 directory.Path("good"), 0, kKeys);
  const std::string other = MakeSample(OwnTransformOptions({}, "their_own"),
                                       directory.Path("other"), 0, kKeys);
  const std::string bad = directory.Write("bad.sst", "not a table");
  const Outcome json =
      RunTool({"verify", good, other, bad, "--format", "json"});
  EXPECT_EQ(json.code, kExitFailure);
  const auto document = nlohmann::json::parse(json.out);
  ASSERT_EQ(document.at("tables").size(), 3u);
  const auto& first = document.at("tables")[0];
  EXPECT_EQ(first.at("file"), good);
  EXPECT_EQ(first.at("filter"), "sstfilter bloom");
  EXPECT_EQ(first.at("key_transform"), "ascii_lower");
  EXPECT_EQ(first.at("keys"), kKeys);
  EXPECT_EQ(first.at("denied"), 0);
  EXPECT_EQ(first.at("absent_asked"), 100000);
  EXPECT_NEAR(first.at("observed_fpr"), first.at("expected_fpr"), 0.002);
  EXPECT_EQ(first.at("result"), "sound");
  EXPECT_EQ(document.at("tables")[1].at("result"), "not checked");
  EXPECT_EQ(document.at("tables")[1].at("key_transform"), "their_own");
  EXPECT_EQ(document.at("tables")[2].at("result"), "FAILED");
  EXPECT_TRUE(document.at("tables")[2].at("filter").is_null());
  const auto& summary = document.at("summary");
  EXPECT_EQ(summary.at("tables"), 3);
  EXPECT_EQ(summary.at("sound"), 1);
  EXPECT_EQ(summary.at("not_checked"), 1);
  EXPECT_EQ(summary.at("failed"), 1);
  EXPECT_EQ(summary.at("keys"), 2 * kKeys);
  EXPECT_EQ(document.at("notes").size(), 1u);
  EXPECT_EQ(document.at("problems").size(), 1u);
  ExpectSays(json.err, bad);

  const Outcome csv = RunTool({"verify", good, bad, "--format", "csv"});
  EXPECT_EQ(csv.code, kExitFailure);
  std::istringstream lines(csv.out);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].rfind("file,column_family,level,filter,", 0), 0u);
  for (const std::string& row : rows) {
    EXPECT_EQ(std::count(row.begin(), row.end(), ','),
              std::count(rows[0].begin(), rows[0].end(), ','));
  }
  EXPECT_EQ(rows[1].rfind(good + ",,,sstfilter bloom,ascii_lower,", 0), 0u);
  ExpectRefused({"verify", good, "--format", "xml"}, "xml");
}

TEST(VerifyCommandTest, MissingAndEncryptedTablesOfADatabase) {
  const TemporaryDirectory directory;
  std::vector<std::string> paths;
  for (int i = 0; i < 4; ++i) {
    paths.push_back(MakeSample(SampleOptions({"sstfilter:10"}),
                               directory.Path("db"), i * 100, i * 100 + 90));
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  ASSERT_GE(paths.size(), 3u);
  std::filesystem::remove(paths[0]);
  Garble(paths[1]);
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, kExitFailure);
  for (const std::string& bad : {paths[0], paths[1]}) {
    ExpectSays(outcome.err, std::filesystem::path(bad).filename().string());
  }
  ExpectSays(outcome.out, "4 tables: 2 sound, 0 without a filter, 2 failed");
}

TEST(VerifyCommandTest, MergeOperands) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  ASSERT_TRUE(rocksdb::MergeOperator::CreateFromString(rocksdb::ConfigOptions(),
                                                       "stringappend",
                                                       &options.merge_operator)
                  .ok());
  {
    const auto db = OpenSample(options, directory.Path("db"));
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(db->Merge({}, SampleKey(i), "value").ok());
    }
    AddSampleTable(db.get(), 100, 200);  // ten of them deleted
  }
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  ExpectSays(outcome.out, "190 keys read, 0 denied");
  ExpectSays(outcome.out, "the table has merge operands");
}

TEST(VerifyCommandDeathTest, AnInterruptLeavesAReport) {
  const TemporaryDirectory directory;
  MakeSample(SampleOptions({"sstfilter:10"}), directory.Path("db"), 0, kKeys);
  EXPECT_EXIT(
      {
        InstallInterruptHandler();
        std::raise(SIGINT);
        const Outcome outcome = RunTool({"verify", directory.Path("db")});
        std::cerr << outcome.out << outcome.err;
        std::cerr.flush();
        // The parent's RocksDB threads are not here to be joined.
        std::_Exit(outcome.code);
      },
      testing::ExitedWithCode(kExitInterrupted),
      "1 not or not wholly read.*\n.*interrupted");
}

TEST(VerifyCommandTest, DamagedFilterBlock) {
  const TemporaryDirectory directory;
  const std::string path = MakeSample(SampleOptions({"sstfilter:10"}),
                                      directory.Path("db"), 0, kKeys);
  std::unique_ptr<StoredTable> table;
  ASSERT_TRUE(StoredTable::Open(TableReadOptions(), path, &table).ok());
  const uint64_t data_bytes = table->properties().data_size;
  const auto size = static_cast<size_t>(table->properties().filter_size);
  table.reset();
  Overwrite(path, data_bytes + size / 2, "????????");
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, path);
  ExpectSays(outcome.err, "damaged");
}

TEST(VerifyCommandTest, GoesOnAfterBadFiles) {
  const TemporaryDirectory directory;
  const std::string good = MakeSample(SampleOptions({"sstfilter:10"}),
                                      directory.Path("db"), 0, kKeys);
  const std::string truncated = directory.Path("truncated.sst");
  std::filesystem::copy_file(good, truncated);
  std::filesystem::resize_file(truncated,
                               std::filesystem::file_size(truncated) / 2);
  const std::string foreign = directory.Write("foreign.sst", "not a table");
  const std::string missing = directory.Path("missing.sst");
  const std::string empty = directory.Write("empty.sst", "");
  const Outcome outcome =
      RunTool({"verify", truncated, foreign, missing, empty, good});
  EXPECT_EQ(outcome.code, kExitFailure);
  for (const std::string& bad : {truncated, foreign, missing, empty}) {
    ExpectSays(outcome.err, "sstfilter: " + bad + ": ");
  }
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 4);
  ExpectSays(outcome.out, "4 tables: 1 sound, 0 without a filter, 3 failed");
}

TEST(VerifyCommandTest, DamagedDataBlock) {
  const TemporaryDirectory directory;
  const std::string path = MakeSample(SampleOptions({"sstfilter:10"}),
                                      directory.Path("db"), 0, kKeys);
  Overwrite(path, 5000, "????????");
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, path);
  ExpectSays(outcome.err, "checksum");
}

TEST(VerifyCommandTest, TruncatedTableOfADatabase) {
  const TemporaryDirectory directory;
  const auto options = SampleOptions({"sstfilter:10"});
  std::vector<std::string> paths;
  {
    const auto db = OpenSample(options, directory.Path("db"));
    for (int i = 0; i < 4; ++i) AddSampleTable(db.get(), i * 100, i * 100 + 90);
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (const auto& file : files) paths.push_back(file.db_path + file.name);
  }
  std::filesystem::resize_file(paths[0], 200);
  const auto before = Everything(directory.path());
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, std::filesystem::path(paths[0]).filename().string());
  ExpectSays(outcome.out, "4 tables: 3 sound, 0 without a filter, 1 failed");
  EXPECT_EQ(Everything(directory.path()), before);
}

TEST(VerifyCommandTest, ForeignFileInADatabase) {
  const TemporaryDirectory directory;
  MakeSample(SampleOptions({"sstfilter:10"}), directory.Path("db"), 0, 100);
  const std::string foreign = directory.Write("db/notes.txt", "text");
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, foreign);
  ExpectSays(outcome.out, "1 table: 1 sound");
}

TEST(VerifyCommandTest, WhileTheDatabaseIsOpen) {
  const TemporaryDirectory directory;
  const auto db =
      OpenSample(SampleOptions({"sstfilter:10"}), directory.Path("db"));
  AddSampleTable(db.get(), 0, 1000);
  EXPECT_TRUE(db->Put({}, "in the memtable", "value").ok());
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  ExpectSays(outcome.out, "1000 keys read, 0 denied");
  EXPECT_TRUE(db->Put({}, "more", "value").ok());
}

TEST(VerifyCommandTest, FilterThatWasGivenUp) {
  const struct {
    bool partitioned;
    int every;
    const char* note;
    const char* summary;
  } cases[] = {
      {false, 1,
       ": no filter: memory ran out while it was built; every lookup reads the "
       "table until a compaction rewrites it",
       "1 table: 0 sound, 1 without a filter, 0 failed"},
      {true, 1, ": no filter: memory ran out while it was built",
       "1 table: 0 sound, 1 without a filter, 0 failed"},
      {true, 3,
       "partitions without a filter: memory ran out while it was built; every "
       "lookup of their keys reads until a compaction rewrites the table; "
       "partitions after such a one were not asked for their keys",
       "1 table: 1 sound, 0 without a filter, 0 failed"},
  };
  for (const auto& test : cases) {
    const TemporaryDirectory directory;
    SampleTable sample;
    sample.partitioned = test.partitioned;
    const auto options = SampleOptions(sample);
    PolicyIn(options) =
        ReplacingPolicy(PolicyIn(options), std::string(6, '\0'), test.every);
    MakeSample(options, directory.Path("db"), 0, kKeys);
    const Outcome outcome = RunTool({"verify", directory.Path("db")});
    EXPECT_EQ(outcome.code, kExitOk);
    EXPECT_EQ(outcome.err, "");
    ExpectSays(outcome.out, test.note);
    ExpectSays(outcome.out, test.summary);
    ExpectSays(outcome.out, "5000 keys read, 0 denied");
  }
}

// RocksDB alone takes it for a filter of no keys.
TEST(VerifyCommandTest, FilterBlockCutShort) {
  const TemporaryDirectory directory;
  const auto options = SampleOptions({"sstfilter:10"});
  PolicyIn(options) = ReplacingPolicy(PolicyIn(options), "1234");
  const std::string path = MakeSample(options, directory.Path("db"), 0, kKeys);
  const Outcome outcome = RunTool({"verify", path});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, path + ": filter block of 4 bytes is damaged\n");
  ExpectSays(outcome.err, "its filter says absent");
  ExpectSays(outcome.out, "5000 keys read, 5000 denied");
}

TEST(VerifyCommandTest, TableWithoutFilter) {
  const TemporaryDirectory directory;
  MakeSample(SampleOptions({"none"}), directory.Path("db"), 0, 100);
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  ExpectSays(outcome.out, "no filter: written without a filter policy");
}

}  // namespace
}  // namespace sstfilter::tools
