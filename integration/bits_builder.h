// RocksDB's builder interface on top of a filter block builder.
#pragma once

#include <memory>
#include <string>

#include "integration/filter_build.h"
#include "integration/filter_counters.h"
#include "integration/rocksdb_internals.h"
#include "sstfilter/key_transform.h"
#include "table/filter_block_builder.h"

namespace sstfilter {

class BitsBuilder final : public rocksdb::FilterBitsBuilder {
 public:
  // `transform` may be null. `build` is null when no listener wants to know.
  BitsBuilder(const FilterBlockOptions& options,
              std::shared_ptr<const KeyTransform> transform,
              std::shared_ptr<FilterCounters> counters,
              std::shared_ptr<FilterBuild> build = nullptr);

  void AddKey(const rocksdb::Slice& key) override;

#if SSTFILTER_BITS_LAYOUT >= 2
  void AddKeyAndAlt(const rocksdb::Slice& key,
                    const rocksdb::Slice& alt) override;
#endif

  size_t EstimateEntriesAdded() override;

  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf) override;

  // `*status` (if not null) is Corruption when
  // detect_filter_construct_corruption found that hashes changed in memory,
  // else OK. Running out of memory is not an error to RocksDB: the table gets
  // no filter, and the counters say so.
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf,
                        rocksdb::Status* status) override;

  rocksdb::Status MaybePostVerify(
      const rocksdb::Slice& filter_content) override;

  size_t ApproximateNumEntries(size_t bytes) override;

#if SSTFILTER_BITS_LAYOUT >= 3
  size_t CalculateSpace(size_t num_entries) override;
  double EstimatedFpRate(size_t num_entries, size_t bytes) override;
#endif

  FilterBlockBuilder* block_builder() { return &builder_; }

 private:
  void Count(uint64_t keys, uint64_t bytes, uint64_t nanoseconds);

  const FilterBlockOptions options_;
  const std::shared_ptr<const KeyTransform> transform_;
  const std::shared_ptr<FilterCounters> counters_;
  const std::shared_ptr<FilterBuild> build_;
  bool has_built_ = false;
  FilterBlockBuilder builder_;
  std::string canonical_;
#if SSTFILTER_BITS_LAYOUT >= 2
  std::string canonical_alternative_;
#endif
};

}  // namespace sstfilter
