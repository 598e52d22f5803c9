#include "filter/hash.h"

#if defined(__GNUC__) && !defined(__clang__)
// With -march=native, RocksDB's own default, xxHash takes its AVX-512 code, and
// GCC 12's header for that starts from a variable it leaves undefined on
// purpose, and warns of it where it inlines it.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sstfilter {

namespace {

// Two neighbouring words of XXH3's secret, from byte `at` on, as one.
uint64_t SecretPair(size_t at) {
  return XXH_readLE64(XXH3_kSecret + at) ^ XXH_readLE64(XXH3_kSecret + at + 8);
}

}  // namespace

uint64_t HashKey(const char* key, size_t length, uint64_t seed) {
  return XXH3_64bits_withSeed(key, length, seed);
}

HashSeed::HashSeed(uint64_t value) : seed(value) {
  const uint64_t low_half =
      uint64_t{__builtin_bswap32(static_cast<uint32_t>(value))};
  flip = SecretPair(8) - (value ^ (low_half << 32));
  flip_first = SecretPair(24) + value;
  flip_last = SecretPair(40) - value;
  for (size_t i = 0; i < 4; ++i) {
    const uint64_t secret = XXH_readLE64(XXH3_kSecret + 8 * i);
    flip_outer[i] = i % 2 == 0 ? secret + value : secret - value;
  }
}

}  // namespace sstfilter
