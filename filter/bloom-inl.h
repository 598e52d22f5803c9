// Steps of the cache-line Bloom filter that its kernels share. Included
// by files that are compiled for different instruction sets: everything here is
// in an unnamed namespace, and nothing uses inline functions of other headers,
// so that the linker can never pick code for a CPU that is not the one it runs
// on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/bloom.h"
#include "filter/bloom_build.h"

namespace sstfilter {
namespace {

// SlotOf and Remix of filter/hash.h.
inline const char* BloomBlockOf(const FilterView& view, uint64_t hash) {
  __extension__ using Wide = unsigned __int128;
  return view.payload +
         (static_cast<uint64_t>((static_cast<Wide>(hash) * view.slots) >> 64) *
          kBlockBytes);
}

inline uint64_t BloomRemix(uint64_t hash) {
  return hash * uint64_t{0x9E3779B97F4A7C15};
}

inline uint32_t BloomRotation(uint64_t hash) {
  return static_cast<uint32_t>(((hash & 0xffffffff) * 15) >> 32);
}

// The probe code of a block with this many keys.
inline uint32_t BloomCodeForLoad(const BloomProbeSet& probe_set, size_t load) {
  return static_cast<uint32_t>((load <= probe_set.load_limit[0]) +
                               (load <= probe_set.load_limit[1]) +
                               (load <= probe_set.load_limit[2]));
}

// The words a key probes, word j as bit j, by parameter and probe code:
// patterns written twice, so that a shift rotates them, and moved up so that
// bit 0, for the header, is not among the fifteen that count.
struct BloomSelectors {
  uint32_t doubled[(kBloomProbeSetCount + 1) * 4];
};

constexpr BloomSelectors MakeBloomSelectors() {
  BloomSelectors selectors{};
  for (int row = 0; row < kBloomProbeSetCount; ++row) {
    for (int code = 0; code < 4; ++code) {
      const uint32_t pattern =
          kBloomPatterns[kBloomProbeSets[row].probes[code]];
      selectors.doubled[(row + 1) * 4 + code] = (pattern | (pattern << 15))
                                                << 1;
    }
  }
  return selectors;
}

constexpr BloomSelectors kBloomSelectors = MakeBloomSelectors();

// The four selectors of a parameter.
inline const uint32_t* BloomSelectorsOf(uint32_t parameter) {
  return kBloomSelectors.doubled + parameter * 4;
}

inline uint32_t BloomProbedWords(uint32_t selector, uint64_t hash) {
  return (selector >> BloomRotation(hash)) & 0xfffe;
}

// FilterKernel::may_match_batch by way of `test`, a function of block and hash.
template <typename Test>
inline void BloomBatch(const FilterView& view, const uint64_t* hashes,
                       size_t count, bool* results, Test test) {
  // Far enough ahead to overlap the memory accesses, near enough that the lines
  // are still in the cache when they are looked at.
  constexpr size_t kGroup = 32;
  const char* blocks[kGroup];
  while (count > 0) {
    const size_t group = count < kGroup ? count : kGroup;
    for (size_t i = 0; i < group; ++i) {
      blocks[i] = BloomBlockOf(view, hashes[i]);
      // Blocks need not be aligned.
      __builtin_prefetch(blocks[i]);
      __builtin_prefetch(blocks[i] + kBlockBytes - 1);
    }
    for (size_t i = 0; i < group; ++i) results[i] = test(blocks[i], hashes[i]);
    hashes += group;
    results += group;
    count -= group;
  }
}

}  // namespace
}  // namespace sstfilter
