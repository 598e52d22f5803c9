// Filters through the ways RocksDB moves tables: each compaction style, trivial
// moves, compaction within level 0; and column families with policies of their
// own.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lookups.h"

namespace sstfilter::dbtest {
namespace {

class Compaction : public testing::TestWithParam<PolicyUnderTest> {
 protected:
  Compaction()
      : observations_(std::make_shared<Observations>()),
        database_(Observe(GetParam().make(), observations_)) {}

  // Overlapping tables: part p has every key whose place leaves p.
  void WriteParts(uint64_t parts, uint64_t keys) {
    const auto all = PresentKeys(keys);
    for (uint64_t part = 0; part < parts; ++part) {
      for (uint64_t i = part; i < keys; i += parts) {
        database_.Put(all[i], ValueOf(all[i]));
      }
      database_.Flush();
    }
  }

  std::vector<std::string> FileNames() const {
    std::vector<std::string> names;
    for (const auto& file : database_.LiveFiles()) names.push_back(file.name);
    std::sort(names.begin(), names.end());
    return names;
  }

  bool AnyContext(
      const std::function<bool(const Observations::Context&)>& matches) const {
    const auto contexts = observations_->Contexts();
    return std::any_of(contexts.begin(), contexts.end(), matches);
  }

  // Compacts all of level `level` into the next one.
  void CompactLevel(int level) {
    rocksdb::ColumnFamilyMetaData metadata;
    database_->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> files;
    for (const auto& file : metadata.levels[level].files) {
      files.push_back(file.name);
    }
    rocksdb::CompactionOptions options;
    options.output_file_size_limit = database_.options.target_file_size_base;
    Check(database_->CompactFiles(options, files, level + 1));
  }

  std::shared_ptr<Observations> observations_;
  Database database_;
};

TEST_P(Compaction, Leveled) {
  database_.options.target_file_size_base = 4 << 10;
  database_.options.num_levels = 5;
  database_.Open();
  const auto keys = PresentKeys(9000);
  // Old parts deep, new ones above: three levels and level 0, all overlapping.
  for (uint64_t part = 0; part < 4; ++part) {
    for (uint64_t i = part; i < keys.size(); i += 4) {
      database_.Put(keys[i], ValueOf(keys[i]));
    }
    database_.Flush();
    for (int level = 0; level < 3 - static_cast<int>(part); ++level) {
      CompactLevel(level);
    }
  }
  for (int level = 0; level < 4; ++level) {
    EXPECT_GT(database_.Tables(level), 0);
  }
  EXPECT_GT(database_.Tables(3), 1);
  ExpectAllFound(database_, keys);
  // Every level is asked, but at the gaps between its files.
  const auto absent = AbsentKeys(8900);
  const Activity activity = GetAbsent(database_, absent);
  EXPECT_GE(activity.skipped + activity.passed, 4 * absent.size() - 1000);
  ExpectSkipped(GetParam(), activity.skipped,
                activity.skipped + activity.passed);
  EXPECT_TRUE(AnyContext([](const auto& context) {
    return context.level == 1 && context.num_levels == 5;
  }));
  database_.Compact();
  ExpectAllFound(database_, keys);
}

TEST_P(Compaction, LeveledByItself) {
  auto& options = database_.options;
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 2;
  options.target_file_size_base = 32 << 10;
  options.max_bytes_for_level_base = 64 << 10;
  options.max_bytes_for_level_multiplier = 3;
  database_.Open();
  WriteParts(12, 6000);
  // Whatever state the compactions are in: nothing may be missing.
  ExpectAllFound(database_, PresentKeys(6000));
  database_.Compact();
  ExpectUseful(GetParam(), database_, PresentKeys(6000), AbsentKeys(100));
}

TEST_P(Compaction, Universal) {
  database_.options.compaction_style = rocksdb::kCompactionStyleUniversal;
  database_.options.disable_auto_compactions = false;
  database_.options.level0_file_num_compaction_trigger = 4;
  database_.Open();
  WriteParts(10, 6000);
  ExpectAllFound(database_, PresentKeys(6000));
  database_.Compact();
  ExpectUseful(GetParam(), database_, PresentKeys(6000), AbsentKeys(2000));
  EXPECT_TRUE(AnyContext([](const auto& context) {
    return context.reason == rocksdb::TableFileCreationReason::kCompaction &&
           context.is_bottommost;
  }));
}

// Many sorted runs: an absent key costs files times rate.
TEST_P(Compaction, FieldCase52FifoWithFortyFiles) {
  database_.options.compaction_style = rocksdb::kCompactionStyleFIFO;
  database_.options.num_levels = 1;
  database_.options.max_open_files = -1;
  database_.Open();
  WriteParts(40, 2000);
  ASSERT_EQ(database_.Tables(), 40);
  ExpectAllFound(database_, PresentKeys(2000));
  const auto absent = AbsentKeys(500, 200);
  const Activity activity = GetAbsent(database_, absent);
  EXPECT_EQ(activity.skipped + activity.passed, 40 * absent.size());
  ExpectSkipped(GetParam(), activity.skipped, 40 * absent.size());
  EXPECT_FALSE(AnyContext([](const auto& context) {
    return context.is_bottommost || context.level != 0;
  }));
}

// FIFO with compaction merges small files within level 0.
TEST_P(Compaction, WithinLevelZero) {
  database_.options.compaction_style = rocksdb::kCompactionStyleFIFO;
  database_.options.compaction_options_fifo.allow_compaction = true;
  database_.options.num_levels = 1;
  database_.options.max_open_files = -1;
  database_.options.write_buffer_size = 64 << 20;
  database_.options.level0_file_num_compaction_trigger = 4;
  database_.Open();
  WriteParts(8, 6000);
  ASSERT_EQ(database_.Tables(0), 8);
  Check(database_->SetOptions({{"disable_auto_compactions", "false"}}));
  Check(database_->EnableAutoCompaction({database_->DefaultColumnFamily()}));
  database_.Put(Key(0), ValueOf(Key(0)));
  database_.Flush();
  // Closing waits for the compaction that flush began.
  database_.Open();
  ExpectAllFound(database_, PresentKeys(6000));
  const auto tables = static_cast<uint64_t>(database_.Tables(0));
  const auto absent = AbsentKeys(1000, 1000);
  const Activity activity = GetAbsent(database_, absent);
  EXPECT_LE(activity.skipped + activity.passed, tables * absent.size());
  ExpectSkipped(GetParam(), activity.skipped,
                activity.skipped + activity.passed);
}

// Files that nothing overlaps go down without being rewritten; the filter built
// "for level 0" serves at the bottom.
TEST_P(Compaction, TrivialMoves) {
  database_.options.num_levels = 4;
  database_.Open();
  for (uint64_t part = 0; part < 3; ++part) {
    PutAll(database_, PresentKeys(1000, part * 1000));
    database_.Flush();
  }
  const auto before = FileNames();
  Check(database_->CompactRange({}, nullptr, nullptr));
  EXPECT_EQ(FileNames(), before) << "the files were moved";
  EXPECT_EQ(database_.Tables(0), 0);
  EXPECT_EQ(observations_->filters_finished, 3u);
  // 1999, 3999 lie between the files.
  ExpectUseful(GetParam(), database_, PresentKeys(3000), AbsentKeys(990));
}

TEST_P(Compaction, FieldCase24OptimizeFiltersForHits) {
  database_.options.optimize_filters_for_hits = true;
  database_.options.num_levels = 3;
  database_.Open();
  const auto keys = PresentKeys(1000);
  PutAll(database_, keys);
  database_.Flush();
  ExpectAllFound(database_, keys);
  // The last level with files has no use for a filter if most keys exist: it is
  // there and skipped.
  EXPECT_EQ(observations_->filters_finished, 1u);
  EXPECT_EQ(GetAbsent(database_, AbsentKeys(900)).skipped, 0u);
  const uint64_t builders = observations_->builders;
  database_.Compact();
  EXPECT_EQ(observations_->builders, builders) << "none for the bottom";
  EXPECT_EQ(GetAbsent(database_, AbsentKeys(900)).skipped, 0u);
  ExpectAllFound(database_, keys);
  // A level above the bottom is filtered.
  PutAll(database_, PresentKeys(500));
  database_.Flush();
  ExpectSkipped(GetParam(), GetAbsent(database_, AbsentKeys(499)).skipped, 499);
  ExpectAllFound(database_, keys);
}

INSTANTIATE_TEST_SUITE_P(All, Compaction, testing::ValuesIn(AllPolicies()),
                         PolicyName<testing::TestParamInfo<PolicyUnderTest>>);

TEST(ColumnFamilies, EachWithItsOwnPolicy) {
  const auto policies = AllPolicies();
  Database database(nullptr);
  database.Open();
  struct Family {
    PolicyUnderTest policy;
    rocksdb::ColumnFamilyHandle* handle;
  };
  std::vector<Family> families;
  for (const PolicyUnderTest& policy : policies) {
    rocksdb::ColumnFamilyOptions options(database.options);
    rocksdb::BlockBasedTableOptions table = database.table;
    table.filter_policy = policy.make();
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    Check(database->CreateColumnFamily(options, policy.name, &handle));
    families.push_back({policy, handle});
  }
  // The same key lives in one family only.
  for (size_t f = 0; f < families.size(); ++f) {
    for (const std::string& key : PresentKeys(1000, 0)) {
      Check(database->Put({}, families[f].handle, key,
                          families[f].policy.name + key));
    }
    Check(database->Flush({}, families[f].handle));
  }
  for (const Family& family : families) {
    SCOPED_TRACE(family.policy.name);
    std::string value;
    for (const std::string& key : PresentKeys(1000)) {
      Check(database->Get({}, family.handle, key, &value));
      ASSERT_EQ(value, family.policy.name + key);
    }
    const Activity before = database.activity();
    for (const std::string& key : AbsentKeys(999)) {
      ASSERT_TRUE(database->Get({}, family.handle, key, &value).IsNotFound());
    }
    ExpectSkipped(family.policy, (database.activity() - before).skipped, 999);
  }
  for (const Family& family : families) {
    Check(database->DestroyColumnFamilyHandle(family.handle));
  }
}

}  // namespace
}  // namespace sstfilter::dbtest
