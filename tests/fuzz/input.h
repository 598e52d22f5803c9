// What the fuzz targets share: taking an input apart, and stopping at a
// finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "filter/algorithm.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace sstfilter {

// Unlike assert, also in release builds.
#define FUZZ_CHECK(condition)                                           \
  do {                                                                  \
    if (!(condition)) {                                                 \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, \
                   #condition);                                         \
      std::abort();                                                     \
    }                                                                   \
  } while (false)

// Reads an input from its start; past the end there are zeros.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : data_(data), left_(size) {}

  size_t left() const { return left_; }

  uint8_t Byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

  // `bytes` bytes, little-endian.
  uint64_t Number(int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= uint64_t{Byte()} << (8 * i);
    return value;
  }

  // At most `size` bytes.
  std::string Text(size_t size) {
    if (size > left_) size = left_;
    std::string text(reinterpret_cast<const char*>(data_), size);
    data_ += size;
    left_ -= size;
    return text;
  }

  std::string Rest() { return Text(left_); }

 private:
  const uint8_t* data_;
  size_t left_;
};

// SplitMix64: the same everywhere.
inline uint64_t NextRandom(uint64_t* state) {
  uint64_t x = *state += uint64_t{0x9E3779B97F4A7C15};
  x = (x ^ (x >> 30)) * uint64_t{0xBF58476D1CE4E5B9};
  x = (x ^ (x >> 27)) * uint64_t{0x94D049BB133111EB};
  return x ^ (x >> 31);
}

inline FilterKind FuzzKind(uint8_t byte) {
  constexpr FilterKind kKinds[] = {
      FilterKind::kBloom, FilterKind::kStandardBloom, FilterKind::kParity};
  return kKinds[byte % 3];
}

// Calls visit(kernel) for each kernel of a kind that this CPU can run, the
// scalar one, which is the specification, first.
template <typename Visitor>
void ForEveryKernel(const FilterAlgorithm& algorithm, Visitor visit) {
  for (size_t i = algorithm.kernel_count; i-- > 0;) {
    if (algorithm.kernels[i].level <= DetectedCpuLevel()) {
      visit(algorithm.kernels[i]);
    }
  }
}

}  // namespace sstfilter
