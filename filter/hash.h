// From keys to 64-bit hashes, and from hashes to positions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sstfilter {

// XXH3, 64 bits, seeded. The same on every CPU; keys may hold any bytes. The
// seed is per filter and random, so that nobody who does not know it can choose
// keys that collide. filter/hash-inl.h has the same function for where every
// nanosecond counts.
uint64_t HashKey(const char* key, size_t length, uint64_t seed);

// A seed and what XXH3 makes of it for keys of 4 to 32 bytes, which most keys
// have: worked out once per filter instead of once per key.
struct HashSeed {
  explicit HashSeed(uint64_t value = 0);

  uint64_t seed;
  // Added to the bits of keys of 4 to 8 bytes, without carry.
  uint64_t flip;
  // The same for the first and the last eight bytes of keys of 9 to 16 bytes.
  uint64_t flip_first;
  uint64_t flip_last;
  // The same for the first and the last 16 bytes of keys of 17 to 32 bytes.
  uint64_t flip_outer[4];
};

// Maps a hash to [0, slots), evenly, by its upper bits (Lemire, "Fast random
// integer generation in an interval", 2019). Full 64-bit arithmetic: right for
// any number of slots. Order is kept: a larger hash never gets a smaller slot.
inline uint64_t SlotOf(uint64_t hash, uint64_t slots) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((Wide{hash} * slots) >> 64);
}

// Brings fresh bits for use within a slot: the upper bits of `hash` are nearly
// constant there. A multiply keeps what the low bits hold and moves it to the
// top; callers use the upper bits of the result first.
inline uint64_t Remix(uint64_t hash) {
  return hash * uint64_t{0x9E3779B97F4A7C15};
}

}  // namespace sstfilter
