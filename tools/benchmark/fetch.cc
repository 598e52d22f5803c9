#include "tools/benchmark/fetch.h"

#include <cstring>

#include "filter/hash-inl.h"
#include "filter/kernel-inl.h"

namespace sstfilter::benchmarks {

namespace {

void Build(const FilterShape& shape, uint64_t* /*hashes*/, size_t /*count*/,
           char* payload) {
  std::memset(payload, 1, shape.payload_bytes);
}

bool ReadBlock(const char* block) {
  return (KernelLoad64(block) & KernelLoad64(block + kBlockBytes - 8)) != 0;
}

bool MayMatch(const FilterView& view, uint64_t hash) {
  return ReadBlock(KernelBlockOf(view, hash, kBlockBytes));
}

bool MayMatchOfKey(const FilterView& view, const char* key, size_t length) {
  return MayMatch(view, HashKeyInline(view.seed, key, length));
}

// See BatchLookups.
struct Batch {
  template <typename HashOf>
  static void MayMatchAll(const FilterView& view, size_t count, HashOf hash_of,
                          bool* results) {
    KernelBatch(
        view, kBlockBytes, count, hash_of, results,
        [](const char* block, uint64_t /*hash*/) { return ReadBlock(block); });
  }
};

constexpr FilterKernel kKernel = {
    {MayMatch, MayMatchOfKey, BatchLookups<Batch>::OfHashes,
     BatchLookups<Batch>::OfKeys},
    Build,
    CpuLevel::kScalar};

FilterAlgorithm MakeAlgorithm() {
  FilterAlgorithm algorithm = *AlgorithmFor(FilterKind::kBloom);
  algorithm.kernels = &kKernel;
  algorithm.kernel_count = 1;
  algorithm.false_positive_rate = [](const FilterShape& /*shape*/,
                                     uint64_t /*keys*/) { return 1.0; };
  return algorithm;
}

}  // namespace

const FilterAlgorithm& FetchAlgorithm() {
  static const FilterAlgorithm algorithm = MakeAlgorithm();
  return algorithm;
}

}  // namespace sstfilter::benchmarks
