#include "integration/bits_builder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "integration/given_up_filter.h"

namespace sstfilter {

using rocksdb::Slice;
using rocksdb::Status;

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

BitsBuilder::BitsBuilder(const FilterBlockOptions& options,
                         std::shared_ptr<const KeyTransform> transform,
                         std::shared_ptr<FilterCounters> counters,
                         std::shared_ptr<FilterBuild> build)
    : options_(options),
      transform_(std::move(transform)),
      counters_(std::move(counters)),
      build_(std::move(build)),
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
  // Adding keys is not timed: reading the clock takes longer than adding one.
  const uint64_t keys = builder_.keys_added();
  const Clock::time_point start = Clock::now();
  FilterBlock block = builder_.Finish();
  const std::chrono::nanoseconds time = Clock::now() - start;
  if (status != nullptr) *status = Status::OK();
  switch (block.outcome) {
    case FilterBlock::Outcome::kBuilt:
      Count(keys, block.size, static_cast<uint64_t>(time.count()));
      break;
    case FilterBlock::Outcome::kEmpty:
      break;
    case FilterBlock::Outcome::kOutOfMemory:
      counters_->filters_out_of_memory.fetch_add(1, std::memory_order_relaxed);
      buf->reset();
      return GivenUpFilter();
    case FilterBlock::Outcome::kCorrupted:
      if (status != nullptr) {
        *status = Status::Corruption(
            "sstfilter: hashes changed in memory while a filter was built");
      }
      buf->reset();
      return GivenUpFilter();
  }
  *buf = std::move(block.bytes);
  return Slice(buf->get(), block.size);
}

void BitsBuilder::Count(uint64_t keys, uint64_t bytes, uint64_t nanoseconds) {
  if (!has_built_) {
    has_built_ = true;
    counters_->tables_built.fetch_add(1, std::memory_order_relaxed);
  }
  counters_->CountFilter(keys, bytes, nanoseconds);
  if (build_ == nullptr) return;
  build_->filters.fetch_add(1, std::memory_order_relaxed);
  build_->nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
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
