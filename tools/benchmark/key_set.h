// Keys in memory, in the forms in which filters take them.
#pragma once

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "filter/hash.h"
#include "tools/random.h"

namespace sstfilter::benchmarks {

enum class QueryMix { kAbsent, kPresent, kHalf };

// The keys that are in a filter: the numbers [0, count) of a universe. Keys of
// other numbers, and of other universes, are not in it.
struct KeyUniverse {
  // Makes every filter's keys its own.
  uint64_t id = 0;
  uint64_t count = 0;
  size_t key_length = 16;  // at least 8
};

// Some keys, one after the other in memory. Refilled again and again; memory is
// reused.
class KeySet {
 public:
  // How many keys fit into the part of the cache that keys may take without
  // displacing what is measured. A multiple of the batch size.
  static size_t CapacityFor(size_t key_length);

  // Keys `first`, `first` + 1, ... of the universe.
  void FillInOrder(const KeyUniverse& universe, uint64_t first, size_t count);

  // Keys drawn at random from those in the filter, from those that are not, or
  // from either at even chance.
  void FillAtRandom(const KeyUniverse& universe, QueryMix mix, size_t count,
                    tools::Random* random);

  size_t size() const { return size_; }
  size_t key_length() const { return key_length_; }
  const char* key(size_t i) const { return bytes_.data() + i * key_length_; }
  // Keys [first, ...) for a RocksDB batch.
  rocksdb::Slice** pointers(size_t first) { return pointers_.data() + first; }
  // As the core takes them; seed 0.
  const uint64_t* hashes() const { return hashes_.data(); }

  // Whether key i was drawn from the filter's own keys.
  bool is_present(size_t i) const { return is_present_[i] != 0; }
  size_t present() const { return present_; }

  // Reads what a filter has to read of a key, and nothing else: the cost to be
  // subtracted. `between` is called after each key.
  template <typename Between>
  uint64_t Fetch(const Between& between) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < size_; ++i) {
      sum += FetchBytes(key(i), key_length_);
      between();
    }
    return sum;
  }
  template <typename Between>
  uint64_t FetchHashes(const Between& between) const {
    uint64_t sum = 0;
    for (const uint64_t hash : hashes_) {
      sum += hash;
      between();
    }
    return sum;
  }
  uint64_t FetchPointers() const;

 private:
  // One read per cache line.
  static uint64_t FetchBytes(const char* key, size_t length) {
    uint64_t sum = 0;
    for (size_t at = 0; at + sizeof(uint64_t) <= length; at += 64) {
      uint64_t word;
      std::memcpy(&word, key + at, sizeof(word));
      sum ^= word;
    }
    return sum;
  }

  void Resize(const KeyUniverse& universe, size_t count);
  void Put(const KeyUniverse& universe, uint64_t number, size_t i);

  size_t size_ = 0;
  size_t key_length_ = 0;
  size_t present_ = 0;
  std::vector<char> bytes_;
  std::vector<rocksdb::Slice> slices_;
  std::vector<rocksdb::Slice*> pointers_;
  std::vector<uint64_t> hashes_;
  std::vector<uint8_t> is_present_;
};

}  // namespace sstfilter::benchmarks
