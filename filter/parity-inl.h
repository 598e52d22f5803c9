// Steps of the parity filter that its kernels share. Like filter/kernel-inl.h,
// for files that are compiled for different instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "filter/algorithm.h"
#include "filter/kernel-inl.h"
#include "filter/parity_layout.h"

namespace sstfilter {
namespace {

// --- Words.

inline void ParityStore(char* p, uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  std::memcpy(p, &value, sizeof(value));
}

inline uint64_t ParityRotate(uint64_t value, int count) {
  return (value << (count & 63)) | (value >> (-count & 63));
}

// The `count` lowest bits, count >= 0.
inline uint64_t ParityLowBits(int count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

inline uint32_t ParityOf(uint64_t value) {
  return static_cast<uint32_t>(__builtin_parityll(value));
}

constexpr uint64_t kParityWordMask = (uint64_t{1} << kParityWordColumns) - 1;

// --- Keys.

struct ParityKey {
  uint64_t low;
  uint64_t high;
  uint64_t third;
  uint32_t spread;

  uint32_t Fingerprint() const { return static_cast<uint32_t>(third >> 32); }
  int Share() const { return static_cast<int>((third >> 29) & 7); }
};

// The fields of a key; bit 63 of `low` and `high` is not cleared.
inline ParityKey ParityExpand(uint64_t hash) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash) * kParityFold;
  const uint64_t mixed =
      static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
  const uint64_t second = mixed * kParitySecond;
  ParityKey key;
  key.low = mixed;
  key.high = (second << 32) | (second >> 32);
  key.third = mixed * kParityThird;
  key.spread = static_cast<uint32_t>(second >> 32);
  return key;
}

// The words of vector `varied`.
inline uint64_t ParityLow(const ParityGeometry& geometry, const ParityKey& key,
                          uint32_t varied) {
  return (key.low & ~geometry.low_mask) |
         (ParityRotate(varied >> 8, geometry.low_rotation) & geometry.low_mask);
}

inline uint64_t ParityHigh(const ParityGeometry& geometry, const ParityKey& key,
                           uint32_t varied) {
  return (key.high & ~geometry.high_mask) |
         (ParityRotate(varied >> 8, geometry.high_rotation) &
          geometry.high_mask);
}

// --- Lookups.

// FilterView::constants of this kind.
inline const ParityGeometry& ParityGeometryOf(const FilterView& view) {
  return *static_cast<const ParityGeometry*>(view.constants);
}

// What a code that stands for no system says.
inline bool ParitySpecialCode(unsigned code) {
  return code != kParityCodeEmpty;
}

// For blocks of 4 and 2 words, from their words without the header.
inline bool ParityTestSmall(const ParityGeometry& geometry, const char* block,
                            uint64_t hash) {
  const int words = geometry.words;
  const int width = 64 - 8 / words;
  uint64_t payload[5];
  unsigned code = 0;
  for (int i = 0; i < words; ++i) {
    const uint64_t word = KernelLoad64(block + 8 * i);
    payload[i] = word & ParityLowBits(width);
    code |= static_cast<unsigned>(word >> width) << (i * (8 / words));
  }
  payload[words] = 0;
  const ParityKey key = ParityExpand(hash);
  int columns = geometry.columns[code];
  unsigned vector = geometry.vector[code];
  bool fraction = true;
  if (columns == 0) {
    if (code < kParityFirstShare || code >= kParityFirstCode) {
      return ParitySpecialCode(code);
    }
    if (key.Share() >= static_cast<int>(code)) return true;
    columns = geometry.max_columns;
    fraction = false;
  }
  const uint32_t varied = key.spread * kParityVaried[vector];
  uint64_t low = ParityLow(geometry, key, varied) & kParityWordMask;
  uint64_t high = ParityHigh(geometry, key, varied) & kParityWordMask;
  const ParityPlan& plan = kParityTables.plan[words / 4][columns];
  if (columns <= kParityWordColumns) {
    low &= ParityLowBits(columns);
    high = 0;
  } else {
    high &= ParityLowBits(columns - kParityWordColumns);
  }
  const uint32_t fingerprint = key.Fingerprint();
  int rows = plan.rows;
  if (fraction && plan.fraction_bits > 0 && (varied & 255) < plan.threshold) {
    ++rows;
  }
  for (int row = 0, begin = 0; row < rows; ++row, begin += columns) {
    if (row == plan.rows) {
      low &= ParityLowBits(plan.fraction_bits);
      high &= plan.fraction_bits <= kParityWordColumns
                  ? 0
                  : ParityLowBits(plan.fraction_bits - kParityWordColumns);
    }
    // `width` columns at a time meet the two words in which they lie.
    uint64_t sum = 0;
    const int offset = begin % width;
    int word = begin / width;
    for (int column = 0; column < columns && word < words;
         column += width, ++word) {
      uint64_t part;
      if (column < kParityWordColumns) {
        part = (low >> column) | (high << (kParityWordColumns - column));
      } else {
        part = high >> (column - kParityWordColumns);
      }
      part &= ParityLowBits(width);
      const uint64_t string =
          (payload[word] >> offset) |
          (offset == 0 ? 0 : payload[word + 1] << (width - offset));
      sum ^= part & string;
    }
    if (ParityOf(sum) != ((fingerprint >> row) & 1)) return false;
  }
  return true;
}

// For blocks of 8 words. The kernels with vector instructions have their own;
// this one is plain.
inline bool ParityTestLarge(const ParityGeometry& geometry, const char* block,
                            uint64_t hash) {
  uint64_t words[8];
  unsigned code = 0;
  for (int i = 0; i < 8; ++i) {
    words[i] = KernelLoad64(block + 8 * i);
    code |= static_cast<unsigned>(words[i] >> 63) << i;
  }
  const ParityKey key = ParityExpand(hash);
  int columns = geometry.columns[code];
  unsigned vector = geometry.vector[code];
  bool bound = true;
  if (columns == 0) {
    if (code < kParityFirstShare || code >= kParityFirstCode) {
      return ParitySpecialCode(code);
    }
    if (key.Share() >= static_cast<int>(code)) return true;
    columns = geometry.max_columns;
    bound = false;
  }
  const ParityString& string = kParityTables.string[columns];
  const uint32_t varied = key.spread * kParityVaried[vector];
  uint64_t low = ParityLow(geometry, key, varied) & kParityWordMask;
  uint64_t high = 0;
  uint32_t fingerprint = key.Fingerprint();
  if (columns <= kParityWordColumns) {
    low &= ParityLowBits(columns);
    for (int layer = 0; layer < string.layers; ++layer) {
      const uint64_t mask = low << (layer * columns);
      for (int i = 0; i < 8; ++i, fingerprint >>= 1) {
        if (ParityOf(words[i] & mask) != (fingerprint & 1)) return false;
      }
    }
  } else {
    high = ParityHigh(geometry, key, varied) &
           ParityLowBits(columns - kParityWordColumns);
    for (int i = 0; i < 4; ++i, fingerprint >>= 1) {
      if (ParityOf((words[i] & low) ^ (words[i + 4] & high)) !=
          (fingerprint & 1)) {
        return false;
      }
    }
  }
  // Parities of the parts of each word, those below the boundary first.
  uint32_t parts = 0;
  const auto left = [](uint64_t value, int count) {
    return count < 64 ? value << count : 0;
  };
  const auto right = [](uint64_t value, int count) {
    return count < 64 ? value >> count : 0;
  };
  for (int i = columns <= kParityWordColumns ? 0 : 4; i < 8; ++i) {
    uint64_t mask = left(low, string.direct[i]) | left(low, string.wrapped[i]) |
                    right(low, string.low_right[i]) |
                    left(high, string.high_left[i]) |
                    right(high, string.high_right[i]);
    mask &= words[i] & string.mask;
    const uint64_t below = mask & ParityLowBits(string.boundary[i]);
    parts |= (ParityOf(below) | (ParityOf(mask ^ below) << 8)) << i;
  }
  bound = bound && (varied & 255) < string.threshold;
  const int rows = bound ? string.bound_rows : string.full_rows;
  for (int i = 0; i < rows; ++i, fingerprint >>= 1) {
    if (ParityOf(parts & string.parts[i]) != (fingerprint & 1)) return false;
  }
  return true;
}

// Answers for `count` keys; see KernelBatch. `test` is the kernel's own, for
// blocks of eight words.
template <typename HashOf, typename Test>
inline void ParityMayMatchAll(const FilterView& view, size_t count,
                              HashOf hash_of, bool* results, Test test) {
  const ParityGeometry& geometry = ParityGeometryOf(view);
  if (geometry.words != 8) {
    KernelBatch(view, 8U * geometry.words, count, hash_of, results,
                [&](const char* block, uint64_t hash) {
                  return ParityTestSmall(geometry, block, hash);
                });
    return;
  }
  KernelBatch(view, kBlockBytes, count, hash_of, results,
              [&](const char* block, uint64_t hash) {
                return test(geometry, block, hash);
              });
}

}  // namespace
}  // namespace sstfilter
