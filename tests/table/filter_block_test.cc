#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"
#include "table/random_seed.h"

namespace sstfilter {

// Reaches into a builder to damage it on purpose.
class FilterBlockBuilderTestPeer {
 public:
  static void FlipHash(FilterBlockBuilder* builder, size_t index) {
    builder->hashes_.data()[index] ^= uint64_t{1} << 40;
  }
  static void RunOutOfMemory(FilterBlockBuilder* builder) {
    builder->out_of_memory_ = true;
  }
};

namespace {

std::string Key(int i) { return "key-" + std::to_string(i); }

class FilterBlockOfKind : public testing::TestWithParam<FilterKind> {
 protected:
  FilterBlockOptions Options(double bits_per_key = 10) const {
    FilterBlockOptions options;
    options.kind = GetParam();
    options.bits_per_key = bits_per_key;
    return options;
  }
  static void Add(FilterBlockBuilder* builder, const std::string& key) {
    builder->AddKey(key.data(), key.size());
  }
  static void AddBoth(FilterBlockBuilder* builder, const std::string& key,
                      const std::string& alternative) {
    builder->AddKeyAndAlternative(key.data(), key.size(), alternative.data(),
                                  alternative.size());
  }
  static FilterBlockReader ReaderOf(const FilterBlock& block) {
    FilterBlockReader reader;
    EXPECT_EQ(FilterBlockReader::Open(block.bytes.get(), block.size, &reader),
              BlockState::kUsable);
    return reader;
  }
  static bool MayMatch(const FilterBlockReader& reader,
                       const std::string& key) {
    return reader.MayMatch(reader.Hash(key.data(), key.size()));
  }
};

TEST_P(FilterBlockOfKind, FindsItsKeysAndKeepsMostOthersOut) {
  FilterBlockBuilder builder(Options());
  for (int i = 0; i < 10000; ++i) Add(&builder, Key(i));
  EXPECT_EQ(builder.keys_added(), 10000u);
  const FilterBlock block = builder.Finish();
  ASSERT_EQ(block.outcome, FilterBlock::Outcome::kBuilt);
  const FilterBlockReader reader = ReaderOf(block);
  EXPECT_EQ(reader.trailer().keys, 10000u);
  EXPECT_EQ(reader.trailer().kind, GetParam());
  for (int i = 0; i < 10000; ++i) ASSERT_TRUE(MayMatch(reader, Key(i))) << i;
  int passed = 0;
  for (int i = 10000; i < 110000; ++i) passed += MayMatch(reader, Key(i));
  const double expected = reader.ExpectedFalsePositiveRate() * 100000;
  EXPECT_NEAR(passed, expected, 5 * std::sqrt(expected));
}

TEST_P(FilterBlockOfKind, BatchesAgreeWithSingles) {
  FilterBlockBuilder builder(Options(4));
  for (int i = 0; i < 5000; ++i) Add(&builder, Key(i));
  const FilterBlock block = builder.Finish();
  const FilterBlockReader reader = ReaderOf(block);
  for (size_t count : {0, 1, 2, 3, 31, 32, 33, 1000}) {
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i < count; ++i) {
      const std::string key = Key(static_cast<int>(i) * 10);
      hashes.push_back(reader.Hash(key.data(), key.size()));
    }
    for (bool initial : {false, true}) {
      std::unique_ptr<bool[]> results(new bool[count + 1]);
      std::fill_n(results.get(), count + 1, initial);
      reader.MayMatch(hashes.data(), count, results.get());
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(results[i], reader.MayMatch(hashes[i])) << count << ' ' << i;
      }
      EXPECT_EQ(results[count], initial) << "wrote past the end";
    }
  }
}

TEST_P(FilterBlockOfKind, AnswersDoNotDependOnTheAddress) {
  FilterBlockBuilder builder(Options());
  for (int i = 0; i < 2000; ++i) Add(&builder, Key(i));
  const FilterBlock block = builder.Finish();
  const FilterBlockReader reader = ReaderOf(block);
  for (size_t shift = 1; shift < 64; ++shift) {
    std::vector<char> moved(shift + block.size);
    std::copy_n(block.bytes.get(), block.size, moved.data() + shift);
    FilterBlockReader shifted;
    ASSERT_EQ(
        FilterBlockReader::Open(moved.data() + shift, block.size, &shifted),
        BlockState::kUsable);
    for (int i = 0; i < 4000; ++i) {
      ASSERT_EQ(MayMatch(shifted, Key(i)), MayMatch(reader, Key(i)));
    }
  }
}

TEST_P(FilterBlockOfKind, RepetitionsCountOnce) {
  FilterBlockBuilder builder(Options());
  for (int i = 0; i < 100; ++i) {
    for (int version = 0; version < 5; ++version) Add(&builder, Key(i));
  }
  EXPECT_EQ(builder.keys_added(), 100u);
  EXPECT_EQ(ReaderOf(builder.Finish()).trailer().keys, 100u);
}

TEST_P(FilterBlockOfKind, KeysAndPrefixesCountOnceEach) {
  FilterBlockBuilder builder(Options());
  for (int i = 0; i < 100; ++i) {
    for (int version = 0; version < 3; ++version) {
      AddBoth(&builder, Key(i), "prefix-" + std::to_string(i / 10));
    }
  }
  EXPECT_EQ(builder.keys_added(), 110u);
  const FilterBlock block = builder.Finish();
  const FilterBlockReader reader = ReaderOf(block);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(MayMatch(reader, Key(i)));
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(MayMatch(reader, "prefix-" + std::to_string(i)));
  }
}

TEST_P(FilterBlockOfKind, AKeyThatIsItsOwnPrefixCountsOnce) {
  FilterBlockBuilder builder(Options());
  AddBoth(&builder, "a", "a");
  AddBoth(&builder, "ab", "a");
  AddBoth(&builder, "ab", "ab");
  EXPECT_EQ(builder.keys_added(), 2u);
  const FilterBlock block = builder.Finish();
  const FilterBlockReader reader = ReaderOf(block);
  EXPECT_TRUE(MayMatch(reader, "a"));
  EXPECT_TRUE(MayMatch(reader, "ab"));
}

// The memory of what came last must end with the block: the prefix that two
// partitions share has to reach both.
TEST_P(FilterBlockOfKind, NothingIsRememberedAcrossFinish) {
  FilterBlockBuilder builder(Options());
  for (int partition = 0; partition < 3; ++partition) {
    Add(&builder, "shared");
    EXPECT_EQ(builder.keys_added(), 1u);
    const FilterBlock block = builder.Finish();
    EXPECT_TRUE(MayMatch(ReaderOf(block), "shared"));
    EXPECT_EQ(builder.keys_added(), 0u);
  }
  for (int partition = 0; partition < 3; ++partition) {
    AddBoth(&builder, Key(partition), "shared");
    EXPECT_EQ(builder.keys_added(), 2u);
    const FilterBlock block = builder.Finish();
    EXPECT_TRUE(MayMatch(ReaderOf(block), "shared"));
  }
}

TEST_P(FilterBlockOfKind, NothingAddedGivesNoBlock) {
  FilterBlockBuilder builder(Options());
  for (int i = 0; i < 2; ++i) {
    const FilterBlock block = builder.Finish();
    EXPECT_EQ(block.outcome, FilterBlock::Outcome::kEmpty);
    EXPECT_EQ(block.size, 0u);
  }
  Add(&builder, "a");
  EXPECT_EQ(builder.Finish().outcome, FilterBlock::Outcome::kBuilt);
}

TEST_P(FilterBlockOfKind, SeedsAreRandomUnlessFixed) {
  FilterBlockOptions options = Options();
  FilterBlockBuilder random(options);
  options.fixed_seed = 7;
  FilterBlockBuilder fixed(options);
  FilterBlock blocks[4];
  FilterBlockBuilder* builders[4] = {&random, &random, &fixed, &fixed};
  for (int i = 0; i < 4; ++i) {
    for (int key = 0; key < 100; ++key) Add(builders[i], Key(key));
    blocks[i] = builders[i]->Finish();
  }
  EXPECT_NE(ReaderOf(blocks[0]).trailer().seed,
            ReaderOf(blocks[1]).trailer().seed);
  EXPECT_EQ(ReaderOf(blocks[2]).trailer().seed, 7u);
  ASSERT_EQ(blocks[2].size, blocks[3].size);
  EXPECT_EQ(std::string(blocks[2].bytes.get(), blocks[2].size),
            std::string(blocks[3].bytes.get(), blocks[3].size));
}

TEST_P(FilterBlockOfKind, TheOrderOfTheKeysDoesNotMatter) {
  FilterBlockOptions options = Options();
  options.fixed_seed = 7;
  FilterBlockBuilder forward(options);
  FilterBlockBuilder backward(options);
  for (int i = 0; i < 3000; ++i) Add(&forward, Key(i));
  for (int i = 2999; i >= 0; --i) Add(&backward, Key(i));
  const FilterBlock a = forward.Finish();
  const FilterBlock b = backward.Finish();
  EXPECT_EQ(std::string(a.bytes.get(), a.size),
            std::string(b.bytes.get(), b.size));
}

TEST_P(FilterBlockOfKind, HashesThatChangeInMemoryAreNoticed) {
  FilterBlockOptions options = Options();
  options.detect_corruption = true;
  FilterBlockBuilder builder(options);
  for (int i = 0; i < 1000; ++i) Add(&builder, Key(i));
  FilterBlockBuilderTestPeer::FlipHash(&builder, 500);
  const FilterBlock block = builder.Finish();
  EXPECT_EQ(block.outcome, FilterBlock::Outcome::kCorrupted);
  EXPECT_EQ(block.size, 0u);
  Add(&builder, "a");
  EXPECT_EQ(builder.Finish().outcome, FilterBlock::Outcome::kBuilt);
}

TEST_P(FilterBlockOfKind, AWronglyBuiltBlockIsNoticed) {
  FilterBlockOptions options = Options();
  options.detect_corruption = true;
  FilterBlockBuilder builder(options);
  for (bool damage : {false, true}) {
    for (int i = 0; i < 1000; ++i) Add(&builder, Key(i));
    const FilterBlock block = builder.Finish();
    std::string bytes(block.bytes.get(), block.size);
    if (damage) {
      for (size_t i = 200; i < 220; ++i)
        bytes[i] = static_cast<char>(~bytes[i]);
    }
    EXPECT_EQ(builder.Verify(bytes.data(), bytes.size()), !damage);
    EXPECT_TRUE(builder.Verify("", 0)) << "a block is verified once";
  }
}

TEST_P(FilterBlockOfKind, WithoutDetectionVerifyCostsNothing) {
  FilterBlockBuilder builder(Options());
  Add(&builder, "a");
  const FilterBlock block = builder.Finish();
  EXPECT_TRUE(builder.Verify("nonsense", 8));
}

TEST_P(FilterBlockOfKind, OutOfMemoryGivesNoBlockAndAUsableBuilder) {
  FilterBlockBuilder builder(Options());
  Add(&builder, "a");
  FilterBlockBuilderTestPeer::RunOutOfMemory(&builder);
  EXPECT_EQ(builder.Finish().outcome, FilterBlock::Outcome::kOutOfMemory);
  Add(&builder, "a");
  EXPECT_EQ(builder.Finish().outcome, FilterBlock::Outcome::kBuilt);
}

TEST_P(FilterBlockOfKind, SizeIsWhatWasAnnounced) {
  for (uint64_t keys : {1, 2, 50, 51, 52, 999, 20000}) {
    FilterBlockBuilder builder(Options());
    for (uint64_t i = 0; i < keys; ++i) Add(&builder, Key(static_cast<int>(i)));
    EXPECT_EQ(builder.Finish().size,
              FilterBlockBuilder::BlockBytes(Options(), keys));
  }
}

TEST_P(FilterBlockOfKind, KeysThatFitIsMonotoneExactAndNeverTooMany) {
  for (double bits : {1.0, 10.0, 23.5}) {
    uint64_t last = 0;
    for (uint64_t bytes = 0; bytes <= 20000; ++bytes) {
      const uint64_t keys =
          FilterBlockBuilder::KeysThatFit(Options(bits), bytes);
      ASSERT_GE(keys, last);
      if (keys > 0) {
        ASSERT_LE(FilterBlockBuilder::BlockBytes(Options(bits), keys), bytes);
      }
      ASSERT_GT(FilterBlockBuilder::BlockBytes(Options(bits), keys + 1), bytes);
      last = keys;
    }
    EXPECT_GT(last, 0u);
  }
}

TEST_P(FilterBlockOfKind, ExpectedRateFollowsTheSize) {
  const double at_ten = FilterBlockBuilder::ExpectedRate(
      Options(), 100000, FilterBlockBuilder::BlockBytes(Options(), 100000));
  const double at_twenty = FilterBlockBuilder::ExpectedRate(
      Options(20), 100000, FilterBlockBuilder::BlockBytes(Options(20), 100000));
  EXPECT_GT(at_ten, 0.0005);
  EXPECT_LT(at_ten, 0.01);
  EXPECT_LT(at_twenty, at_ten / 10);
  EXPECT_EQ(FilterBlockBuilder::ExpectedRate(Options(), 100, 3), 1);
}

TEST_P(FilterBlockOfKind, KeysMayHoldAnyBytesOfAnyLength) {
  FilterBlockBuilder builder(Options());
  std::vector<std::string> keys;
  for (size_t length : {0, 1, 2, 15, 16, 17, 240, 241, 1024, 65536}) {
    for (char fill : {'\0', '\x7f', '\x80', '\xff'}) {
      if (length > 0 || fill == '\0') keys.emplace_back(length, fill);
    }
  }
  for (const std::string& key : keys) Add(&builder, key);
  EXPECT_EQ(builder.keys_added(), keys.size());
  const FilterBlock block = builder.Finish();
  const FilterBlockReader reader = ReaderOf(block);
  for (const std::string& key : keys) EXPECT_TRUE(MayMatch(reader, key));
}

INSTANTIATE_TEST_SUITE_P(All, FilterBlockOfKind,
                         testing::Values(FilterKind::kBloom,
                                         FilterKind::kStandardBloom,
                                         FilterKind::kParity),
                         [](const auto& param) {
                           return std::string(FilterKindName(param.param));
                         });

// The worked example of table/FORMAT.md.
TEST(WorkedExample, IsWhatTheCodeWrites) {
  FilterBlockOptions options;
  options.kind = FilterKind::kStandardBloom;
  options.fixed_seed = 0x5eed;
  FilterBlockBuilder builder(options);
  builder.AddKey("key", 3);
  const FilterBlock block = builder.Finish();
  const std::string expected(
      "\x62\x98"
      "\xed\x5e\x00\x00\x00\x00\x00\x00"
      "\x01\x00\x00\x00\x00\x00\x00\x00"
      "\x02\x00\x00\x00"
      "\x00\x00\x00\x00"
      "\x02\x07"
      "\x73\x32\x1c\x7c"
      "\x01\x00sstf",
      38);
  EXPECT_EQ(std::string(block.bytes.get(), block.size), expected);
  FilterBlockReader reader;
  ASSERT_EQ(FilterBlockReader::Open(expected.data(), expected.size(), &reader),
            BlockState::kUsable);
  EXPECT_EQ(reader.Hash("key", 3), 0xca1cfcb284817f83u);
}

TEST(RandomSeedOf, DoesNotRepeatAndIsNeverZero) {
  uint64_t last = 0;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t seed = RandomSeed();
    EXPECT_NE(seed, 0u);
    EXPECT_NE(seed, last);
    last = seed;
  }
}

TEST(HashListOf, GrowsAndGivesItsMemoryBack) {
  HashList list;
  for (uint64_t i = 0; i < 100000; ++i) ASSERT_TRUE(list.Append(i));
  ASSERT_EQ(list.size(), 100000u);
  for (uint64_t i = 0; i < 100000; ++i) ASSERT_EQ(list.data()[i], i);
  list.Release();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.data(), nullptr);
}

}  // namespace
}  // namespace sstfilter
