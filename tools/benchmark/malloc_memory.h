// What malloc does with memory that is given back to it.
//
// The one of the GNU C library decides by itself, differently for one large
// block than for many small ones, and by what the process has freed before.
// Left alone, one filter's builds would find the memory of an earlier build
// where another's, of the same size, have to ask the kernel for every page: on
// virtual machines the difference can be more than all the rest of a build.
// Here it is the same for all filters. With another malloc nothing happens.
#pragma once

namespace sstfilter::benchmarks {

// Freed memory stays with the process, as with an allocator that keeps it, such
// as jemalloc; or, if not `keep`, goes back to the kernel where malloc(3) by
// default returns it: blocks of 128 KiB and more, and the end of the heap.
void KeepFreedMemory(bool keep);

// All that is free goes back, too, now.
void ReturnFreedMemory();

// Whether the two above do anything.
bool ControlsFreedMemory();

}  // namespace sstfilter::benchmarks
