#include "filter/block_grouping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "filter/algorithm.h"
#include "filter/hash.h"
#include "tests/filter/sampling.h"

namespace sstfilter {
namespace {

using Hashes = std::vector<uint64_t>;

// What the visitor was given.
struct Visits {
  uint64_t slots = 0;
  uint64_t blocks = 0;
  uint64_t misplaced = 0;
  Hashes hashes;
};

void Record(const void* context, uint64_t first, size_t blocks,
            const uint64_t* hashes, const size_t* loads) {
  Visits& visits = **static_cast<Visits* const*>(context);
  EXPECT_EQ(first, visits.blocks);
  EXPECT_LE(blocks, 2048u);
  for (size_t block = 0; block < blocks; ++block) {
    for (size_t i = 0; i < loads[block]; ++i) {
      const uint64_t hash = *hashes++;
      visits.misplaced += SlotOf(hash, visits.slots) == first + block ? 0 : 1;
      visits.hashes.push_back(hash);
    }
  }
  visits.blocks += blocks;
}

void ExpectGrouped(Hashes hashes, uint64_t slots) {
  SCOPED_TRACE(testing::Message()
               << hashes.size() << " hashes, " << slots << " slots");
  Visits visits;
  visits.slots = slots;
  Visits* const context = &visits;
  Hashes grouped = hashes;
  GroupByBlock(grouped.data(), grouped.size(), slots, Record, &context);
  EXPECT_EQ(visits.blocks, slots);
  EXPECT_EQ(visits.misplaced, 0u);
  std::sort(hashes.begin(), hashes.end());
  std::sort(visits.hashes.begin(), visits.hashes.end());
  EXPECT_TRUE(visits.hashes == hashes);
}

// One step, two, three; and the sizes on both sides of where another number of
// steps or of parts begins.
constexpr uint64_t kSlots[] = {1,      2,      3,      2047,   2048,   2049,
                               4096,   4097,   65535,  65536,  65537,  131072,
                               131073, 524287, 524288, 524289, 600'001};

TEST(BlockGroupingTest, RandomHashes) {
  Random random(1);
  for (const uint64_t slots : kSlots) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{6},
                               size_t{7}, size_t{100}, Scaled(200'003)}) {
      Hashes hashes(count);
      for (uint64_t& hash : hashes) hash = random.Next();
      ExpectGrouped(hashes, slots);
    }
  }
}

TEST(BlockGroupingTest, OrderedHashes) {
  const uint64_t count = Scaled(50'000);
  for (const uint64_t slots : kSlots) {
    Hashes hashes;
    for (uint64_t i = 0; i < count; ++i) {
      hashes.push_back(UINT64_MAX / count * i);
    }
    ExpectGrouped(hashes, slots);
    std::reverse(hashes.begin(), hashes.end());
    ExpectGrouped(hashes, slots);
  }
}

TEST(BlockGroupingTest, AllInOneBlock) {
  for (const uint64_t slots : kSlots) {
    for (const uint64_t hash : {uint64_t{0}, UINT64_MAX / 2, UINT64_MAX}) {
      ExpectGrouped(Hashes(Scaled(20'000), hash), slots);
    }
  }
}

// Four steps, with hashes in few of the blocks only.
TEST(BlockGroupingTest, TheLargestFilter) {
  constexpr uint64_t kQuarterBlocks = kMaxPayloadBytes / 16;
  Random random(2);
  Hashes hashes(Scaled(1'000'000));
  for (uint64_t& hash : hashes) hash = random.Next();
  ExpectGrouped(hashes, kQuarterBlocks);
}

}  // namespace
}  // namespace sstfilter
