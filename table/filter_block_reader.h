// From the bytes of a filter block to answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/algorithm.h"
#include "filter/hash-inl.h"
#include "table/trailer.h"

namespace sstfilter {

// Keys asked together share one pass over memory; more than this gain nothing.
inline constexpr size_t kBatchKeys = 32;

// Answers for one filter block. A small value: making one is a few header
// checks, nothing is decoded, copied or allocated. The bytes must stay valid
// and unchanged; any alignment. Const calls are thread-safe.
class FilterBlockReader {
 public:
  // On kUsable `*reader` is ready; otherwise it is unchanged, and the caller
  // must treat every key as one that may be present. Accepts any bytes.
  static BlockState Open(const char* data, size_t size,
                         FilterBlockReader* reader);

  // A reader that may only be assigned to.
  FilterBlockReader() = default;

  uint64_t Hash(const char* key, size_t length) const {
    return HashKeyInline(view_.seed, key, length);
  }

  // False only if the key was certainly not added.
  bool MayMatch(const char* key, size_t length) const {
    return lookups_.may_match_key(view_, key, length);
  }

  // The same of a key's hash.
  bool MayMatch(uint64_t hash) const { return lookups_.may_match(view_, hash); }

  // The same for `count` hashes; writes every element of `results`.
  void MayMatch(const uint64_t* hashes, size_t count, bool* results) const {
    lookups_.may_match_batch(view_, hashes, count, results);
  }

  // The same for `count` keys.
  void MayMatch(const KeyBytes* const* keys, size_t count,
                bool* results) const {
    lookups_.may_match_keys(view_, keys, count, results);
  }

  const Trailer& trailer() const { return trailer_; }

  // Expected share of absent keys that pass.
  double ExpectedFalsePositiveRate() const;

 private:
  // A copy: one load less for each key than by way of a pointer.
  FilterLookups lookups_{};
  FilterView view_;
  Trailer trailer_;
};

}  // namespace sstfilter
