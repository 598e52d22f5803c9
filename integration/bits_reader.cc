#include "integration/bits_reader.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace sstfilter {

using rocksdb::Slice;

namespace {

// What KeyBytes says of rocksdb::Slice.
static_assert(sizeof(Slice) == sizeof(KeyBytes) &&
                  offsetof(Slice, data_) == offsetof(KeyBytes, data) &&
                  offsetof(Slice, size_) == offsetof(KeyBytes, length),
              "rocksdb::Slice is an address and a length");

// Keys as they are.
class PlainKeys {
 public:
  bool MayMatch(const FilterBlockReader& block, const Slice& key) const {
    return block.MayMatch(key.data(), key.size());
  }

  void MayMatch(const FilterBlockReader& block, Slice** keys, size_t count,
                bool* may_match) const {
    block.MayMatch(reinterpret_cast<const KeyBytes* const*>(keys), count,
                   may_match);
  }
};

class TransformedKeys {
 public:
  explicit TransformedKeys(std::shared_ptr<const KeyTransform> transform)
      : transform_(std::move(transform)) {}

  bool MayMatch(const FilterBlockReader& block, const Slice& key) const {
    return block.MayMatch(Hash(block, key));
  }

  void MayMatch(const FilterBlockReader& block, Slice** keys, size_t count,
                bool* may_match) const {
    uint64_t hashes[kBatchKeys];
    for (size_t done = 0; done < count;) {
      const size_t group = std::min(kBatchKeys, count - done);
      for (size_t i = 0; i < group; ++i) {
        hashes[i] = Hash(block, *keys[done + i]);
      }
      block.MayMatch(hashes, group, may_match + done);
      done += group;
    }
  }

 private:
  uint64_t Hash(const FilterBlockReader& block, const Slice& key) const {
    std::string canonical;
    transform_->function(key, &canonical);
    return block.Hash(canonical.data(), canonical.size());
  }

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
    keys_.MayMatch(block_, keys, static_cast<size_t>(num_keys), may_match);
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
