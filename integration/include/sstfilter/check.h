// Whether the filters a service asked for are the filters it is going to get.
//
// RocksDB says nothing when a filter is not used: a mistyped or unregistered
// policy name in an OPTIONS file gives no error and no filter. Call this after
// loading options and before opening:
//
//   rocksdb::LoadLatestOptions(config, path, &db_options, &column_families);
//   rocksdb::Status status = sstfilter::CheckFilterPolicy(column_families);
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include <optional>
#include <vector>

#include "sstfilter/options.h"

namespace sstfilter {

struct FilterExpectation {
  // The options the policy must have. Not set: any sstfilter policy will do.
  std::optional<FilterOptions> options;

  // Says that the comparator tells all different keys apart although its
  // CanKeysWithDifferentByteContentsBeEqual() returns true. That is what a
  // custom comparator returns until it says otherwise, so the check has to
  // refuse it. With user-defined timestamps: that it tells keys without them
  // apart.
  bool comparator_tells_bytes_apart = false;
};

// OK when tables of a column family with these options get sstfilter filters,
// and filters that cannot lose keys. InvalidArgument with the reason when
//   * the table format has no filter policy, or no policy is set;
//   * the policy is of another kind (the message says which), or made from an
//     option string that could not be read (the message says why);
//   * its options differ from the expected ones;
//   * the comparator may call different bytes equal and no key_transform is
//     set.
rocksdb::Status CheckFilterPolicy(const rocksdb::ColumnFamilyOptions& options,
                                  const FilterExpectation& expectation = {});

// The same for every column family. The message names the first that fails.
rocksdb::Status CheckFilterPolicy(
    const std::vector<rocksdb::ColumnFamilyDescriptor>& column_families,
    const FilterExpectation& expectation = {});

}  // namespace sstfilter
