#include "tools/benchmark/block_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

namespace sstfilter::benchmarks {

namespace {

constexpr size_t kHugePageBytes = size_t{2} << 20;

}  // namespace

bool BlockMemory::Assign(const char* bytes, size_t size,
                         const Placement& placement) {
  Release();
  const size_t wanted = size + placement.alignment;
  page_bytes_ = (wanted / kHugePageBytes + 2) * kHugePageBytes;
  pages_ = mmap(nullptr, page_bytes_, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) {
    pages_ = nullptr;
    return false;
  }
  // Where transparent huge pages are off altogether both calls fail; small
  // pages are then what there is.
  const bool huge = placement.huge_pages;
  const int advice = huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
  if (madvise(pages_, page_bytes_, advice) != 0 && huge) return false;
  const auto address = reinterpret_cast<uintptr_t>(pages_);
  const uintptr_t start =
      (address + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  data_ = static_cast<char*>(pages_) + (start - address) + placement.alignment;
  size_ = size;
  std::memcpy(data_, bytes, size);
  return true;
}

void BlockMemory::Release() {
  if (pages_ != nullptr) munmap(pages_, page_bytes_);
  pages_ = nullptr;
  data_ = nullptr;
  size_ = 0;
}

}  // namespace sstfilter::benchmarks
