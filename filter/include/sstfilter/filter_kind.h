// The kinds of filter a table can carry.
#pragma once

#include <string_view>

namespace sstfilter {

enum class FilterKind {
  // Cache-line Bloom filter: every key sets and tests bits of one 64-byte
  // block. Fast to build and to ask. Option name "bloom".
  kBloom,
  // The textbook Bloom filter over one row of bits, one memory access per
  // probe. Kept as the reference for the mathematics. Option name "standard".
  kStandardBloom,
  // Solved 64-byte blocks: about a quarter of bloom's false positives at the
  // same size and the same single memory access, slower to build (see
  // filter/PARITY.md). Option name "parity".
  kParity,
  // kBloom for flushes and level 0, which are rewritten soon; kParity below.
  // A choice between kinds, never the kind of a stored filter. Option name
  // "auto".
  kAuto,
};

// The name used in option strings and reports. The characters live for ever.
const char* FilterKindName(FilterKind kind);

// Reads an option name. Returns false, and leaves `*kind` alone, if unknown.
bool ParseFilterKind(std::string_view name, FilterKind* kind);

}  // namespace sstfilter
