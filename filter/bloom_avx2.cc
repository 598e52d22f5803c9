// The cache-line Bloom filter with AVX2: a block is two registers.
#if defined(__x86_64__)

#include <immintrin.h>

#include "filter/bloom-inl.h"
#include "filter/hash-inl.h"

namespace sstfilter {

namespace {

// A block, or something for each of its words.
struct Pair {
  __m256i low;
  __m256i high;
};

inline Pair Load(const void* p) {
  const auto* const halves = static_cast<const __m256i*>(p);
  return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}

inline uint32_t SignMask(__m256i words) {
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(words)));
}

// What the fields of the four tries are cut from. That of the first is in the
// highest bits; a shift left by four brings the next one there.
inline Pair Products(uint64_t hash) {
  const Pair multipliers = Load(kBloomMultipliers);
  const __m256i mixed =
      _mm256_set1_epi64x(static_cast<long long>(BloomRemix(hash)));
  return {_mm256_mullo_epi32(mixed, multipliers.low),
          _mm256_mullo_epi32(mixed, multipliers.high)};
}

inline __m256i TopField(__m256i shifted_products) {
  return _mm256_srli_epi32(shifted_products, 27);
}

// Eight words with their probed bits as the highest, given where in the header
// their tries are. A shift of 2 less than 2 * word leaves four times the try in
// bits 2 and 3.
inline __m256i ProbedBits(__m256i words, __m256i products, __m256i header,
                          __m256i header_shifts, __m256i header_mask) {
  const __m256i shifts =
      _mm256_and_si256(_mm256_srlv_epi32(header, header_shifts), header_mask);
  return _mm256_sllv_epi32(words,
                           TopField(_mm256_sllv_epi32(products, shifts)));
}

// The first word of the block in all words. In assembly because the compiler
// would take it from the general register that holds the header as well, which
// takes longer than another load.
inline __m256i Header(const char* block) {
  __m256i header;
  asm("vpbroadcastd %1, %0"
      : "=x"(header)
      : "m"(*reinterpret_cast<const char(*)[4]>(block)));
  return header;
}

inline bool Test(const BloomConstants& constants, const char* block,
                 uint64_t hash) {
  uint32_t header;
  __builtin_memcpy(&header, block, sizeof(header));
  if (__builtin_expect(header == 0, 0)) return true;
  const Pair words = Load(block);
  const Pair products = Products(hash);
  const __m256i tries = Header(block);
  // Words 0 and 15 allow other masks than 12 (no try; nothing above it).
  // Unequal elements keep the compiler from building the constants in a general
  // register for each call.
  const __m256i low =
      ProbedBits(words.low, products.low, tries,
                 _mm256_setr_epi32(0, 0, 2, 4, 6, 8, 10, 12),
                 _mm256_setr_epi32(0, 12, 12, 12, 12, 12, 12, 12));
  const __m256i high =
      ProbedBits(words.high, products.high, tries,
                 _mm256_setr_epi32(14, 16, 18, 20, 22, 24, 26, 28),
                 _mm256_setr_epi32(12, 12, 12, 12, 12, 12, 12, 28));
  // See BloomPackedWords. Packing saturates, which keeps the sign.
  const auto hits = static_cast<uint32_t>(
      _mm256_movemask_epi8(_mm256_packs_epi32(low, high)));
  return (constants.packed_words[4 * BloomRotation(hash) + (header & 3)] &
          ~hits) == 0;
}

// Patterns as bytes of 0 and 0x80, written twice: the sixteen bytes from that
// of the rotation on select the words of a key. The first of them, for the
// header, means nothing.
struct ByteSelectors {
  uint8_t bytes[kBloomMaxProbes + 1][32];
};

constexpr ByteSelectors MakeByteSelectors() {
  ByteSelectors selectors{};
  for (int k = 0; k <= kBloomMaxProbes; ++k) {
    for (int i = 1; i < 31; ++i) {
      selectors.bytes[k][i] = static_cast<uint8_t>(
          ((kBloomPatterns[k] >> ((i - 1) % 15)) & 1) << 7);
    }
  }
  return selectors;
}

alignas(64) constexpr ByteSelectors kByteSelectors = MakeByteSelectors();

// The first bit, which is the highest, of the words that the key probes.
inline Pair Probes(const uint8_t* selector, uint64_t hash) {
  const __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128(
      reinterpret_cast<const __m128i*>(selector + BloomRotation(hash))));
  const __m256i to_top = _mm256_setr_epi8(
      -1, -1, -1, 0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3,  //
      -1, -1, -1, 4, -1, -1, -1, 5, -1, -1, -1, 6, -1, -1, -1, 7);
  const __m256i to_top_high = _mm256_setr_epi8(
      -1, -1, -1, 8, -1, -1, -1, 9, -1, -1, -1, 10, -1, -1, -1, 11,  //
      -1, -1, -1, 12, -1, -1, -1, 13, -1, -1, -1, 14, -1, -1, -1, 15);
  return {_mm256_shuffle_epi8(bytes, to_top),
          _mm256_shuffle_epi8(bytes, to_top_high)};
}

// Bits set in each 32-bit word.
inline __m256i Popcount32(__m256i x) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i counts =
      _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                       2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i bytes = _mm256_add_epi8(
      _mm256_shuffle_epi8(counts, _mm256_and_si256(x, nibble)),
      _mm256_shuffle_epi8(counts,
                          _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble)));
  return _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)),
                           _mm256_set1_epi16(1));
}

// The four tries of eight words.
struct Tries {
  __m256i bits[kBloomTries];
};

inline void Add(__m256i products, __m256i probes, Tries* tries) {
  const auto add = [&](int t, __m256i field) {
    tries->bits[t] =
        _mm256_or_si256(tries->bits[t], _mm256_srlv_epi32(probes, field));
  };
  const __m256i field_mask = _mm256_set1_epi32(31);
  add(0, TopField(products));
  // More instructions than a shift left and TopField would be, but fewer
  // shifts, and it is shifts that this loop waits for.
  add(1, _mm256_and_si256(_mm256_srli_epi32(products, 23), field_mask));
  add(2, _mm256_and_si256(_mm256_srli_epi32(products, 19), field_mask));
  add(3, _mm256_and_si256(_mm256_srli_epi32(products, 15), field_mask));
}

// Returns the best try of each word; ors, into *even and *low, a bit for each
// word whose try is 0 or 2, and 0 or 1.
inline __m256i Best(const Tries& tries, int first_word, uint32_t* even,
                    uint32_t* low) {
  const __m256i count0 = Popcount32(tries.bits[0]);
  const __m256i count1 = Popcount32(tries.bits[1]);
  const __m256i count2 = Popcount32(tries.bits[2]);
  const __m256i count3 = Popcount32(tries.bits[3]);
  // Pairwise: the higher try unless the lower is strictly better.
  const __m256i zero_in_01 = _mm256_cmpgt_epi32(count1, count0);
  const __m256i two_in_23 = _mm256_cmpgt_epi32(count3, count2);
  const __m256i low_half = _mm256_cmpgt_epi32(_mm256_min_epi32(count2, count3),
                                              _mm256_min_epi32(count0, count1));
  const __m256i even_try = _mm256_blendv_epi8(two_in_23, zero_in_01, low_half);
  *even |= SignMask(even_try) << first_word;
  *low |= SignMask(low_half) << first_word;
  return _mm256_blendv_epi8(
      _mm256_blendv_epi8(tries.bits[3], tries.bits[2], two_in_23),
      _mm256_blendv_epi8(tries.bits[1], tries.bits[0], zero_in_01), low_half);
}

void WriteBlocks(const BloomProbeSet& probe_set, const uint64_t* hashes,
                 const size_t* loads, size_t blocks, char* out) {
  for (size_t block = 0; block < blocks; ++block) {
    const uint32_t code = BloomCodeForLoad(probe_set, loads[block]);
    const uint8_t* const selector =
        kByteSelectors.bytes[probe_set.probes[code]];
    const __m256i zero = _mm256_setzero_si256();
    Tries low_words = {{zero, zero, zero, zero}};
    Tries high_words = {{zero, zero, zero, zero}};
    const uint64_t* const end = hashes + loads[block];
    for (; hashes != end; ++hashes) {
      const Pair products = Products(*hashes);
      const Pair probes = Probes(selector, *hashes);
      Add(products.low, probes.low, &low_words);
      Add(products.high, probes.high, &high_words);
    }
    uint32_t even = 0;
    uint32_t low = 0;
    const __m256i best_low = Best(low_words, 0, &even, &low);
    const __m256i best_high = Best(high_words, 8, &even, &low);
    const uint32_t header = (_pdep_u32(~even & 0xfffe, 0x55555555) |
                             _pdep_u32(~low & 0xfffe, 0xaaaaaaaa)) +
                            code;
    auto* const halves = reinterpret_cast<__m256i*>(out);
    _mm256_storeu_si256(halves, best_low);
    _mm256_storeu_si256(halves + 1, best_high);
    __builtin_memcpy(out, &header, sizeof(header));
    out += kBlockBytes;
  }
}

inline bool MayMatch(const FilterView& view, uint64_t hash) {
  return Test(BloomConstantsOf(view), KernelBlockOf(view, hash, kBlockBytes),
              hash);
}

// See KernelBatch.
template <typename HashOf>
void MayMatchAll(const FilterView& view, size_t count, HashOf hash_of,
                 bool* results) {
  const BloomConstants& constants = BloomConstantsOf(view);
  KernelBatch(view, kBlockBytes, count, hash_of, results,
              [&](const char* block, uint64_t hash) {
                return Test(constants, block, hash);
              });
}

}  // namespace

void BloomBuildAvx2(const FilterShape& shape, uint64_t* hashes, size_t count,
                    char* payload) {
  BuildBloomBlocks(shape, hashes, count, payload, WriteBlocks);
}

bool BloomMayMatchAvx2(const FilterView& view, uint64_t hash) {
  return MayMatch(view, hash);
}

bool BloomMayMatchKeyAvx2(const FilterView& view, const char* key,
                          size_t length) {
  return MayMatchKey(
      view, key, length,
      [](const FilterView& of, uint64_t hash) { return MayMatch(of, hash); });
}

void BloomMayMatchBatchAvx2(const FilterView& view, const uint64_t* hashes,
                            size_t count, bool* results) {
  MayMatchAll(view, count, HashAsItIs(hashes), results);
}

void BloomMayMatchKeysAvx2(const FilterView& view, const KeyBytes* const* keys,
                           size_t count, bool* results) {
  MayMatchAll(view, count, HashOfKey(view, keys), results);
}

}  // namespace sstfilter

#endif  // defined(__x86_64__)
