// Large filters: by arithmetic where they would not fit the machine.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "filter/algorithm.h"
#include "lookups.h"
#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"

namespace sstfilter::dbtest {
namespace {

class Scale : public testing::TestWithParam<FilterKind> {
 protected:
  static FilterBlockOptions Options(double bits_per_key = 10) {
    FilterBlockOptions options;
    options.kind = GetParam();
    options.bits_per_key = bits_per_key;
    options.fixed_seed = 0x5eed;
    return options;
  }

  static void Add(FilterBlockBuilder* builder, uint64_t key) {
    builder->AddKey(reinterpret_cast<const char*>(&key), sizeof(key));
  }

  static bool MayMatch(const FilterBlockReader& reader, uint64_t key) {
    return reader.MayMatch(
        reader.Hash(reinterpret_cast<const char*>(&key), sizeof(key)));
  }
};

TEST_P(Scale, TenMillionKeysInOneFilter) {
  constexpr uint64_t kKeys = 10000000;
  FilterBlockBuilder builder(Options());
  for (uint64_t key = 0; key < kKeys; ++key) Add(&builder, 2 * key);
  const FilterBlock block = builder.Finish();
  ASSERT_EQ(block.outcome, FilterBlock::Outcome::kBuilt);
  EXPECT_NEAR(static_cast<double>(block.size), kKeys * 10 / 8, 1000);
  FilterBlockReader reader;
  ASSERT_EQ(FilterBlockReader::Open(block.bytes.get(), block.size, &reader),
            BlockState::kUsable);
  EXPECT_EQ(reader.trailer().keys, kKeys);
  for (uint64_t key = 0; key < kKeys; ++key) {
    ASSERT_TRUE(MayMatch(reader, 2 * key)) << key;
  }
  constexpr uint64_t kAbsent = 1000000;
  uint64_t passed = 0;
  for (uint64_t key = 0; key < kAbsent; ++key) {
    passed += MayMatch(reader, 2 * key + 1);
  }
  const double expected = reader.ExpectedFalsePositiveRate() * kAbsent;
  EXPECT_NEAR(static_cast<double>(passed), expected,
              6 * std::sqrt(expected) + expected / 50);
}

// A filter that would pass 4 GiB is capped: worse, never wrong.
TEST_P(Scale, FieldCase10SizesNeverWrapAndAreCapped) {
  for (double bits : {1.0, 10.0, 33.3, 100.0}) {
    uint64_t last = 0;
    for (double keys = 1e3; keys <= 1e12; keys *= 1.5) {
      const uint64_t bytes = FilterBlockBuilder::BlockBytes(
          Options(bits), static_cast<uint64_t>(keys));
      EXPECT_GE(bytes, last);
      EXPECT_LE(bytes, kMaxPayloadBytes + kTrailerBytes);
      EXPECT_LT(bytes, uint64_t{1} << 32) << "RocksDB reads a block at once";
      if (keys * bits / 8 < 4e9) {
        EXPECT_GE(bytes, keys * bits / 8);
      }
      last = bytes;
    }
    EXPECT_GT(last, kMaxPayloadBytes - 4096) << "the cap is reached";
    // The rate of a capped filter rises with its keys and stays a rate.
    const double rate =
        FilterBlockBuilder::ExpectedRate(Options(bits), 100000000000, last);
    EXPECT_GT(rate, 0.2);
    EXPECT_LE(rate, 1);
  }
}

// 8 bytes per key while keys are added, nothing but the block after Finish.
TEST_P(Scale, FieldCase38MemoryWhileBuilding) {
  constexpr uint64_t kKeys = 1000000;
  const auto in_use = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const size_t before = in_use();
  FilterBlockBuilder builder(Options());
  for (uint64_t key = 0; key < kKeys; ++key) Add(&builder, key);
  EXPECT_LE(in_use() - before, 17 * kKeys)
      << "8 bytes per key, capacity grows by doubling";
  const FilterBlock block = builder.Finish();
  EXPECT_LE(in_use() - before, block.size + 4096) << "freed in Finish";
}

std::vector<FilterKind> ConcreteKinds() {
  std::vector<FilterKind> kinds = BuiltKinds();
  kinds.erase(std::remove(kinds.begin(), kinds.end(), FilterKind::kAuto),
              kinds.end());
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(All, Scale, testing::ValuesIn(ConcreteKinds()),
                         [](const testing::TestParamInfo<FilterKind>& test) {
                           return std::string(FilterKindName(test.param));
                         });

}  // namespace
}  // namespace sstfilter::dbtest
