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
  uint64_t rotation = hash & 0xffffffff;
#if defined(__x86_64__)
  // A compiler would take two moves, a shift and a subtraction for it.
  asm("imul $15, %0, %0" : "+r"(rotation) : : "cc");
#else
  rotation *= 15;
#endif
  return static_cast<uint32_t>(rotation >> 32);
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

// Word j of `words`, which is bit j, as the bit where the AVX2 kernel has it.
// Packing the 32-bit words of two registers, 0 to 7 and 8 to 15, into 16 bits
// each goes lane by lane, and collecting the highest bits of bytes gives two
// bits for each:
//
//   bit    31 ...                                                         0
//   word   15 15 14 14 13 13 12 12  7  7 ...  11 11 ... 8 8  3 3 2 2 1 1 0 0
//
// of which the higher one is the sign.
constexpr uint32_t BloomPackedWords(uint32_t words) {
  uint32_t packed = 0;
  for (int word = 1; word < kBloomWords; ++word) {
    const int half = word / 8;
    const int lane = word / 4 % 2;
    const int place = 8 * lane + 4 * half + word % 4;
    packed |= ((words >> word) & 1) << (2 * place + 1);
  }
  return packed;
}

inline const BloomConstants& BloomConstantsOf(const FilterView& view) {
  return *static_cast<const BloomConstants*>(view.constants);
}

inline uint32_t BloomProbedWords(uint32_t selector, uint64_t hash) {
  return (selector >> BloomRotation(hash)) & 0xfffe;
}

}  // namespace
}  // namespace sstfilter
