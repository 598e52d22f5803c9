// The filter of a builder that could not build.
#pragma once

#include <rocksdb/slice.h>

namespace sstfilter {

// What RocksDB's own builders give then: every reader, ours and RocksDB's,
// takes no probes for "may match". An empty slice would mean that no key was
// added, and to partitioned filters that all keys are absent.
inline rocksdb::Slice GivenUpFilter() {
  static constexpr char kBlock[6] = {};
  return rocksdb::Slice(kBlock, sizeof(kBlock));
}

}  // namespace sstfilter
