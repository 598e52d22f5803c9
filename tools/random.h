// Pseudo-random numbers that are the same on every machine and with every
// standard library, so that a seed names a run.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace sstfilter::tools {

// A bijection of 64-bit numbers that scatters them (the finaliser of
// SplitMix64; Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", 2014).
inline uint64_t Scatter(uint64_t x) {
  x += uint64_t{0x9E3779B97F4A7C15};
  x = (x ^ (x >> 30)) * uint64_t{0xBF58476D1CE4E5B9};
  x = (x ^ (x >> 27)) * uint64_t{0x94D049BB133111EB};
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(Scatter(seed)) {}

  uint64_t Next() { return Scatter(state_++); }

  // Even over [0, bound); `bound` is not 0.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>((Wide{Next()} * bound) >> 64);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  uint64_t state_;
};

template <typename T>
void Shuffle(std::vector<T>* items, Random* random) {
  for (size_t left = items->size(); left > 1; --left) {
    std::swap((*items)[left - 1], (*items)[random->Below(left)]);
  }
}

}  // namespace sstfilter::tools
