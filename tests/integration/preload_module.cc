// A module that uses RocksDB.
#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>

extern "C" const char* policy_name() {
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(
      rocksdb::NewBloomFilterPolicy(12));
  static const std::string name =
      policy->Name() + std::string(" ") + policy->GetPrintableOptions();
  return name.c_str();
}
