#include "filter/rate_curve.h"

#include "filter/algorithm.h"
#include "sstfilter/sizing.h"

namespace sstfilter {

double RateAt(FilterKind kind, double bits_per_key) {
  const FilterAlgorithm& algorithm = *AlgorithmFor(kind);
  return algorithm.false_positive_rate(
      algorithm.shape_for(kManyKeys, bits_per_key), kManyKeys);
}

double BitsForRate(FilterKind kind, double rate) {
  return BitsPerKeyForRate([kind](double bits) { return RateAt(kind, bits); },
                           rate, kMinBitsPerKey, kMaxBitsPerKey);
}

}  // namespace sstfilter
