#include "tools/benchmark/malloc_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "tests/sanitizers.h"
#include "tools/benchmark/peak_memory.h"

namespace sstfilter::benchmarks {
namespace {

constexpr size_t kBytes = size_t{64} << 20;

// New pages that a block of memory takes which is allocated, written to and
// freed.
uint64_t NewBytes() {
  PeakMemory peak;
  peak.Start();
  // Volatile: otherwise nothing of it need be done.
  auto* volatile block = static_cast<char*>(std::malloc(kBytes));
  if (block == nullptr) return 0;
  std::memset(block, 1, kBytes);
  const uint64_t bytes = peak.Bytes();
  std::free(block);
  return bytes;
}

TEST(MallocMemoryTest, KeptOrReturned) {
  if (kSanitized || !ControlsFreedMemory()) {
    GTEST_SKIP() << "not with this malloc";
  }
  PeakMemory peak;
  if (!peak.Start()) GTEST_SKIP() << "the kernel does not reset peaks";
  KeepFreedMemory(true);
  EXPECT_GT(NewBytes(), 0U);
  EXPECT_LT(NewBytes(), kBytes / 8);
  ReturnFreedMemory();
  EXPECT_GT(NewBytes(), kBytes / 8 * 7);
  KeepFreedMemory(false);
  ReturnFreedMemory();
  NewBytes();
  EXPECT_GT(NewBytes(), kBytes / 8 * 7);
}

}  // namespace
}  // namespace sstfilter::benchmarks
