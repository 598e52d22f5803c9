// The advice for trees that are described, not stored.
#include "tools/advise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sstfilter/options.h"

namespace sstfilter::tools {
namespace {

TreeFile File(int level, double keys, double bits_per_key, double rate) {
  TreeFile file;
  file.path = "level-" + std::to_string(level);
  file.level = level;
  file.keys = keys;
  if (bits_per_key > 0) {
    file.filter.name = "rocksdb bloom";
    file.filter.filters = 1;
    file.filter.keys = keys;
    file.filter.bytes = static_cast<uint64_t>(keys * bits_per_key / 8);
    file.filter.expected_rate = rate;
  }
  return file;
}

// Ten young files over three full levels, ten bits per key everywhere.
DatabaseTrees BusyTree() {
  DatabaseTrees trees;
  FamilyTree tree;
  tree.column_family = "default";
  for (int i = 0; i < 10; ++i) tree.files.push_back(File(0, 1e4, 10, 0.01));
  tree.files.push_back(File(1, 1e5, 10, 0.01));
  tree.files.push_back(File(2, 1e6, 10, 0.01));
  tree.files.push_back(File(3, 4e6, 10, 0.01));
  tree.files.push_back(File(3, 6e6, 10, 0.02));
  trees.families.push_back(tree);
  return trees;
}

FamilyAdvice AdviseOne(const AdviseOptions& options,
                       const DatabaseTrees& trees) {
  std::vector<FamilyAdvice> advice;
  const rocksdb::Status status = Advise(options, trees, &advice);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(advice.size(), 1u);
  return advice.empty() ? FamilyAdvice() : advice.front();
}

AdviseOptions Bits(double bits) {
  return {AdviseOptions::Budget::kBits, bits, FilterKind::kBloom};
}

void ExpectAccepted(const std::string& text, FilterOptions* options) {
  const rocksdb::Status status = ParseFilterOptions(text, options);
  EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
}

TEST(AdviseTest, TodayAddsUpFilesOfLevel0AndAveragesOtherLevels) {
  const FamilyAdvice advice = AdviseOne(Bits(10), BusyTree());
  ASSERT_EQ(advice.levels.size(), 4u);
  EXPECT_EQ(advice.levels[0].files, 10u);
  EXPECT_EQ(advice.levels[0].lookups, 10);
  EXPECT_NEAR(advice.levels[0].today.wasted_reads, 0.1, 1e-9);
  EXPECT_EQ(advice.levels[3].lookups, 1);
  EXPECT_NEAR(advice.levels[3].today.wasted_reads, 0.016, 1e-9);
  EXPECT_NEAR(advice.today.wasted_reads, 0.1 + 0.01 + 0.01 + 0.016, 1e-9);
  EXPECT_NEAR(advice.today.bits_per_key, 10, 1e-3);
  EXPECT_EQ(advice.levels[0].filter, "rocksdb bloom");
}

TEST(AdviseTest, OptimalAndUniformTakeTheSameMemory) {
  const FamilyAdvice advice = AdviseOne(Bits(10), BusyTree());
  EXPECT_NEAR(advice.optimal.bytes / (advice.keys * 10 / 8), 1, 1e-2);
  EXPECT_NEAR(advice.uniform.bytes / advice.optimal.bytes, 1, 1e-2);
  EXPECT_LT(advice.optimal.wasted_reads, advice.uniform.wasted_reads / 4);
  double bits = 0;
  for (const LevelAdvice& level : advice.levels) {
    bits += level.keys * level.setting;
  }
  EXPECT_LE(bits, advice.keys * 10);
  // The smaller the level, the more bits.
  for (size_t i = 1; i < advice.levels.size(); ++i) {
    EXPECT_GE(advice.levels[i - 1].optimal.bits_per_key,
              advice.levels[i].optimal.bits_per_key);
    EXPECT_NEAR(advice.levels[i].uniform.bits_per_key, 10, 0.1);
  }
}

TEST(AdviseTest, MemoryIsBitsPerKey) {
  const FamilyAdvice by_bits = AdviseOne(Bits(12), BusyTree());
  const FamilyAdvice by_memory =
      AdviseOne({AdviseOptions::Budget::kMemory, by_bits.keys * 12 / 8,
                 FilterKind::kBloom},
                BusyTree());
  EXPECT_NEAR(by_memory.optimal.wasted_reads, by_bits.optimal.wasted_reads,
              1e-9);
}

TEST(AdviseTest, WastedReadsAreReachedAndPriced) {
  const FamilyAdvice advice =
      AdviseOne({AdviseOptions::Budget::kWastedReads, 0.03, FilterKind::kBloom},
                BusyTree());
  EXPECT_NEAR(advice.optimal.wasted_reads, 0.03, 0.001);
  EXPECT_LE(advice.optimal.wasted_reads, 0.03);
  bool found = false;
  for (const Cost& cost : advice.costs) {
    ASSERT_TRUE(cost.optimal.has_value());
    EXPECT_LE(cost.optimal->wasted_reads, cost.wasted_reads * 1.001);
    if (cost.uniform.has_value()) {
      EXPECT_LE(cost.optimal->bytes, cost.uniform->bytes * 1.001);
      EXPECT_LE(cost.uniform->wasted_reads, cost.wasted_reads * 1.001);
    }
    if (cost.wasted_reads == 0.03) {
      found = true;
      EXPECT_NEAR(cost.optimal->bytes / advice.optimal.bytes, 1, 2e-3);
    }
  }
  EXPECT_TRUE(found);
}

TEST(AdviseTest, ParityNeedsLess) {
  const AdviseOptions parity = {AdviseOptions::Budget::kBits, 10,
                                FilterKind::kParity};
  EXPECT_LT(AdviseOne(parity, BusyTree()).optimal.wasted_reads,
            AdviseOne(Bits(10), BusyTree()).optimal.wasted_reads);
}

TEST(AdviseTest, OptionStringsAreAccepted) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kParity}) {
    for (const double bits : {1.0, 5.5, 10.0, 24.0, 30.0, 100.0}) {
      const FamilyAdvice advice =
          AdviseOne({AdviseOptions::Budget::kBits, bits, kind}, BusyTree());
      FilterOptions optimal;
      ExpectAccepted(advice.optimal_options, &optimal);
      EXPECT_EQ(optimal.kind, kind);
      EXPECT_EQ(optimal.level_allocation, LevelAllocation::kOptimal);
      EXPECT_NEAR(optimal.bits_per_key, bits, 0.011);
      FilterOptions listed;
      ExpectAccepted(advice.level_options, &listed);
      EXPECT_EQ(listed.kind, kind);
      ASSERT_EQ(listed.level_bits_per_key.size(), 4u);
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(listed.level_bits_per_key[i], advice.levels[i].setting,
                    1e-9);
        EXPECT_NEAR(advice.levels[i].optimal.bits_per_key,
                    advice.levels[i].setting, 0.1);
      }
    }
  }
}

TEST(AdviseTest, EmptyLevelsGetBitsToo) {
  DatabaseTrees trees;
  FamilyTree tree;
  tree.column_family = "default";
  tree.size_ratio = 8;
  tree.files.push_back(File(4, 1e5, 0, 1));
  tree.files.push_back(File(6, 1e6, 0, 1));
  trees.families.push_back(tree);
  const FamilyAdvice advice = AdviseOne(Bits(10), trees);
  EXPECT_EQ(advice.levels[0].filter, "none");
  EXPECT_NEAR(advice.today.wasted_reads, 2, 1e-9);
  FilterOptions listed;
  ExpectAccepted(advice.level_options, &listed);
  const std::vector<double>& bits = listed.level_bits_per_key;
  ASSERT_EQ(bits.size(), 7u);
  for (size_t i = 1; i < bits.size(); ++i) EXPECT_GE(bits[i - 1], bits[i]);
  EXPECT_GT(bits[0], bits[6] + 4);
  EXPECT_LT(bits[6], 10);
  FilterOptions optimal;
  ExpectAccepted(advice.optimal_options, &optimal);
  EXPECT_EQ(optimal.level_size_ratio, 8);
}

// Filters are made of blocks of 512 bits: eight files of 225 keys at 10 bits
// per key have 11.4, and a trailer.
TEST(AdviseTest, SmallFilesTakeWholeBlocks) {
  DatabaseTrees trees;
  FamilyTree tree;
  for (int i = 0; i < 8; ++i) tree.files.push_back(File(0, 225, 0, 1));
  trees.families.push_back(tree);
  const FamilyAdvice advice = AdviseOne(Bits(10), trees);
  EXPECT_NEAR(advice.uniform.bytes, 8 * (5 * 64 + 36), 1e-6);
  EXPECT_NEAR(advice.uniform.wasted_reads, 8 * 0.0034, 8 * 0.0004);
  EXPECT_EQ(advice.levels[0].setting, 10);
}

TEST(AdviseTest, FilesThatDoNotFit) {
  DatabaseTrees trees = BusyTree();
  std::vector<TreeFile>& files = trees.families[0].files;
  const FamilyAdvice before = AdviseOne(Bits(10), trees);
  // Ten bits fit the bottom but not level 0 and 1.
  EXPECT_EQ(before.levels[0].misfits, 10u);
  EXPECT_EQ(before.levels[3].misfits, 0u);
  // A file made for level 0 that was moved to the bottom.
  files.push_back(File(3, 1e4, 13, 0.002));
  // Too small to tell.
  files.push_back(File(3, 10, 60, 0));
  const FamilyAdvice after = AdviseOne(Bits(10), trees);
  EXPECT_EQ(after.levels[3].misfits, 1u);
  ASSERT_FALSE(after.misfits.empty());
  EXPECT_EQ(after.misfits.back().level, 3);
  EXPECT_NEAR(after.misfits.back().bits_per_key, 13, 0.01);
  EXPECT_NEAR(after.misfits.back().level_bits_per_key, 9.7, 0.4);
}

TEST(AdviseTest, Refusals) {
  std::vector<FamilyAdvice> advice;
  const auto refuses = [&advice](const AdviseOptions& options,
                                 const DatabaseTrees& trees) {
    return Advise(options, trees, &advice).IsInvalidArgument();
  };
  EXPECT_TRUE(refuses(Bits(10), DatabaseTrees()));
  const auto bloom = FilterKind::kBloom;
  EXPECT_TRUE(
      refuses({AdviseOptions::Budget::kMemory, 1000, bloom}, BusyTree()));
  EXPECT_TRUE(
      refuses({AdviseOptions::Budget::kMemory, 1e12, bloom}, BusyTree()));
  EXPECT_TRUE(
      refuses({AdviseOptions::Budget::kWastedReads, 1e-12, bloom}, BusyTree()));
}

TEST(AdviseTest, ColumnFamiliesShareMemoryByKeys) {
  DatabaseTrees trees = BusyTree();
  FamilyTree other;
  other.column_family = "other";
  other.files.push_back(File(0, 1e6, 0, 1));
  trees.families.push_back(other);
  std::vector<FamilyAdvice> advice;
  const double keys = 1.12e7 + 1e6;
  ASSERT_TRUE(Advise({AdviseOptions::Budget::kMemory, keys, FilterKind::kBloom},
                     trees, &advice)
                  .ok());
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_NEAR(advice[0].optimal.bits_per_key, 8, 0.05);
  EXPECT_NEAR(advice[1].optimal.bits_per_key, 8, 0.05);
  EXPECT_NEAR(advice[0].optimal.bytes + advice[1].optimal.bytes, keys,
              keys * 0.01);
}

}  // namespace
}  // namespace sstfilter::tools
