// What malloc does with memory that is given back to it.
//
// It decides by itself, and differently for one large block than for many small
// ones, by what the process has done before. Left alone, one filter's builds
// would find the memory of an earlier build where another's, of the same size,
// have to ask the kernel for every page: on virtual machines the difference can
// be more than all the rest of a build. So it is the same for all filters.
#pragma once

namespace sstfilter::benchmarks {

enum class FreedMemory {
  // Stays with the process, as in a service that has run for a while.
  kKept,
  // Goes back to the kernel, which has to give all of it again.
  kReturned,
};

// For the process. Nothing with a malloc that is not of the GNU C library.
void SetFreedMemory(FreedMemory freed);

}  // namespace sstfilter::benchmarks
