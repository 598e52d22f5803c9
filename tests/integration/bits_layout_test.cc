// The builder in each of the three layouts RocksDB has had, whichever the
// RocksDB at hand has: compiled once for every SSTFILTER_BITS_LAYOUT, and
// called as RocksDB calls it, through the base class.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "integration/bits_builder.h"
#include "integration/bits_reader.h"
#include "table/filter_block_reader.h"

namespace sstfilter {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

std::string Key(int i) { return "key" + std::to_string(i); }

std::unique_ptr<rocksdb::FilterBitsBuilder> NewBuilder() {
  return std::make_unique<BitsBuilder>(FilterBlockOptions(), nullptr,
                                       std::make_shared<FilterCounters>());
}

std::unique_ptr<rocksdb::FilterBitsReader> NewReader(const Slice& contents) {
  FilterBlockReader block;
  EXPECT_EQ(FilterBlockReader::Open(contents.data(), contents.size(), &block),
            BlockState::kUsable);
  return NewBitsReader(block, nullptr);
}

TEST(BitsLayoutTest, BuildsAndReads) {
  const auto builder = NewBuilder();
  EXPECT_EQ(builder->EstimateEntriesAdded(), 0u);
  for (int i = 0; i < 1000; ++i) builder->AddKey(Key(i));
  EXPECT_EQ(builder->EstimateEntriesAdded(), 1000u);
  std::unique_ptr<const char[]> buffer;
  Status status = Status::Incomplete();
  const Slice contents = builder->Finish(&buffer, &status);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(contents.data(), buffer.get());
  EXPECT_TRUE(builder->MaybePostVerify(contents).ok());
  EXPECT_EQ(builder->EstimateEntriesAdded(), 0u);
  EXPECT_GT(builder->ApproximateNumEntries(contents.size()), 900u);

  const auto reader = NewReader(contents);
  int passed = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(reader->MayMatch(Key(i)));
    passed += reader->MayMatch(Key(i + 1000));
  }
  EXPECT_LT(passed, 50);
  std::string key = Key(7);
  std::string absent = "absent";
  Slice slices[] = {key, absent};
  Slice* batch[] = {&slices[0], &slices[1]};
  bool may_match[] = {true, false};
  reader->MayMatch(2, batch, may_match);
  EXPECT_TRUE(may_match[0]);
  EXPECT_EQ(may_match[1], reader->MayMatch(absent));
}

#if SSTFILTER_BITS_LAYOUT >= 2
TEST(BitsLayoutTest, KeysWithPrefixes) {
  const auto builder = NewBuilder();
  for (int i = 0; i < 1000; ++i) {
    const std::string prefix = Key(i / 100);
    // RocksDB passes on what repeats.
    builder->AddKeyAndAlt(prefix + Key(i), prefix);
    builder->AddKeyAndAlt(prefix + Key(i), prefix);
  }
  EXPECT_EQ(builder->EstimateEntriesAdded(), 1010u);
  std::unique_ptr<const char[]> buffer;
  const auto reader = NewReader(builder->Finish(&buffer));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(reader->MayMatch(Key(i / 100)));
    EXPECT_TRUE(reader->MayMatch(Key(i / 100) + Key(i)));
  }
}
#endif

#if SSTFILTER_BITS_LAYOUT >= 3
TEST(BitsLayoutTest, SpaceAndRate) {
  const auto builder = NewBuilder();
  const size_t space = builder->CalculateSpace(10000);
  EXPECT_GE(space, 10000 * 10 / 8u);
  EXPECT_LT(space, 10000 * 11 / 8u);
  EXPECT_GT(builder->EstimatedFpRate(10000, space), 0.0005);
  EXPECT_LT(builder->EstimatedFpRate(10000, space), 0.015);
}
#endif

}  // namespace
}  // namespace sstfilter
