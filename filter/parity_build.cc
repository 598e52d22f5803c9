#include "filter/parity_build.h"

#include <cstring>

#include "filter/block_grouping.h"
#include "filter/parity-inl.h"

namespace sstfilter {

namespace {

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

class BlockWriter {
 public:
  BlockWriter(const ParityGeometry& geometry, char* payload,
              ParitySolveBlock solve)
      : geometry_(geometry), payload_(payload), solve_(solve) {}

  // GroupedBlocksVisitor; `context` is the writer.
  static void Write(const void* context, uint64_t first, size_t blocks,
                    const uint64_t* hashes, const size_t* loads) {
    const BlockWriter& writer = *static_cast<const BlockWriter*>(context);
    const size_t bytes = 8U * writer.geometry_.words;
    char* out = writer.payload_ + first * bytes;
    for (size_t block = 0; block < blocks; ++block, out += bytes) {
      writer.WriteBlock(hashes, loads[block], out);
      hashes += loads[block];
    }
  }

 private:
  void WriteBlock(const uint64_t* hashes, size_t count, char* out) const {
    if (count == 0) {
      Clear(out);
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
  // block is zero, which stands for kParityCodeAny.
  __attribute__((noinline)) void WriteDifficultBlock(const uint64_t* hashes,
                                                     size_t count,
                                                     char* out) const {
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
    Clear(out);
  }

  void Clear(char* out) const {
    std::memset(out, 0, 8U * static_cast<size_t>(geometry_.words));
  }

  const ParityGeometry& geometry_;
  char* const payload_;
  const ParitySolveBlock solve_;
};

}  // namespace

void BuildParityBlocks(const FilterShape& shape, uint64_t* hashes, size_t count,
                       char* payload, ParitySolveBlock solve) {
  const ParityGeometry& geometry = kParityTables.geometry[shape.parameter];
  const BlockWriter writer(geometry, payload, solve);
  GroupByBlock(hashes, count, shape.payload_bytes / (8U * geometry.words),
               BlockWriter::Write, &writer);
}

}  // namespace sstfilter
