// C streams that close themselves, and what the system says went wrong.
#pragma once

#include <rocksdb/status.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace sstfilter::tools {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

// IOError of `what`, a path or a program, for `error`, a value of errno.
inline rocksdb::Status SystemError(const std::string& what, int error) {
  return rocksdb::Status::IOError(what, std::strerror(error));
}

}  // namespace sstfilter::tools
