// What the kernels of the parity filter share when they build: what to do with
// a block that has no key, too many, or the same one twice. How a block's
// system is solved is each kernel's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/algorithm.h"
#include "filter/parity_layout.h"

namespace sstfilter {

// Writes the block at `block` that binds `count` keys, at most
// kParityMaxColumns. `share` is kParityShares for a block that binds all its
// keys, and otherwise the code of one whose other keys may match. Returns
// false, and writes nothing, if there is no such block: always when keys are
// repeated.
using ParitySolveBlock = bool (*)(const ParityGeometry& geometry,
                                  const uint64_t* hashes, size_t count,
                                  int share, char* block);

// FilterKernel::build, given the function that solves blocks.
void BuildParityBlocks(const FilterShape& shape, uint64_t* hashes, size_t count,
                       char* payload, ParitySolveBlock solve);

// The kernels of other files; present on x86-64 only.
void ParityBuildAvx2(const FilterShape& shape, uint64_t* hashes, size_t count,
                     char* payload);
bool ParityMayMatchAvx2(const FilterView& view, uint64_t hash);
bool ParityMayMatchKeyAvx2(const FilterView& view, const char* key,
                           size_t length);
void ParityMayMatchBatchAvx2(const FilterView& view, const uint64_t* hashes,
                             size_t count, bool* results);
void ParityMayMatchKeysAvx2(const FilterView& view, const KeyBytes* const* keys,
                            size_t count, bool* results);

void ParityBuildAvx512(const FilterShape& shape, uint64_t* hashes, size_t count,
                       char* payload);
bool ParityMayMatchAvx512(const FilterView& view, uint64_t hash);
bool ParityMayMatchKeyAvx512(const FilterView& view, const char* key,
                             size_t length);
void ParityMayMatchBatchAvx512(const FilterView& view, const uint64_t* hashes,
                               size_t count, bool* results);
void ParityMayMatchKeysAvx512(const FilterView& view,
                              const KeyBytes* const* keys, size_t count,
                              bool* results);

}  // namespace sstfilter
