// The two RocksDB classes a filter policy must derive from.
//
// RocksDB 7.0 moved FilterBitsBuilder and FilterBitsReader from its public
// headers to table/block_based/filter_policy_internal.h, which binary packages
// do not install. A policy still receives and returns pointers to them, so for
// a packaged RocksDB they are declared again here. What must agree is the order
// of the virtual functions (Itanium C++ ABI), which has had three forms:
//
//   layout  RocksDB      FilterBitsBuilder
//     1     7.0 - 9.5    destructor, AddKey, EstimateEntriesAdded, Finish(buf),
//                        Finish(buf, status), MaybePostVerify,
//                        ApproximateNumEntries
//     2     9.6 - 10.8   AddKeyAndAlt after AddKey
//     3     10.9 - 11.8  CalculateSpace and EstimatedFpRate at the end
//
// FilterBitsReader has been the same in all of them. A RocksDB that nobody has
// checked does not compile. tools/check_rocksdb_abi compares these declarations
// with a RocksDB source tree. Define SSTFILTER_ROCKSDB_SOURCE_TREE when
// building inside one (a RocksDB plugin): then the real header is used.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/version.h>

#include <cstddef>
#include <memory>

#define SSTFILTER_ROCKSDB_VERSION (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)

#if SSTFILTER_ROCKSDB_VERSION < 700 || SSTFILTER_ROCKSDB_VERSION > 1108
#error "sstfilter knows the filter interface of RocksDB 7.0 to 11.8 only"
#endif

// Tests set the layout to compile all three against one RocksDB.
#ifndef SSTFILTER_BITS_LAYOUT
#if SSTFILTER_ROCKSDB_VERSION <= 905
#define SSTFILTER_BITS_LAYOUT 1
#elif SSTFILTER_ROCKSDB_VERSION <= 1008
#define SSTFILTER_BITS_LAYOUT 2
#else
#define SSTFILTER_BITS_LAYOUT 3
#endif
#endif

#ifdef SSTFILTER_ROCKSDB_SOURCE_TREE

#include "table/block_based/filter_policy_internal.h"

#else

namespace rocksdb {

// Receives the keys of one table, or of one partition after the other.
class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() {}

  virtual void AddKey(const Slice& key) = 0;

#if SSTFILTER_BITS_LAYOUT >= 2
  // A key and its prefix. RocksDB no longer suppresses repetitions itself.
  virtual void AddKeyAndAlt(const Slice& key, const Slice& alt) = 0;
#endif

  // 0 exactly when nothing was added since the last Finish.
  virtual size_t EstimateEntriesAdded() = 0;

  virtual Slice Finish(std::unique_ptr<const char[]>* buf) = 0;

  virtual Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) {
    (void)status;
    return Finish(buf);
  }

  // Called with the bytes Finish returned, before they are written.
  virtual Status MaybePostVerify(const Slice& filter_content) {
    (void)filter_content;
    return Status::OK();
  }

  // How many keys make a filter of about `bytes`: where partitions are cut.
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;

#if SSTFILTER_BITS_LAYOUT >= 3
  virtual size_t CalculateSpace(size_t num_entries) = 0;
  virtual double EstimatedFpRate(size_t num_entries, size_t bytes) = 0;
#endif
};

// Answers for one filter block; used by many threads at once.
class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() {}

  virtual bool MayMatch(const Slice& entry) = 0;

  virtual void MayMatch(int num_keys, Slice** keys, bool* may_match) {
    for (int i = 0; i < num_keys; ++i) may_match[i] = MayMatch(*keys[i]);
  }
};

}  // namespace rocksdb

#endif  // SSTFILTER_ROCKSDB_SOURCE_TREE
