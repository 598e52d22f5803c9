#include "tools/benchmark/freed_memory.h"

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace sstfilter::benchmarks {

void SetFreedMemory(FreedMemory freed) {
#if defined(__GLIBC__)
  // The defaults of mallopt(3). Setting them also stops their growing with what
  // is freed.
  constexpr int kMaxBlocksOfTheirOwn = 65536;
  constexpr int kThresholdBytes = 128 * 1024;
  const bool kept = freed == FreedMemory::kKept;
  mallopt(M_MMAP_MAX, kept ? 0 : kMaxBlocksOfTheirOwn);
  mallopt(M_MMAP_THRESHOLD, kThresholdBytes);
  mallopt(M_TRIM_THRESHOLD, kept ? -1 : kThresholdBytes);
  if (!kept) malloc_trim(0);
#else
  static_cast<void>(freed);
#endif
}

}  // namespace sstfilter::benchmarks
