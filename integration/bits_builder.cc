#include "integration/bits_builder.h"

#include <algorithm>
#include <utility>

namespace sstfilter {

using rocksdb::Slice;
using rocksdb::Status;

BitsBuilder::BitsBuilder(const FilterBlockOptions& options,
                         std::shared_ptr<const KeyTransform> transform,
                         std::shared_ptr<FilterCounters> counters)
    : options_(options),
      transform_(std::move(transform)),
      counters_(std::move(counters)),
      builder_(options) {}

void BitsBuilder::AddKey(const Slice& key) {
  if (transform_ == nullptr) {
    builder_.AddKey(key.data(), key.size());
    return;
  }
  transform_->function(key, &canonical_);
  builder_.AddKey(canonical_.data(), canonical_.size());
}

#if SSTFILTER_BITS_LAYOUT >= 2
void BitsBuilder::AddKeyAndAlt(const Slice& key, const Slice& alt) {
  if (transform_ == nullptr) {
    builder_.AddKeyAndAlternative(key.data(), key.size(), alt.data(),
                                  alt.size());
    return;
  }
  transform_->function(key, &canonical_);
  transform_->function(alt, &canonical_alternative_);
  builder_.AddKeyAndAlternative(canonical_.data(), canonical_.size(),
                                canonical_alternative_.data(),
                                canonical_alternative_.size());
}
#endif

size_t BitsBuilder::EstimateEntriesAdded() { return builder_.keys_added(); }

Slice BitsBuilder::Finish(std::unique_ptr<const char[]>* buf) {
  return Finish(buf, nullptr);
}

Slice BitsBuilder::Finish(std::unique_ptr<const char[]>* buf, Status* status) {
  FilterBlock block = builder_.Finish();
  if (status != nullptr) *status = Status::OK();
  switch (block.outcome) {
    case FilterBlock::Outcome::kBuilt:
      counters_->filters_built.fetch_add(1, std::memory_order_relaxed);
      break;
    case FilterBlock::Outcome::kEmpty:
      break;
    case FilterBlock::Outcome::kOutOfMemory:
      counters_->filters_out_of_memory.fetch_add(1, std::memory_order_relaxed);
      break;
    case FilterBlock::Outcome::kCorrupted:
      if (status != nullptr) {
        *status = Status::Corruption(
            "sstfilter: hashes changed in memory while a filter was built");
      }
      break;
  }
  *buf = std::move(block.bytes);
  return Slice(buf->get(), block.size);
}

Status BitsBuilder::MaybePostVerify(const Slice& filter_content) {
  if (builder_.Verify(filter_content.data(), filter_content.size())) {
    return Status::OK();
  }
  return Status::Corruption(
      "sstfilter: a filter just built does not find one of its keys");
}

size_t BitsBuilder::ApproximateNumEntries(size_t bytes) {
  return FilterBlockBuilder::KeysThatFit(options_, bytes);
}

#if SSTFILTER_BITS_LAYOUT >= 3
size_t BitsBuilder::CalculateSpace(size_t num_entries) {
  return FilterBlockBuilder::BlockBytes(options_, num_entries);
}

double BitsBuilder::EstimatedFpRate(size_t num_entries, size_t bytes) {
  return FilterBlockBuilder::ExpectedRate(options_, num_entries, bytes);
}
#endif

}  // namespace sstfilter
