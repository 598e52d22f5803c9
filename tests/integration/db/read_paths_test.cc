// Every way to read that asks filters, for whole keys and for prefixes.
#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "lookups.h"

namespace sstfilter::dbtest {
namespace {

class ReadPaths : public testing::TestWithParam<PolicyUnderTest> {
 protected:
  ReadPaths()
      : observations_(std::make_shared<Observations>()),
        database_(Observe(GetParam().make(), observations_)) {}

  // Keys "key000000" + two digits, even ones; prefixes of `length` bytes.
  void OpenWithPrefixes(size_t length) {
    database_.options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(length));
    database_.Open();
    PutAll(database_, PresentKeys(kKeys));
    database_.Flush();
  }

  uint64_t ProbesOf(const std::function<void()>& reads) {
    const uint64_t before = observations_->probes;
    reads();
    return observations_->probes - before;
  }

  static constexpr uint64_t kKeys = 2000;
  std::shared_ptr<Observations> observations_;
  Database database_;
};

TEST_P(ReadPaths, MultiGetInBatchesOfEverySize) {
  database_.Open();
  const auto present = PresentKeys(kKeys);
  PutAll(database_, present);
  database_.Flush();
  const auto absent = AbsentKeys(kKeys);
  // Present and absent keys mixed, out of order.
  std::vector<std::string> mixed;
  for (size_t i = 0; i < kKeys; ++i) {
    mixed.push_back(present[i * 7 % kKeys]);
    mixed.push_back(absent[i * 11 % kKeys]);
  }
  for (size_t batch :
       {1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 255, 256, 999, 1000}) {
    SCOPED_TRACE(batch);
    const Activity before = database_.activity();
    const auto found = database_.MultiGet(mixed, batch);
    size_t wrong = 0;
    for (size_t i = 0; i < mixed.size(); ++i) {
      wrong += found[i].has_value() != (i % 2 == 0);
    }
    EXPECT_EQ(wrong, 0u);
    const Activity activity = database_.activity() - before;
    ExpectSkipped(GetParam(), activity.skipped, kKeys);
    EXPECT_EQ(activity.passed_rightly, kKeys);
  }
  EXPECT_EQ(observations_->largest_batch, 32u) << "RocksDB asks for 32 at most";
}

TEST_P(ReadPaths, IteratorsWithPrefixSameAsStart) {
  OpenWithPrefixes(9);  // "key000000" to "key000039", 50 keys each
  rocksdb::ReadOptions read;
  read.prefix_same_as_start = true;
  std::unique_ptr<rocksdb::Iterator> iterator(database_->NewIterator(read));
  for (uint64_t prefix = 0; prefix < 2 * kKeys / 100; ++prefix) {
    const auto expected = PresentKeys(50, prefix * 50);
    EXPECT_EQ(Scan(iterator.get(), expected[0].substr(0, 9)), expected);
    EXPECT_EQ(Scan(iterator.get(), expected[20]),
              std::vector<std::string>(expected.begin() + 20, expected.end()));
  }
  const Activity before = database_.activity();
  for (uint64_t prefix = 0; prefix < 1000; ++prefix) {
    // Between the first table's keys, so that only the filter can know.
    iterator->Seek(Key(100 * (prefix % 40)).substr(0, 8) +
                   std::string(1, static_cast<char>('A' + prefix % 50)) +
                   std::to_string(prefix));
    EXPECT_FALSE(iterator->Valid());
  }
  const Activity activity = database_.activity() - before;
  EXPECT_EQ(activity.prefixes_checked, 1000u);
  // Only 200 different prefixes: luck counts for more.
  if (GetParam().rate < 1) {
    EXPECT_GE(activity.prefixes_skipped, 900u);
  }
  if (GetParam().rate == 0) {
    EXPECT_EQ(activity.disk_reads, 0u);
  }
  EXPECT_LE(activity.disk_reads,
            2 * (activity.prefixes_checked - activity.prefixes_skipped));
}

TEST_P(ReadPaths, AutoPrefixModeGivesTotalOrder) {
  OpenWithPrefixes(9);
  rocksdb::ReadOptions read;
  read.auto_prefix_mode = true;
  const Activity before = database_.activity();
  for (uint64_t start = 0; start < 2 * kKeys; start += 17) {
    // Within one prefix, up to the end of it, and across prefixes.
    for (uint64_t length : {5, 100, 180}) {
      const uint64_t end = std::min(start + length, 2 * kKeys);
      const std::string bound = Key(end);
      const rocksdb::Slice upper(bound);
      read.iterate_upper_bound = &upper;
      std::unique_ptr<rocksdb::Iterator> iterator(database_->NewIterator(read));
      std::vector<std::string> expected;
      for (uint64_t i = (start + 1) / 2; 2 * i < end; ++i) {
        expected.push_back(Key(2 * i));
      }
      EXPECT_EQ(Scan(iterator.get(), Key(start)), expected);
    }
  }
  EXPECT_GT((database_.activity() - before).prefixes_checked, 0u);

  // Prefixes nobody stored are skipped.
  const Activity before_absent = database_.activity();
  for (uint64_t i = 0; i < 500; ++i) {
    const std::string prefix = Key(i).substr(0, 6) + "x" + Key(i).substr(9);
    const std::string bound = prefix + "~";
    const rocksdb::Slice upper(bound);
    read.iterate_upper_bound = &upper;
    std::unique_ptr<rocksdb::Iterator> iterator(database_->NewIterator(read));
    iterator->Seek(prefix);
    EXPECT_FALSE(iterator->Valid());
  }
  const Activity absent = database_.activity() - before_absent;
  EXPECT_EQ(absent.prefixes_checked, 500u);
  if (GetParam().rate < 1) {
    EXPECT_GT(absent.prefixes_skipped, 400u);
  }
}

TEST_P(ReadPaths, SeekForPrev) {
  OpenWithPrefixes(9);
  rocksdb::ReadOptions read;
  read.prefix_same_as_start = true;
  std::unique_ptr<rocksdb::Iterator> iterator(database_->NewIterator(read));
  for (uint64_t i = 0; i < 2 * kKeys; ++i) {
    iterator->SeekForPrev(Key(i));
    ASSERT_TRUE(iterator->Valid()) << i;
    EXPECT_EQ(iterator->key().ToString(), Key(i / 2 * 2));
  }
  const Activity before = database_.activity();
  for (uint64_t i = 0; i < 500; ++i) {
    iterator->SeekForPrev(Key(4 * i).substr(0, 7) + "z" + Key(i).substr(8));
    EXPECT_FALSE(iterator->Valid());
  }
  EXPECT_EQ((database_.activity() - before).prefixes_checked, 500u);
}

TEST_P(ReadPaths, TotalOrderSeekIgnoresPrefixes) {
  OpenWithPrefixes(9);
  rocksdb::ReadOptions read;
  read.total_order_seek = true;
  std::unique_ptr<rocksdb::Iterator> iterator(database_->NewIterator(read));
  EXPECT_EQ(Scan(iterator.get()), PresentKeys(kKeys));
  EXPECT_EQ(ProbesOf([&] { Scan(iterator.get(), "key"); }), 0u);
}

// One per read path: fails when the host no longer asks the filter there.
// (Case 26 of tests/README.md.)
TEST_P(ReadPaths, FieldCase26CanaryGet) {
  OpenWithPrefixes(9);
  EXPECT_EQ(ProbesOf([&] { database_.Get(Key(1)); }), 1u);
}

TEST_P(ReadPaths, FieldCase26CanaryMultiGet) {
  OpenWithPrefixes(9);
  EXPECT_EQ(ProbesOf([&] { database_.MultiGet({Key(1), Key(3)}, 2); }), 2u);
  EXPECT_EQ(observations_->batch_probes, 2u);
}

TEST_P(ReadPaths, FieldCase26CanaryKeyMayExist) {
  OpenWithPrefixes(9);
  std::string value;
  bool may_exist = true;
  EXPECT_EQ(
      ProbesOf([&] { may_exist = database_->KeyMayExist({}, Key(1), &value); }),
      1u);
  if (GetParam().rate == 0) {
    EXPECT_FALSE(may_exist);
  }
  for (const std::string& key : PresentKeys(kKeys)) {
    ASSERT_TRUE(database_->KeyMayExist({}, key, &value));
  }
}

TEST_P(ReadPaths, FieldCase26CanaryPrefixSeek) {
  OpenWithPrefixes(9);
  std::unique_ptr<rocksdb::Iterator> iterator(database_->NewIterator({}));
  EXPECT_EQ(ProbesOf([&] { iterator->Seek("key0000xx"); }), 1u);
}

TEST_P(ReadPaths, FieldCase26CanarySeekForPrev) {
  OpenWithPrefixes(9);
  std::unique_ptr<rocksdb::Iterator> iterator(database_->NewIterator({}));
  EXPECT_EQ(ProbesOf([&] { iterator->SeekForPrev("key0000xx"); }), 1u);
}

INSTANTIATE_TEST_SUITE_P(All, ReadPaths, testing::ValuesIn(AllPolicies()),
                         PolicyName<testing::TestParamInfo<PolicyUnderTest>>);

}  // namespace
}  // namespace sstfilter::dbtest
