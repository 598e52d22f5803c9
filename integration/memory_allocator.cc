#include "sstfilter/memory_allocator.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sstfilter {

namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kFromCacheLine = 1024;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kFromHugePage = 2 * kHugePage;

// Only pages that are used whole: the last one would be held for a few bytes.
void AdviseHugePages(void* memory, size_t size) {
#ifdef MADV_HUGEPAGE
  madvise(memory, size - size % kHugePage, MADV_HUGEPAGE);
#else
  static_cast<void>(memory);
  static_cast<void>(size);
#endif
}

void* AllocateAligned(size_t alignment, size_t size) {
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

class FilterMemoryAllocator final : public rocksdb::MemoryAllocator {
 public:
  const char* Name() const override { return "sstfilter.MemoryAllocator"; }

  void* Allocate(size_t size) override {
    void* memory = nullptr;
    if (size < kFromCacheLine) {
      memory = std::malloc(size);
    } else if (size < kFromHugePage) {
      memory = AllocateAligned(kCacheLine, size);
    } else {
      memory = AllocateAligned(kHugePage, size);
      if (memory != nullptr) AdviseHugePages(memory, size);
    }
    // Of no bytes, malloc may return null.
    if (memory == nullptr && size > 0) throw std::bad_alloc();
    return memory;
  }

  void Deallocate(void* memory) override { std::free(memory); }

  size_t UsableSize(void* memory, size_t allocation_size) const override {
#ifdef __GLIBC__
    // What malloc rounds a large piece up to is address space that is never
    // touched: the cache must not be charged for it.
    if (allocation_size < kFromHugePage) return malloc_usable_size(memory);
#endif
    static_cast<void>(memory);
    return allocation_size;
  }
};

}  // namespace

std::shared_ptr<rocksdb::MemoryAllocator> NewFilterMemoryAllocator() {
  return std::make_shared<FilterMemoryAllocator>();
}

}  // namespace sstfilter
