// From keys to the bytes of a filter block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "filter/algorithm.h"
#include "filter/hash-inl.h"
#include "table/hash_list.h"
#include "table/trailer.h"

namespace sstfilter {

struct FilterBlockOptions {
  // A concrete kind, not kAuto.
  FilterKind kind = FilterKind::kBloom;
  // In [kMinBitsPerKey, kMaxBitsPerKey].
  double bits_per_key = 10.0;
  // 0: a fresh random seed for every block.
  uint64_t fixed_seed = 0;
  // Written to the trailer; transforming the keys is up to the caller.
  uint32_t key_transform = 0;
  // Keep the hashes until Verify, and check them on the way: finds a block that
  // was built wrongly because memory or CPU failed, at 8 more bytes per key.
  bool detect_corruption = false;
};

struct FilterBlock {
  enum class Outcome {
    kBuilt,
    kEmpty,        // nothing was added: no block
    kOutOfMemory,  // no block
    kCorrupted,    // hashes changed between adding and building: no block
  };
  Outcome outcome = Outcome::kEmpty;
  std::unique_ptr<const char[]> bytes;
  size_t size = 0;
};

// Calls follow (AddKey | AddKeyAndAlternative)* Finish Verify?, any number of
// times; Finish leaves the builder as new. Not thread-safe, but every call may
// come from another thread. No call throws.
class FilterBlockBuilder {
 public:
  explicit FilterBlockBuilder(const FilterBlockOptions& options);

  void AddKey(const char* key, size_t length) { AddHash(Hash(key, length)); }

  // Adds a key and something to be found beside it, its prefix. Repetitions of
  // either in a row count once, also when they alternate.
  void AddKeyAndAlternative(const char* key, size_t key_length,
                            const char* alternative, size_t alternative_length);

  // Distinct neighbours added since the last Finish: what the filter is sized
  // by.
  size_t keys_added() const { return hashes_.size(); }

  // Builds the block and resets the builder. Sizes by keys_added(); the payload
  // is capped at kMaxPayloadBytes.
  FilterBlock Finish();

  // With detect_corruption: asks the finished block for every hash it was built
  // from and forgets them. False if one is missing. True without the option.
  bool Verify(const char* data, size_t size);

  // Size in bytes of a block for `keys` keys.
  static uint64_t BlockBytes(const FilterBlockOptions& options, uint64_t keys);

  // Expected false positive rate of `keys` keys in a block of `bytes` bytes.
  static double ExpectedRate(const FilterBlockOptions& options, uint64_t keys,
                             uint64_t bytes);

  // The most keys that fit a block of `bytes` bytes at the requested bits per
  // key; 0 if not even one does. Monotone in `bytes`.
  static uint64_t KeysThatFit(const FilterBlockOptions& options,
                              uint64_t bytes);

 private:
  friend class FilterBlockBuilderTestPeer;

  uint64_t Hash(const char* key, size_t length) const {
    return HashKeyInline(seed_, key, length);
  }
  void AddHash(uint64_t hash) {
    if (hashes_.empty() || hashes_.last() != hash) Append(hash);
  }
  void Append(uint64_t hash) {
    if (hashes_.Append(hash)) {
      hashes_xor_ ^= hash;
    } else {
      out_of_memory_ = true;
    }
  }
  void Reset();
  bool KeepForVerify();

  const FilterBlockOptions options_;
  HashSeed seed_;
  HashList hashes_;
  // The alternative added last; meaningful only when has_alternative_.
  uint64_t last_alternative_ = 0;
  bool has_alternative_ = false;
  // The key added last through AddKeyAndAlternative.
  uint64_t last_key_ = 0;
  bool out_of_memory_ = false;
  // Of all hashes as they were added.
  uint64_t hashes_xor_ = 0;
  // With detect_corruption: the hashes of the last finished block, whose seed
  // is in the block itself.
  HashList to_verify_;
};

}  // namespace sstfilter
