// The textbook Bloom filter: one row of m bits, k positions per key anywhere in
// it. Kind "standard".
//
//   bit   0 1 2 3 4 5 6 7 8 ...                               m-1
//        [. . 1 . . . . 1 . . . 1 . . .   ...                   ]
//             ^         ^       ^      positions of one key, k = 3
//
// Bits only ever get set. There is no way to take a key out: a bit may belong
// to several keys, and clearing it would lose them all.
#pragma once

#include <cstdint>

#include "filter/algorithm.h"

namespace sstfilter {

// A row of bits in memory owned by someone else; bit p is bit p % 8 of byte p
// / 8.
class BitRow {
 public:
  explicit BitRow(char* bytes) : bytes_(bytes) {}

  void Set(uint64_t position) {
    bytes_[position / 8] = static_cast<char>(
        static_cast<uint8_t>(bytes_[position / 8]) | Mask(position));
  }

  static bool IsSet(const char* bytes, uint64_t position) {
    return (static_cast<uint8_t>(bytes[position / 8]) & Mask(position)) != 0;
  }

 private:
  static uint8_t Mask(uint64_t position) {
    return static_cast<uint8_t>(1u << (position % 8));
  }

  char* bytes_;
};

// The k positions of a hash, one after the other.
class StandardBloomPositions {
 public:
  StandardBloomPositions(uint64_t hash, uint64_t row_bits)
      : state_(hash), row_bits_(row_bits) {}

  // The next position, in [0, row_bits). Each step of the underlying generator
  // (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators",
  // 2014) gives 64 fresh bits, so positions stay independent however many there
  // are: double hashing from one 64-bit hash would put a floor under the rate.
  uint64_t Next();

 private:
  uint64_t state_;
  uint64_t row_bits_;
};

extern const FilterAlgorithm kStandardBloomAlgorithm;

}  // namespace sstfilter
