// A disk that fills up.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <memory>

namespace sstfilter::tools {

// Passes everything on to the default file system until `bytes` bytes were
// appended to files, then answers "no space".
std::shared_ptr<rocksdb::FileSystem> NewFullDiskFileSystem(uint64_t bytes);

}  // namespace sstfilter::tools
