// HashKey of filter/hash.h, inline. Like filter/kernel-inl.h, for files that
// are compiled for different instruction sets.
//
// XXH3 reads a key of 17 to 32 bytes as its first and its last sixteen bytes,
// a key of 9 to 16 bytes as its first and its last eight, a key of 4 to 8 bytes
// as its first and its last four, so that no byte is left out and none beyond
// the key is touched. The tests hold these three cases to HashKey bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/algorithm.h"
#include "filter/hash.h"
#include "filter/kernel-inl.h"

namespace sstfilter {
namespace {

inline uint64_t HashRotate(uint64_t value, int count) {
  return (value << count) | (value >> (64 - count));
}

inline uint64_t HashFrom4To8(const HashSeed& seed, const char* key,
                             size_t length) {
  constexpr uint64_t kMultiplier = 0x9FB21C651E98DF25;
  const uint64_t first = KernelLoad32(key);
  const uint64_t last = KernelLoad32(key + length - 4);
  uint64_t hash = (last + (first << 32)) ^ seed.flip;
  hash ^= HashRotate(hash, 49) ^ HashRotate(hash, 24);
  hash *= kMultiplier;
  hash ^= (hash >> 35) + length;
  hash *= kMultiplier;
  return hash ^ (hash >> 28);
}

// The two halves of the product, one flipped by the other.
inline uint64_t HashMultiply(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t HashSpread(uint64_t hash) {
  hash ^= hash >> 37;
  hash *= uint64_t{0x165667919E3779F9};
  return hash ^ (hash >> 32);
}

inline uint64_t HashFrom9To16(const HashSeed& seed, const char* key,
                              size_t length) {
  const uint64_t first = KernelLoad64(key) ^ seed.flip_first;
  const uint64_t last = KernelLoad64(key + length - 8) ^ seed.flip_last;
  return HashSpread(length + __builtin_bswap64(first) + last +
                    HashMultiply(first, last));
}

inline uint64_t HashFrom17To32(const HashSeed& seed, const char* key,
                               size_t length) {
  const char* const last = key + length - 16;
  return HashSpread(length * uint64_t{0x9E3779B185EBCA87} +
                    HashMultiply(KernelLoad64(key) ^ seed.flip_outer[0],
                                 KernelLoad64(key + 8) ^ seed.flip_outer[1]) +
                    HashMultiply(KernelLoad64(last) ^ seed.flip_outer[2],
                                 KernelLoad64(last + 8) ^ seed.flip_outer[3]));
}

inline uint64_t HashKeyInline(const HashSeed& seed, const char* key,
                              size_t length) {
  if (length > 32 || length < 4) return HashKey(key, length, seed.seed);
  if (length > 16) return HashFrom17To32(seed, key, length);
  return length > 8 ? HashFrom9To16(seed, key, length)
                    : HashFrom4To8(seed, key, length);
}

// FilterKernel::may_match_key by way of `may_match`, a function of view and
// hash. Its calls are the last thing done, so that no register has to be saved
// for the common case.
template <typename MayMatch>
__attribute__((noinline)) bool MayMatchOtherKey(const FilterView& view,
                                                const char* key, size_t length,
                                                MayMatch may_match) {
  return may_match(view, HashKeyInline(view.seed, key, length));
}

template <typename MayMatch>
inline bool MayMatchKey(const FilterView& view, const char* key, size_t length,
                        MayMatch may_match) {
  if (__builtin_expect(length > 32 || length < 9, 0)) {
    return MayMatchOtherKey(view, key, length, may_match);
  }
  return may_match(view, __builtin_expect(length > 16, 0)
                             ? HashFrom17To32(view.seed, key, length)
                             : HashFrom9To16(view.seed, key, length));
}

}  // namespace
}  // namespace sstfilter
