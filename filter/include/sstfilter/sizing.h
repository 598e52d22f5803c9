// How large a Bloom filter must be and how good it then is.
//
// Words: m bits of filter, n distinct keys, c = m / n bits per key, k probes
// (bits set and tested per key). Rates are the expected share, in [0, 1], of
// absent keys that a filter lets pass. All functions are pure and thread-safe;
// arguments must be finite, c > 0, k >= 1, rates in (0, 1).
#pragma once

#include <cstdint>
#include <functional>

namespace sstfilter {

// --- The textbook filter: k independent bits anywhere in one row of m bits. --
//
// Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", CACM
// 1970; the formulas in this form: Mitzenmacher and Upfal, "Probability and
// Computing".

// Share of bits set after n keys: 1 - e^(-k / c).
double StandardBloomFill(double bits_per_key, double probes);

// Rate: fill^k.
double StandardBloomRate(double bits_per_key, double probes);

// The k with the lowest rate, c ln 2, before rounding. There half of the bits
// are set.
double BestProbes(double bits_per_key);

// BestProbes as a whole number, at least 1.
int BestWholeProbes(double bits_per_key);

// The rate at the best (unrounded) k: e^(-c (ln 2)^2) = 0.6185^c.
double BestStandardBloomRate(double bits_per_key);

// The inverse: bits per key at which the best k reaches `rate`.
double StandardBloomBitsPerKey(double rate);

// --- The cache-line filter: one block of 512 bits per key, k bits inside. ----
//
// A block's load is Poisson distributed around 512 / c keys, and the rate is
// the average over blocks: fuller blocks lose more than emptier ones win, so it
// is above the textbook's. Putze, Sanders, Singler, "Cache-, Hash- and
// Space-Efficient Bloom Filters", 2007.

double CacheLineBloomFill(double bits_per_key, int probes);
double CacheLineBloomRate(double bits_per_key, int probes);

// The whole k with the lowest rate, in [1, 64].
int BestCacheLineProbes(double bits_per_key);

// Bits per key at which the best k reaches `rate`. May exceed what is
// practical: the curve flattens; returns infinity above 1000.
double CacheLineBloomBitsPerKey(double rate);

// --- Any filter. -------------------------------------------------------------

// Bytes for `keys` keys, rounded up. Saturates at the largest uint64_t.
uint64_t FilterBytes(uint64_t keys, double bits_per_key);

// Bits per key of `bytes` bytes over `keys` keys; 0 for no keys.
double BitsPerKey(uint64_t bytes, uint64_t keys);

// The smallest bits per key in [low, high] at which the falling curve
// `rate_of_bits` is at or below `rate`, to 1e-6; infinity if it is above `rate`
// even at `high`.
double BitsPerKeyForRate(const std::function<double(double)>& rate_of_bits,
                         double rate, double low, double high);

// Average of `value(load)` over blocks whose load is Poisson distributed around
// `mean`. The tails left out weigh less than 1e-12.
double PoissonAverage(double mean,
                      const std::function<double(uint64_t)>& value);

}  // namespace sstfilter
