#include "filter/parity.h"

#include <algorithm>

#include "filter/parity-inl.h"
#include "filter/parity_build.h"
#include "filter/parity_solve-inl.h"
#include "sstfilter/sizing.h"

namespace sstfilter {

namespace {

FilterShape ShapeFor(uint64_t keys, double bits_per_key) {
  FilterShape shape;
  const uint64_t bytes =
      std::min(FilterBytes(keys, bits_per_key), kMaxPayloadBytes);
  shape.payload_bytes =
      std::max<uint64_t>(1, (bytes + kBlockBytes - 1) / kBlockBytes) *
      kBlockBytes;
  // What the keys really get: few keys have whole blocks to themselves.
  shape.parameter = static_cast<uint8_t>(ParityParameterFor(
      keys == 0 ? kMaxBitsPerKey : BitsPerKey(shape.payload_bytes, keys)));
  return shape;
}

bool IsValidShape(const FilterShape& shape) {
  return shape.payload_bytes >= kBlockBytes &&
         shape.payload_bytes <= kMaxPayloadBytes &&
         shape.payload_bytes % kBlockBytes == 0 &&
         shape.parameter < kParityGeometries &&
         kParityTables.geometry[shape.parameter].words != 0;
}

uint64_t Slots(const FilterShape& shape) {
  return shape.payload_bytes /
         (8U * kParityTables.geometry[shape.parameter].words);
}

double FalsePositiveRate(const FilterShape& shape, uint64_t keys) {
  return ParityFalsePositiveRate(shape.parameter, Slots(shape), keys);
}

// --- The scalar kernel.

struct ScalarOps {
  // Swaps off-diagonal quarters, of the whole, then of the quarters, and so on.
  static void Transpose(const uint64_t* rows, uint64_t* result, int groups) {
    uint64_t columns[64];
    std::copy_n(rows, 64, columns);
    uint64_t mask = 0x00000000ffffffff;
    for (int width = 32; width > 0; width /= 2, mask ^= mask << width) {
      for (int i = 0; i < 64; i = (i + width + 1) & ~width) {
        const uint64_t swap =
            ((columns[i] >> width) ^ columns[i + width]) & mask;
        columns[i] ^= swap << width;
        columns[i + width] ^= swap;
      }
    }
    std::copy_n(columns, 8 * groups, result);
  }

  // All ones if the column has the pivot's bit.
  template <int kHalves>
  static uint64_t Meet(const ParityColumns<kHalves>& columns, int i,
                       const ParityBatch<kHalves>& batch, int step) {
    uint64_t meet = 0;
    for (int half = 0; half < kHalves; ++half) {
      meet |= columns.half[half][i] & batch.pivot[half][step];
    }
    return meet != 0 ? ~uint64_t{0} : 0;
  }

  template <int kHalves>
  static void Apply(const ParityColumns<kHalves>& columns, int groups,
                    const ParityBatch<kHalves>& batch) {
    for (int i = 0; i < 8 * groups; ++i) {
      for (int step = 0; step < 8; ++step) {
        const uint64_t meet = Meet(columns, i, batch, step);
        for (int half = 0; half < kHalves; ++half) {
          columns.half[half][i] ^= batch.others[half][step] & meet;
        }
      }
    }
  }

  template <int kHalves>
  static void Collect(const ParityColumns<kHalves>& columns, int groups,
                      const ParityBatch<kHalves>& batch, uint64_t* low,
                      uint64_t* high) {
    for (int step = 0; step < 8; ++step) {
      const int column = batch.column + step;
      uint64_t* const words = column < kParityWordColumns ? low : high;
      const uint64_t bit = uint64_t{1} << (column % kParityWordColumns);
      for (int i = 0; i < 8 * groups; ++i) {
        words[i] |= Meet(columns, i, batch, step) & bit;
      }
    }
  }

  static void Vary(uint32_t spread, uint32_t* out, uint8_t* selectors) {
    for (int i = 0; i < kParityVectors; ++i) {
      out[i] = spread * kParityVaried[i];
      selectors[i] = static_cast<uint8_t>(out[i]);
    }
  }

  static uint64_t Below(const uint8_t (*selectors)[kParityVectors], int vector,
                        int limit) {
    uint64_t below = 0;
    for (int i = 0; i < 64; ++i) {
      below |= uint64_t{selectors[i][vector] < limit} << i;
    }
    return below;
  }

  static void Sum(const uint32_t (*rows)[kParityVectors], int i, uint64_t terms,
                  const uint8_t* pivots, uint32_t* out) {
    std::copy_n(rows[i], kParityVectors, out);
    for (; terms != 0; terms &= terms - 1) {
      const uint32_t* const row = rows[pivots[__builtin_ctzll(terms)]];
      for (int v = 0; v < kParityVectors; ++v) out[v] ^= row[v];
    }
  }

  static void Widths(uint32_t (*rows)[kParityVectors], int count, int* widths) {
    for (int v = 0; v < kParityVectors; ++v) {
      uint32_t pivots = 0;
      bool dependent = false;
      for (int i = 0; i < count; ++i) {
        const uint32_t row = rows[i][v];
        const uint32_t pivot = row & -row;
        pivots |= pivot;
        dependent = dependent || row == 0;
        for (int k = i + 1; k < count; ++k) {
          rows[k][v] ^= (rows[k][v] & pivot) != 0 ? row : 0;
        }
      }
      widths[v] = dependent ? kParityUnsolvable : 32 - __builtin_clz(pivots);
    }
  }
};

void Build(const FilterShape& shape, uint64_t* hashes, size_t count,
           char* payload) {
  BuildParityBlocks(shape, hashes, count, payload, ParitySolve<ScalarOps>);
}

bool Test(const ParityGeometry& geometry, const char* block, uint64_t hash) {
  return geometry.words == 8 ? ParityTestLarge(geometry, block, hash)
                             : ParityTestSmall(geometry, block, hash);
}

bool MayMatch(const FilterView& view, uint64_t hash) {
  const ParityGeometry& geometry = kParityTables.geometry[view.parameter];
  return Test(geometry, ParityBlockOf(view, hash, geometry.words), hash);
}

void MayMatchBatch(const FilterView& view, const uint64_t* hashes, size_t count,
                   bool* results) {
  const ParityGeometry& geometry = kParityTables.geometry[view.parameter];
  ParityTestBatch(view, geometry.words, hashes, count, results,
                  [&](const char* block, uint64_t hash) {
                    return Test(geometry, block, hash);
                  });
}

constexpr FilterKernel kKernels[] = {
#ifdef SSTFILTER_X86_KERNELS
    {CpuLevel::kAvx512, ParityBuildAvx512, ParityMayMatchAvx512,
     ParityMayMatchBatchAvx512},
    {CpuLevel::kAvx2, ParityBuildAvx2, ParityMayMatchAvx2,
     ParityMayMatchBatchAvx2},
#endif
    {CpuLevel::kScalar, Build, MayMatch, MayMatchBatch}};

}  // namespace

const FilterAlgorithm kParityAlgorithm = {
    FilterKind::kParity,
    ShapeFor,
    IsValidShape,
    FalsePositiveRate,
    kKernels,
    sizeof(kKernels) / sizeof(kKernels[0]),
    Slots};

}  // namespace sstfilter
