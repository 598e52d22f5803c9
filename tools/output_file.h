// A file that is written at the end of long work.
#pragma once

#include <rocksdb/status.h>

#include <string>

namespace sstfilter::tools {

// Both follow symbolic links: where the last one points to is written, and the
// link stays. What is there and is no regular file - a device, a named pipe -
// is written to as it is. A regular file is replaced as a whole, so its
// directory must be writable too.

// For before the work: IOError when nothing could be written to `path`. Opens
// nothing that is there, changes nothing and leaves no file behind.
rocksdb::Status CheckOutputFile(const std::string& path);

// Writes `bytes` and nothing else to `path`. A regular file that was there
// keeps its permissions, and keeps what it held, with no file beside it, when
// this fails: IOError. Blocks at a named pipe until somebody reads.
rocksdb::Status WriteOutputFile(const std::string& path,
                                const std::string& bytes);

}  // namespace sstfilter::tools
