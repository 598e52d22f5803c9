// To sstfilter and back, with data that is already there.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "integration/policy.h"
#include "sstfilter/filter_policy.h"
#include "tests/integration/scratch_directory.h"

namespace sstfilter {
namespace {

using rocksdb::FilterPolicy;
using rocksdb::Status;
using PolicyPointer = std::shared_ptr<const FilterPolicy>;

constexpr int kKeysPerTable = 2000;

PolicyPointer Ours(const std::string& text = "") {
  FilterOptions options;
  EXPECT_TRUE(ParseFilterOptions(text, &options).ok()) << text;
  PolicyPointer policy;
  EXPECT_TRUE(NewFilterPolicy(options, &policy).ok()) << text;
  return policy;
}

PolicyPointer Bloom() {
  return PolicyPointer(rocksdb::NewBloomFilterPolicy(10));
}

PolicyPointer Ribbon() {
  return PolicyPointer(rocksdb::NewRibbonFilterPolicy(10, -1));
}

PolicyPointer None() { return nullptr; }

// A database that is closed and opened again with other policies. Every table
// holds keys of its own and covers the same range, so that a lookup of an
// absent key asks the filter of each.
class SwitchingTest : public ::testing::Test {
 protected:
  ~SwitchingTest() override { Close(); }

  void Open(const PolicyPointer& policy) {
    Close();
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.statistics = rocksdb::CreateDBStatistics();
    rocksdb::BlockBasedTableOptions table_options;
    table_options.filter_policy = policy;
    options.table_factory.reset(NewBlockBasedTableFactory(table_options));
    rocksdb::DB* db = nullptr;
    const Status status = rocksdb::DB::Open(options, path_, &db);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
    statistics_ = options.statistics;
  }

  void Close() { db_.reset(); }

  static std::string Key(int i, int table) {
    return "key" + std::to_string(100000 + i) + "_" + std::to_string(table);
  }

  // One more table.
  void AddTable() {
    for (int i = 0; i < kKeysPerTable; ++i) {
      ASSERT_TRUE(db_->Put({}, Key(i, tables_), "value").ok());
    }
    ASSERT_TRUE(db_->Flush({}).ok());
    ++tables_;
  }

  void Compact() {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE(db_->CompactRange(options, nullptr, nullptr).ok());
  }

  void ExpectAllFound() {
    std::string value;
    for (int table = 0; table < tables_; ++table) {
      for (int i = 0; i < kKeysPerTable; ++i) {
        const Status status = db_->Get({}, Key(i, table), &value);
        ASSERT_TRUE(status.ok()) << Key(i, table) << ": " << status.ToString();
      }
    }
  }

  // Tables skipped, per lookup of an absent key.
  double SkippedPerLookup() {
    const auto useful = [this] {
      return statistics_->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
    };
    const uint64_t before = useful();
    std::string value;
    for (int i = 0; i < kKeysPerTable; ++i) {
      EXPECT_TRUE(db_->Get({}, Key(i, 0) + "absent", &value).IsNotFound());
    }
    return static_cast<double>(useful() - before) / kKeysPerTable;
  }

  // The policy names in the properties of all tables.
  std::set<std::string> PolicyNames() {
    rocksdb::TablePropertiesCollection all;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&all).ok());
    std::set<std::string> names;
    for (const auto& table : all) {
      names.insert(table.second->filter_policy_name);
    }
    return names;
  }

  ScratchDirectory scratch_;
  const std::string path_ = scratch_.Path("db");
  std::unique_ptr<rocksdb::DB> db_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  int tables_ = 0;
};

class FromBuiltinTest
    : public SwitchingTest,
      public ::testing::WithParamInterface<PolicyPointer (*)()> {};

TEST_P(FromBuiltinTest, OldTablesKeepFilteringAndCompactionTurnsThemOver) {
  const PolicyPointer builtin = GetParam()();
  const std::string builtin_name = builtin == nullptr ? "" : builtin->Name();
  const int with_filter = builtin == nullptr ? 0 : 2;
  Open(builtin);
  AddTable();
  AddTable();

  Open(Ours());
  EXPECT_EQ(PolicyNames(), std::set<std::string>{builtin_name});
  ExpectAllFound();
  EXPECT_NEAR(SkippedPerLookup(), with_filter, 0.1);

  AddTable();
  EXPECT_EQ(PolicyNames(), (std::set<std::string>{builtin_name, "sstfilter"}));
  ExpectAllFound();
  EXPECT_NEAR(SkippedPerLookup(), with_filter + 1, 0.1);

  Compact();
  EXPECT_EQ(PolicyNames(), std::set<std::string>{"sstfilter"});
  ExpectAllFound();
  EXPECT_NEAR(SkippedPerLookup(), 1, 0.05);
}

TEST_P(FromBuiltinTest, AndBack) {
  const PolicyPointer builtin = GetParam()();
  Open(Ours("bits_per_key=12;kind=parity"));
  AddTable();
  AddTable();

  Open(builtin);
  ExpectAllFound();
  EXPECT_EQ(SkippedPerLookup(), 0);  // Our tables: "may match".
  AddTable();
  ExpectAllFound();
  EXPECT_NEAR(SkippedPerLookup(), builtin == nullptr ? 0 : 1, 0.1);
  Compact();
  EXPECT_EQ(PolicyNames().count("sstfilter"), 0u);
  ExpectAllFound();
  EXPECT_NEAR(SkippedPerLookup(), builtin == nullptr ? 0 : 1, 0.1);
}

std::string BuiltinName(
    const ::testing::TestParamInfo<PolicyPointer (*)()>& builtin) {
  return builtin.index == 0 ? "Bloom" : builtin.index == 1 ? "Ribbon" : "None";
}

INSTANTIATE_TEST_SUITE_P(Builtin, FromBuiltinTest,
                         ::testing::Values(&Bloom, &Ribbon, &None),
                         BuiltinName);

TEST_F(SwitchingTest, ChangedOptionsReadEveryBlockEverWritten) {
  const std::vector<std::string> all = {
      "bits_per_key=10;kind=bloom",    "bits_per_key=20;kind=bloom",
      "bits_per_key=10;kind=parity",   "bits_per_key=16;kind=parity",
      "bits_per_key=12;kind=standard", "kind=auto;seed=7",
      "false_positive_rate=0.01"};
  int expected = 0;
  for (const std::string& text : all) {
    Open(Ours(text));
    AddTable();
    ++expected;
    ExpectAllFound();
    EXPECT_NEAR(SkippedPerLookup(), expected, expected * 0.03) << text;
  }
  for (const std::string& text : all) {
    Open(Ours(text));
    ExpectAllFound();
    EXPECT_NEAR(SkippedPerLookup(), expected, expected * 0.03) << text;
  }
}

TEST_F(SwitchingTest, ChangedAtRunTime) {
  const PolicyPointer policy = Ours();
  Open(policy);
  AddTable();
  FilterOptions options;
  options.bits_per_key = 20;
  options.kind = FilterKind::kParity;
  ASSERT_TRUE(SetFilterOptions(*policy, options).ok());
  AddTable();
  ExpectAllFound();
  EXPECT_NEAR(SkippedPerLookup(), 2, 0.05);
  rocksdb::TablePropertiesCollection tables;
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
  ASSERT_EQ(tables.size(), 2u);
  const uint64_t first = tables.begin()->second->filter_size;
  const uint64_t second = std::next(tables.begin())->second->filter_size;
  EXPECT_GT(std::max(first, second), std::min(first, second) * 3 / 2);
}

// A key may be spelled otherwise than in a filter that was built without the
// transform, or with another one: such filters must not be asked.
TEST_F(SwitchingTest, AnotherKeyTransformReadsAsMayMatch) {
  Open(Bloom());
  AddTable();
  Open(Ours("key_transform=strip_trailing_spaces"));
  AddTable();
  Open(Ours());
  AddTable();
  const PolicyPointer lower = Ours("key_transform=ascii_lower");
  Open(lower);
  ExpectAllFound();
  EXPECT_EQ(SkippedPerLookup(), 0);
  AddTable();
  ExpectAllFound();
  EXPECT_NEAR(SkippedPerLookup(), 1, 0.05);
  // Their filters lie under other names: no reader was even made.
  EXPECT_EQ(AsPolicy(lower.get())->counters().blocks_other_transform, 0u);
  Compact();
  ExpectAllFound();
  EXPECT_NEAR(SkippedPerLookup(), 1, 0.05);
}

// Programs that have never heard of sstfilter, as Debian packages them.
class StockToolsTest : public SwitchingTest {
 protected:
  void SetUp() override {
    if (std::system("command -v ldb sst_dump db_bench >/dev/null") != 0) {
      GTEST_SKIP() << "no ldb, sst_dump, db_bench (package rocksdb-tools)";
    }
    Open(Ours());
    AddTable();
    AddTable();
    Close();
  }

  // Output and exit code of a shell command.
  std::string Run(const std::string& command) {
    const std::string file = scratch_.Path("output");
    const int code = std::system((command + " >" + file + " 2>&1").c_str());
    std::string output;
    EXPECT_TRUE(
        rocksdb::ReadFileToString(rocksdb::Env::Default(), file, &output).ok());
    EXPECT_EQ(code, 0) << command << ":\n" << output;
    return output;
  }

  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(StockToolsTest, FindEverything) {
  const std::string count = std::to_string(2 * kKeysPerTable);
  for (const char* options : {"", "--try_load_options "}) {
    const std::string ldb = "ldb --db=" + path_ + " " + options;
    EXPECT_TRUE(Has(Run(ldb + "dump --count_only"), "Keys in range: " + count));
    for (int i = 0; i < kKeysPerTable; i += 500) {
      EXPECT_TRUE(Has(Run(ldb + "get " + Key(i, 1)), "value"));
    }
  }
  const std::string properties =
      Run("sst_dump --show_properties --file=" + path_);
  EXPECT_TRUE(Has(properties, "filter policy name: sstfilter")) << properties;
  EXPECT_FALSE(
      Has(Run("sst_dump --command=verify --file=" + path_), "Corruption"));
  EXPECT_TRUE(Has(Run("db_bench --db=" + path_ +
                      " --use_existing_db --benchmarks=readmissing,readseq "
                      "--num=1000 --bloom_bits=10"),
                  "(0 of 1000 found)"));
  Open(Ours());
  ExpectAllFound();
}

// What they do to filters: field reports call it "stock tools strip the
// filters". Nothing is lost but the filters, and the policy in the newest
// OPTIONS file.
TEST_F(StockToolsTest, CompactionByThemStripsTheFilters) {
  Run("ldb --db=" + path_ + " --try_load_options compact");
  Open(Ours());
  EXPECT_EQ(PolicyNames().count("sstfilter"), 0u);
  ExpectAllFound();
  EXPECT_EQ(SkippedPerLookup(), 0);
  Compact();
  EXPECT_EQ(PolicyNames(), std::set<std::string>{"sstfilter"});
  EXPECT_NEAR(SkippedPerLookup(), 1, 0.05);
}

}  // namespace
}  // namespace sstfilter
