#include "table/page_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace sstfilter {

void PopulatePages(void* begin, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  static const auto kPageBytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + kPageBytes - 1) & ~(kPageBytes - 1);
  const uintptr_t end = (address + bytes) & ~(kPageBytes - 1);
  if (first >= end) return;
  char* const pages = static_cast<char*>(begin) + (first - address);
  // A refusal is no error of the caller's.
  const int error = errno;
  // Populating what is there costs 0.1 microseconds per page; to look is next
  // to nothing.
  unsigned char last_page = 0;
  const bool looked =
      mincore(pages + (end - first) - kPageBytes, kPageBytes, &last_page) == 0;
  if (!looked || (last_page & 1) == 0) {
    madvise(pages, end - first, MADV_POPULATE_WRITE);
  }
  errno = error;
#else
  static_cast<void>(begin);
  static_cast<void>(bytes);
#endif
}

}  // namespace sstfilter
