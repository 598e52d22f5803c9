// What a run of the benchmark is asked to measure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/benchmark/block_memory.h"

namespace sstfilter::benchmarks {

struct Settings {
  std::vector<uint64_t> keys = {100'000, 10'000'000};
  std::vector<uint64_t> lengths = {16};
  // Filter names, see subject.h. The first is what the others are compared
  // with.
  std::vector<std::string> filters = {"rocksdb-bloom", "rocksdb-ribbon",
                                      "bloom", "standard", "parity"};
  // For filters whose name does not say.
  double bits_per_key = 10;
  // The kernels below the RocksDB interface too.
  bool core = false;
  // Medians are over the rounds of a repeat; the spread is over repeats.
  uint64_t repeats = 7;
  uint64_t rounds = 15;
  // Absent keys asked for the false positive rate.
  uint64_t rate_queries = 4'000'000;
  // The fewest keys with which the memory of building is measured: the kernel
  // counts it in pages, and its count lags by some dozens.
  uint64_t memory_keys = 1'000'000;
  // Cost against the number of keys instead of the table of measures.
  bool curve = false;
  // Every lookup ends before the next one begins: latency, not throughput.
  bool fenced = false;
  // Builds get their memory from the kernel, not from earlier builds.
  bool fresh_memory = false;
  // For filters whose name does not say.
  Placement placement;
};

}  // namespace sstfilter::benchmarks
