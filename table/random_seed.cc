#include "table/random_seed.h"

#if __has_include(<sys/random.h>)
#include <sys/random.h>
#include <unistd.h>
#define SSTFILTER_HAS_GETENTROPY 1
#else
#include <exception>
#include <random>
#endif

#include <atomic>
#include <chrono>

#include "filter/hash.h"

namespace sstfilter {

namespace {

bool SystemSeed(uint64_t* seed) {
#ifdef SSTFILTER_HAS_GETENTROPY
  // Not std::random_device, which asks the CPU what it is each time it is made:
  // in a virtual machine that takes as long as hashing 10,000 keys.
  return getentropy(seed, sizeof(*seed)) == 0;
#else
  try {
    std::random_device device;
    *seed = (uint64_t{device()} << 32) | device();
    return true;
  } catch (const std::exception&) {
    return false;
  }
#endif
}

// Where the system has no source of randomness: still different for every
// filter and process, though no longer secret from someone who knows the time.
uint64_t ClockSeed() {
  static std::atomic<uint64_t> counter{0};
  const auto now = std::chrono::high_resolution_clock::now();
  const uint64_t parts[3] = {
      static_cast<uint64_t>(now.time_since_epoch().count()), counter++,
      reinterpret_cast<uintptr_t>(&counter)};
  return HashKey(reinterpret_cast<const char*>(parts), sizeof(parts), 0);
}

}  // namespace

uint64_t RandomSeed() {
  uint64_t seed = 0;
  if (!SystemSeed(&seed)) seed = ClockSeed();
  return seed == 0 ? 1 : seed;
}

}  // namespace sstfilter
