// The parity filter: at the size of a Bloom filter about a sixth of its false
// positives, for the same single cache line per lookup. The keys of each
// 64-byte block are bound by a system of linear equations over bits, which is
// solved when the block is written: a key is in the table only if every row of
// the block, ANDed with the key's vector, has the parity that the key's
// fingerprint says.
//
// filter/PARITY.md tells the idea and what was measured; filter/parity_layout.h
// defines the bits.
#pragma once

#include "filter/algorithm.h"

namespace sstfilter {

// FilterShape::parameter is the index of a geometry (filter/parity_layout.h).
// FilterView::slots counts blocks of that geometry: 64, 32 or 16 bytes.
extern const FilterAlgorithm kParityAlgorithm;

// Expected false positive rate of a block of the geometry `parameter` that
// holds `load` keys, in [0, 1].
double ParityBlockRate(int parameter, uint64_t load);

// The same for a filter of `slots` blocks over which `keys` keys are spread.
double ParityFalsePositiveRate(int parameter, uint64_t slots, uint64_t keys);

// The geometry for many keys at `bits_per_key`.
int ParityParameterFor(double bits_per_key);

}  // namespace sstfilter
