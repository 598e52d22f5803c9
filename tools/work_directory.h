// The directory a measurement builds its databases in. Nothing is ever removed
// that an earlier run of this program did not make.
#pragma once

#include <rocksdb/status.h>

#include <string>

namespace sstfilter::tools {

class WorkDirectory {
 public:
  WorkDirectory() = default;
  ~WorkDirectory();  // removes a temporary directory, keeps a named one
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;

  // With a `path`: a directory that does not exist (it is made), is empty, or
  // carries our marker from an earlier run, whose databases are then removed.
  // Anything else is refused and left alone. Without one: a fresh temporary
  // directory. Locked against other runs until destruction.
  rocksdb::Status Open(const std::string& path);

  const std::string& path() const { return path_; }

  // Where the database of configuration number `index` goes.
  std::string DatabasePath(size_t index) const;

 private:
  rocksdb::Status OpenNamed();
  rocksdb::Status OpenTemporary();
  rocksdb::Status LockMarker();
  rocksdb::Status RemoveOldDatabases() const;

  std::string path_;
  bool temporary_ = false;
  int marker_ = -1;  // file descriptor that holds the lock
};

}  // namespace sstfilter::tools
