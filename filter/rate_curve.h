// False positive rate against bits per key, for filters of many keys.
#pragma once

#include <cstdint>

#include "sstfilter/filter_kind.h"

namespace sstfilter {

// Keys of a large filter: rounding up to whole blocks does not show.
inline constexpr uint64_t kManyKeys = 10'000'000;

// Expected rate of a large filter of `kind` (not kAuto) at `bits_per_key` in
// [kMinBitsPerKey, kMaxBitsPerKey].
double RateAt(FilterKind kind, double bits_per_key);

// The bits per key, in [kMinBitsPerKey, kMaxBitsPerKey], at which a large
// filter of `kind` (not kAuto) reaches `rate` in (0, 1); infinity when it
// cannot.
double BitsForRate(FilterKind kind, double rate);

}  // namespace sstfilter
