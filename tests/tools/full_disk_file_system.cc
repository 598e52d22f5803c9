#include "full_disk_file_system.h"

#include <atomic>
#include <string>
#include <utility>

namespace sstfilter::tools {

namespace {

using Room = std::shared_ptr<std::atomic<int64_t>>;

class LimitedFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  LimitedFile(std::unique_ptr<rocksdb::FSWritableFile> file, Room room)
      : FSWritableFileOwnerWrapper(std::move(file)), room_(std::move(room)) {}

  using FSWritableFileOwnerWrapper::Append;
  rocksdb::IOStatus Append(const rocksdb::Slice& data,
                           const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* dbg) override {
    *room_ -= static_cast<int64_t>(data.size());
    if (*room_ < 0) return rocksdb::IOStatus::NoSpace("the disk is full");
    return target()->Append(data, options, dbg);
  }

 private:
  const Room room_;
};

class FullDiskFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit FullDiskFileSystem(uint64_t bytes)
      : FileSystemWrapper(rocksdb::FileSystem::Default()),
        room_(std::make_shared<std::atomic<int64_t>>(
            static_cast<int64_t>(bytes))) {}

  const char* Name() const override { return "FullDiskFileSystem"; }

  rocksdb::IOStatus NewWritableFile(
      const std::string& name, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSWritableFile>* file,
      rocksdb::IODebugContext* dbg) override {
    std::unique_ptr<rocksdb::FSWritableFile> inner;
    rocksdb::IOStatus status =
        target()->NewWritableFile(name, options, &inner, dbg);
    if (status.ok()) file->reset(new LimitedFile(std::move(inner), room_));
    return status;
  }

 private:
  const Room room_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> NewFullDiskFileSystem(uint64_t bytes) {
  return std::make_shared<FullDiskFileSystem>(bytes);
}

}  // namespace sstfilter::tools
