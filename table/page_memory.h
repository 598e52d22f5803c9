// Memory that is about to be written, made real in one go.
#pragma once

#include <cstddef>

namespace sstfilter {

// Blocks of memory from this size on are rarely what the process has used
// before: worth populating. (Populating what is there already costs 0.1
// microseconds per page; on a virtual machine a first fault cost 19.)
inline constexpr size_t kFreshMemoryBytes = 1024 * 1024;

// Gives the whole pages within [begin, begin + bytes) their memory, as writing
// to them would. The contents stay as they are. One call into the kernel
// instead of a page fault for every page, which on virtual machines cost more
// than all the rest of building a large filter. A hint: where the kernel cannot
// (Linux before 5.14, other systems) or has no memory left, nothing happens.
void PopulatePages(void* begin, size_t bytes);

}  // namespace sstfilter
