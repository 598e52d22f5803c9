// Steps of the cache-line Bloom filter that its kernels share. Like
// filter/kernel-inl.h, for files that are compiled for different instruction
// sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/bloom.h"
#include "filter/bloom_build.h"
#include "filter/kernel-inl.h"

namespace sstfilter {
namespace {

// Remix of filter/hash.h.
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

// A pattern of probed words, word j as bit j, written twice, so that a shift
// rotates it, and moved up so that bit 0, for the header, is not among the
// fifteen that count.
constexpr uint32_t BloomSelector(uint32_t pattern) {
  return (pattern | (pattern << 15)) << 1;
}

// FilterView::constants of this kind: the selectors of its four probe codes.
inline const uint32_t* BloomSelectorsOf(const FilterView& view) {
  return static_cast<const uint32_t*>(view.constants);
}

inline uint32_t BloomProbedWords(uint32_t selector, uint64_t hash) {
  return (selector >> BloomRotation(hash)) & 0xfffe;
}

}  // namespace
}  // namespace sstfilter
