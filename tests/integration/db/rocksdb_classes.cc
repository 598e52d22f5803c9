#include "rocksdb_classes.h"

#include <algorithm>
#include <cstring>

namespace sstfilter::dbtest {

using rocksdb::Slice;

namespace {

int Lower(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : static_cast<unsigned char>(c);
}

class Caseless : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "sstfilter.test.Caseless"; }
  int Compare(const Slice& a, const Slice& b) const override {
    const size_t common = std::min(a.size(), b.size());
    for (size_t i = 0; i < common; ++i) {
      const int difference = Lower(a[i]) - Lower(b[i]);
      if (difference != 0) return difference;
    }
    return a.size() < b.size() ? -1 : a.size() > b.size();
  }
  bool CanKeysWithDifferentByteContentsBeEqual() const override { return true; }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class Timestamps : public rocksdb::Comparator {
 public:
  Timestamps() : Comparator(kTimestampBytes) {}
  const char* Name() const override { return "sstfilter.test.Timestamps"; }
  int Compare(const Slice& a, const Slice& b) const override {
    const int keys = CompareWithoutTimestamp(a, true, b, true);
    return keys != 0 ? keys : -CompareTimestamp(Tail(a), Tail(b));
  }
  using Comparator::CompareWithoutTimestamp;
  int CompareWithoutTimestamp(const Slice& a, bool a_has_ts, const Slice& b,
                              bool b_has_ts) const override {
    return Head(a, a_has_ts).compare(Head(b, b_has_ts));
  }
  int CompareTimestamp(const Slice& a, const Slice& b) const override {
    const uint64_t at_a = Number(a);
    const uint64_t at_b = Number(b);
    return at_a < at_b ? -1 : at_a > at_b;
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static constexpr size_t kTimestampBytes = 8;

  static Slice Head(const Slice& key, bool has_timestamp) {
    return {key.data(), key.size() - (has_timestamp ? kTimestampBytes : 0)};
  }
  static Slice Tail(const Slice& key) {
    return {key.data() + key.size() - kTimestampBytes, kTimestampBytes};
  }
  static uint64_t Number(const Slice& timestamp) {
    uint64_t number;
    std::memcpy(&number, timestamp.data(), sizeof(number));
    return number;
  }
};

class UpToSlashTransform : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "sstfilter.test.UpToSlash"; }
  Slice Transform(const Slice& key) const override {
    return {key.data(), Position(key) + 1};
  }
  bool InDomain(const Slice& key) const override {
    return Position(key) < key.size();
  }

 private:
  static size_t Position(const Slice& key) {
    return static_cast<size_t>(
        std::find(key.data(), key.data() + key.size(), '/') - key.data());
  }
};

class Join : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "sstfilter.test.Join"; }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value,
             std::string* result, rocksdb::Logger*) const override {
    result->clear();
    if (existing != nullptr) *result = existing->ToString() + ",";
    result->append(value.data(), value.size());
    return true;
  }
};

}  // namespace

const rocksdb::Comparator* CaselessComparator() {
  static const Caseless comparator;
  return &comparator;
}

const rocksdb::Comparator* TimestampComparator() {
  static const Timestamps comparator;
  return &comparator;
}

std::shared_ptr<const rocksdb::SliceTransform> UpToSlash() {
  return std::make_shared<UpToSlashTransform>();
}

std::shared_ptr<rocksdb::MergeOperator> JoinWithCommas() {
  return std::make_shared<Join>();
}

}  // namespace sstfilter::dbtest
