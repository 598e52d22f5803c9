// The cache-line Bloom filter with AVX-512: a block is one register.
#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's own AVX-512 header starts from a variable it leaves undefined on
// purpose, and warns of it where it inlines it.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include "filter/bloom-inl.h"
#include "filter/hash-inl.h"

namespace sstfilter {

namespace {

// The highest, which bits are counted from.
constexpr int kFirstBit = INT32_MIN;

// The fields that the four tries look at. That of the first is in the low bits;
// a rotation left by four brings the next one there.
inline __m512i Fields(uint64_t hash) {
  return _mm512_rol_epi32(
      _mm512_mullo_epi32(
          _mm512_set1_epi64(static_cast<long long>(BloomRemix(hash))),
          _mm512_loadu_si512(kBloomMultipliers)),
      5);
}

// The first word of the block in all words. In assembly because the compiler
// would take it from the general register that holds the header as well, which
// takes longer than another load: a tenth of a lookup.
inline __m512i Header(const char* block) {
  __m512i header;
  asm("vpbroadcastd %1, %0"
      : "=v"(header)
      : "m"(*reinterpret_cast<const char(*)[4]>(block)));
  return header;
}

inline bool Test(const uint32_t* selectors, const char* block, uint64_t hash) {
  uint32_t header;
  __builtin_memcpy(&header, block, sizeof(header));
  if (__builtin_expect(header == 0, 0)) return true;
  // A shift of 2 less than 2 * word leaves four times the try in bits 2 and 3.
  // Word 0 has no try; its different mask keeps the compiler from building the
  // constant in a general register for each call.
  const __m512i shifts = _mm512_and_si512(
      _mm512_srlv_epi32(Header(block),
                        _mm512_setr_epi32(0, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
                                          20, 22, 24, 26, 28)),
      _mm512_setr_epi32(0, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12,
                        12, 12));
  // A rotation counts modulo 32, which is the mask the field needs. The header
  // is not zero, so its word never counts as a miss.
  const __mmask16 misses = _mm512_testn_epi32_mask(
      _mm512_rolv_epi32(_mm512_loadu_si512(block),
                        _mm512_rolv_epi32(Fields(hash), shifts)),
      _mm512_setr_epi32(-1, kFirstBit, kFirstBit, kFirstBit, kFirstBit,
                        kFirstBit, kFirstBit, kFirstBit, kFirstBit, kFirstBit,
                        kFirstBit, kFirstBit, kFirstBit, kFirstBit, kFirstBit,
                        kFirstBit));
  // Left alone, the compiler would move the selector to a mask register, where
  // the comparison then waits for it.
  uint32_t missed = _cvtmask16_u32(misses);
  asm("" : "+r"(missed));
  // Bits above the words' are no misses either.
  return (missed & (selectors[header & 3] >> BloomRotation(hash))) == 0;
}

void WriteBlocks(const BloomProbeSet& probe_set, const uint64_t* hashes,
                 const size_t* loads, size_t blocks, char* out) {
  const __m512i first_bit = _mm512_set1_epi32(kFirstBit);
  for (size_t block = 0; block < blocks; ++block) {
    const uint32_t code = BloomCodeForLoad(probe_set, loads[block]);
    const uint32_t selector =
        BloomSelector(kBloomPatterns[probe_set.probes[code]]);
    __m512i try0 = _mm512_setzero_si512();
    __m512i try1 = try0;
    __m512i try2 = try0;
    __m512i try3 = try0;
    const uint64_t* const end = hashes + loads[block];
    for (; hashes != end; ++hashes) {
      const __m512i fields = Fields(*hashes);
      // A zero rotates to zero: words that are not probed get no bit.
      const __m512i probe = _mm512_maskz_mov_epi32(
          static_cast<__mmask16>(BloomProbedWords(selector, *hashes)),
          first_bit);
      try0 = _mm512_or_si512(try0, _mm512_rorv_epi32(probe, fields));
      try1 = _mm512_or_si512(
          try1, _mm512_rorv_epi32(probe, _mm512_rol_epi32(fields, 4)));
      try2 = _mm512_or_si512(
          try2, _mm512_rorv_epi32(probe, _mm512_rol_epi32(fields, 8)));
      try3 = _mm512_or_si512(
          try3, _mm512_rorv_epi32(probe, _mm512_rol_epi32(fields, 12)));
    }
    // Pairwise: the higher try unless the lower is strictly better.
    const __m512i count0 = _mm512_popcnt_epi32(try0);
    const __m512i count1 = _mm512_popcnt_epi32(try1);
    const __m512i count2 = _mm512_popcnt_epi32(try2);
    const __m512i count3 = _mm512_popcnt_epi32(try3);
    const __mmask16 zero_in_01 = _mm512_cmplt_epi32_mask(count0, count1);
    const __mmask16 two_in_23 = _mm512_cmplt_epi32_mask(count2, count3);
    const __mmask16 low = _mm512_cmplt_epi32_mask(
        _mm512_min_epi32(count0, count1), _mm512_min_epi32(count2, count3));
    const __m512i best01 = _mm512_mask_mov_epi32(try1, zero_in_01, try0);
    const __m512i best23 = _mm512_mask_mov_epi32(try3, two_in_23, try2);
    const __m512i best = _mm512_mask_mov_epi32(best23, low, best01);
    const auto even =
        static_cast<uint32_t>((low & zero_in_01) | (~low & two_in_23));
    const uint32_t header = (_pdep_u32(~even & 0xfffe, 0x55555555) |
                             _pdep_u32(~uint32_t{low} & 0xfffe, 0xaaaaaaaa)) +
                            code;
    _mm512_storeu_si512(
        out, _mm512_mask_set1_epi32(best, 1, static_cast<int>(header)));
    out += kBlockBytes;
  }
}

inline bool MayMatch(const FilterView& view, uint64_t hash) {
  return Test(BloomSelectorsOf(view), KernelBlockOf(view, hash, kBlockBytes),
              hash);
}

}  // namespace

void BloomBuildAvx512(const FilterShape& shape, uint64_t* hashes, size_t count,
                      char* payload) {
  BuildBloomBlocks(shape, hashes, count, payload, WriteBlocks);
}

bool BloomMayMatchAvx512(const FilterView& view, uint64_t hash) {
  return MayMatch(view, hash);
}

bool BloomMayMatchKeyAvx512(const FilterView& view, const char* key,
                            size_t length) {
  return MayMatchKey(
      view, key, length,
      [](const FilterView& of, uint64_t hash) { return MayMatch(of, hash); });
}

void BloomMayMatchBatchAvx512(const FilterView& view, const uint64_t* hashes,
                              size_t count, bool* results) {
  const uint32_t* const selectors = BloomSelectorsOf(view);
  KernelBatch(view, kBlockBytes, hashes, count, results,
              [&](const char* block, uint64_t hash) {
                return Test(selectors, block, hash);
              });
}

}  // namespace sstfilter

#endif  // defined(__x86_64__)
