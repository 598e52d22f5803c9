// What the kernels of the cache-line Bloom filter share when they build. How
// the bits of the blocks are written is each kernel's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/algorithm.h"
#include "filter/bloom.h"

namespace sstfilter {

// Writes `blocks` consecutive blocks at `out`. The hashes of the first come
// first, loads[0] of them, and so on.
using BloomWriteBlocks = void (*)(const BloomProbeSet& probe_set,
                                  const uint64_t* hashes, const size_t* loads,
                                  size_t blocks, char* out);

// FilterView::constants of this kind: what one value of FilterShape::parameter
// means to the kernels.
struct BloomConstants {
  // BloomSelector of the four probe codes.
  uint32_t selectors[4];
  // BloomPackedWords of the probed words, by 4 * BloomRotation + probe code.
  uint32_t packed_words[15 * 4];
};

// FilterKernel::build, given the function that writes blocks.
void BuildBloomBlocks(const FilterShape& shape, uint64_t* hashes, size_t count,
                      char* payload, BloomWriteBlocks write_blocks);

// The kernels of other files; present on x86-64 only.
void BloomBuildAvx2(const FilterShape& shape, uint64_t* hashes, size_t count,
                    char* payload);
bool BloomMayMatchAvx2(const FilterView& view, uint64_t hash);
bool BloomMayMatchKeyAvx2(const FilterView& view, const char* key,
                          size_t length);
void BloomMayMatchBatchAvx2(const FilterView& view, const uint64_t* hashes,
                            size_t count, bool* results);
void BloomMayMatchKeysAvx2(const FilterView& view, const KeyBytes* const* keys,
                           size_t count, bool* results);

void BloomBuildAvx512(const FilterShape& shape, uint64_t* hashes, size_t count,
                      char* payload);
bool BloomMayMatchAvx512(const FilterView& view, uint64_t hash);
bool BloomMayMatchKeyAvx512(const FilterView& view, const char* key,
                            size_t length);
void BloomMayMatchBatchAvx512(const FilterView& view, const uint64_t* hashes,
                              size_t count, bool* results);
void BloomMayMatchKeysAvx512(const FilterView& view,
                             const KeyBytes* const* keys, size_t count,
                             bool* results);

}  // namespace sstfilter
