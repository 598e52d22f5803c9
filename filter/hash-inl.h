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
#include <cstring>

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

// Whether HashFrom9To16 is the one. Code is laid out for it; other lengths take
// one jump more.
inline bool HashIsFrom9To16(size_t length) {
  return __builtin_expect(length >= 9 && length <= 16, 1);
}

[[maybe_unused]] __attribute__((noinline)) uint64_t HashOfOtherLength(
    const HashSeed& seed, const char* key, size_t length) {
  if (length > 32 || length < 4) return HashKey(key, length, seed.seed);
  return length > 16 ? HashFrom17To32(seed, key, length)
                     : HashFrom4To8(seed, key, length);
}

inline uint64_t HashKeyInline(const HashSeed& seed, const char* key,
                              size_t length) {
  return HashIsFrom9To16(length) ? HashFrom9To16(seed, key, length)
                                 : HashOfOtherLength(seed, key, length);
}

// FilterKernel::may_match_key by way of `may_match`, a function of view and
// hash. Three functions, each of which ends with a call of the next: where one
// has calls in its middle, every key pays for saving registers.
template <typename MayMatch>
__attribute__((noinline)) bool MayMatchLongKey(const FilterView& view,
                                               const char* key, size_t length,
                                               MayMatch may_match) {
  return may_match(view, HashKey(key, length, view.seed.seed));
}

template <typename MayMatch>
__attribute__((noinline)) bool MayMatchOtherKey(const FilterView& view,
                                                const char* key, size_t length,
                                                MayMatch may_match) {
  if (length > 32 || length < 4) {
    return MayMatchLongKey(view, key, length, may_match);
  }
  return may_match(view, length > 16 ? HashFrom17To32(view.seed, key, length)
                                     : HashFrom4To8(view.seed, key, length));
}

template <typename MayMatch>
inline bool MayMatchKey(const FilterView& view, const char* key, size_t length,
                        MayMatch may_match) {
  return HashIsFrom9To16(length)
             ? may_match(view, HashFrom9To16(view.seed, key, length))
             : MayMatchOtherKey(view, key, length, may_match);
}

// What FilterKernel::may_match_keys hands to KernelBatch.
class HashOfKey {
 public:
  HashOfKey(const FilterView& view, const KeyBytes* const* keys)
      : seed_(view.seed), keys_(keys) {}

  uint64_t operator()(size_t i) const {
    // Copied, for what is there may be of another type.
    KeyBytes key;
    std::memcpy(&key, keys_[i], sizeof(key));
    return HashKeyInline(seed_, key.data, key.length);
  }

 private:
  const HashSeed& seed_;
  const KeyBytes* const* keys_;
};

// FilterKernel::may_match_batch and may_match_keys of a kernel that has a
// class with a function MayMatchAll(view, count, hash_of, results) for both.
template <typename Kernel>
struct BatchLookups {
  static void OfHashes(const FilterView& view, const uint64_t* hashes,
                       size_t count, bool* results) {
    Kernel::MayMatchAll(view, count, HashAsItIs(hashes), results);
  }

  static void OfKeys(const FilterView& view, const KeyBytes* const* keys,
                     size_t count, bool* results) {
    Kernel::MayMatchAll(view, count, HashOfKey(view, keys), results);
  }
};

}  // namespace
}  // namespace sstfilter
