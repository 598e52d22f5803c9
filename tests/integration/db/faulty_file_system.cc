#include "faulty_file_system.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "tools/counting_file_system.h"

namespace sstfilter::dbtest {

namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

using Faults = std::shared_ptr<DiskFaults>;

class FillingFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FillingFile(std::unique_ptr<rocksdb::FSWritableFile> file, Faults faults)
      : FSWritableFileOwnerWrapper(std::move(file)),
        faults_(std::move(faults)) {}

  IOStatus Append(const Slice& data, const IOOptions& options,
                  IODebugContext* dbg) override {
    const auto size = static_cast<int64_t>(data.size());
    const int64_t room = faults_->room.fetch_sub(size);
    if (room >= size) {
      faults_->written += data.size();
      return target()->Append(data, options, dbg);
    }
    ++faults_->refused;
    const auto fits = static_cast<size_t>(std::max<int64_t>(room, 0));
    IOStatus status = target()->Append(Slice(data.data(), fits), options, dbg);
    return status.ok() ? IOStatus::NoSpace("the disk is full") : status;
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& /*info*/,
                  IODebugContext* dbg) override {
    return Append(data, options, dbg);
  }

 private:
  const Faults faults_;
};

class RottingFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  RottingFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, Faults faults)
      : FSRandomAccessFileOwnerWrapper(std::move(file)),
        faults_(std::move(faults)) {}

  IOStatus Read(uint64_t offset, size_t size, const IOOptions& options,
                Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    IOStatus status =
        target()->Read(offset, size, options, result, scratch, dbg);
    const uint64_t byte = faults_->flipped_byte;
    const uint8_t bits = faults_->flipped_bits;
    if (status.ok() && bits != 0 && offset <= byte &&
        byte < offset + result->size()) {
      // The bytes may be elsewhere, in memory that is not ours to change.
      if (result->data() != scratch) {
        std::memmove(scratch, result->data(), result->size());
        *result = Slice(scratch, result->size());
      }
      scratch[byte - offset] = static_cast<char>(scratch[byte - offset] ^ bits);
      ++faults_->flips;
    }
    return status;
  }

  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count,
                     const IOOptions& options, IODebugContext* dbg) override {
    for (size_t i = 0; i < count; ++i) {
      rocksdb::FSReadRequest& request = requests[i];
      request.status = Read(request.offset, request.len, options,
                            &request.result, request.scratch, dbg);
    }
    return IOStatus::OK();
  }

 private:
  const Faults faults_;
};

class FaultyFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultyFileSystem(Faults faults)
      : FileSystemWrapper(rocksdb::FileSystem::Default()),
        faults_(std::move(faults)) {}

  const char* Name() const override { return "FaultyFileSystem"; }

  IOStatus NewWritableFile(const std::string& name,
                           const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* dbg) override {
    IOStatus status = target()->NewWritableFile(name, options, file, dbg);
    if (status.ok() && tools::IsTableFileName(name)) {
      *file = std::make_unique<FillingFile>(std::move(*file), faults_);
    }
    return status;
  }

  IOStatus NewRandomAccessFile(
      const std::string& name, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
      IODebugContext* dbg) override {
    IOStatus status = target()->NewRandomAccessFile(name, options, file, dbg);
    if (status.ok() && tools::IsTableFileName(name)) {
      *file = std::make_unique<RottingFile>(std::move(*file), faults_);
    }
    return status;
  }

 private:
  const Faults faults_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> NewFaultyFileSystem(
    std::shared_ptr<DiskFaults> faults) {
  return std::make_shared<FaultyFileSystem>(std::move(faults));
}

}  // namespace sstfilter::dbtest
