#include "filter/algorithm.h"

#include "filter/bloom.h"
#include "filter/parity.h"
#include "filter/standard_bloom.h"

namespace sstfilter {

const FilterAlgorithm* AlgorithmFor(FilterKind kind) {
  switch (kind) {
    case FilterKind::kBloom:
      return &kBloomAlgorithm;
    case FilterKind::kStandardBloom:
      return &kStandardBloomAlgorithm;
    case FilterKind::kParity:
      return &kParityAlgorithm;
    case FilterKind::kAuto:
      return nullptr;
  }
  return nullptr;
}

const FilterKernel& KernelFor(const FilterAlgorithm& algorithm,
                              CpuLevel level) {
  size_t i = 0;
  while (i + 1 < algorithm.kernel_count && algorithm.kernels[i].level > level) {
    ++i;
  }
  return algorithm.kernels[i];
}

const FilterKernel& KernelFor(const FilterAlgorithm& algorithm) {
  return KernelFor(algorithm, ActiveCpuLevel());
}

}  // namespace sstfilter
