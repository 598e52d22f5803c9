#include "tools/table_keys.h"

#include <rocksdb/comparator.h>
#include <rocksdb/merge_operator.h>

#include <algorithm>
#include <string>

namespace sstfilter::tools {

namespace {

// Sequence number and type, after the user's key.
constexpr size_t kInternalBytes = 8;
constexpr size_t kTimestampBytes = 8;

// Reading a table from its first key to its last compares keys for equality
// only.
class EqualityComparator final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "sstfilter.Equality"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return a == b ? 0 : 1;
  }
  void FindShortestSeparator(std::string*,
                             const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// Values are of no interest.
class AnyMergeOperator final : public rocksdb::MergeOperator {
 public:
  const char* Name() const override { return "sstfilter.AnyMerge"; }
  bool FullMergeV2(const MergeOperationInput&,
                   MergeOperationOutput*) const override {
    return true;
  }
};

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

rocksdb::Options TableReadOptions() {
  static const EqualityComparator comparator;
  rocksdb::Options options;
  options.comparator = &comparator;
  options.merge_operator = std::make_shared<AnyMergeOperator>();
  return options;
}

TableKeys::TableKeys(StoredTable* table)
    : internal_keys_(table->properties().num_merge_operands == 0),
      timestamp_bytes_(EndsWith(table->properties().comparator_name, ".u64ts")
                           ? kTimestampBytes
                           : 0) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.readahead_size = size_t{2} << 20;
  // A range of timestamps, here empty ones, makes RocksDB return every entry,
  // deletions too, as it is stored. It cannot do so for merge operands.
  if (internal_keys_) {
    options.timestamp = &no_timestamp_;
    options.iter_start_ts = &no_timestamp_;
  }
  iterator_.reset(table->NewIterator(options));
  iterator_->SeekToFirst();
}

rocksdb::Slice TableKeys::key() const {
  rocksdb::Slice key = iterator_->key();
  const size_t extra =
      timestamp_bytes_ + (internal_keys_ ? kInternalBytes : size_t{0});
  key.remove_suffix(std::min(extra, key.size()));
  return key;
}

}  // namespace sstfilter::tools
