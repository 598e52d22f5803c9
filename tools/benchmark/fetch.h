// No filter: what its memory alone costs.
#pragma once

#include "filter/algorithm.h"

namespace sstfilter::benchmarks {

// As large as a bloom filter. For each hash it reads both ends of the block of
// 64 bytes that a filter would look at, in batches after prefetching all of
// them, and passes every key. A filter that reads such a block for each key
// takes no less time when its memory is far from the cache; one that can stop
// at its first probe may have to wait for one cache line where the block lies
// in two.
const FilterAlgorithm& FetchAlgorithm();

}  // namespace sstfilter::benchmarks
