#include "sstfilter/memory_allocator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "tests/sanitizers.h"

namespace sstfilter {
namespace {

uintptr_t AddressOf(void* memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

TEST(FilterMemoryAllocator, BeginsAtACacheLineOrAHugePage) {
  const auto allocator = NewFilterMemoryAllocator();
  const size_t kib = 1024;
  const size_t mib = kib * 1024;
  // Of each size several: one may be aligned by luck.
  for (size_t size : {kib, kib + 1, 4 * kib, 4 * kib + 5, 100 * kib, mib,
                      4 * mib - 1, 4 * mib, 5 * mib + 3}) {
    const size_t alignment = size < 4 * mib ? 64 : 2 * mib;
    std::vector<void*> pieces;
    for (int i = 0; i < 5; ++i) {
      void* const memory = allocator->Allocate(size);
      ASSERT_NE(memory, nullptr);
      EXPECT_EQ(AddressOf(memory) % alignment, 0u) << size;
      EXPECT_GE(allocator->UsableSize(memory, size), size);
      EXPECT_LE(allocator->UsableSize(memory, size), size + 4096)
          << "charged to the cache";
      // All of what is promised may be written, which the sanitizers watch.
      std::memset(memory, 0x5a, size);
      pieces.push_back(memory);
    }
    for (void* memory : pieces) allocator->Deallocate(memory);
  }
}

TEST(FilterMemoryAllocator, SmallMemoryIsWithoutPadding) {
  const auto allocator = NewFilterMemoryAllocator();
  for (size_t size : {1, 17, 500, 1023}) {
    void* const memory = allocator->Allocate(size);
    ASSERT_NE(memory, nullptr);
    std::memset(memory, 0x5a, size);
    EXPECT_GE(allocator->UsableSize(memory, size), size);
    EXPECT_LE(allocator->UsableSize(memory, size), size + 32);
    allocator->Deallocate(memory);
  }
  allocator->Deallocate(allocator->Allocate(0));
  allocator->Deallocate(nullptr);
}

TEST(FilterMemoryAllocator, RunningOutIsBadAlloc) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer's malloc ends the process instead";
  }
  const auto allocator = NewFilterMemoryAllocator();
  const size_t too_much = std::numeric_limits<size_t>::max() / 4;
  EXPECT_THROW(allocator->Allocate(too_much), std::bad_alloc);
}

}  // namespace
}  // namespace sstfilter
