// Everything that can be written under a key: merges, deletions of one key and
// of ranges, versions with time stamps.
#include <gtest/gtest.h>
#include <rocksdb/merge_operator.h>

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "lookups.h"
#include "rocksdb_classes.h"

namespace sstfilter::dbtest {
namespace {

using Param = std::tuple<PolicyUnderTest, bool>;

class Operations : public testing::TestWithParam<Param> {
 protected:
  Operations() : policy_(std::get<0>(GetParam())), database_(policy_.make()) {
    if (std::get<1>(GetParam())) MakePartitioned(&database_.table);
  }

  void ExpectAbsentKeysAreSkipped(uint64_t tables) {
    const auto absent = AbsentKeys(1000, 10);
    const Activity activity = GetAbsent(database_, absent);
    ExpectSkipped(policy_, activity.skipped, tables * absent.size());
  }

  const PolicyUnderTest policy_;
  Database database_;
};

TEST_P(Operations, MergeOperandsInSeveralTables) {
  database_.options.merge_operator = JoinWithCommas();
  database_.Open();
  for (const char* part : {"one", "two", "three"}) {
    for (const std::string& key : PresentKeys(1500)) {
      Check(database_->Merge({}, key, part));
    }
    database_.Flush();
  }
  for (bool compacted : {false, true}) {
    if (compacted) database_.Compact();
    for (const auto& value : database_.MultiGet(PresentKeys(1500), 60)) {
      ASSERT_EQ(value, "one,two,three");
    }
    for (const std::string& key : PresentKeys(1500)) {
      ASSERT_EQ(database_.Get(key), "one,two,three");
    }
    ExpectAbsentKeysAreSkipped(compacted ? 1 : 3);
  }
}

// A deletion is a key of its table: a filter that forgot it would bring the old
// value back.
TEST_P(Operations, DeletionsHideOlderTables) {
  database_.Open();
  const auto keys = PresentKeys(1500);
  PutAll(database_, keys);
  database_.Flush();
  for (size_t i = 0; i < keys.size(); i += 3) database_.Delete(keys[i]);
  for (size_t i = 1; i < keys.size(); i += 3) {
    Check(database_->SingleDelete({}, keys[i]));
  }
  database_.Flush();
  for (bool compacted : {false, true}) {
    if (compacted) database_.Compact();
    const auto found = database_.MultiGet(keys, 100);
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(database_.Get(keys[i]).has_value(), i % 3 == 2) << keys[i];
      ASSERT_EQ(found[i].has_value(), i % 3 == 2) << keys[i];
    }
    ExpectAbsentKeysAreSkipped(compacted ? 1 : 2);
  }
}

TEST_P(Operations, RangeDeletionsInOlderNewerAndSameTables) {
  database_.Open();
  const auto keys = PresentKeys(1500);
  PutAll(database_, keys);
  database_.Flush();
  Check(database_->DeleteRange({}, database_->DefaultColumnFamily(), keys[100],
                               keys[200]));
  database_.Put(keys[150], "again");
  for (size_t i = 700; i < 1300; ++i) database_.Put(keys[i], "newer");
  Check(database_->DeleteRange({}, database_->DefaultColumnFamily(), keys[800],
                               keys[900]));
  database_.Flush();
  database_.Put(keys[850], "again");
  database_.Flush();
  for (bool compacted : {false, true}) {
    if (compacted) database_.Compact();
    const auto found = database_.MultiGet(keys, 100);
    for (size_t i = 0; i < keys.size(); ++i) {
      const bool deleted = (i >= 100 && i < 200 && i != 150) ||
                           (i >= 800 && i < 900 && i != 850);
      ASSERT_EQ(database_.Get(keys[i]).has_value(), !deleted) << i;
      ASSERT_EQ(found[i].has_value(), !deleted) << i;
    }
    EXPECT_EQ(database_.Get(keys[150]), "again");
    EXPECT_EQ(database_.Get(keys[850]), "again");
    EXPECT_EQ(database_.Get(keys[750]), "newer");
  }
  ExpectAbsentKeysAreSkipped(1);
}

// A file without point keys has no filter; what it deletes stays deleted.
TEST_P(Operations, FieldCase14TableWithOnlyRangeDeletions) {
  auto observations = std::make_shared<Observations>();
  database_.table.filter_policy = Observe(policy_.make(), observations);
  database_.Open();
  const auto keys = PresentKeys(100);
  PutAll(database_, keys);
  database_.Flush();
  const uint64_t filters = observations->filters_finished;
  Check(database_->DeleteRange({}, database_->DefaultColumnFamily(), keys[40],
                               keys[50]));
  database_.Flush();
  EXPECT_EQ(observations->filters_finished, filters);
  EXPECT_EQ(observations->builders, 2u);
  database_.Open();
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(database_.Get(keys[i]).has_value(), i < 40 || i >= 50) << i;
  }
  database_.Put(keys[45], "again");
  database_.Flush();
  database_.Open();
  const auto found = database_.MultiGet(keys, 100);
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(found[i].has_value(), i < 40 || i >= 50 || i == 45) << i;
  }
}

// All versions of a key are one entry of the filter, found whatever the time
// asked for.
TEST_P(Operations, FieldCase07UserDefinedTimestamps) {
  database_.options.comparator = TimestampComparator();
  database_.Open();
  const auto keys = PresentKeys(200);
  const auto timestamp = [](uint64_t time) {
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &time, 8);
    return bytes;
  };
  for (uint64_t time : {10, 20}) {
    for (const std::string& key : keys) {
      Check(database_->Put({}, key, timestamp(time),
                           key + "@" + std::to_string(time)));
    }
  }
  database_.Flush();
  for (bool compacted : {false, true}) {
    if (compacted) database_.Compact();
    uint64_t entries = 0;
    for (const auto& table : database_.Properties()) {
      entries += table.second->num_filter_entries;
    }
    EXPECT_EQ(entries, 200u);
    for (uint64_t time : {5, 15, 25}) {
      const std::string bytes = timestamp(time);
      const rocksdb::Slice slice(bytes);
      rocksdb::ReadOptions read;
      read.timestamp = &slice;
      const auto found = database_.MultiGet(keys, 50, read);
      for (size_t i = 0; i < keys.size(); ++i) {
        const auto expected = time < 10
                                  ? std::nullopt
                                  : std::optional<std::string>(
                                        keys[i] + (time < 20 ? "@10" : "@20"));
        ASSERT_EQ(found[i], expected);
        ASSERT_EQ(database_.Get(keys[i], read), expected);
      }
      const Activity before = database_.activity();
      for (const std::string& key : AbsentKeys(190)) {
        ASSERT_EQ(database_.Get(key, read), std::nullopt);
      }
      ExpectSkipped(policy_, (database_.activity() - before).skipped, 190);
    }
  }
}

// A snapshot keeps old versions of a key alive: the filter counts the key once.
TEST_P(Operations, VersionsKeptBySnapshotsCountOnce) {
  database_.Open();
  const auto keys = PresentKeys(1000);
  std::vector<const rocksdb::Snapshot*> snapshots;
  for (int version = 0; version < 5; ++version) {
    PutAll(database_, keys);
    snapshots.push_back(database_->GetSnapshot());
  }
  database_.Flush();
  uint64_t entries = 0;
  uint64_t stored = 0;
  for (const auto& table : database_.Properties()) {
    entries += table.second->num_filter_entries;
    stored += table.second->num_entries;
  }
  EXPECT_EQ(stored, 5000u);
  // A key whose versions lie on both sides of a cut is in two partitions.
  const uint64_t partitions = std::get<1>(GetParam()) ? 30 : 0;
  EXPECT_GE(entries, 1000u);
  EXPECT_LE(entries, 1000 + partitions);
  ExpectUseful(policy_, database_, keys, AbsentKeys(900));
  for (const auto* snapshot : snapshots) database_->ReleaseSnapshot(snapshot);
}

INSTANTIATE_TEST_SUITE_P(All, Operations,
                         testing::Combine(testing::ValuesIn(AllPolicies()),
                                          testing::Bool()),
                         [](const testing::TestParamInfo<Param>& test) {
                           return std::get<0>(test.param).name +
                                  (std::get<1>(test.param) ? "_partitioned"
                                                           : "_full");
                         });

}  // namespace
}  // namespace sstfilter::dbtest
