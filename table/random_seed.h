// Seeds nobody outside can guess.
#pragma once

#include <cstdint>

namespace sstfilter {

// A fresh random 64-bit seed, never 0. Thread-safe, does not throw.
uint64_t RandomSeed();

}  // namespace sstfilter
