#include "tools/work_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <system_error>
#include <vector>

namespace sstfilter::tools {

namespace {

namespace fs = std::filesystem;

constexpr char kMarkerName[] = "SSTFILTER_MEASURE";
constexpr char kMarkerText[] =
    "Made by `sstfilter measure`, which will remove the databases "
    "configuration-* here when it is run again.\n";
constexpr char kDatabasePrefix[] = "configuration-";

rocksdb::Status Refuse(const std::string& path, const std::string& reason) {
  return rocksdb::Status::InvalidArgument(
      fmt::format("database directory {}: {}", path, reason));
}

bool HasOurMarker(const std::string& directory) {
  std::ifstream marker(fs::path(directory) / kMarkerName);
  std::string line;
  return std::getline(marker, line) && line + "\n" == kMarkerText;
}

}  // namespace

rocksdb::Status WorkDirectory::Open(const std::string& path) {
  rocksdb::Status status;
  if (path.empty()) {
    status = OpenTemporary();
  } else {
    path_ = path;
    status = OpenNamed();
  }
  if (status.ok()) status = LockMarker();
  if (status.ok() && !temporary_) status = RemoveOldDatabases();
  return status;
}

rocksdb::Status WorkDirectory::OpenTemporary() {
  const char* parent = std::getenv("TMPDIR");
  if (parent == nullptr || *parent == '\0') parent = "/tmp";
  std::string name = fmt::format("{}/sstfilter-measure-XXXXXX", parent);
  if (mkdtemp(name.data()) == nullptr) {
    return rocksdb::Status::InvalidArgument(
        fmt::format("cannot make a temporary directory in {}: {}", parent,
                    std::strerror(errno)));
  }
  path_ = name;
  temporary_ = true;
  return rocksdb::Status::OK();
}

rocksdb::Status WorkDirectory::OpenNamed() {
  std::error_code error;
  const fs::file_status found = fs::status(path_, error);
  if (found.type() == fs::file_type::not_found) {
    if (!fs::create_directory(path_, error)) {
      return Refuse(path_, fmt::format("cannot be made: {}", error.message()));
    }
    return rocksdb::Status::OK();
  }
  if (error) return Refuse(path_, error.message());
  if (found.type() != fs::file_type::directory) {
    return Refuse(path_, "is not a directory");
  }
  const bool empty = fs::is_empty(path_, error);
  if (error) return Refuse(path_, error.message());
  if (!empty && !HasOurMarker(path_)) {
    return Refuse(
        path_,
        "is not empty and was not made by this command; nothing in it "
        "was touched");
  }
  return rocksdb::Status::OK();
}

rocksdb::Status WorkDirectory::LockMarker() {
  const std::string marker = path_ + "/" + kMarkerName;
  marker_ = open(marker.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (marker_ < 0) return Refuse(path_, std::strerror(errno));
  if (flock(marker_, LOCK_EX | LOCK_NB) != 0) {
    return Refuse(path_, "is in use by another run");
  }
  const auto length = static_cast<ssize_t>(std::strlen(kMarkerText));
  if (pwrite(marker_, kMarkerText, std::strlen(kMarkerText), 0) != length) {
    return Refuse(path_, std::strerror(errno));
  }
  return rocksdb::Status::OK();
}

rocksdb::Status WorkDirectory::RemoveOldDatabases() const {
  static const std::regex kOurs(std::string(kDatabasePrefix) + "[0-9]+");
  std::error_code error;
  std::vector<fs::path> old;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (std::regex_match(entry->path().filename().string(), kOurs)) {
      old.push_back(entry->path());
    }
  }
  if (error) return Refuse(path_, error.message());
  for (const fs::path& database : old) {
    fs::remove_all(database, error);
    if (error) {
      return Refuse(path_,
                    fmt::format("cannot remove {}: {}",
                                database.filename().string(), error.message()));
    }
  }
  return rocksdb::Status::OK();
}

std::string WorkDirectory::DatabasePath(size_t index) const {
  return fmt::format("{}/{}{}", path_, kDatabasePrefix, index);
}

WorkDirectory::~WorkDirectory() {
  if (temporary_) {
    std::error_code ignored;  // nothing useful can be done about it here
    fs::remove_all(path_, ignored);
  }
  if (marker_ >= 0) close(marker_);
}

}  // namespace sstfilter::tools
