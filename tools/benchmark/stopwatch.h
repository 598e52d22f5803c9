// Time this thread has run.
#pragma once

#include <time.h>

#include <cstdint>

namespace sstfilter::benchmarks {

// Nanoseconds of CPU time of the calling thread: on a machine that is shared,
// the wall clock also counts the time in which others had the CPU.
inline int64_t ThreadNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace sstfilter::benchmarks
