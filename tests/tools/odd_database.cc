#include "odd_database.h"

#include <algorithm>
#include <string>
#include <utility>

#include "integration/rocksdb_internals.h"

namespace sstfilter::tools {

namespace {

using rocksdb::Slice;

class MiscountingBuilder final : public rocksdb::FilterBitsBuilder {
 public:
  explicit MiscountingBuilder(rocksdb::FilterBitsBuilder* base) : base_(base) {}

  void AddKey(const Slice& key) override { base_->AddKey(key); }
#if SSTFILTER_BITS_LAYOUT >= 2
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    base_->AddKeyAndAlt(key, alt);
  }
#endif
  size_t EstimateEntriesAdded() override {
    const size_t added = base_->EstimateEntriesAdded();
    return added == 0 ? 0 : added + 1;
  }
  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    return base_->Finish(buf);
  }
  Slice Finish(std::unique_ptr<const char[]>* buf,
               rocksdb::Status* status) override {
    return base_->Finish(buf, status);
  }
  size_t ApproximateNumEntries(size_t bytes) override {
    return base_->ApproximateNumEntries(bytes);
  }
#if SSTFILTER_BITS_LAYOUT >= 3
  size_t CalculateSpace(size_t entries) override {
    return base_->CalculateSpace(entries);
  }
  double EstimatedFpRate(size_t entries, size_t bytes) override {
    return base_->EstimatedFpRate(entries, bytes);
  }
#endif

 private:
  const std::unique_ptr<rocksdb::FilterBitsBuilder> base_;
};

class Miscounting final : public rocksdb::FilterPolicy {
 public:
  explicit Miscounting(std::shared_ptr<const rocksdb::FilterPolicy> base)
      : base_(std::move(base)) {}

  const char* Name() const override { return base_->Name(); }
  const char* CompatibilityName() const override {
    return base_->CompatibilityName();
  }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    rocksdb::FilterBitsBuilder* builder = base_->GetBuilderWithContext(context);
    return builder == nullptr ? nullptr : new MiscountingBuilder(builder);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    return base_->GetFilterBitsReader(contents);
  }

 private:
  const std::shared_ptr<const rocksdb::FilterPolicy> base_;
};

class LastBytesFirst final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "test.LastBytesFirst"; }
  int Compare(const Slice& a, const Slice& b) const override {
    std::string left = a.ToString();
    std::string right = b.ToString();
    std::reverse(left.begin(), left.end());
    std::reverse(right.begin(), right.end());
    return left.compare(right);
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

}  // namespace

std::shared_ptr<const rocksdb::FilterPolicy> MiscountingPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> base) {
  return std::make_shared<Miscounting>(std::move(base));
}

const rocksdb::Comparator* ForeignComparator() {
  static const LastBytesFirst comparator;
  return &comparator;
}

}  // namespace sstfilter::tools
