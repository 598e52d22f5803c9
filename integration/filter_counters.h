// What a policy and its builders and readers count.
#pragma once

#include <atomic>
#include <cstdint>

namespace sstfilter {

// Shared by the policy and its builders; readers hold no reference, they may
// outlive both.
struct FilterCounters {
  std::atomic<uint64_t> filters_built{0};
  // Tables and partitions left without a filter because memory ran out.
  std::atomic<uint64_t> filters_out_of_memory{0};
  // Blocks of ours met while reading that cannot be used: see BlockState.
  std::atomic<uint64_t> blocks_unknown{0};
  std::atomic<uint64_t> blocks_damaged{0};
  // Blocks written under another key transform, and RocksDB's own where a
  // transform is set.
  std::atomic<uint64_t> blocks_other_transform{0};
};

}  // namespace sstfilter
