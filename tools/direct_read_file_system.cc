#include "tools/direct_read_file_system.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "tools/counting_file_system.h"

namespace sstfilter::tools {

namespace {

// Memory aligned as direct I/O wants it, kept between reads.
class AlignedBuffer {
 public:
  ~AlignedBuffer() { std::free(data_); }

  // Null if there is no memory.
  char* Reserve(size_t bytes, size_t alignment) {
    if (bytes > capacity_ || alignment > alignment_) {
      std::free(data_);
      data_ = static_cast<char*>(std::aligned_alloc(alignment, bytes));
      capacity_ = data_ == nullptr ? 0 : bytes;
      alignment_ = data_ == nullptr ? 0 : alignment;
    }
    return data_;
  }

 private:
  char* data_ = nullptr;
  size_t capacity_ = 0;
  size_t alignment_ = 0;
};

class DirectReadFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  explicit DirectReadFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file)
      : FSRandomAccessFileOwnerWrapper(std::move(file)) {}

  rocksdb::IOStatus Read(uint64_t offset, size_t n,
                         const rocksdb::IOOptions& options,
                         rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* dbg) const override {
    *result = rocksdb::Slice(scratch, 0);
    if (n == 0) return rocksdb::IOStatus::OK();
    thread_local AlignedBuffer buffer;
    const size_t alignment = target()->GetRequiredBufferAlignment();
    const uint64_t begin = offset / alignment * alignment;
    const uint64_t end = (offset + n + alignment - 1) / alignment * alignment;
    const size_t skip = static_cast<size_t>(offset - begin);
    char* aligned = buffer.Reserve(static_cast<size_t>(end - begin), alignment);
    if (aligned == nullptr) {
      return rocksdb::IOStatus::IOError("no memory for a direct read");
    }
    rocksdb::Slice read;
    rocksdb::IOStatus status = target()->Read(
        begin, static_cast<size_t>(end - begin), options, &read, aligned, dbg);
    if (!status.ok()) return status;
    const size_t got = read.size() > skip ? std::min(n, read.size() - skip) : 0;
    std::memcpy(scratch, read.data() + skip, got);
    *result = rocksdb::Slice(scratch, got);
    return status;
  }

  rocksdb::IOStatus MultiRead(rocksdb::FSReadRequest* requests,
                              size_t request_count,
                              const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* dbg) override {
    // One by one, through Read above.
    return FSRandomAccessFile::MultiRead(requests, request_count, options, dbg);
  }

  rocksdb::IOStatus ReadAsync(
      rocksdb::FSReadRequest& request, const rocksdb::IOOptions& options,
      std::function<void(const rocksdb::FSReadRequest&, void*)> callback,
      void* callback_argument, void** io_handle,
      rocksdb::IOHandleDeleter* deleter,
      rocksdb::IODebugContext* dbg) override {
    return FSRandomAccessFile::ReadAsync(request, options, std::move(callback),
                                         callback_argument, io_handle, deleter,
                                         dbg);
  }

  // Read-ahead into the page cache would be lost on direct reads.
  rocksdb::IOStatus Prefetch(uint64_t, size_t, const rocksdb::IOOptions&,
                             rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::NotSupported("direct reads");
  }

  bool use_direct_io() const override { return false; }
};

class DirectReadFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit DirectReadFileSystem(
      const std::shared_ptr<rocksdb::FileSystem>& base)
      : FileSystemWrapper(base) {}

  const char* Name() const override { return "SstfilterDirectReadFileSystem"; }

  rocksdb::IOStatus NewRandomAccessFile(
      const std::string& file_name, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
      rocksdb::IODebugContext* dbg) override {
    if (!IsTableFileName(file_name)) {
      return target()->NewRandomAccessFile(file_name, options, file, dbg);
    }
    rocksdb::FileOptions direct = options;
    direct.use_direct_reads = true;
    direct.use_mmap_reads = false;
    std::unique_ptr<rocksdb::FSRandomAccessFile> inner;
    rocksdb::IOStatus status =
        target()->NewRandomAccessFile(file_name, direct, &inner, dbg);
    if (status.ok()) file->reset(new DirectReadFile(std::move(inner)));
    return status;
  }
};

rocksdb::IOStatus WriteAndReadBack(rocksdb::FileSystem* direct,
                                   const std::string& file_name) {
  const std::string written(4096, 'x');
  std::unique_ptr<rocksdb::FSWritableFile> output;
  rocksdb::IOStatus status =
      direct->NewWritableFile(file_name, {}, &output, nullptr);
  if (status.ok()) status = output->Append(written, {}, nullptr);
  if (status.ok()) status = output->Sync({}, nullptr);
  if (status.ok()) status = output->Close({}, nullptr);
  if (!status.ok()) return status;

  std::unique_ptr<rocksdb::FSRandomAccessFile> input;
  status = direct->NewRandomAccessFile(file_name, {}, &input, nullptr);
  if (!status.ok()) return status;
  std::vector<char> scratch(written.size());
  rocksdb::Slice read;
  status = input->Read(0, scratch.size(), {}, &read, scratch.data(), nullptr);
  if (status.ok() && read != rocksdb::Slice(written)) {
    return rocksdb::IOStatus::Corruption("direct read returned other bytes");
  }
  return status;
}

}  // namespace

std::shared_ptr<rocksdb::FileSystem> NewDirectReadFileSystem(
    const std::shared_ptr<rocksdb::FileSystem>& base) {
  return std::make_shared<DirectReadFileSystem>(base);
}

rocksdb::Status CheckDirectReads(
    const std::shared_ptr<rocksdb::FileSystem>& base,
    const std::string& directory) {
  const std::string probe = directory + "/direct-read-probe.sst";
  rocksdb::Status status =
      WriteAndReadBack(NewDirectReadFileSystem(base).get(), probe);
  base->DeleteFile(probe, {}, nullptr).PermitUncheckedError();
  return status;
}

}  // namespace sstfilter::tools
