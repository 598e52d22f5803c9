// How much memory a piece of work takes at its peak.
#pragma once

#include <cstdint>

namespace sstfilter::benchmarks {

// By the pages the kernel has given: memory that was reserved and never written
// costs nothing and does not count.
class PeakMemory {
 public:
  // Starts counting. Memory that malloc has kept (malloc_memory.h) is not seen
  // when it is used again. False where the kernel does not let a process reset
  // its peak.
  bool Start();

  // Bytes at the peak since Start, above those at Start.
  uint64_t Bytes() const;

 private:
  uint64_t start_ = 0;
};

}  // namespace sstfilter::benchmarks
