// Troubles real users met, where a filter was silently not used.
// tests/README.md tells each story; the number is the case's there.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>
#include <stdlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "integration/policy.h"
#include "lookups.h"
#include "sstfilter/check.h"
#include "sstfilter/filter_policy.h"

namespace sstfilter::dbtest {
namespace {

class FieldCase : public testing::TestWithParam<PolicyUnderTest> {};

uint64_t TablesWithPolicyName(const Database& database,
                              const std::string& name) {
  uint64_t tables = 0;
  for (const auto& table : database.Properties()) {
    tables += table.second->filter_policy_name == name;
  }
  return tables;
}

TEST_P(FieldCase, Case19TheNameInTablesStays) {
  EXPECT_STREQ(GetParam().make()->CompatibilityName(),
               "rocksdb.BuiltinBloomFilter");
  EXPECT_STREQ(GetParam().make()->Name(), "sstfilter");
}

// A change to sstfilter and back: nothing lost, and old filters keep working.
TEST_P(FieldCase, Case20FromTheBuiltinFilterAndBack) {
  for (bool partitioned : {false, true}) {
    for (const PolicyPtr& builtin :
         {PolicyPtr(rocksdb::NewBloomFilterPolicy(10)),
          PolicyPtr(rocksdb::NewRibbonFilterPolicy(10))}) {
      Database database(builtin);
      if (partitioned) MakePartitioned(&database.table);
      database.Open();
      const auto keys = PresentKeys(3000);
      const auto absent = AbsentKeys(1000);
      PutAll(database, keys);
      database.Flush();

      database.table.filter_policy = GetParam().make();
      database.Open();
      ExpectUseful(GetParam(), database, keys, absent);
      PutAll(database, PresentKeys(3000));
      database.Flush();
      ExpectUseful(GetParam(), database, keys, absent, 2);
      EXPECT_EQ(TablesWithPolicyName(database, "sstfilter"), 1u);
      database.Compact();
      ExpectUseful(GetParam(), database, keys, absent);
      EXPECT_EQ(TablesWithPolicyName(database, "sstfilter"), 1u);
      EXPECT_EQ(database.Tables(), 1);

      // To the built-in reader our blocks mean "may match".
      if (database.table.block_cache != nullptr) {
        MakePartitioned(&database.table);  // a fresh block cache
      }
      database.table.filter_policy = builtin;
      database.Open();
      ExpectAllFound(database, keys);
      EXPECT_EQ(GetAbsent(database, absent).skipped, 0u);
      database.Compact();
      ExpectUseful(Builtin(), database, keys, absent);
    }
  }
}

TEST_P(FieldCase, Case20OtherOptionsReadEveryBlock) {
  for (double bits : {1.0, 5.5, 20.0, 100.0}) {
    for (FilterKind kind : BuiltKinds()) {
      Database database(NewPolicy(OptionsOf(kind, bits)));
      database.Open();
      PutAll(database, PresentKeys(500));
      database.Flush();
      database.table.filter_policy = GetParam().make();
      database.Open();
      ExpectAllFound(database, PresentKeys(500));
      const Activity activity = GetAbsent(database, AbsentKeys(490));
      EXPECT_GT(activity.skipped, bits == 1.0 ? 50u : 400u);
      if (bits == 100.0) {
        EXPECT_GE(activity.skipped, 489u);
      }
    }
  }
}

TEST_P(FieldCase, Case21OptionsFileGivesAnEqualPolicy) {
  Database database(GetParam().make());
  database.Open();
  database.Close();
  rocksdb::ConfigOptions config;
  config.env = database.options.env;
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  Check(rocksdb::LoadLatestOptions(config, database.path(), &db_options,
                                   &families));
  ASSERT_EQ(families.size(), 1u);
  const auto* table =
      families[0]
          .options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  ASSERT_NE(table, nullptr);
  const Policy* loaded = AsPolicy(table->filter_policy.get());
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(loaded->CurrentOptions(),
            AsPolicy(database.table.filter_policy.get())->CurrentOptions());
}

// A binding that forgot the column family's options: later tables have no
// filter, and their properties tell.
TEST_P(FieldCase, Case22ReopenedWithoutTheOptions) {
  Database database(GetParam().make());
  database.Open();
  PutAll(database, PresentKeys(500));
  database.Flush();
  database.table.filter_policy = nullptr;
  database.Open();
  PutAll(database, PresentKeys(500, 500));
  database.Flush();
  EXPECT_EQ(TablesWithPolicyName(database, "sstfilter"), 1u);
  EXPECT_EQ(TablesWithPolicyName(database, ""), 1u);
  EXPECT_TRUE(
      CheckFilterPolicy(rocksdb::ColumnFamilyOptions(database.AllOptions()))
          .IsInvalidArgument());
  EXPECT_EQ(GetAbsent(database, AbsentKeys(999)).skipped, 0u);
  ExpectAllFound(database, PresentKeys(1000));
  database.table.filter_policy = GetParam().make();
  database.Open();
  database.Compact();
  EXPECT_EQ(TablesWithPolicyName(database, "sstfilter"), 1u);
  ExpectUseful(GetParam(), database, PresentKeys(1000), AbsentKeys(999));
}

int Shell(const std::string& command) {
  return system((command + " > /dev/null 2>&1").c_str());
}

TEST_P(FieldCase, Case23StockToolsReadAndStripFilters) {
  if (Shell("command -v ldb > /dev/null && command -v sst_dump") != 0) {
    GTEST_SKIP() << "RocksDB's tools are not installed";
  }
  Database database(GetParam().make());
  database.Open();
  PutAll(database, PresentKeys(500));
  database.Flush();
  database.Close();
  const std::string& path = database.path();
  EXPECT_EQ(Shell("ldb --db=" + path + " get " + Key(10)), 0);
  EXPECT_NE(Shell("ldb --db=" + path + " get " + Key(11)), 0);
  EXPECT_EQ(Shell("ldb --db=" + path + " --try_load_options dump"), 0);
  EXPECT_EQ(
      Shell("sst_dump --file=" + path + " --command=scan --show_properties"),
      0);
  database.Open();
  ExpectUseful(GetParam(), database, PresentKeys(500), AbsentKeys(499));
  database.Close();
  // A compaction by a tool that does not know the policy leaves no filter.
  EXPECT_EQ(Shell("ldb --db=" + path + " --try_load_options compact"), 0);
  database.Open();
  EXPECT_EQ(TablesWithPolicyName(database, "sstfilter"), 0u);
  ExpectAllFound(database, PresentKeys(500));
  database.Compact();
  ExpectUseful(GetParam(), database, PresentKeys(500), AbsentKeys(499));
}

// "All statistics are zero": where no filter is asked, rightly.
TEST_P(FieldCase, Case25WhenNoFilterIsAsked) {
  auto observations = std::make_shared<Observations>();
  Database database(Observe(GetParam().make(), observations));
  database.options.num_levels = 3;
  database.Open();
  const auto probes_of = [&](const std::vector<std::string>& keys) {
    const uint64_t before = observations->probes;
    GetAbsent(database, keys);
    return observations->probes - before;
  };
  const auto past_the_end = AbsentKeys(100, 5000);
  PutAll(database, PresentKeys(1000));
  EXPECT_EQ(probes_of(AbsentKeys(100)), 0u) << "only the memtable";
  database.Flush();
  EXPECT_EQ(probes_of(AbsentKeys(100)), 100u);
  EXPECT_EQ(probes_of(past_the_end), 100u) << "one file in level 0";
  PutAll(database, PresentKeys(1000, 1000));
  database.Flush();
  Check(database->CompactRange({}, nullptr, nullptr));
  PutAll(database, PresentKeys(100));
  database.Flush();
  ASSERT_EQ(database.Tables(0), 1);
  EXPECT_EQ(probes_of(past_the_end), 0u) << "outside of every file";
  const uint64_t before = observations->probes;
  const std::unique_ptr<rocksdb::Iterator> iterator(database->NewIterator({}));
  for (const std::string& key : AbsentKeys(100)) iterator->Seek(key);
  EXPECT_EQ(observations->probes - before, 0u) << "no prefix extractor";
}

INSTANTIATE_TEST_SUITE_P(Ours, FieldCase, testing::ValuesIn(OurPolicies()),
                         PolicyName<testing::TestParamInfo<PolicyUnderTest>>);

// A mistyped filter string is an error, where RocksDB's own gives OK and no
// filter.
TEST(FieldCaseOptions, Case21BadStringsAreErrors) {
  RegisterFilterPolicy(*rocksdb::ObjectLibrary::Default(), "");
  for (const char* text :
       {"sstfilter:abc", "sstfilter:0", "sstfilter:1e9", "sstfilterx",
        "sstfilter:10:10", "{id=sstfilter;bits=10}",
        "{id=sstfilter;kind=cuckoo}", "{id=sstfilter;bits_per_key=nan}"}) {
    rocksdb::BlockBasedTableOptions table;
    // RocksDB drops the error of some strings on the way: opening and the check
    // have to say it then.
    const rocksdb::Status status = rocksdb::GetBlockBasedTableOptionsFromString(
        rocksdb::ConfigOptions(), rocksdb::BlockBasedTableOptions(),
        std::string("filter_policy=") + text, &table);
    if (!status.ok()) continue;
    Database database(table.filter_policy);
    EXPECT_TRUE(
        CheckFilterPolicy(rocksdb::ColumnFamilyOptions(database.AllOptions()))
            .IsInvalidArgument())
        << text;
    EXPECT_TRUE(database.TryOpen().IsInvalidArgument()) << text;
  }
  for (const char* text : {"sstfilter", "sstfilter:12.5",
                           "{id=sstfilter;bits_per_key=12.5;kind=bloom}"}) {
    rocksdb::BlockBasedTableOptions table;
    Check(rocksdb::GetBlockBasedTableOptionsFromString(
        rocksdb::ConfigOptions(), rocksdb::BlockBasedTableOptions(),
        std::string("filter_policy=") + text, &table));
    EXPECT_NE(AsPolicy(table.filter_policy.get()), nullptr) << text;
  }
}

// Refused when it is set, or fine at every flush.
TEST(FieldCaseOptions, Case31NoSettingFailsLater) {
  for (double bits :
       {std::numeric_limits<double>::quiet_NaN(), -1.0, 0.0, 0.3, 0.5, 1e-12,
        0.999, 100.001, 1e9, std::numeric_limits<double>::infinity()}) {
    FilterOptions options;
    options.bits_per_key = bits;
    PolicyPtr policy;
    const rocksdb::Status status = NewFilterPolicy(options, &policy);
    EXPECT_TRUE(status.IsInvalidArgument()) << bits;
    EXPECT_NE(status.ToString().find("bits_per_key"), std::string::npos);
    EXPECT_EQ(policy, nullptr);
  }
  for (FilterKind kind : BuiltKinds()) {
    for (double bits : {1.0, 1.5, 10.0, 33.3, 100.0}) {
      for (uint64_t count : {1, 1000, 20000}) {
        Database database(NewPolicy(OptionsOf(kind, bits)));
        database.Open();
        PutAll(database, PresentKeys(count));
        database.Flush();
        ExpectAllFound(database, PresentKeys(std::min<uint64_t>(count, 1000)));
      }
    }
  }
}

}  // namespace
}  // namespace sstfilter::dbtest
