// Every key of a table file, those that are only deleted there included.
#pragma once

#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <memory>

#include "integration/stored_filters.h"

namespace sstfilter::tools {

// What to open a StoredTable with whose keys will be read: right for any
// comparator and merge operator, without knowing them.
rocksdb::Options TableReadOptions();

// In the order of the table; a key may come again for its older versions.
class TableKeys {
 public:
  explicit TableKeys(StoredTable* table);

  bool Valid() const { return iterator_->Valid(); }
  void Next() { iterator_->Next(); }
  // As a filter sees it: without a timestamp. Valid until Next.
  rocksdb::Slice key() const;
  rocksdb::Status status() const { return iterator_->status(); }

  // False when keys that are only deleted do not come: in tables with merge
  // operands.
  bool has_deleted_keys() const { return internal_keys_; }

 private:
  const bool internal_keys_;
  const size_t timestamp_bytes_;
  const rocksdb::Slice no_timestamp_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace sstfilter::tools
