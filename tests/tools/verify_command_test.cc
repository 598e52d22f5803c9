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
        "sstfilter:bits_per_key=10;key_transform=ascii_lower"}) {
    for (const bool partitioned : {false, true}) {
      const TemporaryDirectory directory;
      SampleTable sample{spec};
      sample.partitioned = partitioned;
      MakeSample(SampleOptions(sample), directory.Path("db"), 0, kKeys);
      const auto before = Everything(directory.path());
      const Outcome outcome = RunTool({"verify", directory.Path("db")});
      EXPECT_EQ(outcome.code, 0) << spec << "\n" << outcome.err;
      EXPECT_EQ(outcome.err, "");
      ExpectSays(outcome.out, "1 tables: 1 sound");
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
  // Every key was asked for; that the database could not be opened is said.
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, "looked at without their levels");
  ExpectSays(outcome.out, "1 tables: 1 sound");
  ExpectSays(outcome.out, "5000 keys read, 0 denied");
  EXPECT_EQ(Everything(directory.path()), before);
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
  ExpectSays(outcome.out, "1 tables: 1 sound");
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

TEST(VerifyCommandTest, TableWithoutFilter) {
  const TemporaryDirectory directory;
  MakeSample(SampleOptions({"none"}), directory.Path("db"), 0, 100);
  const Outcome outcome = RunTool({"verify", directory.Path("db")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  ExpectSays(outcome.out, "no filter: written without a filter policy");
}

}  // namespace
}  // namespace sstfilter::tools
