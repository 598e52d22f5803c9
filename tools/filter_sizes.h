// The arithmetic of filters, every kind side by side: size, parameter, rate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sstfilter::tools {

// One kind of filter for many keys, at one size.
struct FilterSize {
  std::string kind;
  double bits_per_key = 0;  // really spent; infinity when out of reach
  double rate = 1;          // expected false positives per absent key
  std::string parameter;    // "7 probes", "6.8 columns", ...
};

// Names of the kinds, in the order of the functions below.
const std::vector<std::string>& SizedKinds();

// Every kind at the same bits per key, in [1, 100]. `keys` matters to Ribbon,
// whose overhead grows with them.
std::vector<FilterSize> SizesForBits(uint64_t keys, double bits_per_key);

// Every kind at the fewest bits per key that reach `rate`, in (0, 1).
std::vector<FilterSize> SizesForRate(uint64_t keys, double rate);

// Bits per key that RocksDB's Ribbon filter of `keys` keys spends when it is to
// reach `rate`.
double RibbonBits(uint64_t keys, double rate);

// And the rate it reaches with `bits_per_key`.
double RibbonRateForBits(uint64_t keys, double bits_per_key);

}  // namespace sstfilter::tools
