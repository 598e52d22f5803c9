// What RocksDB's plugin builds call to make the policy known to option strings.
#include <rocksdb/utilities/object_registry.h>

#include <string>

#include "sstfilter/filter_policy.h"

// RocksDB declares it itself, in the global namespace.
int sstfilter_register_plugin(rocksdb::ObjectLibrary& library,
                              const std::string& arg);

int sstfilter_register_plugin(rocksdb::ObjectLibrary& library,
                              const std::string& arg) {
  return sstfilter::RegisterFilterPolicy(library, arg);
}
