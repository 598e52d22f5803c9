// Comparators that call different bytes equal, with the transform that makes a
// filter understand them. (Case 1 of tests/README.md.)
#include "sstfilter/key_transform.h"

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "lookups.h"
#include "rocksdb_classes.h"
#include "sstfilter/check.h"

namespace sstfilter::dbtest {
namespace {

using Param = std::tuple<FilterKind, bool>;

class KeyTransforms : public testing::TestWithParam<Param> {
 protected:
  KeyTransforms() : database_(nullptr) {
    if (std::get<1>(GetParam())) MakePartitioned(&database_.table);
    database_.options.comparator = CaselessComparator();
  }

  static PolicyPtr CaselessPolicy() {
    FilterOptions options = OptionsOf(std::get<0>(GetParam()));
    options.key_transform = AsciiLowerTransform();
    return NewPolicy(options);
  }

  // Opens with `policy` and nothing in the block cache: readers made there by
  // an earlier policy would still serve.
  void Open(PolicyPtr policy) {
    if (database_.table.block_cache != nullptr) {
      database_.table.block_cache->EraseUnRefEntries();
    }
    database_.table.filter_policy = std::move(policy);
    database_.Open();
  }

  Database database_;
};

std::vector<std::string> Numbered(const std::string& word, int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back(word + std::to_string(i));
  return keys;
}

size_t Lost(const Database& database, const std::vector<std::string>& keys) {
  size_t lost = 0;
  for (const std::string& key : keys) lost += !database.Get(key).has_value();
  return lost;
}

size_t LostByMultiGet(const Database& database,
                      const std::vector<std::string>& keys) {
  const auto found = database.MultiGet(keys, 64);
  return static_cast<size_t>(
      std::count(found.begin(), found.end(), std::nullopt));
}

TEST_P(KeyTransforms, FieldCase01NothingLostInAnotherCase) {
  Open(CaselessPolicy());
  PutAll(database_, Numbered("Key", 1000));
  database_.Flush();
  for (bool compacted : {false, true}) {
    if (compacted) database_.Compact();
    for (const char* word : {"Key", "KEY", "key", "kEY"}) {
      EXPECT_EQ(Lost(database_, Numbered(word, 1000)), 0u);
      EXPECT_EQ(LostByMultiGet(database_, Numbered(word, 1000)), 0u);
    }
    std::vector<std::string> absent;
    for (int i = 0; i < 900; ++i)
      absent.push_back("KEY" + std::to_string(i) + "X");
    ExpectSkipped(UnderTest(std::get<0>(GetParam())),
                  GetAbsent(database_, absent).skipped, absent.size());
  }
}

// The check refuses what the next test shows.
TEST_P(KeyTransforms, FieldCase01CheckRefusesTheComparatorWithoutTheTransform) {
  database_.table.filter_policy = NewPolicy(OptionsOf(std::get<0>(GetParam())));
  EXPECT_TRUE(
      CheckFilterPolicy(rocksdb::ColumnFamilyOptions(database_.AllOptions()))
          .IsInvalidArgument());
  database_.table.filter_policy = CaselessPolicy();
  Check(
      CheckFilterPolicy(rocksdb::ColumnFamilyOptions(database_.AllOptions())));
}

// Without the transform a filter loses such keys, RocksDB's own too: this is
// why the transform exists.
TEST_P(KeyTransforms, FieldCase01KeysAreLostWithoutTheTransform) {
  for (const PolicyPtr& policy :
       {NewPolicy(OptionsOf(std::get<0>(GetParam()))), Builtin().make()}) {
    Database database(policy);
    database.options.comparator = CaselessComparator();
    database.Open();
    PutAll(database, Numbered("Key", 1000));
    database.Flush();
    EXPECT_EQ(Lost(database, Numbered("Key", 1000)), 0u);
    EXPECT_GT(Lost(database, Numbered("KEY", 1000)), 900u);
  }
}

// Filters from before the transform, RocksDB's and ours, filter nothing and
// lose nothing.
TEST_P(KeyTransforms, FiltersWithoutTheTransformAreNotUsed) {
  for (const PolicyPtr& old :
       {NewPolicy(OptionsOf(std::get<0>(GetParam()))), Builtin().make()}) {
    Open(old);
    PutAll(database_, Numbered("Key", 500));
    database_.Flush();
    Open(CaselessPolicy());
    const Activity before = database_.activity();
    EXPECT_EQ(Lost(database_, Numbered("KEY", 500)), 0u);
    EXPECT_EQ(LostByMultiGet(database_, Numbered("KEY", 500)), 0u);
    EXPECT_EQ((database_.activity() - before).skipped, 0u);
    database_.Compact();
    EXPECT_EQ(Lost(database_, Numbered("KEY", 500)), 0u);
    EXPECT_GT(GetAbsent(database_, Numbered("KEY1X", 300)).skipped, 280u);
  }
}

// And a program without the transform cannot use filters written with it.
TEST_P(KeyTransforms, FiltersOfAnotherTransformAreNotUsed) {
  Open(CaselessPolicy());
  PutAll(database_, Numbered("Key", 500));
  database_.Flush();
  FilterOptions other = OptionsOf(std::get<0>(GetParam()));
  other.key_transform = StripTrailingSpacesTransform();
  for (const PolicyPtr& policy : {NewPolicy(OptionsOf(std::get<0>(GetParam()))),
                                  NewPolicy(other), Builtin().make()}) {
    Open(policy);
    const Activity before = database_.activity();
    EXPECT_EQ(Lost(database_, Numbered("KEY", 500)), 0u);
    EXPECT_EQ((database_.activity() - before).skipped, 0u);
  }
}

// A reader in a block cache outlives its policy and is not made anew for the
// next one: what it answers must not depend on which policy that is.
TEST_P(KeyTransforms, BlockCacheThatOutlivesThePolicyWithoutTheTransform) {
  database_.table.cache_index_and_filter_blocks = true;
  database_.table.no_block_cache = false;
  database_.table.block_cache = rocksdb::NewLRUCache(8 << 20);
  for (const PolicyPtr& old :
       {NewPolicy(OptionsOf(std::get<0>(GetParam()))), Builtin().make()}) {
    database_.table.filter_policy = old;
    database_.Open();
    PutAll(database_, Numbered("Key", 500));
    database_.Flush();
    EXPECT_EQ(Lost(database_, Numbered("Key", 500)), 0u);
    database_.table.filter_policy = CaselessPolicy();
    database_.Open();
    EXPECT_EQ(Lost(database_, Numbered("KEY", 500)), 0u);
    EXPECT_EQ(LostByMultiGet(database_, Numbered("KEY", 500)), 0u);
    database_.Compact();
  }
}

TEST_P(KeyTransforms, PrefixesAreTransformedToo) {
  database_.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  database_.table.whole_key_filtering = false;
  Open(CaselessPolicy());
  std::vector<std::string> keys;
  for (int i = 1000; i < 2000; ++i) keys.push_back("u" + std::to_string(i));
  PutAll(database_, keys);
  database_.Flush();
  const std::unique_ptr<rocksdb::Iterator> iterator(database_->NewIterator({}));
  for (std::string key : keys) {
    key[0] = 'U';
    ASSERT_TRUE(database_.Get(key).has_value());
    iterator->Seek(key);
    ASSERT_TRUE(iterator->Valid());
  }
  const Activity before = database_.activity();
  for (int i = 1000; i < 2000; i += 10) {
    iterator->Seek("U" + std::to_string(i).substr(0, 2) + "x");
    EXPECT_FALSE(iterator->Valid() && iterator->key().starts_with("u1x"));
  }
  EXPECT_GT((database_.activity() - before).prefixes_skipped, 80u);
}

INSTANTIATE_TEST_SUITE_P(
    All, KeyTransforms,
    testing::Combine(testing::ValuesIn(BuiltKinds()), testing::Bool()),
    [](const testing::TestParamInfo<Param>& test) {
      return std::string(FilterKindName(std::get<0>(test.param))) +
             (std::get<1>(test.param) ? "_partitioned" : "_full");
    });

}  // namespace
}  // namespace sstfilter::dbtest
