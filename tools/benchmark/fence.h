// A point that work does not cross.
#pragma once

#include <atomic>

namespace sstfilter::benchmarks {

// Nothing after it starts before everything ahead of it is done. Without it a
// CPU works on several lookups at once, and a chain of data from one answer to
// the next key would not hold back a filter whose answers it can predict.
inline void Fence() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  asm volatile("dsb sy\n\tisb" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace sstfilter::benchmarks
