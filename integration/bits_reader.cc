#include "integration/bits_reader.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sstfilter {

using rocksdb::Slice;

namespace {

// Keys as they are.
class PlainKeys {
 public:
  bool MayMatch(const FilterBlockReader& block, const Slice& key) const {
    return block.MayMatch(key.data(), key.size());
  }

  uint64_t Hash(const FilterBlockReader& block, const Slice& key) const {
    return block.Hash(key.data(), key.size());
  }
};

class TransformedKeys {
 public:
  explicit TransformedKeys(std::shared_ptr<const KeyTransform> transform)
      : transform_(std::move(transform)) {}

  bool MayMatch(const FilterBlockReader& block, const Slice& key) const {
    return block.MayMatch(Hash(block, key));
  }

  uint64_t Hash(const FilterBlockReader& block, const Slice& key) const {
    std::string canonical;
    transform_->function(key, &canonical);
    return block.Hash(canonical.data(), canonical.size());
  }

 private:
  std::shared_ptr<const KeyTransform> transform_;
};

template <typename Keys>
class BitsReader final : public rocksdb::FilterBitsReader {
 public:
  BitsReader(const FilterBlockReader& block, Keys keys)
      : block_(block), keys_(std::move(keys)) {}

  bool MayMatch(const Slice& entry) override {
    return keys_.MayMatch(block_, entry);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    uint64_t hashes[kBatchKeys];
    for (size_t done = 0; done < static_cast<size_t>(num_keys);) {
      const size_t count = std::min(kBatchKeys, num_keys - done);
      for (size_t i = 0; i < count; ++i) {
        hashes[i] = keys_.Hash(block_, *keys[done + i]);
      }
      block_.MayMatch(hashes, count, may_match + done);
      done += count;
    }
  }

 private:
  const FilterBlockReader block_;
  const Keys keys_;
};

}  // namespace

std::unique_ptr<rocksdb::FilterBitsReader> NewBitsReader(
    const FilterBlockReader& block,
    std::shared_ptr<const KeyTransform> transform) {
  if (transform == nullptr) {
    return std::make_unique<BitsReader<PlainKeys>>(block, PlainKeys());
  }
  return std::make_unique<BitsReader<TransformedKeys>>(
      block, TransformedKeys(std::move(transform)));
}

}  // namespace sstfilter
