#include "filter/parity_build.h"

#include <algorithm>
#include <utility>

#include "filter/hash.h"
#include "filter/parity-inl.h"

namespace sstfilter {

namespace {

// A leaf is copied, block by block, into a buffer on the stack: it should fit
// the first-level cache.
constexpr size_t kLeafKeys = 4096;
constexpr size_t kLeafBlocks = 512;

// Parts of one partitioning step. Each has a write position whose cache line
// must stay close, so more parts per step are not faster.
constexpr size_t kMaxParts = 256;

// Up to kParityMaxColumns distinct hashes.
class DistinctHashes {
 public:
  // Returns false if there is no room.
  bool Add(uint64_t hash) {
    size_t at = static_cast<size_t>(ParityExpand(hash).third >> 56);
    while (taken_[at]) {
      if (table_[at] == hash) return true;
      at = (at + 1) % kSize;
    }
    if (count_ == kParityMaxColumns) return false;
    taken_[at] = true;
    table_[at] = hash;
    hashes_[count_++] = hash;
    return true;
  }

  const uint64_t* hashes() const { return hashes_; }
  size_t count() const { return count_; }

 private:
  static constexpr size_t kSize = 256;
  bool taken_[kSize] = {};
  uint64_t table_[kSize];
  uint64_t hashes_[kParityMaxColumns];
  size_t count_ = 0;
};

class BlockGrouper {
 public:
  BlockGrouper(const ParityGeometry& geometry, uint64_t slots, char* payload,
               ParitySolveBlock solve)
      : geometry_(geometry), slots_(slots), payload_(payload), solve_(solve) {}

  // Writes blocks [first, first + blocks), which `hashes` all belong to. Each
  // level divides the blocks, so that even when all keys fall into one block
  // the work per key is bounded by the number of levels: four for the largest
  // filter.
  void Write(uint64_t* hashes, size_t count, uint64_t first, uint64_t blocks) {
    if (blocks == 1) {
      WriteBlock(hashes, count, first);
      return;
    }
    if (count <= kLeafKeys && blocks <= kLeafBlocks) {
      WriteLeaf(hashes, count, first, static_cast<size_t>(blocks));
      return;
    }
    // A power of two of blocks per part.
    const uint64_t target = std::clamp<uint64_t>(
        std::max<uint64_t>(count / (kLeafKeys / 2), blocks / kLeafBlocks) + 1,
        2, kMaxParts);
    int shift = 0;
    while (((blocks - 1) >> shift) >= target) ++shift;
    const auto parts = static_cast<size_t>(((blocks - 1) >> shift) + 1);
    size_t ends[kMaxParts];
    Partition(hashes, count, first, shift, parts, ends);
    size_t begin = 0;
    for (size_t part = 0; part < parts; ++part) {
      const uint64_t offset = uint64_t{part} << shift;
      Write(hashes + begin, ends[part] - begin, first + offset,
            std::min(uint64_t{1} << shift, blocks - offset));
      begin = ends[part];
    }
  }

 private:
  void WriteBlock(const uint64_t* hashes, size_t count, uint64_t block) {
    char* const out = payload_ + block * (8U * geometry_.words);
    if (count == 0) {
      // The lowest header bits are those of the first word; kParityCodeEmpty is
      // the lowest of them alone.
      ParityStore(out, uint64_t{1} << (64 - 8 / geometry_.words));
      return;
    }
    if (count <= kParityMaxColumns &&
        solve_(geometry_, hashes, count, kParityShares, out)) {
      return;
    }
    WriteDifficultBlock(hashes, count, out);
  }

  // For repeated keys, and more keys than a system can have. A constant number
  // of passes over the keys, each with constant work per key. If all fails, the
  // block stays zero, which stands for kParityCodeAny.
  __attribute__((noinline)) void WriteDifficultBlock(const uint64_t* hashes,
                                                     size_t count, char* out) {
    for (int share = kParityShares; share >= kParityFirstShare; --share) {
      DistinctHashes distinct;
      bool fits = true;
      for (size_t i = 0; i < count && fits; ++i) {
        if (share == kParityShares || ParityExpand(hashes[i]).Share() < share) {
          fits = distinct.Add(hashes[i]);
        }
      }
      if (!fits) continue;
      if (solve_(geometry_, distinct.hashes(), distinct.count(), share, out)) {
        return;
      }
    }
  }

  // Not inlined into the recursion: its buffer would then be held once per
  // level.
  __attribute__((noinline)) void WriteLeaf(const uint64_t* hashes, size_t count,
                                           uint64_t first, size_t blocks) {
    uint64_t grouped[kLeafKeys];
    size_t ends[kLeafBlocks + 1];
    std::fill_n(ends, blocks + 1, 0);
    for (size_t i = 0; i < count; ++i) {
      ++ends[SlotOf(hashes[i], slots_) - first + 1];
    }
    for (size_t block = 1; block <= blocks; ++block) {
      ends[block] += ends[block - 1];
    }
    // ends[block] is where the block begins, until its hashes have moved there.
    for (size_t i = 0; i < count; ++i) {
      grouped[ends[SlotOf(hashes[i], slots_) - first]++] = hashes[i];
    }
    size_t begin = 0;
    for (size_t block = 0; block < blocks; ++block) {
      WriteBlock(grouped + begin, ends[block] - begin, first + block);
      begin = ends[block];
    }
  }

  // Orders the hashes, in place, by part = (block - first) >> shift. Every hash
  // is moved at most twice. A plain cycle-following permutation spends its time
  // waiting for the one hash it holds; this one holds four at once.
  __attribute__((noinline)) void Partition(uint64_t* hashes, size_t count,
                                           uint64_t first, int shift,
                                           size_t parts, size_t* ends) {
    const uint64_t slots = slots_;
    const auto part_of = [=](uint64_t hash) {
      return static_cast<size_t>((SlotOf(hash, slots) - first) >> shift);
    };
    size_t next[kMaxParts] = {};
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
          std::swap(held, hashes[next[to]++]);
          return true;
        }
        hashes[write++] = held;
        if (read == end) return false;
        held = hashes[read++];
        return true;
      };
      if (end - read >= 4) {
        uint64_t a = hashes[read];
        uint64_t b = hashes[read + 1];
        uint64_t c = hashes[read + 2];
        uint64_t d = hashes[read + 3];
        read += 4;
        for (;;) {
          if (!step(a)) {
            a = d;
            break;
          }
          if (!step(b)) {
            b = d;
            break;
          }
          if (!step(c)) {
            c = d;
            break;
          }
          if (!step(d)) break;
        }
        while (step(a)) {
        }
        while (step(b)) {
        }
        while (step(c)) {
        }
      } else {
        while (read < end) {
          uint64_t a = hashes[read++];
          while (step(a)) {
          }
        }
      }
    }
  }

  const ParityGeometry& geometry_;
  const uint64_t slots_;
  char* const payload_;
  const ParitySolveBlock solve_;
};

}  // namespace

void BuildParityBlocks(const FilterShape& shape, uint64_t* hashes, size_t count,
                       char* payload, ParitySolveBlock solve) {
  const ParityGeometry& geometry = kParityTables.geometry[shape.parameter];
  const uint64_t slots = shape.payload_bytes / (8U * geometry.words);
  BlockGrouper(geometry, slots, payload, solve).Write(hashes, count, 0, slots);
}

}  // namespace sstfilter
