#include "tools/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "tools/file.h"

namespace sstfilter::tools {

namespace {

// What a path leads to.
struct Target {
  std::string path;  // no symbolic link
  bool exists = false;
  struct stat status = {};

  bool is_regular() const { return S_ISREG(status.st_mode); }
};

// Where the path's links end, even if nothing is there yet.
std::string WithoutLinks(const std::string& path) {
  std::filesystem::path target(path);
  std::error_code error;
  while (std::filesystem::is_symlink(target, error)) {
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;
  }
  return target.string();
}

rocksdb::Status FindTarget(const std::string& path, Target* target) {
  target->exists = stat(path.c_str(), &target->status) == 0;
  // Links in a circle are among the other errors.
  if (!target->exists && errno != ENOENT) return SystemError(path, errno);
  if (S_ISDIR(target->status.st_mode)) return SystemError(path, EISDIR);
  target->path =
      !target->exists || target->is_regular() ? WithoutLinks(path) : path;
  return rocksdb::Status::OK();
}

// A new file beside `target`: a rename must not cross file systems. Null, with
// errno set, if there can be none.
File NewFileBeside(const Target& target, std::string* path) {
  const auto directory = std::filesystem::path(target.path).parent_path();
  File file;
  for (int i = 0; !file; ++i) {
    // Not made of the target's name, which may be as long as names can be.
    const auto name = fmt::format(".sstfilter-{}-{}.tmp", getpid(), i);
    *path = (directory / name).string();
    file.reset(std::fopen(path->c_str(), "wbxe"));
    if (!file && errno != EEXIST) return nullptr;
  }
  if (target.exists) {
    // As far as the file system has permissions.
    static_cast<void>(fchmod(fileno(file.get()), target.status.st_mode));
  }
  return file;
}

rocksdb::Status WriteAndClose(File file, const std::string& bytes,
                              const std::string& path) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) {
    return SystemError(path, errno);
  }
  // Some file systems tell that they are full at the end only.
  if (std::fclose(file.release()) != 0) return SystemError(path, errno);
  return rocksdb::Status::OK();
}

}  // namespace

rocksdb::Status CheckOutputFile(const std::string& path) {
  Target target;
  const rocksdb::Status status = FindTarget(path, &target);
  if (!status.ok()) return status;
  // Asked, not opened: who reads a pipe would see it end.
  if (target.exists &&
      faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    return SystemError(path, errno);
  }
  if (target.exists && !target.is_regular()) return rocksdb::Status::OK();
  std::string temporary;
  if (!NewFileBeside(target, &temporary)) return SystemError(path, errno);
  unlink(temporary.c_str());
  return rocksdb::Status::OK();
}

rocksdb::Status WriteOutputFile(const std::string& path,
                                const std::string& bytes) {
  Target target;
  rocksdb::Status status = FindTarget(path, &target);
  if (!status.ok()) return status;
  if (target.exists && !target.is_regular()) {
    File file(std::fopen(path.c_str(), "wb"));
    if (!file) return SystemError(path, errno);
    return WriteAndClose(std::move(file), bytes, path);
  }
  std::string temporary;
  File file = NewFileBeside(target, &temporary);
  if (!file) return SystemError(path, errno);
  status = WriteAndClose(std::move(file), bytes, path);
  if (status.ok() && rename(temporary.c_str(), target.path.c_str()) != 0) {
    status = SystemError(path, errno);
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

}  // namespace sstfilter::tools
