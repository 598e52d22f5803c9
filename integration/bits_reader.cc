#include "integration/bits_reader.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sstfilter {

using rocksdb::Slice;

namespace {

class IdentityHasher {
 public:
  uint64_t operator()(const FilterBlockReader& block, const Slice& key) const {
    return block.Hash(key.data(), key.size());
  }
};

class TransformingHasher {
 public:
  explicit TransformingHasher(std::shared_ptr<const KeyTransform> transform)
      : transform_(std::move(transform)) {}

  uint64_t operator()(const FilterBlockReader& block, const Slice& key) const {
    std::string canonical;
    transform_->function(key, &canonical);
    return block.Hash(canonical.data(), canonical.size());
  }

 private:
  std::shared_ptr<const KeyTransform> transform_;
};

template <typename Hasher>
class BitsReader final : public rocksdb::FilterBitsReader {
 public:
  BitsReader(const FilterBlockReader& block, Hasher hasher)
      : block_(block), hasher_(std::move(hasher)) {}

  bool MayMatch(const Slice& entry) override {
    return block_.MayMatch(hasher_(block_, entry));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    uint64_t hashes[kBatchKeys];
    for (size_t done = 0; done < static_cast<size_t>(num_keys);) {
      const size_t count = std::min(kBatchKeys, num_keys - done);
      for (size_t i = 0; i < count; ++i) {
        hashes[i] = hasher_(block_, *keys[done + i]);
      }
      block_.MayMatch(hashes, count, may_match + done);
      done += count;
    }
  }

 private:
  const FilterBlockReader block_;
  const Hasher hasher_;
};

}  // namespace

std::unique_ptr<rocksdb::FilterBitsReader> NewBitsReader(
    const FilterBlockReader& block,
    std::shared_ptr<const KeyTransform> transform) {
  if (transform == nullptr) {
    return std::make_unique<BitsReader<IdentityHasher>>(block,
                                                        IdentityHasher());
  }
  return std::make_unique<BitsReader<TransformingHasher>>(
      block, TransformingHasher(std::move(transform)));
}

}  // namespace sstfilter
