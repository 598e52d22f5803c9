// What kernels whose keys live in one block each share. Included by files that
// are compiled for different instruction sets: everything here is in an unnamed
// namespace, and nothing uses inline functions of other headers, so that the
// linker can never pick code for a CPU that is not the one it runs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "filter/algorithm.h"

namespace sstfilter {
namespace {

// Little-endian, on every CPU.
inline uint64_t KernelLoad64(const char* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

inline uint32_t KernelLoad32(const char* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

// The block of a key; SlotOf of filter/hash.h.
inline const char* KernelBlockOf(const FilterView& view, uint64_t hash,
                                 size_t block_bytes) {
  __extension__ using Wide = unsigned __int128;
  return view.payload +
         static_cast<uint64_t>((static_cast<Wide>(hash) * view.slots) >> 64) *
             block_bytes;
}

// FilterKernel::may_match_batch by way of `test`, a function of block and hash.
template <typename Test>
inline void KernelBatch(const FilterView& view, size_t block_bytes,
                        const uint64_t* hashes, size_t count, bool* results,
                        Test test) {
  // Far enough ahead to overlap the memory accesses, near enough that the lines
  // are still in the cache when they are looked at.
  constexpr size_t kGroup = 32;
  const char* blocks[kGroup];
  while (count > 0) {
    const size_t group = count < kGroup ? count : kGroup;
    for (size_t i = 0; i < group; ++i) {
      blocks[i] = KernelBlockOf(view, hashes[i], block_bytes);
      // Blocks need not be aligned.
      __builtin_prefetch(blocks[i]);
      __builtin_prefetch(blocks[i] + block_bytes - 1);
    }
    for (size_t i = 0; i < group; ++i) results[i] = test(blocks[i], hashes[i]);
    hashes += group;
    results += group;
    count -= group;
  }
}

}  // namespace
}  // namespace sstfilter
