#include "tools/stand_ins.h"

#include <utility>

namespace sstfilter::tools {

namespace {

class NamedExtractor final : public rocksdb::SliceTransform {
 public:
  explicit NamedExtractor(std::string name) : name_(std::move(name)) {}

  const char* Name() const override { return name_.c_str(); }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return key;
  }
  bool InDomain(const rocksdb::Slice&) const override { return false; }

 private:
  const std::string name_;
};

class NamedPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit NamedPolicy(std::string name) : name_(std::move(name)) {}

  const char* Name() const override { return name_.c_str(); }
  const char* CompatibilityName() const override { return name_.c_str(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext&) const override {
    return nullptr;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice&) const override {
    return nullptr;
  }

 private:
  const std::string name_;
};

}  // namespace

std::shared_ptr<const rocksdb::SliceTransform> StandInPrefixExtractor(
    const std::string& name) {
  return std::make_shared<NamedExtractor>(name);
}

std::shared_ptr<const rocksdb::FilterPolicy> StandInFilterPolicy(
    const std::string& name) {
  return std::make_shared<NamedPolicy>(name);
}

}  // namespace sstfilter::tools
