// Reads table files past the operating system's page cache.
#pragma once

#include <rocksdb/file_system.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>

namespace sstfilter::tools {

// A file system that opens table files of `base` for direct I/O and does the
// alignment itself. RocksDB's own use_direct_reads would round every request to
// pages before it reaches a file system; this way the layer above sees the
// blocks RocksDB really asked for, and can tell a filter block from its
// neighbours.
std::shared_ptr<rocksdb::FileSystem> NewDirectReadFileSystem(
    const std::shared_ptr<rocksdb::FileSystem>& base);

// OK if files in `directory` can be read directly; otherwise why not. Writes
// and removes a small file there.
rocksdb::Status CheckDirectReads(
    const std::shared_ptr<rocksdb::FileSystem>& base,
    const std::string& directory);

}  // namespace sstfilter::tools
