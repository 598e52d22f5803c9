// What the layers above need to know of a kind of filter, as one table of
// functions per kind, so that the filter block, the policy and the tools treat
// all kinds alike.
//
//   FilterAlgorithm   one per kind: how large, how good, which kernels
//   FilterKernel      one per kind and instruction set: build and look up
//
// Keys arrive as 64-bit hashes (filter/hash.h). A payload is a byte string; its
// meaning does not depend on the CPU that wrote it or on its address. The
// scalar kernel is the specification: every other kernel writes the same bytes
// and gives the same answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/cpu.h"
#include "filter/hash.h"
#include "sstfilter/filter_kind.h"

namespace sstfilter {

// Bytes of a block of the kinds that keep all of a key's bits in one block: a
// cache line of every CPU that matters here.
inline constexpr size_t kBlockBytes = 64;
inline constexpr size_t kBlockBits = kBlockBytes * 8;

// The largest payload any kind is given: a filter block plus its trailer stays
// below 4 GiB, the limit of RocksDB's block handles for a single read.
inline constexpr uint64_t kMaxPayloadBytes = (uint64_t{1} << 32) - 4096;

// The range of bits per key that every kind accepts.
inline constexpr double kMinBitsPerKey = 1.0;
inline constexpr double kMaxBitsPerKey = 100.0;

// Size and parameter of one payload.
struct FilterShape {
  // A multiple of kBlockBytes for block kinds; in [1, kMaxPayloadBytes].
  uint64_t payload_bytes = 0;
  // Standard Bloom: number of probes. Other kinds: see their header; 0 if
  // unused.
  uint8_t parameter = 0;
};

// A payload and its shape, ready to be asked. Points into memory it does not
// own; any alignment.
struct FilterView {
  const char* payload = nullptr;
  // Blocks for block kinds, bits for standard Bloom; see MakeFilterView.
  uint64_t slots = 0;
  // FilterAlgorithm::constants of the parameter.
  const void* constants = nullptr;
  uint8_t parameter = 0;
  // What keys are hashed with.
  HashSeed seed;
};

// Where the bytes of a key are. rocksdb::Slice has the same layout: arrays of
// pointers to either can be asked.
struct KeyBytes {
  const char* data;
  size_t length;
};

// How one kernel looks keys up.
struct FilterLookups {
  // False only if `hash` was certainly not added. Reads only within the
  // payload, whatever its bytes are.
  bool (*may_match)(const FilterView& view, uint64_t hash);

  // may_match of the key's hash. Hashing and looking up in one function is
  // worth a tenth of a lookup in the cache.
  bool (*may_match_key)(const FilterView& view, const char* key, size_t length);

  // may_match of `count` hashes, with their memory accesses overlapped. Writes
  // every element of `results`.
  void (*may_match_batch)(const FilterView& view, const uint64_t* hashes,
                          size_t count, bool* results);

  // may_match_batch of the hashes of `count` keys.
  void (*may_match_keys)(const FilterView& view, const KeyBytes* const* keys,
                         size_t count, bool* results);
};

struct FilterKernel : FilterLookups {
  // Writes the payload of a filter that holds `count` hashes. `payload` has
  // `shape.payload_bytes` bytes, all of which are written; any alignment.
  // Duplicates are allowed. Reorders `hashes` and may overwrite them: after the
  // call they are unspecified. Never fails, never throws, allocates nothing
  // that grows with `count`.
  void (*build)(const FilterShape& shape, uint64_t* hashes, size_t count,
                char* payload);

  CpuLevel level;
};

struct FilterAlgorithm {
  FilterKind kind;

  // The shape for `keys` keys (0 allowed) at `bits_per_key` in
  // [kMinBitsPerKey, kMaxBitsPerKey]. Payload bytes grow with both arguments
  // and are capped at kMaxPayloadBytes.
  FilterShape (*shape_for)(uint64_t keys, double bits_per_key);

  // Whether `shape` is one that shape_for could have returned; what a reader
  // checks before it trusts a stored shape.
  bool (*is_valid_shape)(const FilterShape& shape);

  // Expected false positive rate, in [0, 1], of a filter of this shape that
  // holds `keys` distinct keys.
  double (*false_positive_rate)(const FilterShape& shape, uint64_t keys);

  // The kernels compiled in, fastest first; the last is the scalar one. Which
  // of them this CPU can run is for KernelFor to say.
  const FilterKernel* kernels;
  size_t kernel_count;

  // FilterView::slots for a valid shape.
  uint64_t (*slots)(const FilterShape& shape);

  // What the kernels look up by the parameter of a valid shape, or null; see
  // the kind's header for its type. In the view, so that it need not be found
  // again for every key.
  const void* (*constants)(uint8_t parameter);
};

// The algorithm of a kind; null for kAuto, which is no algorithm.
const FilterAlgorithm* AlgorithmFor(FilterKind kind);

// The fastest kernel of `algorithm` at or below `level`. There always is one.
const FilterKernel& KernelFor(const FilterAlgorithm& algorithm, CpuLevel level);

// As above, at ActiveCpuLevel().
const FilterKernel& KernelFor(const FilterAlgorithm& algorithm);

inline FilterView MakeFilterView(const FilterAlgorithm& algorithm,
                                 const FilterShape& shape, const char* payload,
                                 const HashSeed& seed = HashSeed()) {
  return FilterView{payload, algorithm.slots(shape),
                    algorithm.constants(shape.parameter), shape.parameter,
                    seed};
}

}  // namespace sstfilter
