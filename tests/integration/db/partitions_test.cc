// Where filter partitions are cut, and what partitioning costs.
#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <memory>
#include <string>
#include <vector>

#include "integration/bits_builder.h"
#include "lookups.h"

namespace sstfilter::dbtest {
namespace {

class Partitions : public testing::TestWithParam<FilterKind> {
 protected:
  // What the policy gives a table of the bottommost level.
  static std::unique_ptr<rocksdb::FilterBitsBuilder> NewBuilder(double bits) {
    static const rocksdb::BlockBasedTableOptions table;
    rocksdb::FilterBuildingContext context(table);
    context.level_at_creation = 6;
    context.num_levels = 7;
    context.is_bottommost = true;
    return std::unique_ptr<rocksdb::FilterBitsBuilder>(
        NewPolicy(OptionsOf(GetParam(), bits))->GetBuilderWithContext(context));
  }

  // Bytes of a filter of `keys` keys.
  static size_t FilterBytes(double bits, size_t keys) {
    const auto builder = NewBuilder(bits);
    for (size_t i = 0; i < keys; ++i) builder->AddKey(Key(i));
    std::unique_ptr<const char[]> bytes;
    return builder->Finish(&bytes).size();
  }
};

TEST_P(Partitions, KeysOfEverySizeUpTo200000Bytes) {
  for (double bits : {1.0, 7.3, 10.0, 24.0, 100.0}) {
    SCOPED_TRACE(bits);
    const auto builder = NewBuilder(bits);
    // The smallest filter there is.
    const size_t smallest = FilterBytes(bits, 1);
    size_t last = 0;
    for (size_t bytes = 0; bytes <= 200000; ++bytes) {
      const size_t keys = builder->ApproximateNumEntries(bytes);
      ASSERT_GE(keys, last) << bytes;
      if (bytes >= smallest) {
        ASSERT_GT(keys, 0u) << bytes;
      }
      last = keys;
    }
    EXPECT_NEAR(static_cast<double>(last), 200000 * 8 / bits,
                200000 * 8 / bits / 100 + 64);
  }
}

// Partitions of about the requested size is what RocksDB wants from it.
TEST_P(Partitions, ThatManyKeysFillThatManyBytes) {
  for (double bits : {4.0, 10.0, 24.0}) {
    for (size_t bytes : {512, 4096, 65536}) {
      const size_t keys = NewBuilder(bits)->ApproximateNumEntries(bytes);
      const size_t used = FilterBytes(bits, keys);
      EXPECT_LE(used, bytes);
      EXPECT_GE(used + 80 + bytes / 20, bytes);
    }
  }
}

TEST_P(Partitions, BytesPerKeyWithin15PercentOfTheFullFilter) {
  const auto filter_bytes = [](bool partitioned, uint64_t block_size,
                               uint64_t keys) {
    Database database(NewPolicy(OptionsOf(GetParam())));
    if (partitioned) MakePartitioned(&database.table);
    database.table.metadata_block_size = block_size;
    database.Open();
    PutAll(database, PresentKeys(keys));
    database.Flush();
    uint64_t bytes = 0;
    for (const auto& table : database.Properties()) {
      bytes += table.second->filter_size;
    }
    return static_cast<double>(bytes);
  };
  for (uint64_t block_size : {1024, 4096, 16384}) {
    SCOPED_TRACE(block_size);
    const double full = filter_bytes(false, block_size, 20000);
    const double partitioned = filter_bytes(true, block_size, 20000);
    EXPECT_NEAR(full, 20000 * 10 / 8, 200);
    EXPECT_LT(partitioned, full * 1.15);
    EXPECT_GT(partitioned, full);
  }
}

// A builder is as new after each partition.
TEST_P(Partitions, FinishForgetsEverything) {
  const auto builder = NewBuilder(10);
  EXPECT_EQ(builder->EstimateEntriesAdded(), 0u);
  std::unique_ptr<const char[]> bytes;
  EXPECT_TRUE(builder->Finish(&bytes).empty());
  const auto policy = NewPolicy(OptionsOf(GetParam()));
  for (int round = 0; round < 3; ++round) {
    builder->AddKey("shared");
    builder->AddKey("shared");
    EXPECT_EQ(builder->EstimateEntriesAdded(), 1u);
    const rocksdb::Slice block = builder->Finish(&bytes);
    EXPECT_EQ(builder->EstimateEntriesAdded(), 0u);
    const std::unique_ptr<rocksdb::FilterBitsReader> reader(
        policy->GetFilterBitsReader(block));
    EXPECT_TRUE(reader->MayMatch("shared"));
    EXPECT_FALSE(reader->MayMatch("other"));
  }
}

// Case 4: one prefix that runs through many partitions.
TEST_P(Partitions, FieldCase04PrefixThroughManyPartitions) {
  Database database(NewPolicy(OptionsOf(GetParam())));
  MakePartitioned(&database.table);
  database.table.block_size = 256;
  database.table.metadata_block_size = 256;
  database.table.whole_key_filtering = false;
  database.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  database.Open();
  std::vector<std::string> keys;
  for (int i = 0; i < 5000; ++i) keys.push_back("same" + Key(i));
  PutAll(database, keys);
  database.Flush();
  ExpectAllFound(database, keys);
  const std::unique_ptr<rocksdb::Iterator> iterator(database->NewIterator({}));
  for (const std::string& key : keys) {
    iterator->Seek(key);
    ASSERT_TRUE(iterator->Valid()) << key;
    ASSERT_EQ(iterator->key().ToString(), key);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Partitions, testing::ValuesIn(BuiltKinds()),
                         [](const testing::TestParamInfo<FilterKind>& test) {
                           return std::string(FilterKindName(test.param));
                         });

}  // namespace
}  // namespace sstfilter::dbtest
