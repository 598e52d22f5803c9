// The parity filter with AVX-512: a block is one register, and eight rows are
// tested at once.
#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's own AVX-512 header starts from a variable it leaves undefined on
// purpose, and warns of it where it inlines it.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include "filter/hash-inl.h"
#include "filter/parity-inl.h"
#include "filter/parity_build.h"
#include "filter/parity_solve-inl.h"

namespace sstfilter {

namespace {

inline __m512i Broadcast(uint64_t value) {
  return _mm512_set1_epi64(static_cast<long long>(value));
}

// Eight small counts as the lanes of a register.
inline __m512i Counts(const uint8_t* counts) {
  return _mm512_cvtepu8_epi64(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(counts)));
}

// Bit i: the parity of word i.
inline unsigned Parities(__m512i words) {
  return _mm512_test_epi64_mask(_mm512_popcnt_epi64(words), Broadcast(1));
}

// The rows of the string; out of line because few absent keys come here.
__attribute__((noinline)) bool TestString(const ParityString& string,
                                          __m512i words, uint64_t low,
                                          uint64_t high, uint32_t varied,
                                          uint32_t fingerprint) {
  const __m512i lows = Broadcast(low);
  __m512i mask =
      _mm512_or_si512(_mm512_sllv_epi64(lows, Counts(string.direct)),
                      _mm512_sllv_epi64(lows, Counts(string.wrapped)));
  if (string.first_row == 4) {
    const __m512i highs = Broadcast(high);
    mask = _mm512_ternarylogic_epi64(
        mask, _mm512_srlv_epi64(lows, Counts(string.low_right)),
        _mm512_sllv_epi64(highs, Counts(string.high_left)), 0xfe);
    mask = _mm512_or_si512(mask,
                           _mm512_srlv_epi64(highs, Counts(string.high_right)));
  } else {
    for (int layer = 1; layer < string.layers; ++layer) {
      low <<= string.first_bit / string.layers;
      if ((Parities(_mm512_and_si512(words, Broadcast(low))) ^
           (fingerprint & 255)) != 0) {
        return false;
      }
      fingerprint >>= 8;
    }
  }
  const __m512i bits =
      _mm512_ternarylogic_epi64(words, mask, Broadcast(string.mask), 0x80);
  const __m512i below = _mm512_andnot_si512(
      _mm512_sllv_epi64(Broadcast(~uint64_t{0}), Counts(string.boundary)),
      bits);
  const unsigned first = Parities(below);
  const unsigned parts = first | ((Parities(bits) ^ first) << 8);
  // All rows of the string at once: row i in lane i.
  const unsigned sums = Parities(_mm512_cvtepu16_epi64(_mm_and_si128(
      _mm_set1_epi16(static_cast<short>(parts)),
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(string.parts)))));
  // Whether the fraction binds the key, without a branch: it would be a coin
  // toss. A threshold of 0 binds no key; without a fraction it is 0.
  const uint32_t bound = ((varied & 255) - string.threshold) >> 31;
  return _bzhi_u32(sums ^ fingerprint, string.full_rows + bound) == 0;
}

inline bool TestBlock(const ParityGeometry& geometry, const char* block,
                      uint64_t hash) {
  const __m512i words = _mm512_loadu_si512(block);
  const ParityKey key = ParityExpand(hash);
  const unsigned code = _mm512_movepi64_mask(words);
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
    const unsigned parities = Parities(_mm512_and_si512(words, Broadcast(low)));
    if (((parities ^ fingerprint) & 255) != 0) return false;
    return TestString(kParityTables.string[columns], words, low, 0,
                      varied | no_fraction, fingerprint >> 8);
  }
  low &= kParityWordMask;
  const uint64_t high = _bzhi_u64(ParityHigh(geometry, key, varied),
                                  columns - kParityWordColumns);
  const __m512i vectors = _mm512_mask_set1_epi64(Broadcast(low), 0xf0,
                                                 static_cast<long long>(high));
  unsigned parities = Parities(_mm512_and_si512(words, vectors));
  parities ^= parities >> 4;
  if (((parities ^ fingerprint) & 15) != 0) return false;
  return TestString(kParityTables.string[columns], words, low, high,
                    varied | no_fraction, fingerprint >> 4);
}

// Indices of bytes that transpose 8 x 8 bytes, as they are, or with the bytes
// of each word of the result in reverse order.
struct Shuffles {
  alignas(64) uint8_t transposed[64];
  alignas(64) uint8_t reversed[64];
};

constexpr Shuffles MakeShuffles() {
  Shuffles shuffles{};
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      shuffles.transposed[8 * i + j] = static_cast<uint8_t>(8 * j + i);
      shuffles.reversed[8 * i + j] = static_cast<uint8_t>(8 * (7 - j) + i);
    }
  }
  return shuffles;
}

constexpr Shuffles kShuffles = MakeShuffles();

struct Ops {
  // Words of eight registers: word i of register j becomes word j of register
  // i.
  static void TransposeWords(__m512i* x) {
    __m512i pairs[8];
    for (int i = 0; i < 8; i += 2) {
      pairs[i] = _mm512_unpacklo_epi64(x[i], x[i + 1]);
      pairs[i + 1] = _mm512_unpackhi_epi64(x[i], x[i + 1]);
    }
    // Now pairs[i] holds in its 128-bit lane l the word 2 l + (i & 1) of two
    // registers.
    for (int odd = 0; odd < 2; ++odd) {
      const __m512i low01 =
          _mm512_shuffle_i64x2(pairs[odd], pairs[2 + odd], 0x44);
      const __m512i low23 =
          _mm512_shuffle_i64x2(pairs[odd], pairs[2 + odd], 0xee);
      const __m512i high01 =
          _mm512_shuffle_i64x2(pairs[4 + odd], pairs[6 + odd], 0x44);
      const __m512i high23 =
          _mm512_shuffle_i64x2(pairs[4 + odd], pairs[6 + odd], 0xee);
      x[odd] = _mm512_shuffle_i64x2(low01, high01, 0x88);
      x[2 + odd] = _mm512_shuffle_i64x2(low01, high01, 0xdd);
      x[4 + odd] = _mm512_shuffle_i64x2(low23, high23, 0x88);
      x[6 + odd] = _mm512_shuffle_i64x2(low23, high23, 0xdd);
    }
  }

  static void Split(const uint64_t* rows, int count, uint8_t* planes,
                    size_t stride) {
    const __m512i transpose = _mm512_load_si512(kShuffles.transposed);
    __m512i x[8];
    for (int j = 0; j < 8; ++j) {
      // Word i: byte i of eight rows.
      x[j] =
          _mm512_permutexvar_epi8(transpose, _mm512_loadu_si512(rows + 8 * j));
    }
    TransposeWords(x);
    for (int i = 0; i < count; ++i) {
      _mm512_storeu_si512(planes + static_cast<size_t>(i) * stride, x[i]);
    }
  }

  // GF2P8AFFINEQB multiplies each byte by the 8 x 8 bits of a word. Given the
  // bytes of the identity matrix it transposes the word, if the word's bytes
  // are in reverse order.
  static __m512i Identity() { return Broadcast(0x8040201008040201); }

  static void Columns(const uint8_t* plane, uint64_t* columns) {
    const __m512i reverse = _mm512_broadcast_i32x4(
        _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
    const __m512i bits = _mm512_gf2p8affine_epi64_epi8(
        Identity(), _mm512_shuffle_epi8(_mm512_loadu_si512(plane), reverse), 0);
    _mm512_storeu_si512(
        columns,
        _mm512_permutexvar_epi8(_mm512_load_si512(kShuffles.transposed), bits));
  }

  static void Join(const uint64_t* columns, uint8_t* plane) {
    // Not a load: the words have only just been written, one by one.
    const auto word = [=](int i) { return static_cast<long long>(columns[i]); };
    const __m512i bits = _mm512_set_epi64(word(7), word(6), word(5), word(4),
                                          word(3), word(2), word(1), word(0));
    _mm512_storeu_si512(plane,
                        _mm512_gf2p8affine_epi64_epi8(
                            Identity(),
                            _mm512_permutexvar_epi8(
                                _mm512_load_si512(kShuffles.reversed), bits),
                            0));
  }

  // In each word the bytes of the pivots, the first one last.
  static __m512i Pivots(const ParityPlane<1>& plane, __m512i pivots) {
    return _mm512_permutexvar_epi8(pivots, _mm512_loadu_si512(plane.rows));
  }

  static __m512i Pivots(const ParityPlane<2>& plane, __m512i pivots) {
    return _mm512_permutex2var_epi8(_mm512_loadu_si512(plane.rows), pivots,
                                    _mm512_loadu_si512(plane.rows + 64));
  }

  template <int kHalves>
  static void Apply(ParityPlane<kHalves>* planes, int count,
                    const ParitySteps<kHalves>* steps, int groups) {
    // The identity with its bytes in reverse order: the transposed word has
    // them in the order in which it can be multiplied by.
    const __m512i transpose = Broadcast(0x0102040810204080);
    for (int group = 0; group < groups; ++group) {
      const __m512i pivots = Broadcast(steps[group].pivots);
      const uint8_t* const factors = steps[group].factors.rows;
      for (int i = 0; i < count; ++i) {
        const __m512i matrix = _mm512_gf2p8affine_epi64_epi8(
            transpose, Pivots(planes[i], pivots), 0);
        for (int half = 0; half < kHalves; ++half) {
          uint8_t* const rows = planes[i].rows + 64 * half;
          _mm512_storeu_si512(
              rows,
              _mm512_xor_si512(
                  _mm512_loadu_si512(rows),
                  _mm512_gf2p8affine_epi64_epi8(
                      _mm512_loadu_si512(factors + 64 * half), matrix, 0)));
        }
      }
    }
  }

  template <int kHalves>
  static uint64_t Rows(const ParityPlane<kHalves>& plane,
                       const ParitySteps<kHalves>& steps) {
    const __m128i rows = _mm512_castsi512_si128(_mm512_gf2p8affine_epi64_epi8(
        Identity(), Pivots(plane, Broadcast(steps.pivots)), 0));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(
        _mm_and_si128(rows, _mm_set1_epi8(static_cast<char>(steps.valid)))));
  }

  static void Place(uint64_t rows, int column, uint64_t* words) {
    __m512i bits =
        _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(rows)));
    bits = column >= 0 ? _mm512_sll_epi64(bits, _mm_cvtsi32_si128(column))
                       : _mm512_srl_epi64(bits, _mm_cvtsi32_si128(-column));
    _mm512_storeu_si512(
        words, _mm512_ternarylogic_epi64(bits, Broadcast(kParityWordMask),
                                         _mm512_loadu_si512(words), 0xea));
  }

  static void Window(const uint32_t* spread, int vector, uint8_t* planes,
                     size_t stride) {
    const __m512i factor =
        _mm512_set1_epi32(static_cast<int>(kParityVaried[vector]));
    __m512i x[4];
    for (int i = 0; i < 4; ++i) {
      x[i] = _mm512_mullo_epi32(factor, _mm512_loadu_si512(spread + 16 * i));
    }
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 4; ++i) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(
                             planes + static_cast<size_t>(j) * stride + 16 * i),
                         _mm512_cvtepi32_epi8(x[i]));
        x[i] = _mm512_srli_epi32(x[i], 8);
      }
    }
  }

  static uint64_t Below(const uint8_t* selectors, int limit) {
    return _mm512_cmplt_epu8_mask(_mm512_loadu_si512(selectors),
                                  _mm512_set1_epi8(static_cast<char>(limit)));
  }

  static __m256i Load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
  }

  static void Store(void* p, __m256i value) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), value);
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
    __m256i pivots = _mm256_setzero_si256();
    unsigned dependent = 0;
    for (int i = 0; i < count; ++i) {
      const __m256i row = Load(rows[i]);
      const __m256i pivot =
          _mm256_and_si256(row, _mm256_sub_epi32(_mm256_setzero_si256(), row));
      pivots = _mm256_or_si256(pivots, pivot);
      dependent |= _mm256_testn_epi32_mask(row, row);
      for (int k = i + 1; k < count; ++k) {
        const __m256i other = Load(rows[k]);
        Store(rows[k],
              _mm256_mask_xor_epi32(other, _mm256_test_epi32_mask(other, pivot),
                                    other, row));
      }
    }
    alignas(32) uint32_t out[kParityVectors];
    Store(out, pivots);
    for (int v = 0; v < kParityVectors; ++v) {
      widths[v] = ((dependent >> v) & 1) != 0 ? kParityUnsolvable
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

void ParityBuildAvx512(const FilterShape& shape, uint64_t* hashes, size_t count,
                       char* payload) {
  BuildParityBlocks(shape, hashes, count, payload, ParitySolve<Ops>);
}

bool ParityMayMatchAvx512(const FilterView& view, uint64_t hash) {
  return MayMatch(view, hash);
}

bool ParityMayMatchKeyAvx512(const FilterView& view, const char* key,
                             size_t length) {
  return MayMatchKey(
      view, key, length,
      [](const FilterView& of, uint64_t hash) { return MayMatch(of, hash); });
}

void ParityMayMatchBatchAvx512(const FilterView& view, const uint64_t* hashes,
                               size_t count, bool* results) {
  ParityMayMatchAll(view, count, HashAsItIs(hashes), results, TestBlock);
}

void ParityMayMatchKeysAvx512(const FilterView& view,
                              const KeyBytes* const* keys, size_t count,
                              bool* results) {
  ParityMayMatchAll(view, count, HashOfKey(view, keys), results, TestBlock);
}

}  // namespace sstfilter

#endif  // defined(__x86_64__)
