#include "filter/hash.h"

namespace sstfilter {

uint64_t HashLongKey(const char* key, size_t length, uint64_t seed) {
  return XXH3_64bits_withSeed(key, length, seed);
}

}  // namespace sstfilter
