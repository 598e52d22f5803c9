#include "tools/benchmark/malloc_memory.h"

#include <features.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace sstfilter::benchmarks {

#if defined(__GLIBC__)

void KeepFreedMemory(bool keep) {
  // The defaults of mallopt(3). Setting them also stops them from growing with
  // what is freed.
  constexpr int kMaxMmaps = 65536;
  constexpr int kThresholdBytes = 128 * 1024;
  constexpr int kNever = -1;
  mallopt(M_MMAP_MAX, keep ? 0 : kMaxMmaps);
  mallopt(M_MMAP_THRESHOLD, kThresholdBytes);
  mallopt(M_TRIM_THRESHOLD, keep ? kNever : kThresholdBytes);
}

void ReturnFreedMemory() { malloc_trim(0); }

bool ControlsFreedMemory() { return true; }

#else

void KeepFreedMemory(bool /*keep*/) {}
void ReturnFreedMemory() {}
bool ControlsFreedMemory() { return false; }

#endif

}  // namespace sstfilter::benchmarks
