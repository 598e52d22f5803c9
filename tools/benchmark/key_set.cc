#include "tools/benchmark/key_set.h"

#include <algorithm>
#include <cstring>

#include "table/filter_block_reader.h"

namespace sstfilter::benchmarks {

namespace {

constexpr size_t kMaxKeys = 8192;
constexpr size_t kMaxBytes = 512 * 1024;
constexpr uint64_t kAbsentNumbers = uint64_t{1} << 63;

}  // namespace

size_t KeySet::CapacityFor(size_t key_length) {
  return std::min(kMaxKeys, kMaxBytes / key_length) / kBatchKeys * kBatchKeys;
}

void KeySet::Resize(const KeyUniverse& universe, size_t count) {
  if (size_ == count && key_length_ == universe.key_length) return;
  size_ = count;
  key_length_ = universe.key_length;
  bytes_.resize(count * key_length_);
  slices_.resize(count);
  pointers_.resize(count);
  hashes_.resize(count);
  is_present_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    slices_[i] = rocksdb::Slice(key(i), key_length_);
    pointers_[i] = &slices_[i];
  }
}

// The number, scattered by a bijection, stands in the last eight bytes, behind
// bytes that depend on it too.
void KeySet::Put(const KeyUniverse& universe, uint64_t number, size_t i) {
  char* const key = bytes_.data() + i * key_length_;
  const uint64_t word =
      tools::Scatter(number ^ tools::Scatter(universe.id) << 48);
  uint64_t filler = word;
  size_t at = 0;
  for (; at + 2 * sizeof(word) <= key_length_; at += sizeof(word)) {
    filler *= uint64_t{0xD1342543DE82EF95};
    std::memcpy(key + at, &filler, sizeof(filler));
  }
  std::memset(key + at, '-', key_length_ - sizeof(word) - at);
  std::memcpy(key + key_length_ - sizeof(word), &word, sizeof(word));
  hashes_[i] = HashKey(key, key_length_, 0);
}

void KeySet::FillInOrder(const KeyUniverse& universe, uint64_t first,
                         size_t count) {
  Resize(universe, count);
  for (size_t i = 0; i < count; ++i) {
    Put(universe, first + i, i);
    is_present_[i] = 1;
  }
  present_ = count;
}

void KeySet::FillAtRandom(const KeyUniverse& universe, QueryMix mix,
                          size_t count, tools::Random* random) {
  Resize(universe, count);
  present_ = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool present = mix == QueryMix::kPresent ||
                         (mix == QueryMix::kHalf && random->Below(2) == 0);
    // Below 2^47, so that it leaves the bits of the universe alone.
    const uint64_t number =
        present ? random->Below(universe.count)
                : kAbsentNumbers | random->Below(uint64_t{1} << 47);
    Put(universe, number, i);
    is_present_[i] = present ? 1 : 0;
    present_ += present ? 1 : 0;
  }
}

uint64_t KeySet::FetchPointers() const {
  uint64_t sum = 0;
  for (const rocksdb::Slice* slice : pointers_) {
    sum += FetchBytes(slice->data(), slice->size());
  }
  return sum;
}

}  // namespace sstfilter::benchmarks
