// The parity filter with AVX2: a block is two registers.
#if defined(__x86_64__)

#include <immintrin.h>

#include "filter/hash-inl.h"
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
  static void Split(const uint64_t* rows, int count, uint8_t* planes,
                    size_t stride) {
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
      for (int b = 0; b < count; ++b) {
        Store(planes + static_cast<size_t>(b) * stride + 32 * half, y[b]);
      }
    }
  }

  static void Columns(const uint8_t* plane, uint64_t* columns) {
    __m256i x = Load(plane);
    __m256i y = Load(plane + 32);
#pragma GCC unroll 8
    for (int j = 7; j >= 0; --j) {
      columns[j] =
          static_cast<uint32_t>(_mm256_movemask_epi8(x)) |
          (static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(y)))
           << 32);
      x = _mm256_add_epi8(x, x);
      y = _mm256_add_epi8(y, y);
    }
  }

  static void Join(const uint64_t* columns, uint8_t* plane) {
    // Bytes of all columns next to each other, then 8 x 8 bits transposed.
    const auto pair = [=](int i) {
      const __m128i x = _mm_set_epi64x(static_cast<long long>(columns[i + 1]),
                                       static_cast<long long>(columns[i]));
      return _mm_shuffle_epi8(x, _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12,
                                               5, 13, 6, 14, 7, 15));
    };
    const __m128i x0 = pair(0);
    const __m128i x2 = pair(2);
    const __m128i x4 = pair(4);
    const __m128i x6 = pair(6);
    const __m128i low0 = _mm_unpacklo_epi16(x0, x2);
    const __m128i high0 = _mm_unpackhi_epi16(x0, x2);
    const __m128i low4 = _mm_unpacklo_epi16(x4, x6);
    const __m128i high4 = _mm_unpackhi_epi16(x4, x6);
    Store(plane,
          TransposeBits(_mm256_set_m128i(_mm_unpackhi_epi32(low0, low4),
                                         _mm_unpacklo_epi32(low0, low4))));
    Store(plane + 32,
          TransposeBits(_mm256_set_m128i(_mm_unpackhi_epi32(high0, high4),
                                         _mm_unpacklo_epi32(high0, high4))));
  }

  // ParityTranspose.
  static __m256i TransposeBits(__m256i x) {
    __m256i swap =
        _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, 7)),
                         Broadcast(0x00aa00aa00aa00aa));
    x = _mm256_xor_si256(x, _mm256_xor_si256(swap, _mm256_slli_epi64(swap, 7)));
    swap = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, 14)),
                            Broadcast(0x0000cccc0000cccc));
    x = _mm256_xor_si256(x,
                         _mm256_xor_si256(swap, _mm256_slli_epi64(swap, 14)));
    swap = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, 28)),
                            Broadcast(0x00000000f0f0f0f0));
    return _mm256_xor_si256(
        x, _mm256_xor_si256(swap, _mm256_slli_epi64(swap, 28)));
  }

  template <int kHalves>
  static void Apply(ParityPlane<kHalves>* planes, int count,
                    const ParitySteps<kHalves>* steps, int groups) {
    // By four bits of factors, the sum of four pivots' bytes. Lane 0 is for
    // pivots 0..3, lane 1 for pivots 4..7; a negative index gives zero.
    const __m256i pick0 = _mm256_setr_epi8(
        -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 4, -1, 4,
        -1, 4, -1, 4, -1, 4, -1, 4, -1, 4, -1, 4);
    const __m256i pick1 = _mm256_setr_epi8(
        -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 5, 5,
        -1, -1, 5, 5, -1, -1, 5, 5, -1, -1, 5, 5);
    const __m256i pick2 = _mm256_setr_epi8(
        -1, -1, -1, -1, 2, 2, 2, 2, -1, -1, -1, -1, 2, 2, 2, 2, -1, -1, -1, -1,
        6, 6, 6, 6, -1, -1, -1, -1, 6, 6, 6, 6);
    const __m256i pick3 = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 3, 3,
                                           3, 3, 3, 3, 3, 3, -1, -1, -1, -1, -1,
                                           -1, -1, -1, 7, 7, 7, 7, 7, 7, 7, 7);
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    for (int group = 0; group < groups; ++group) {
      const uint64_t pivots = steps[group].pivots;
      __m256i low[2 * kHalves];
      __m256i high[2 * kHalves];
      for (int k = 0; k < 2 * kHalves; ++k) {
        const __m256i factors = Load(steps[group].factors.rows + 32 * k);
        low[k] = _mm256_and_si256(factors, nibble);
        high[k] = _mm256_and_si256(_mm256_srli_epi16(factors, 4), nibble);
      }
      for (int i = 0; i < count; ++i) {
        uint8_t* const rows = planes[i].rows;
        const auto byte = [=](int j) { return rows[ParityPivot(pivots, j)]; };
        __m128i x = _mm_cvtsi32_si128(byte(0));
        __m128i y = _mm_cvtsi32_si128(byte(4));
        x = _mm_insert_epi8(x, byte(1), 1);
        y = _mm_insert_epi8(y, byte(5), 1);
        x = _mm_insert_epi8(x, byte(2), 2);
        y = _mm_insert_epi8(y, byte(6), 2);
        x = _mm_insert_epi8(x, byte(3), 3);
        y = _mm_insert_epi8(y, byte(7), 3);
        const __m256i bytes = _mm256_broadcastq_epi64(_mm_unpacklo_epi32(x, y));
        const __m256i sums = _mm256_xor_si256(
            _mm256_xor_si256(_mm256_shuffle_epi8(bytes, pick0),
                             _mm256_shuffle_epi8(bytes, pick1)),
            _mm256_xor_si256(_mm256_shuffle_epi8(bytes, pick2),
                             _mm256_shuffle_epi8(bytes, pick3)));
        const __m256i sums0 = _mm256_permute2x128_si256(sums, sums, 0x00);
        const __m256i sums4 = _mm256_permute2x128_si256(sums, sums, 0x11);
        for (int k = 0; k < 2 * kHalves; ++k) {
          Store(rows + 32 * k,
                _mm256_xor_si256(
                    Load(rows + 32 * k),
                    _mm256_xor_si256(_mm256_shuffle_epi8(sums0, low[k]),
                                     _mm256_shuffle_epi8(sums4, high[k]))));
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
    const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(rows));
    Place(_mm256_cvtepu8_epi64(bytes), column, words);
    Place(_mm256_cvtepu8_epi64(_mm_srli_si128(bytes, 4)), column, words + 4);
  }

  static void Place(__m256i bits, int column, uint64_t* words) {
    bits = column >= 0 ? _mm256_sll_epi64(bits, _mm_cvtsi32_si128(column))
                       : _mm256_srl_epi64(bits, _mm_cvtsi32_si128(-column));
    Store(words,
          _mm256_or_si256(Load(words),
                          _mm256_and_si256(bits, Broadcast(kParityWordMask))));
  }

  static void Window(const uint32_t* spread, int vector, uint8_t* planes,
                     size_t stride) {
    const __m256i factor =
        _mm256_set1_epi32(static_cast<int>(kParityVaried[vector]));
    const __m256i byte = _mm256_set1_epi32(255);
    for (int half = 0; half < 2; ++half) {
      __m256i x[4];
      for (int i = 0; i < 4; ++i) {
        x[i] = _mm256_mullo_epi32(factor, Load(spread + 32 * half + 8 * i));
      }
      for (int j = 0; j < 4; ++j) {
        const __m256i packed = _mm256_packus_epi16(
            _mm256_packus_epi32(_mm256_and_si256(x[0], byte),
                                _mm256_and_si256(x[1], byte)),
            _mm256_packus_epi32(_mm256_and_si256(x[2], byte),
                                _mm256_and_si256(x[3], byte)));
        // Packing works within 128-bit lanes.
        Store(planes + static_cast<size_t>(j) * stride + 32 * half,
              _mm256_permutevar8x32_epi32(
                  packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
        for (__m256i& value : x) value = _mm256_srli_epi32(value, 8);
      }
    }
  }

  static uint64_t Below(const uint8_t* selectors, int limit) {
    // limit > 0: below it is what the maximum with limit - 1 does not change.
    const __m256i last = _mm256_set1_epi8(static_cast<char>(limit - 1));
    const auto below = [=](__m256i x) {
      return static_cast<uint32_t>(_mm256_movemask_epi8(
          _mm256_cmpeq_epi8(_mm256_max_epu8(x, last), last)));
    };
    return below(Load(selectors)) |
           (uint64_t{below(Load(selectors + 32))} << 32);
  }

  static void Vary(uint32_t spread, uint32_t* out) {
    Store(out, _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(spread)),
                                  Load(kParityVaried)));
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

inline bool MayMatch(const FilterView& view, uint64_t hash) {
  const ParityGeometry& geometry = ParityGeometryOf(view);
  if (__builtin_expect(geometry.words != 8, 0)) {
    return ParityTestSmall(
        geometry, KernelBlockOf(view, hash, 8U * geometry.words), hash);
  }
  return TestBlock(geometry, KernelBlockOf(view, hash, kBlockBytes), hash);
}

}  // namespace

void ParityBuildAvx2(const FilterShape& shape, uint64_t* hashes, size_t count,
                     char* payload) {
  BuildParityBlocks(shape, hashes, count, payload, ParitySolve<Ops>);
}

bool ParityMayMatchAvx2(const FilterView& view, uint64_t hash) {
  return MayMatch(view, hash);
}

bool ParityMayMatchKeyAvx2(const FilterView& view, const char* key,
                           size_t length) {
  return MayMatchKey(
      view, key, length,
      [](const FilterView& of, uint64_t hash) { return MayMatch(of, hash); });
}

void ParityMayMatchBatchAvx2(const FilterView& view, const uint64_t* hashes,
                             size_t count, bool* results) {
  ParityMayMatchAll(view, count, HashAsItIs(hashes), results, TestBlock);
}

void ParityMayMatchKeysAvx2(const FilterView& view, const KeyBytes* const* keys,
                            size_t count, bool* results) {
  ParityMayMatchAll(view, count, HashOfKey(view, keys), results, TestBlock);
}

}  // namespace sstfilter

#endif  // defined(__x86_64__)
