#include "integration/rocksdb_version.h"

#include <rocksdb/version.h>

#include "integration/rocksdb_internals.h"

namespace sstfilter {

rocksdb::Status CheckRocksDBVersion(const std::string& loaded) {
  const std::string compiled =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  if (loaded == compiled ||
      loaded.compare(0, compiled.size() + 1, compiled + ".") == 0) {
    return rocksdb::Status::OK();
  }
  return rocksdb::Status::NotSupported(
      "sstfilter was compiled for RocksDB " + compiled,
      "but RocksDB " + loaded + " is loaded");
}

rocksdb::Status CheckRocksDBVersion() {
  return CheckRocksDBVersion(rocksdb::GetRocksVersionAsString(true));
}

}  // namespace sstfilter
