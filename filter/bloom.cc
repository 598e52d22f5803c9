// The scalar kernel of the cache-line Bloom filter, which is its specification,
// and the shape.
#include "filter/bloom.h"

#include <algorithm>
#include <cmath>

#include "filter/bloom-inl.h"
#include "filter/bloom_build.h"
#include "filter/hash-inl.h"
#include "filter/hash.h"
#include "filter/little_endian.h"

namespace sstfilter {

namespace {

// Row i + 1 of the probe sets is used above kRowStart[i] bits per key.
constexpr double kRowStart[] = {4.69, 5.6,   6.56, 8.0,  9.56,
                                11.4, 13.38, 15.4, 16.6, 25.5};
static_assert(sizeof(kRowStart) / sizeof(kRowStart[0]) ==
                  kBloomProbeSetCount - 1,
              "one limit between each two rows");

constexpr uint64_t kMaxBlocks = kMaxPayloadBytes / kBlockBytes;

FilterShape ShapeFor(uint64_t keys, double bits_per_key) {
  const double wanted =
      std::ceil(static_cast<double>(keys) * bits_per_key / kBlockBits);
  uint64_t blocks = kMaxBlocks;
  if (wanted < static_cast<double>(kMaxBlocks)) {
    blocks = std::max<uint64_t>(1, static_cast<uint64_t>(wanted));
  } else {
    bits_per_key = static_cast<double>(kMaxBlocks) * kBlockBits /
                   static_cast<double>(keys);
  }
  int row = 0;
  while (row < kBloomProbeSetCount - 1 && bits_per_key > kRowStart[row]) ++row;
  return FilterShape{blocks * kBlockBytes, static_cast<uint8_t>(row + 1)};
}

bool IsValidShape(const FilterShape& shape) {
  return shape.payload_bytes >= kBlockBytes &&
         shape.payload_bytes <= kMaxPayloadBytes &&
         shape.payload_bytes % kBlockBytes == 0 && shape.parameter >= 1 &&
         shape.parameter <= kBloomProbeSetCount;
}

uint64_t Slots(const FilterShape& shape) {
  return shape.payload_bytes / kBlockBytes;
}

struct AllConstants {
  BloomConstants of_row[kBloomProbeSetCount];
};

constexpr AllConstants MakeConstants() {
  AllConstants all{};
  for (int row = 0; row < kBloomProbeSetCount; ++row) {
    BloomConstants& constants = all.of_row[row];
    for (int code = 0; code < 4; ++code) {
      const uint32_t selector =
          BloomSelector(kBloomPatterns[kBloomProbeSets[row].probes[code]]);
      constants.selectors[code] = selector;
      for (int rotation = 0; rotation < 15; ++rotation) {
        constants.packed_words[4 * rotation + code] =
            BloomPackedWords(selector >> rotation);
      }
    }
  }
  return all;
}

// See BloomConstantsOf.
const void* Constants(uint8_t parameter) {
  static constexpr AllConstants kAll = MakeConstants();
  return &kAll.of_row[parameter - 1];
}

// The words a key probes, word j as bit j.
uint32_t ProbedWords(uint64_t hash, uint32_t probes) {
  const uint32_t pattern = kBloomPatterns[probes];
  const auto rotation = static_cast<uint32_t>(((hash & 0xffffffff) * 15) >> 32);
  return (((pattern | (pattern << 15)) >> rotation) & 0x7fff) << 1;
}

// Where the key's four possible bits in a word are found; see FieldOf.
uint32_t Product(uint64_t mixed, int word) {
  const auto half =
      static_cast<uint32_t>((word & 1) != 0 ? mixed >> 32 : mixed);
  return half * kBloomMultipliers[word];
}

// Counts bits from the highest.
uint32_t FieldOf(uint32_t product, uint32_t attempt) {
  return (product << (4 * attempt)) >> 27;
}

void WriteBlocks(const BloomProbeSet& probe_set, const uint64_t* hashes,
                 const size_t* loads, size_t blocks, char* out) {
  for (size_t block = 0; block < blocks; ++block) {
    const uint32_t code = BloomCodeForLoad(probe_set, loads[block]);
    uint32_t tries[kBloomWords][kBloomTries] = {};
    for (size_t i = 0; i < loads[block]; ++i) {
      const uint64_t mixed = Remix(hashes[i]);
      for (uint32_t left = ProbedWords(hashes[i], probe_set.probes[code]);
           left != 0; left &= left - 1) {
        const int word = __builtin_ctz(left);
        const uint32_t product = Product(mixed, word);
#pragma GCC unroll 4
        for (uint32_t t = 0; t < kBloomTries; ++t) {
          tries[word][t] |= 0x80000000 >> FieldOf(product, t);
        }
      }
    }
    uint32_t header = code;
    for (int word = 1; word < kBloomWords; ++word) {
      uint32_t best = kBloomTries - 1;
      for (uint32_t t = kBloomTries - 1; t-- > 0;) {
        if (__builtin_popcount(tries[word][t]) <
            __builtin_popcount(tries[word][best])) {
          best = t;
        }
      }
      header |= best << (2 * word);
      StoreLittle32(out + 4 * word, tries[word][best]);
    }
    StoreLittle32(out, header);
    hashes += loads[block];
    out += kBlockBytes;
  }
}

void Build(const FilterShape& shape, uint64_t* hashes, size_t count,
           char* payload) {
  BuildBloomBlocks(shape, hashes, count, payload, WriteBlocks);
}

bool Test(const BloomProbeSet& probe_set, const char* block, uint64_t hash) {
  const uint32_t header = LoadLittle32(block);
  if (header == 0) return true;
  const uint32_t probed = ProbedWords(hash, probe_set.probes[header & 3]);
  // All words, not only those probed: k differs from block to block, and a loop
  // whose end cannot be predicted costs more than what it saves.
  const uint64_t mixed = Remix(hash);
  uint32_t hits = 0;
#pragma GCC unroll 16
  for (int word = 1; word < kBloomWords; ++word) {
    const uint32_t field =
        FieldOf(Product(mixed, word), (header >> (2 * word)) & 3);
    hits |= ((LoadLittle32(block + 4 * word) << field) >> 31) << word;
  }
  return (probed & ~hits) == 0;
}

bool MayMatch(const FilterView& view, uint64_t hash) {
  return Test(kBloomProbeSets[view.parameter - 1],
              view.payload + SlotOf(hash, view.slots) * kBlockBytes, hash);
}

// See BatchLookups.
struct Batch {
  template <typename HashOf>
  static void MayMatchAll(const FilterView& view, size_t count, HashOf hash_of,
                          bool* results) {
    const BloomProbeSet& probe_set = kBloomProbeSets[view.parameter - 1];
    KernelBatch(view, kBlockBytes, count, hash_of, results,
                [&](const char* block, uint64_t hash) {
                  return Test(probe_set, block, hash);
                });
  }
};

bool MayMatchOfKey(const FilterView& view, const char* key, size_t length) {
  return MayMatch(view, HashKeyInline(view.seed, key, length));
}

constexpr FilterKernel kKernels[] = {
#ifdef SSTFILTER_X86_KERNELS
    {{BloomMayMatchAvx512, BloomMayMatchKeyAvx512, BloomMayMatchBatchAvx512,
      BloomMayMatchKeysAvx512},
     BloomBuildAvx512,
     CpuLevel::kAvx512},
    {{BloomMayMatchAvx2, BloomMayMatchKeyAvx2, BloomMayMatchBatchAvx2,
      BloomMayMatchKeysAvx2},
     BloomBuildAvx2,
     CpuLevel::kAvx2},
#endif
    {{MayMatch, MayMatchOfKey, BatchLookups<Batch>::OfHashes,
      BatchLookups<Batch>::OfKeys},
     Build,
     CpuLevel::kScalar}};

}  // namespace

const FilterAlgorithm kBloomAlgorithm = {FilterKind::kBloom,
                                         ShapeFor,
                                         IsValidShape,
                                         BloomFalsePositiveRate,
                                         kKernels,
                                         sizeof(kKernels) / sizeof(kKernels[0]),
                                         Slots,
                                         Constants};

}  // namespace sstfilter
