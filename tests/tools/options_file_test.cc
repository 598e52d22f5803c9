#include "tools/options_file.h"

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <string>

#include "odd_database.h"
#include "run_tool.h"
#include "sample_database.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

// Every option as RocksDB writes it down.
std::string TextOf(const rocksdb::DBOptions& options) {
  std::string text;
  EXPECT_TRUE(rocksdb::GetStringFromDBOptions(&text, options).ok());
  return text;
}

std::string TextOf(const rocksdb::ColumnFamilyOptions& options) {
  std::string text;
  EXPECT_TRUE(rocksdb::GetStringFromColumnFamilyOptions(&text, options).ok());
  return text;
}

TEST(OptionsFileTest, AgreesWithRocksDB) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:bits_per_key=12.5;kind=parity"});
  options.max_open_files = 77;
  options.wal_dir = directory.Path("logs");
  options.write_buffer_size = 1 << 20;
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  const std::string odd_name = "a:b\\c#d\ne\"f";
  {
    const auto db = OpenSample(options, directory.Path("db"));
    rocksdb::ColumnFamilyHandle* other = nullptr;
    ASSERT_TRUE(db->CreateColumnFamily(SampleOptions({"rocksdb-bloom:10"}),
                                       odd_name, &other)
                    .ok());
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(other).ok());
  }
  rocksdb::DBOptions expected_db;
  std::vector<rocksdb::ColumnFamilyDescriptor> expected;
  ASSERT_TRUE(rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(),
                                         directory.Path("db"), &expected_db,
                                         &expected)
                  .ok());
  OptionsFile file;
  const rocksdb::Status status = ReadOptionsFile(directory.Path("db"), &file);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(file.unknown.empty()) << file.unknown[0].ToString();
  EXPECT_EQ(TextOf(file.db_options), TextOf(expected_db));
  EXPECT_EQ(file.db_options.max_open_files, 77);
  ASSERT_EQ(file.column_families.size(), 2u);
  ASSERT_EQ(expected.size(), 2u);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(file.column_families[i].name, expected[i].name);
    EXPECT_EQ(TextOf(file.column_families[i].options),
              TextOf(expected[i].options));
  }
  EXPECT_EQ(file.column_families[1].name, odd_name);
}

TEST(OptionsFileTest, KeepsTheRestOfWhatItDoesNotKnow) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"sstfilter:10"});
  options.comparator = ForeignComparator();
  options.max_open_files = 77;
  options.write_buffer_size = 1 << 20;
  MakeSample(options, directory.Path("db"), 0, 10);
  ReplaceInOptionsFiles(
      directory.Path("db"), "  block_size=4096",
      "  block_size=8192  # twice\n  of_tomorrow=" + std::string(100, '9'));
  OptionsFile file;
  ASSERT_TRUE(ReadOptionsFile(directory.Path("db"), &file).ok());
  EXPECT_EQ(file.db_options.max_open_files, 77);
  ASSERT_EQ(file.column_families.size(), 1u);
  const auto& family = file.column_families[0].options;
  EXPECT_EQ(family.write_buffer_size, size_t{1} << 20);
  const auto* table =
      family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->block_size, 8192u);
  ASSERT_NE(table->filter_policy, nullptr);
  ASSERT_EQ(file.unknown.size(), 2u);
  EXPECT_EQ(file.unknown[0].ToString(),
            "comparator=test.LastBytesFirst (column family default)");
  EXPECT_EQ(file.unknown[1].name, "of_tomorrow");
  EXPECT_EQ(file.unknown[1].of, UnknownOption::Of::kTable);
  EXPECT_LT(file.unknown[1].ToString().size(), 120u);
}

TEST(OptionsFileTest, PoliciesThatCannotBeMade) {
  for (const char* policy : {"sstfilter:1000", "{id=sstfilter;of_tomorrow=1}",
                             "their.Filter", "{id=their.Filter;bits=3}"}) {
    const TemporaryDirectory directory;
    MakeSample(SampleOptions({"none"}), directory.Path("db"), 0, 10);
    ReplaceInOptionsFiles(directory.Path("db"), "filter_policy=nullptr",
                          std::string("filter_policy=") + policy);
    OptionsFile file;
    ASSERT_TRUE(ReadOptionsFile(directory.Path("db"), &file).ok());
    ASSERT_EQ(file.unknown.size(), 1u) << policy;
    EXPECT_EQ(file.unknown[0].name, "filter_policy");
    EXPECT_EQ(file.unknown[0].value, policy);
  }
}

TEST(OptionsFileTest, NoFileOrNoOptionsInIt) {
  const TemporaryDirectory directory;
  OptionsFile file;
  EXPECT_FALSE(ReadOptionsFile(directory.Path("missing"), &file).ok());
  EXPECT_FALSE(ReadOptionsFile(directory.path(), &file).ok());
  directory.Write("OPTIONS-000005", "");
  EXPECT_TRUE(ReadOptionsFile(directory.path(), &file).IsCorruption());
  for (const char* text : {"[", "[\"", "\"", "=", "[DBOptions", "[]\n=\n",
                           "[CFOptions \"", "#", "\\"}) {
    directory.Write("OPTIONS-000005", text);
    ReadOptionsFile(directory.path(), &file).PermitUncheckedError();
  }
}

}  // namespace
}  // namespace sstfilter::tools
