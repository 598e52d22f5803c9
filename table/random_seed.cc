#include "table/random_seed.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <random>

#include "filter/hash.h"

namespace sstfilter {

namespace {

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
  try {
    std::random_device device;
    seed = (uint64_t{device()} << 32) | device();
  } catch (const std::exception&) {
    seed = ClockSeed();
  }
  return seed == 0 ? 1 : seed;
}

}  // namespace sstfilter
