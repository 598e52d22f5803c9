// Byte-wise little-endian loads and stores: right on every CPU and at every
// address. Compilers turn them into single instructions where that is possible.
#pragma once

#include <cstdint>

namespace sstfilter {

inline uint32_t LoadLittle32(const char* p) {
  // Spelled out: GCC 12 makes one load of this, and four of a loop.
  const auto byte = [p](int i) {
    return uint32_t{static_cast<uint8_t>(p[i])} << (8 * i);
  };
  return byte(0) | byte(1) | byte(2) | byte(3);
}

inline uint64_t LoadLittle64(const char* p) {
  return LoadLittle32(p) | (uint64_t{LoadLittle32(p + 4)} << 32);
}

inline void StoreLittle32(char* p, uint32_t value) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<char>(value >> (8 * i));
}

inline void StoreLittle64(char* p, uint64_t value) {
  StoreLittle32(p, static_cast<uint32_t>(value));
  StoreLittle32(p + 4, static_cast<uint32_t>(value >> 32));
}

}  // namespace sstfilter
