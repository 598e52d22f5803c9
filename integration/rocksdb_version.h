// Whether the RocksDB loaded at run time is one these classes fit.
#pragma once

#include <rocksdb/status.h>

#include <string>

namespace sstfilter {

// OK when the loaded librocksdb has the major and minor version of the headers
// compiled against: RocksDB keeps its binary interface within those only (they
// are its soname). NotSupported, with both versions, otherwise.
rocksdb::Status CheckRocksDBVersion();

// The same decision as a function of its input, for tests. `loaded` is
// "major.minor" or "major.minor.patch".
rocksdb::Status CheckRocksDBVersion(const std::string& loaded);

}  // namespace sstfilter
