// The RocksDB filter policy. Ten lines to switch it on:
//
//   std::shared_ptr<const rocksdb::FilterPolicy> policy;
//   rocksdb::Status status = sstfilter::NewFilterPolicy({}, &policy);
//   rocksdb::BlockBasedTableOptions table_options;
//   table_options.filter_policy = policy;
//   options.table_factory.reset(NewBlockBasedTableFactory(table_options));
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>

#include "sstfilter/options.h"

namespace rocksdb {
class ObjectLibrary;
}

namespace sstfilter {

// Makes a policy. InvalidArgument, naming field, value and accepted range, when
// an option is out of range; NotSupported when the RocksDB loaded at run time
// is of another family than the one compiled against. `*policy` is set only on
// OK.
//
// The policy may be shared by any number of databases, column families and
// threads. It carries the compatibility name of RocksDB's built-in filters:
// tables written with those keep filtering, and programs without sstfilter read
// ours as "may match".
rocksdb::Status NewFilterPolicy(
    const FilterOptions& options,
    std::shared_ptr<const rocksdb::FilterPolicy>* policy);

// Changes what tables built from then on get, in every database that shares
// `policy`; tables that exist keep their filters and stay readable. Files that
// RocksDB writes later (OPTIONS, printed options) say the new options. Call it
// from any thread, at any time.
//
// InvalidArgument when `policy` is not one of ours, when an option is out of
// range, or when key_transform would change: that one needs a new policy.
// Nothing is changed then.
rocksdb::Status SetFilterOptions(const rocksdb::FilterPolicy& policy,
                                 const FilterOptions& options);

// What `policy` was made with or last changed to. InvalidArgument when it is
// not one of ours, or when it stands for an option string that could not be
// read. Thread-safe.
rocksdb::Status GetFilterOptions(const rocksdb::FilterPolicy& policy,
                                 FilterOptions* options);

// Makes the name "sstfilter" known to option strings and OPTIONS files that are
// resolved through `library`: "filter_policy=sstfilter:10" or
// "filter_policy={id=sstfilter;bits_per_key=10;kind=parity}". `arg` is ignored
// (the signature is RocksDB's RegistrarFunc). Returns the number of registered
// factories.
int RegisterFilterPolicy(rocksdb::ObjectLibrary& library,
                         const std::string& arg);

}  // namespace sstfilter
