// What a policy and its builders and readers count.
#pragma once

#include <atomic>
#include <cstdint>

namespace sstfilter {

// Shared by the policy and its builders; readers hold no reference, they may
// outlive both.
struct FilterCounters {
  // Tables that got a filter, their filters (a partitioned table has many), and
  // the keys and bytes of those.
  std::atomic<uint64_t> tables_built{0};
  std::atomic<uint64_t> filters_built{0};
  std::atomic<uint64_t> keys_built{0};
  std::atomic<uint64_t> bytes_built{0};
  // Time spent in building filters, of all and of the one that took longest.
  std::atomic<uint64_t> build_nanoseconds{0};
  std::atomic<uint64_t> longest_build_nanoseconds{0};
  // Tables and partitions left without a filter because memory ran out.
  std::atomic<uint64_t> filters_out_of_memory{0};
  // Blocks of ours met while reading that cannot be used: see BlockState.
  std::atomic<uint64_t> blocks_unknown{0};
  std::atomic<uint64_t> blocks_damaged{0};
  // Blocks written under another key transform, and RocksDB's own where a
  // transform is set.
  std::atomic<uint64_t> blocks_other_transform{0};

  void CountFilter(uint64_t keys, uint64_t bytes, uint64_t nanoseconds) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    filters_built.fetch_add(1, kRelaxed);
    keys_built.fetch_add(keys, kRelaxed);
    bytes_built.fetch_add(bytes, kRelaxed);
    build_nanoseconds.fetch_add(nanoseconds, kRelaxed);
    uint64_t longest = longest_build_nanoseconds.load(kRelaxed);
    while (longest < nanoseconds &&
           !longest_build_nanoseconds.compare_exchange_weak(
               longest, nanoseconds, kRelaxed)) {
    }
  }
};

}  // namespace sstfilter
