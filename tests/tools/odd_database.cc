#include "odd_database.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "integration/rocksdb_internals.h"

namespace sstfilter::tools {

namespace {

using rocksdb::Slice;

// Does what `base` does.
class WrappingBuilder : public rocksdb::FilterBitsBuilder {
 public:
  explicit WrappingBuilder(rocksdb::FilterBitsBuilder* base) : base_(base) {}

  void AddKey(const Slice& key) override { base_->AddKey(key); }
#if SSTFILTER_BITS_LAYOUT >= 2
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    base_->AddKeyAndAlt(key, alt);
  }
#endif
  size_t EstimateEntriesAdded() override {
    return base_->EstimateEntriesAdded();
  }
  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    return Finish(buf, nullptr);
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

class MiscountingBuilder final : public WrappingBuilder {
 public:
  using WrappingBuilder::WrappingBuilder;

  size_t EstimateEntriesAdded() override {
    const size_t added = WrappingBuilder::EstimateEntriesAdded();
    return added == 0 ? 0 : added + 1;
  }
};

class ReplacingBuilder final : public WrappingBuilder {
 public:
  ReplacingBuilder(rocksdb::FilterBitsBuilder* base, std::string block,
                   int every)
      : WrappingBuilder(base), block_(std::move(block)), every_(every) {}

  using WrappingBuilder::Finish;
  Slice Finish(std::unique_ptr<const char[]>* buf,
               rocksdb::Status* status) override {
    const Slice built = WrappingBuilder::Finish(buf, status);
    return ++finished_ % every_ == 0 ? Slice(block_) : built;
  }

 private:
  const std::string block_;
  const int every_;
  int finished_ = 0;
};

// Like `base`, but for what `wrap` makes of its builders.
class WrappingPolicy final : public rocksdb::FilterPolicy {
 public:
  using Wrap = std::function<rocksdb::FilterBitsBuilder*(
      rocksdb::FilterBitsBuilder* base)>;

  WrappingPolicy(std::shared_ptr<const rocksdb::FilterPolicy> base, Wrap wrap)
      : base_(std::move(base)), wrap_(std::move(wrap)) {}

  const char* Name() const override { return base_->Name(); }
  const char* CompatibilityName() const override {
    return base_->CompatibilityName();
  }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    rocksdb::FilterBitsBuilder* builder = base_->GetBuilderWithContext(context);
    return builder == nullptr ? nullptr : wrap_(builder);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    return base_->GetFilterBitsReader(contents);
  }

 private:
  const std::shared_ptr<const rocksdb::FilterPolicy> base_;
  const Wrap wrap_;
};

class Renamed final : public rocksdb::FilterPolicy {
 public:
  Renamed(std::shared_ptr<const rocksdb::FilterPolicy> base, std::string name)
      : base_(std::move(base)), name_(std::move(name)) {}

  const char* Name() const override { return name_.c_str(); }
  const char* CompatibilityName() const override { return name_.c_str(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return base_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    return base_->GetFilterBitsReader(contents);
  }

 private:
  const std::shared_ptr<const rocksdb::FilterPolicy> base_;
  const std::string name_;
};

class FirstBytes final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "test.FirstBytes"; }
  Slice Transform(const Slice& key) const override { return {key.data(), 3}; }
  bool InDomain(const Slice& key) const override { return key.size() >= 3; }
};

class NewestOperand final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "test.Merge"; }
  bool Merge(const Slice&, const Slice*, const Slice& value,
             std::string* merged, rocksdb::Logger*) const override {
    *merged = value.ToString();
    return true;
  }
};

std::vector<std::filesystem::path> OptionsFiles(const std::string& database) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(database)) {
    if (entry.path().filename().string().rfind("OPTIONS-", 0) == 0) {
      files.push_back(entry.path());
    }
  }
  return files;
}

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
  return std::make_shared<WrappingPolicy>(
      std::move(base), [](rocksdb::FilterBitsBuilder* builder) {
        return new MiscountingBuilder(builder);
      });
}

std::shared_ptr<const rocksdb::FilterPolicy> ReplacingPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> base, const std::string& block,
    int every) {
  return std::make_shared<WrappingPolicy>(
      std::move(base), [block, every](rocksdb::FilterBitsBuilder* builder) {
        return new ReplacingBuilder(builder, block, every);
      });
}

std::shared_ptr<const rocksdb::FilterPolicy> RenamedPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> base,
    const std::string& name) {
  return std::make_shared<Renamed>(std::move(base), name);
}

std::shared_ptr<const rocksdb::SliceTransform> ForeignPrefixExtractor() {
  return std::make_shared<FirstBytes>();
}

std::shared_ptr<rocksdb::MergeOperator> ForeignMergeOperator() {
  return std::make_shared<NewestOperand>();
}

void RemoveOptionsFiles(const std::string& database) {
  for (const auto& file : OptionsFiles(database)) std::filesystem::remove(file);
}

void CopyOptionsFiles(const std::string& from, const std::string& to) {
  for (const auto& file : OptionsFiles(from)) {
    std::filesystem::copy_file(file, to / file.filename());
  }
}

void ReplaceInOptionsFiles(const std::string& database, const std::string& part,
                           const std::string& by) {
  for (const auto& file : OptionsFiles(database)) {
    std::ifstream in(file);
    std::string text(std::istreambuf_iterator<char>(in), {});
    const size_t at = text.find(part);
    if (at != std::string::npos) text.replace(at, part.size(), by);
    std::ofstream(file) << text;
  }
}

const rocksdb::Comparator* ForeignComparator() {
  static const LastBytesFirst comparator;
  return &comparator;
}

}  // namespace sstfilter::tools
