// The parity filter with AVX2: a block is two registers.
#if defined(__x86_64__)

#include <immintrin.h>

#include "filter/parity-inl.h"
#include "filter/parity_build.h"
#include "filter/parity_solve-inl.h"

namespace sstfilter {

namespace {

inline __m256i Broadcast(uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

inline __m256i Load(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

inline void Store(void* p, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(p), value);
}

// Four small counts as the lanes of a register.
inline __m256i Counts(const uint8_t* counts) {
  return _mm256_cvtepu8_epi64(_mm_loadu_si32(counts));
}

// Bit i: the parity of 64-bit word i of first, then of second.
inline unsigned Parities(__m256i first, __m256i second) {
  // The halves of each word are folded into the half that the other register
  // leaves free: words 0, 4, 1, 5, 2, 6, 3, 7.
  __m256i x = _mm256_blend_epi32(
      _mm256_xor_si256(first, _mm256_srli_epi64(first, 32)),
      _mm256_xor_si256(second, _mm256_slli_epi64(second, 32)), 0xaa);
  // All else in place, towards the top.
  x = _mm256_xor_si256(x, _mm256_slli_epi32(x, 16));
  x = _mm256_xor_si256(x, _mm256_slli_epi32(x, 8));
  x = _mm256_xor_si256(x, _mm256_slli_epi32(x, 4));
  // The parity of four bits, at the top of its byte.
  const __m256i table = _mm256_setr_epi8(
      0, -128, -128, 0, -128, 0, 0, -128, -128, 0, 0, -128, 0, -128, -128, 0, 0,
      -128, -128, 0, -128, 0, 0, -128, -128, 0, 0, -128, 0, -128, -128, 0);
  x = _mm256_shuffle_epi8(
      table, _mm256_and_si256(_mm256_srli_epi32(x, 4), _mm256_set1_epi8(0x0f)));
  x = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
}

// Bit i: the parity of 64-bit word i.
inline unsigned Parities(__m256i words) {
  __m256i x = _mm256_xor_si256(words, _mm256_slli_epi64(words, 32));
  x = _mm256_xor_si256(x, _mm256_slli_epi64(x, 16));
  x = _mm256_xor_si256(x, _mm256_slli_epi64(x, 8));
  x = _mm256_xor_si256(x, _mm256_slli_epi64(x, 4));
  x = _mm256_xor_si256(x, _mm256_slli_epi64(x, 2));
  x = _mm256_xor_si256(x, _mm256_slli_epi64(x, 1));
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(x)));
}

// The vector's bits that words `at`..`at` + 3 of a string meet.
inline __m256i StringMask(const ParityString& string, int at, uint64_t low,
                          uint64_t high) {
  const __m256i lows = Broadcast(low);
  __m256i mask =
      _mm256_or_si256(_mm256_sllv_epi64(lows, Counts(string.direct + at)),
                      _mm256_sllv_epi64(lows, Counts(string.wrapped + at)));
  if (string.first_row == 4) {
    const __m256i highs = Broadcast(high);
    mask = _mm256_or_si256(
        mask, _mm256_or_si256(
                  _mm256_srlv_epi64(lows, Counts(string.low_right + at)),
                  _mm256_sllv_epi64(highs, Counts(string.high_left + at))));
    mask = _mm256_or_si256(
        mask, _mm256_srlv_epi64(highs, Counts(string.high_right + at)));
  }
  return _mm256_and_si256(mask, Broadcast(string.mask));
}

// Bits of the words below the boundaries.
inline __m256i Below(const ParityString& string, int at, __m256i bits) {
  return _mm256_andnot_si256(
      _mm256_sllv_epi64(Broadcast(~uint64_t{0}), Counts(string.boundary + at)),
      bits);
}

// The rows of the string; out of line because few absent keys come here.
__attribute__((noinline)) bool TestString(const ParityString& string,
                                          const char* block, uint64_t low,
                                          uint64_t high, uint32_t varied,
                                          uint32_t fingerprint) {
  const __m256i words0 = Load(block);
  const __m256i words1 = Load(block + 32);
  unsigned parts;
  if (string.first_row == 4) {
    const __m256i bits =
        _mm256_and_si256(words1, StringMask(string, 4, low, high));
    const __m256i below = Below(string, 4, bits);
    parts = Parities(below, _mm256_xor_si256(bits, below));
    parts = ((parts & 15) << 4) | ((parts & 0xf0) << 8);
  } else {
    const uint64_t first = low;
    for (int layer = 1; layer < string.layers; ++layer) {
      low <<= string.first_bit / string.layers;
      const __m256i lows = Broadcast(low);
      if (((Parities(_mm256_and_si256(words0, lows),
                     _mm256_and_si256(words1, lows)) ^
            fingerprint) &
           255) != 0) {
        return false;
      }
      fingerprint >>= 8;
    }
    const __m256i bits0 =
        _mm256_and_si256(words0, StringMask(string, 0, first, 0));
    const __m256i bits1 =
        _mm256_and_si256(words1, StringMask(string, 4, first, 0));
    const __m256i below0 = Below(string, 0, bits0);
    const __m256i below1 = Below(string, 4, bits1);
    parts =
        Parities(below0, below1) | (Parities(_mm256_xor_si256(bits0, below0),
                                             _mm256_xor_si256(bits1, below1))
                                    << 8);
  }
  // All rows of the string at once: row i in lane i.
  __m128i sum = _mm_and_si128(
      _mm_set1_epi16(static_cast<short>(parts)),
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(string.parts)));
  sum = _mm_xor_si128(sum, _mm_srli_epi16(sum, 8));
  sum = _mm_xor_si128(sum, _mm_srli_epi16(sum, 4));
  const __m128i table =
      _mm_setr_epi8(0, -1, -1, 0, -1, 0, 0, -1, -1, 0, 0, -1, 0, -1, -1, 0);
  sum = _mm_shuffle_epi8(table, _mm_and_si128(sum, _mm_set1_epi16(0x000f)));
  // The upper bytes are all table[0], which is 0.
  const unsigned sums = static_cast<unsigned>(
      _mm_movemask_epi8(_mm_packus_epi16(sum, _mm_setzero_si128())));
  // Whether the fraction binds the key, without a branch: it would be a coin
  // toss. A threshold of 0 binds no key; without a fraction it is 0.
  const uint32_t bound = ((varied & 255) - string.threshold) >> 31;
  return _bzhi_u32(sums ^ fingerprint, string.full_rows + bound) == 0;
}

inline bool TestBlock(const ParityGeometry& geometry, const char* block,
                      uint64_t hash) {
  const __m256i words0 = Load(block);
  const __m256i words1 = Load(block + 32);
  const ParityKey key = ParityExpand(hash);
  const unsigned code =
      static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(words0))) |
      (static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(words1)))
       << 4);
  unsigned columns = geometry.columns[code];
  const unsigned vector = geometry.vector[code];
  // Systems that bind a share of the keys have no fraction.
  uint32_t no_fraction = 0;
  if (__builtin_expect(columns == 0, 0)) {
    if (code < kParityFirstShare || code >= kParityFirstCode) {
      return ParitySpecialCode(code);
    }
    if (key.Share() >= static_cast<int>(code)) return true;
    columns = geometry.max_columns;
    no_fraction = 255;
  }
  const uint32_t varied = key.spread * kParityVaried[vector];
  uint64_t low = ParityLow(geometry, key, varied);
  const uint32_t fingerprint = key.Fingerprint();
  if (columns <= kParityWordColumns) {
    low = _bzhi_u64(low, columns);
    const __m256i lows = Broadcast(low);
    const unsigned parities = Parities(_mm256_and_si256(words0, lows),
                                       _mm256_and_si256(words1, lows));
    if (((parities ^ fingerprint) & 255) != 0) return false;
    return TestString(kParityTables.string[columns], block, low, 0,
                      varied | no_fraction, fingerprint >> 8);
  }
  low &= kParityWordMask;
  const uint64_t high = _bzhi_u64(ParityHigh(geometry, key, varied),
                                  columns - kParityWordColumns);
  const unsigned parities =
      Parities(_mm256_xor_si256(_mm256_and_si256(words0, Broadcast(low)),
                                _mm256_and_si256(words1, Broadcast(high))));
  if (((parities ^ fingerprint) & 15) != 0) return false;
  return TestString(kParityTables.string[columns], block, low, high,
                    varied | no_fraction, fingerprint >> 4);
}

struct Ops {
  static void Transpose(const uint64_t* rows, uint64_t* columns, int groups) {
    // Bytes of 32 rows at a time; then MOVEMASK takes one bit of each.
    auto* const out = reinterpret_cast<uint32_t*>(columns);
    for (int half = 0; half < 2; ++half) {
      // Within each 128-bit lane: bytes 0 of its two rows, bytes 1, ...
      const __m256i pair = _mm256_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5,
                                            13, 6, 14, 7, 15, 0, 8, 1, 9, 2, 10,
                                            3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
      __m256i x[8];
      for (int i = 0; i < 8; ++i) {
        // Rows 2 i, 2 i + 1 in the low lane, 16 more in the high lane.
        const uint64_t* const low = rows + 32 * half + 2 * i;
        x[i] = _mm256_shuffle_epi8(
            _mm256_inserti128_si256(
                _mm256_castsi128_si256(
                    _mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(low + 16)), 1),
            pair);
      }
      // 2-byte pieces of two registers, then 4-byte, then 8-byte.
      __m256i y[8];
      for (int i = 0; i < 8; i += 2) {
        y[i] = _mm256_unpacklo_epi16(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_epi16(x[i], x[i + 1]);
      }
      for (int i = 0; i < 8; i += 4) {
        x[i] = _mm256_unpacklo_epi32(y[i], y[i + 2]);
        x[i + 1] = _mm256_unpackhi_epi32(y[i], y[i + 2]);
        x[i + 2] = _mm256_unpacklo_epi32(y[i + 1], y[i + 3]);
        x[i + 3] = _mm256_unpackhi_epi32(y[i + 1], y[i + 3]);
      }
      for (int i = 0; i < 4; ++i) {
        y[2 * i] = _mm256_unpacklo_epi64(x[i], x[i + 4]);
        y[2 * i + 1] = _mm256_unpackhi_epi64(x[i], x[i + 4]);
      }
      // y[b]: byte b of 32 rows.
      for (int b = 0; b < groups; ++b) {
        __m256i bits = y[b];
#pragma GCC unroll 8
        for (int bit = 7; bit >= 0; --bit) {
          out[2 * (8 * b + bit) + half] =
              static_cast<uint32_t>(_mm256_movemask_epi8(bits));
          bits = _mm256_add_epi8(bits, bits);
        }
      }
    }
  }

  // All ones in the lanes of columns that do not have the pivot's bit.
  static inline __attribute__((always_inline)) __m256i Missing(__m256i x,
                                                               uint64_t pivot) {
    return _mm256_cmpeq_epi64(_mm256_and_si256(x, Broadcast(pivot)),
                              _mm256_setzero_si256());
  }

  static inline __attribute__((always_inline)) __m256i Missing(
      __m256i x, __m256i y, uint64_t pivot_x, uint64_t pivot_y) {
    return _mm256_cmpeq_epi64(
        _mm256_or_si256(_mm256_and_si256(x, Broadcast(pivot_x)),
                        _mm256_and_si256(y, Broadcast(pivot_y))),
        _mm256_setzero_si256());
  }

  static void Apply(const ParityColumns<1>& columns, int groups,
                    const ParityBatch<1>& batch) {
    uint64_t* const cols = columns.half[0];
    for (int g = 0; g < groups; ++g) {
      __m256i x = Load(cols + 8 * g);
      __m256i y = Load(cols + 8 * g + 4);
#pragma GCC unroll 8
      for (int s = 0; s < 8; ++s) {
        const uint64_t pivot = batch.pivot[0][s];
        const __m256i others = Broadcast(batch.others[0][s]);
        x = _mm256_xor_si256(x, _mm256_andnot_si256(Missing(x, pivot), others));
        y = _mm256_xor_si256(y, _mm256_andnot_si256(Missing(y, pivot), others));
      }
      Store(cols + 8 * g, x);
      Store(cols + 8 * g + 4, y);
    }
  }

  static void Apply(const ParityColumns<2>& columns, int groups,
                    const ParityBatch<2>& batch) {
    for (int g = 0; g < 2 * groups; ++g) {
      __m256i x = Load(columns.half[0] + 4 * g);
      __m256i y = Load(columns.half[1] + 4 * g);
#pragma GCC unroll 8
      for (int s = 0; s < 8; ++s) {
        const __m256i missing =
            Missing(x, y, batch.pivot[0][s], batch.pivot[1][s]);
        x = _mm256_xor_si256(
            x, _mm256_andnot_si256(missing, Broadcast(batch.others[0][s])));
        y = _mm256_xor_si256(
            y, _mm256_andnot_si256(missing, Broadcast(batch.others[1][s])));
      }
      Store(columns.half[0] + 4 * g, x);
      Store(columns.half[1] + 4 * g, y);
    }
  }

  template <int kHalves>
  static void Collect(const ParityColumns<kHalves>& columns, int groups,
                      const ParityBatch<kHalves>& batch, uint64_t* low,
                      uint64_t* high) {
    for (int g = 0; g < 2 * groups; ++g) {
      const __m256i x = Load(columns.half[0] + 4 * g);
      const __m256i y = Load(columns.half[kHalves - 1] + 4 * g);
      __m256i bits = _mm256_setzero_si256();
#pragma GCC unroll 8
      for (int s = 0; s < 8; ++s) {
        const __m256i missing =
            kHalves == 1
                ? Missing(x, batch.pivot[0][s])
                : Missing(x, y, batch.pivot[0][s], batch.pivot[kHalves - 1][s]);
        bits = _mm256_or_si256(
            bits, _mm256_andnot_si256(missing, Broadcast(uint64_t{1} << s)));
      }
      // The eight columns may begin in one word and end in the other.
      Place(bits, batch.column, low + 4 * g);
      Place(bits, batch.column - kParityWordColumns, high + 4 * g);
    }
  }

  // Adds `bits`, shifted left by `count`, to the 63-bit words at `to`.
  static void Place(__m256i bits, int count, uint64_t* to) {
    if (count >= kParityWordColumns || count <= -8) return;
    bits = count >= 0 ? _mm256_sll_epi64(bits, _mm_cvtsi32_si128(count))
                      : _mm256_srl_epi64(bits, _mm_cvtsi32_si128(-count));
    Store(to, _mm256_or_si256(Load(to), _mm256_and_si256(
                                            bits, Broadcast(kParityWordMask))));
  }

  static void Vary(uint32_t spread, uint32_t* out, uint8_t* selectors) {
    const __m256i varied = _mm256_mullo_epi32(
        _mm256_set1_epi32(static_cast<int>(spread)), Load(kParityVaried));
    Store(out, varied);
    const __m256i lowest = _mm256_shuffle_epi8(
        varied,
        _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(selectors),
                     _mm_unpacklo_epi32(_mm256_castsi256_si128(lowest),
                                        _mm256_extracti128_si256(lowest, 1)));
  }

  static uint64_t Below(const uint8_t (*selectors)[kParityVectors], int vector,
                        int limit) {
    // limit > 0: below it is what the maximum with limit - 1 does not change.
    const __m256i last = _mm256_set1_epi8(static_cast<char>(limit - 1));
    uint64_t below = 0;
    for (int i = 0; i < 16; ++i) {
      const __m256i x = Load(selectors + 4 * i);
      auto bits = static_cast<uint32_t>(_mm256_movemask_epi8(
          _mm256_cmpeq_epi8(_mm256_max_epu8(x, last), last)));
      // The bits of the vector, 8 apart, brought together in the upper byte.
      bits = (bits >> vector) & 0x01010101;
      below |= static_cast<uint64_t>((bits * 0x10204080U) >> 28) << (4 * i);
    }
    return below;
  }

  static void Sum(const uint32_t (*rows)[kParityVectors], int i, uint64_t terms,
                  const uint8_t* pivots, uint32_t* out) {
    __m256i sum = Load(rows[i]);
    for (; terms != 0; terms &= terms - 1) {
      sum = _mm256_xor_si256(sum, Load(rows[pivots[_tzcnt_u64(terms)]]));
    }
    Store(out, sum);
  }

  static void Widths(uint32_t (*rows)[kParityVectors], int count, int* widths) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i pivots = zero;
    __m256i dependent = zero;
    for (int i = 0; i < count; ++i) {
      const __m256i row = Load(rows[i]);
      const __m256i pivot = _mm256_and_si256(row, _mm256_sub_epi32(zero, row));
      pivots = _mm256_or_si256(pivots, pivot);
      dependent = _mm256_or_si256(dependent, _mm256_cmpeq_epi32(row, zero));
      for (int k = i + 1; k < count; ++k) {
        const __m256i other = Load(rows[k]);
        const __m256i missing =
            _mm256_cmpeq_epi32(_mm256_and_si256(other, pivot), zero);
        Store(rows[k],
              _mm256_xor_si256(other, _mm256_andnot_si256(missing, row)));
      }
    }
    alignas(32) uint32_t out[kParityVectors];
    Store(out, pivots);
    const int bad = _mm256_movemask_ps(_mm256_castsi256_ps(dependent));
    for (int v = 0; v < kParityVectors; ++v) {
      widths[v] = ((bad >> v) & 1) != 0 ? kParityUnsolvable
                                        : 32 - __builtin_clz(out[v]);
    }
  }
};

}  // namespace

void ParityBuildAvx2(const FilterShape& shape, uint64_t* hashes, size_t count,
                     char* payload) {
  BuildParityBlocks(shape, hashes, count, payload, ParitySolve<Ops>);
}

bool ParityMayMatchAvx2(const FilterView& view, uint64_t hash) {
  const ParityGeometry& geometry = kParityTables.geometry[view.parameter];
  if (__builtin_expect(geometry.words != 8, 0)) {
    return ParityTestSmall(geometry, ParityBlockOf(view, hash, geometry.words),
                           hash);
  }
  return TestBlock(geometry, ParityBlockOf(view, hash, 8), hash);
}

void ParityMayMatchBatchAvx2(const FilterView& view, const uint64_t* hashes,
                             size_t count, bool* results) {
  const ParityGeometry& geometry = kParityTables.geometry[view.parameter];
  if (geometry.words != 8) {
    ParityTestBatch(view, geometry.words, hashes, count, results,
                    [&](const char* block, uint64_t hash) {
                      return ParityTestSmall(geometry, block, hash);
                    });
    return;
  }
  ParityTestBatch(view, 8, hashes, count, results,
                  [&](const char* block, uint64_t hash) {
                    return TestBlock(geometry, block, hash);
                  });
}

}  // namespace sstfilter

#endif  // defined(__x86_64__)
