#include "filter/standard_bloom.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "filter/hash-inl.h"
#include "filter/hash.h"
#include "sstfilter/sizing.h"

namespace sstfilter {

namespace {

constexpr int kMaxProbes = 100;

// 0.5 is far below what is useful but keeps k at 1 where the size was capped.
int ProbesFor(double bits_per_key) {
  return std::min(kMaxProbes, BestWholeProbes(std::max(bits_per_key, 0.5)));
}

FilterShape ShapeFor(uint64_t keys, double bits_per_key) {
  FilterShape shape;
  shape.payload_bytes = std::clamp<uint64_t>(FilterBytes(keys, bits_per_key), 1,
                                             kMaxPayloadBytes);
  if (shape.payload_bytes == kMaxPayloadBytes) {
    bits_per_key = std::min(bits_per_key, BitsPerKey(kMaxPayloadBytes, keys));
  }
  shape.parameter = static_cast<uint8_t>(ProbesFor(bits_per_key));
  return shape;
}

bool IsValidShape(const FilterShape& shape) {
  return shape.payload_bytes >= 1 && shape.payload_bytes <= kMaxPayloadBytes &&
         shape.parameter >= 1 && shape.parameter <= kMaxProbes;
}

double FalsePositiveRate(const FilterShape& shape, uint64_t keys) {
  if (keys == 0) return 0;
  return StandardBloomRate(BitsPerKey(shape.payload_bytes, keys),
                           shape.parameter);
}

uint64_t Slots(const FilterShape& shape) { return shape.payload_bytes * 8; }

const void* Constants(uint8_t /*parameter*/) { return nullptr; }

void Build(const FilterShape& shape, uint64_t* hashes, size_t count,
           char* payload) {
  std::memset(payload, 0, shape.payload_bytes);
  BitRow row(payload);
  for (size_t i = 0; i < count; ++i) {
    StandardBloomPositions positions(hashes[i], Slots(shape));
    for (int probe = 0; probe < shape.parameter; ++probe) {
      row.Set(positions.Next());
    }
  }
}

bool MayMatch(const FilterView& view, uint64_t hash) {
  StandardBloomPositions positions(hash, view.slots);
  for (int probe = 0; probe < view.parameter; ++probe) {
    if (!BitRow::IsSet(view.payload, positions.Next())) return false;
  }
  return true;
}

bool MayMatchOfKey(const FilterView& view, const char* key, size_t length) {
  return MayMatch(view, HashKeyInline(view.seed, key, length));
}

// See BatchLookups. As KernelBatch does it, which is for blocks: the first
// probe already answers half of the absent keys, so those lines are fetched
// before any is looked at.
struct Batch {
  template <typename HashOf>
  static void MayMatchAll(const FilterView& view, size_t count, HashOf hash_of,
                          bool* results) {
    constexpr size_t kGroup = 32;
    uint64_t hashes[kGroup];
    for (size_t done = 0; done < count;) {
      const size_t group = std::min(kGroup, count - done);
      for (size_t i = 0; i < group; ++i) {
        hashes[i] = hash_of(done + i);
        StandardBloomPositions positions(hashes[i], view.slots);
        __builtin_prefetch(view.payload + positions.Next() / 8);
      }
      for (size_t i = 0; i < group; ++i) {
        results[done + i] = MayMatch(view, hashes[i]);
      }
      done += group;
    }
  }
};

constexpr FilterKernel kKernels[] = {
    {{MayMatch, MayMatchOfKey, BatchLookups<Batch>::OfHashes,
      BatchLookups<Batch>::OfKeys},
     Build,
     CpuLevel::kScalar}};

}  // namespace

uint64_t StandardBloomPositions::Next() {
  state_ += uint64_t{0x9E3779B97F4A7C15};
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * uint64_t{0xBF58476D1CE4E5B9};
  mixed = (mixed ^ (mixed >> 27)) * uint64_t{0x94D049BB133111EB};
  mixed ^= mixed >> 31;
  return SlotOf(mixed, row_bits_);
}

const FilterAlgorithm kStandardBloomAlgorithm = {FilterKind::kStandardBloom,
                                                 ShapeFor,
                                                 IsValidShape,
                                                 FalsePositiveRate,
                                                 kKernels,
                                                 1,
                                                 Slots,
                                                 Constants};

}  // namespace sstfilter
