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

// What Test gets from memory that does not depend on the key.
//
//   header_shifts   how far right the header goes for each word
//   rotations       how far left a product is rotated for its field to be the
//                   lowest bits, by the lowest six bits of the shifted header:
//                   two of the word before, the try, two of the word after
//   multipliers     kBloomMultipliers; its address, unlike that of this copy,
//                   would have to be loaded for each key
//   probed_bits     what may be missed: the highest bit of each word
struct TestConstants {
  uint32_t header_shifts[kBloomWords];
  uint8_t rotations[64];
  uint32_t multipliers[kBloomWords];
  uint32_t probed_bits[kBloomWords];
};

constexpr TestConstants MakeTestConstants() {
  TestConstants constants{};
  for (uint32_t word = 1; word < kBloomWords; ++word) {
    constants.header_shifts[word] = 2 * word - 2;
    constants.multipliers[word] = kBloomMultipliers[word];
    constants.probed_bits[word] = static_cast<uint32_t>(kFirstBit);
  }
  // The header is not zero, so its word never counts as a miss.
  constants.probed_bits[0] = 0xffffffff;
  for (int low_bits = 0; low_bits < 64; ++low_bits) {
    const int attempt = (low_bits >> 2) & 3;
    constants.rotations[low_bits] = static_cast<uint8_t>(4 * attempt + 5);
  }
  return constants;
}

alignas(64) constexpr TestConstants kTestConstants = MakeTestConstants();

// A bit for each word whose probed bit is not set.
//
// In assembly for the registers from 16 up, which the compiler would not take:
// as the lower ones stay untouched, no function that tests a single key has to
// clear them on its way out. The header comes from memory, not from a general
// register, which takes longer.
inline uint32_t MissedWords(const char* block, uint64_t hash) {
  using Block = const char[kBlockBytes];
  uint32_t missed;
  asm("vpbroadcastd (%[block]), %%zmm16\n\t"
      "vpbroadcastq %[mixed], %%zmm17\n\t"
      "vpsrlvd %[header_shifts], %%zmm16, %%zmm16\n\t"
      "vpmulld %[multipliers], %%zmm17, %%zmm17\n\t"
      "vpermb %[rotations], %%zmm16, %%zmm16\n\t"
      "vmovdqu64 (%[block]), %%zmm18\n\t"
      // A rotation counts modulo 32: bytes and bits above do not matter.
      "vprolvd %%zmm16, %%zmm17, %%zmm17\n\t"
      "vprolvd %%zmm17, %%zmm18, %%zmm18\n\t"
      "vptestnmd %[probed_bits], %%zmm18, %%k1\n\t"
      "kmovw %%k1, %[missed]"
      : [missed] "=r"(missed)
      : [block] "r"(block), [mixed] "r"(BloomRemix(hash)),
        [header_shifts] "m"(kTestConstants.header_shifts),
        [rotations] "m"(kTestConstants.rotations),
        [probed_bits] "m"(kTestConstants.probed_bits),
        [multipliers] "m"(kTestConstants.multipliers),
        "m"(*reinterpret_cast<Block*>(block))
      : "xmm16", "xmm17", "xmm18", "k1");
  return missed;
}

inline bool Test(const uint32_t* selectors, const char* block, uint64_t hash) {
  uint32_t header;
  __builtin_memcpy(&header, block, sizeof(header));
  if (__builtin_expect(header == 0, 0)) return true;
  return (MissedWords(block, hash) &
          (selectors[header & 3] >> BloomRotation(hash))) == 0;
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
  return Test(BloomConstantsOf(view).selectors,
              KernelBlockOf(view, hash, kBlockBytes), hash);
}

// See KernelBatch. Hashing eight keys at once was tried: gathering their bytes
// into registers costs what it saves.
template <typename HashOf>
void MayMatchAll(const FilterView& view, size_t count, HashOf hash_of,
                 bool* results) {
  const uint32_t* const selectors = BloomConstantsOf(view).selectors;
  KernelBatch(view, kBlockBytes, count, hash_of, results,
              [=](const char* block, uint64_t hash) {
                return Test(selectors, block, hash);
              });
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
  MayMatchAll(view, count, HashAsItIs(hashes), results);
}

void BloomMayMatchKeysAvx512(const FilterView& view,
                             const KeyBytes* const* keys, size_t count,
                             bool* results) {
  MayMatchAll(view, count, HashOfKey(view, keys), results);
}

}  // namespace sstfilter

#endif  // defined(__x86_64__)
