#include "filter/parity.h"

#include <algorithm>

#include "filter/hash-inl.h"
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

const void* Constants(uint8_t parameter) {
  return &kParityTables.geometry[parameter];
}

double FalsePositiveRate(const FilterShape& shape, uint64_t keys) {
  return ParityFalsePositiveRate(shape.parameter, Slots(shape), keys);
}

// --- The scalar kernel.

struct ScalarOps {
  static void Split(const uint64_t* rows, int count, uint8_t* planes,
                    size_t stride) {
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i < 64; ++i) {
        planes[static_cast<size_t>(j) * stride + static_cast<size_t>(i)] =
            static_cast<uint8_t>(rows[i] >> (8 * j));
      }
    }
  }

  static void Columns(const uint8_t* plane, uint64_t* columns) {
    std::fill_n(columns, 8, 0);
    for (int i = 0; i < 64; i += 8) {
      const uint64_t bits = ParityTranspose(LoadBytes(plane + i));
      for (int j = 0; j < 8; ++j) columns[j] |= ((bits >> (8 * j)) & 255) << i;
    }
  }

  static void Join(const uint64_t* columns, uint8_t* plane) {
    for (int i = 0; i < 64; i += 8) {
      uint64_t bits = 0;
      for (int j = 0; j < 8; ++j) bits |= ((columns[j] >> i) & 255) << (8 * j);
      bits = ParityTranspose(bits);
      for (int k = 0; k < 8; ++k) {
        plane[i + k] = static_cast<uint8_t>(bits >> (8 * k));
      }
    }
  }

  template <int kHalves>
  static void Apply(ParityPlane<kHalves>* planes, int count,
                    const ParitySteps<kHalves>* steps, int groups) {
    for (int group = 0; group < groups; ++group) {
      const uint8_t* const factors = steps[group].factors.rows;
      for (int i = 0; i < count; ++i) {
        uint8_t* const rows = planes[i].rows;
        // All sums of the lower four pivots' bytes, and of the upper four.
        uint8_t low[16] = {};
        uint8_t high[16] = {};
        for (int j = 0; j < 4; ++j) {
          const uint8_t a = rows[ParityPivot(steps[group].pivots, j)];
          const uint8_t b = rows[ParityPivot(steps[group].pivots, 4 + j)];
          for (int k = 0; k < 1 << j; ++k) {
            low[(1 << j) + k] = low[k] ^ a;
            high[(1 << j) + k] = high[k] ^ b;
          }
        }
        for (int k = 0; k < 64 * kHalves; ++k) {
          rows[k] ^= low[factors[k] & 15] ^ high[factors[k] >> 4];
        }
      }
    }
  }

  template <int kHalves>
  static uint64_t Rows(const ParityPlane<kHalves>& plane,
                       const ParitySteps<kHalves>& steps) {
    return ParityPivotRows(plane, steps);
  }

  static void Place(uint64_t rows, int column, uint64_t* words) {
    for (int i = 0; i < 8; ++i) {
      const uint64_t bits = (rows >> (8 * i)) & 255;
      words[i] |=
          (column >= 0 ? bits << column : bits >> -column) & kParityWordMask;
    }
  }

  static void Window(const uint32_t* spread, int vector, uint8_t* planes,
                     size_t stride) {
    uint64_t varied[64];
    for (int i = 0; i < 64; ++i) varied[i] = spread[i] * kParityVaried[vector];
    Split(varied, 4, planes, stride);
  }

  static uint64_t Below(const uint8_t* selectors, int limit) {
    uint64_t below = 0;
    for (int i = 0; i < 64; ++i) {
      below |= static_cast<uint64_t>(selectors[i] < limit) << i;
    }
    return below;
  }

  static void Vary(uint32_t spread, uint32_t* out) {
    for (int i = 0; i < kParityVectors; ++i) out[i] = spread * kParityVaried[i];
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

 private:
  static uint64_t LoadBytes(const uint8_t* bytes) {
    return KernelLoad64(reinterpret_cast<const char*>(bytes));
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
  const ParityGeometry& geometry = ParityGeometryOf(view);
  return Test(geometry, KernelBlockOf(view, hash, 8U * geometry.words), hash);
}

// See BatchLookups.
struct Batch {
  template <typename HashOf>
  static void MayMatchAll(const FilterView& view, size_t count, HashOf hash_of,
                          bool* results) {
    ParityMayMatchAll(view, count, hash_of, results, ParityTestLarge);
  }
};

bool MayMatchOfKey(const FilterView& view, const char* key, size_t length) {
  return MayMatch(view, HashKeyInline(view.seed, key, length));
}

constexpr FilterKernel kKernels[] = {
#ifdef SSTFILTER_X86_KERNELS
    {{ParityMayMatchAvx512, ParityMayMatchKeyAvx512, ParityMayMatchBatchAvx512,
      ParityMayMatchKeysAvx512},
     ParityBuildAvx512,
     CpuLevel::kAvx512},
    {{ParityMayMatchAvx2, ParityMayMatchKeyAvx2, ParityMayMatchBatchAvx2,
      ParityMayMatchKeysAvx2},
     ParityBuildAvx2,
     CpuLevel::kAvx2},
#endif
    {{MayMatch, MayMatchOfKey, BatchLookups<Batch>::OfHashes,
      BatchLookups<Batch>::OfKeys},
     Build,
     CpuLevel::kScalar}};

}  // namespace

const FilterAlgorithm kParityAlgorithm = {
    FilterKind::kParity,
    ShapeFor,
    IsValidShape,
    FalsePositiveRate,
    kKernels,
    sizeof(kKernels) / sizeof(kKernels[0]),
    Slots,
    Constants};

}  // namespace sstfilter
