// The growing list of hashes a filter is built from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "table/page_memory.h"

namespace sstfilter {

// Like a vector of uint64_t, but growth goes through realloc, which moves the
// pages of a large list instead of copying them, so the list never exists twice
// and memory far from being written is not yet real; and running out of memory
// is a return value.
class HashList {
 public:
  HashList() = default;
  HashList(const HashList&) = delete;
  HashList& operator=(const HashList&) = delete;
  ~HashList() { Release(); }

  // False, with the list unchanged, when memory ran out.
  bool Append(uint64_t hash) {
    if (size_ == ready_ && !MakeReady()) return false;
    hashes_[size_++] = hash;
    return true;
  }

  uint64_t* data() { return hashes_; }
  const uint64_t* data() const { return hashes_; }
  size_t size() const { return size_; }
  // Of a list that is not empty.
  uint64_t last() const { return hashes_[size_ - 1]; }
  bool empty() const { return size_ == 0; }

  // Empties the list and gives its memory back.
  void Release() {
    std::free(hashes_);
    hashes_ = nullptr;
    size_ = ready_ = capacity_ = 0;
  }

 private:
  static constexpr size_t kStep = kFreshMemoryBytes / sizeof(uint64_t);

  // Makes room for one more hash at least.
  __attribute__((noinline)) bool MakeReady() {
    if (size_ == capacity_ && !Grow()) return false;
    ready_ = std::min(capacity_, size_ + kStep);
    if (size_ >= kStep) {
      PopulatePages(hashes_ + size_, (ready_ - size_) * sizeof(uint64_t));
    }
    return true;
  }

  bool Grow() {
    const size_t capacity = capacity_ == 0 ? 512 : capacity_ * 2;
    auto* grown = static_cast<uint64_t*>(
        std::realloc(hashes_, capacity * sizeof(uint64_t)));
    if (grown == nullptr) return false;
    hashes_ = grown;
    capacity_ = capacity;
    return true;
  }

  uint64_t* hashes_ = nullptr;
  size_t size_ = 0;
  // Where memory ends that is real, or small enough not to ask.
  size_t ready_ = 0;
  size_t capacity_ = 0;
};

}  // namespace sstfilter
