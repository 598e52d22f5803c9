#include "filter/block_grouping.h"

#include <algorithm>
#include <utility>

#include "filter/hash.h"

namespace sstfilter {

namespace {

// Parts of one partitioning step. Single blocks come of one step out of as
// many parts as the second-level cache has room for write positions; more go
// through a coarse step first. Few coarse parts keep their write positions in
// the nearest cache and leave the next step many blocks per call; more only
// where that saves another step.
constexpr size_t kMaxParts = 2048;
constexpr size_t kCoarseParts = 64;
constexpr size_t kMaxCoarseParts = 256;

// How many hashes ahead of its write positions a coarse step fetches memory:
// two cache lines. The hardware does not follow so many streams.
constexpr size_t kCoarseFetchAhead = 16;

// Hashes held at once. A permutation that holds one spends its time waiting for
// the next one to arrive.
constexpr size_t kHands = 6;

class BlockGrouper {
 public:
  BlockGrouper(uint64_t slots, GroupedBlocksVisitor visit, const void* context)
      : slots_(slots), visit_(visit), context_(context) {}

  // Groups blocks [first, first + blocks), which `hashes` all belong to. Each
  // level divides the blocks, so that even when all keys fall into one block
  // the work per key is bounded by the number of levels: four for the largest
  // filter.
  void Group(uint64_t* hashes, size_t count, uint64_t first, uint64_t blocks) {
    if (blocks <= kMaxParts) {
      GroupBlocks(hashes, count, first, static_cast<size_t>(blocks));
      return;
    }
    // What the steps after this one can divide.
    uint64_t reach = kMaxParts;
    while (reach * kMaxCoarseParts < blocks) reach *= kMaxCoarseParts;
    const size_t most_parts =
        blocks <= reach * kCoarseParts ? kCoarseParts : kMaxCoarseParts;
    // A power of two of blocks per part.
    int shift = 0;
    while (((blocks - 1) >> shift) >= most_parts) ++shift;
    const auto parts = static_cast<size_t>(((blocks - 1) >> shift) + 1);
    size_t next[kMaxCoarseParts];
    size_t ends[kMaxCoarseParts];
    Partition<kCoarseFetchAhead>(hashes, count, first, shift, parts, next,
                                 ends);
    size_t begin = 0;
    for (size_t part = 0; part < parts; ++part) {
      const uint64_t offset = uint64_t{part} << shift;
      Group(hashes + begin, ends[part] - begin, first + offset,
            std::min(uint64_t{1} << shift, blocks - offset));
      begin = ends[part];
    }
  }

 private:
  // Not inlined into the recursion: its arrays would then be held once per
  // level.
  __attribute__((noinline)) void GroupBlocks(uint64_t* hashes, size_t count,
                                             uint64_t first, size_t blocks) {
    size_t next[kMaxParts];
    size_t ends[kMaxParts];
    Partition<0>(hashes, count, first, 0, blocks, next, ends);
    for (size_t block = blocks; block-- > 1;) ends[block] -= ends[block - 1];
    visit_(context_, first, blocks, hashes, ends);
  }

  // Orders the hashes, in place, by part = (block - first) >> shift.
  template <size_t kFetchAhead>
  __attribute__((noinline)) void Partition(uint64_t* hashes, size_t count,
                                           uint64_t first, int shift,
                                           size_t parts, size_t* next,
                                           size_t* ends) {
    const uint64_t slots = slots_;
    const auto part_of = [=](uint64_t hash) {
      return static_cast<size_t>((SlotOf(hash, slots) - first) >> shift);
    };
    std::fill_n(next, parts, 0);
    for (size_t i = 0; i < count; ++i) ++next[part_of(hashes[i])];
    size_t sum = 0;
    for (size_t part = 0; part < parts; ++part) {
      const size_t size = next[part];
      next[part] = sum;
      sum += size;
      ends[part] = sum;
    }
    for (size_t part = 0; part < parts; ++part) {
      // Of this part, [.., write) is done, [write, read) are holes, one for
      // each hash held, and [read, end) is yet to be picked up.
      size_t write = next[part];
      size_t read = write;
      const size_t end = ends[part];
      // Moves the held hash on: to its part, taking what was there instead; or
      // into a hole. Returns false when nothing is left to hold.
      const auto step = [&](uint64_t& held) {
        const size_t to = part_of(held);
        if (to != part) {
          uint64_t* const place = hashes + next[to]++;
          std::swap(held, *place);
          if constexpr (kFetchAhead != 0) {
            // Beyond the list it does nothing.
            __builtin_prefetch(place + kFetchAhead, 1);
          }
          return true;
        }
        hashes[write++] = held;
        if (read == end) return false;
        held = hashes[read++];
        return true;
      };
      if (end - read >= kHands) {
        uint64_t held[kHands];
#pragma GCC unroll 16
        for (uint64_t& hash : held) hash = hashes[read++];
        for (bool all = true; all;) {
#pragma GCC unroll 16
          for (size_t i = 0; i < kHands; ++i) {
            if (!step(held[i])) {
              held[i] = held[kHands - 1];
              all = false;
              break;
            }
          }
        }
        for (size_t i = 0; i + 1 < kHands; ++i) {
          while (step(held[i])) {
          }
        }
      } else {
        while (read < end) {
          uint64_t held = hashes[read++];
          while (step(held)) {
          }
        }
      }
    }
  }

  const uint64_t slots_;
  const GroupedBlocksVisitor visit_;
  const void* const context_;
};

}  // namespace

void GroupByBlock(uint64_t* hashes, size_t count, uint64_t slots,
                  GroupedBlocksVisitor visit, const void* context) {
  BlockGrouper(slots, visit, context).Group(hashes, count, 0, slots);
}

}  // namespace sstfilter
