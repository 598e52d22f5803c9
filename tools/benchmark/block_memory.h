// The memory a filter block is asked in.
#pragma once

#include <cstddef>

namespace sstfilter::benchmarks {

// Where a filter block lies.
struct Placement {
  size_t alignment = 16;  // address modulo 64
  bool huge_pages = false;
};

// Memory of its own pages, so that the address modulo 64 and the page size are
// what was asked for and the same for every filter; malloc would give each
// another place.
class BlockMemory {
 public:
  BlockMemory() = default;
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;
  ~BlockMemory() { Release(); }

  // A copy of `bytes`. False if the system refuses the memory or the page size.
  bool Assign(const char* bytes, size_t size, const Placement& placement);

  const char* data() const { return data_; }
  size_t size() const { return size_; }

  void Release();

 private:
  void* pages_ = nullptr;
  size_t page_bytes_ = 0;
  char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace sstfilter::benchmarks
