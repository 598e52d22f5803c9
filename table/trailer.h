// The trailer of a filter block: everything a reader must know, at fixed
// offsets from the end. table/FORMAT.md is the specification; this is the only
// code that knows the offsets.
//
//   payload bytes | 36 bytes of trailer, all integers little-endian
//
//   0      8      16        20          24     25      26         30        31     32
//   +------+------+---------+-----------+------+-------+----------+---------+------+-------+
//   | seed | keys | payload | key       | kind | param | checksum | version | zero | magic |
//   |      |      | bytes   | transform |      |       |          |         |      |       |
//   +------+------+---------+-----------+------+-------+----------+---------+------+-------+
//
// The zero byte is what a built-in RocksDB reader takes for the number of
// probes, and zero probes have always meant "every key may match" to it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/algorithm.h"

namespace sstfilter {

inline constexpr size_t kTrailerBytes = 36;
inline constexpr uint8_t kFormatVersion = 1;

// Why a block of bytes can or cannot be used as a filter.
enum class BlockState {
  kUsable,
  kForeign,         // not written by sstfilter
  kUnknownVersion,  // ours, of a format this code does not know
  kUnknownKind,     // ours, of a kind this code does not know
  kDamaged,         // ours, but the trailer is damaged or the length is wrong
};

const char* BlockStateName(BlockState state);

struct Trailer {
  uint64_t seed = 0;
  // Distinct keys and prefixes added.
  uint64_t keys = 0;
  // KeyTransformId of the key transform's name; 0 for none.
  uint32_t key_transform = 0;
  FilterKind kind = FilterKind::kBloom;
  FilterShape shape;

  // Writes kTrailerBytes to `out`. `kind` must be a concrete one.
  void Write(char* out) const;

  // Reads the trailer at the end of `data`. `*trailer` is set only on kUsable;
  // `shape` is then valid for `kind` and agrees with `size`. Accepts any bytes
  // and any size.
  static BlockState Read(const char* data, size_t size, Trailer* trailer);
};

// The identity of a key transform in a trailer, from its name: 32 bits of XXH3,
// never 0 for a name with characters; 0 for the empty name, "no transform".
uint32_t KeyTransformId(const char* name, size_t length);

}  // namespace sstfilter
