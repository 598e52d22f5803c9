#include "tools/counting_file_system.h"

#include <string_view>
#include <utility>

namespace sstfilter::tools {

namespace {

std::string LastComponent(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool EndsWith(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.substr(text.size() - ending.size()) == ending;
}

class CountingFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  CountingFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file,
               std::shared_ptr<TableReadCounter> counter,
               std::shared_ptr<const TableReadCounter::FilterRange> range)
      : FSRandomAccessFileOwnerWrapper(std::move(file)),
        counter_(std::move(counter)),
        range_(std::move(range)) {}

  rocksdb::IOStatus Read(uint64_t offset, size_t n,
                         const rocksdb::IOOptions& options,
                         rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* dbg) const override {
    counter_->Count(*range_, offset, n);
    return target()->Read(offset, n, options, result, scratch, dbg);
  }

  rocksdb::IOStatus MultiRead(rocksdb::FSReadRequest* requests,
                              size_t request_count,
                              const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* dbg) override {
    for (size_t i = 0; i < request_count; ++i) {
      counter_->Count(*range_, requests[i].offset, requests[i].len);
    }
    return target()->MultiRead(requests, request_count, options, dbg);
  }

  rocksdb::IOStatus ReadAsync(
      rocksdb::FSReadRequest& request, const rocksdb::IOOptions& options,
      std::function<void(const rocksdb::FSReadRequest&, void*)> callback,
      void* callback_argument, void** io_handle,
      rocksdb::IOHandleDeleter* deleter,
      rocksdb::IODebugContext* dbg) override {
    counter_->Count(*range_, request.offset, request.len);
    return target()->ReadAsync(request, options, std::move(callback),
                               callback_argument, io_handle, deleter, dbg);
  }

 private:
  const std::shared_ptr<TableReadCounter> counter_;
  const std::shared_ptr<const TableReadCounter::FilterRange> range_;
};

class CountingFileSystem : public rocksdb::FileSystemWrapper {
 public:
  CountingFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base,
                     std::shared_ptr<TableReadCounter> counter)
      : FileSystemWrapper(base), counter_(std::move(counter)) {}

  const char* Name() const override { return "SstfilterCountingFileSystem"; }

  rocksdb::IOStatus NewRandomAccessFile(
      const std::string& file_name, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
      rocksdb::IODebugContext* dbg) override {
    std::unique_ptr<rocksdb::FSRandomAccessFile> inner;
    rocksdb::IOStatus status =
        target()->NewRandomAccessFile(file_name, options, &inner, dbg);
    if (status.ok() && IsTableFileName(file_name)) {
      file->reset(new CountingFile(std::move(inner), counter_,
                                   counter_->RangeOf(file_name)));
    } else {
      *file = std::move(inner);
    }
    return status;
  }

 private:
  const std::shared_ptr<TableReadCounter> counter_;
};

}  // namespace

ReadCounts operator-(const ReadCounts& later, const ReadCounts& earlier) {
  return ReadCounts{later.reads - earlier.reads, later.bytes - earlier.bytes,
                    later.filter_reads - earlier.filter_reads,
                    later.filter_bytes - earlier.filter_bytes};
}

ReadCounts& operator+=(ReadCounts& sum, const ReadCounts& more) {
  sum.reads += more.reads;
  sum.bytes += more.bytes;
  sum.filter_reads += more.filter_reads;
  sum.filter_bytes += more.filter_bytes;
  return sum;
}

std::shared_ptr<TableReadCounter::FilterRange> TableReadCounter::MutableRangeOf(
    const std::string& file_name) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<FilterRange>& range = ranges_[LastComponent(file_name)];
  if (range == nullptr) range = std::make_shared<FilterRange>();
  return range;
}

void TableReadCounter::SetFilterRange(const std::string& file_name,
                                      uint64_t begin, uint64_t end) {
  const std::shared_ptr<FilterRange> range = MutableRangeOf(file_name);
  range->begin = begin;
  range->end = end;
}

std::shared_ptr<const TableReadCounter::FilterRange> TableReadCounter::RangeOf(
    const std::string& file_name) {
  return MutableRangeOf(file_name);
}

void TableReadCounter::Count(const FilterRange& range, uint64_t offset,
                             uint64_t length) {
  reads_.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(length, std::memory_order_relaxed);
  // RocksDB reads blocks one by one, from their first byte: where the read
  // begins says what it is for. (Adjacent data blocks of one MultiGet may share
  // a read.)
  if (offset >= range.begin.load(std::memory_order_relaxed) &&
      offset < range.end.load(std::memory_order_relaxed)) {
    filter_reads_.fetch_add(1, std::memory_order_relaxed);
    filter_bytes_.fetch_add(length, std::memory_order_relaxed);
  }
}

ReadCounts TableReadCounter::Counts() const {
  return ReadCounts{reads_.load(), bytes_.load(), filter_reads_.load(),
                    filter_bytes_.load()};
}

bool IsTableFileName(const std::string& file_name) {
  return EndsWith(file_name, ".sst") || EndsWith(file_name, ".ldb");
}

std::shared_ptr<rocksdb::FileSystem> NewCountingFileSystem(
    const std::shared_ptr<rocksdb::FileSystem>& base,
    const std::shared_ptr<TableReadCounter>& counter) {
  return std::make_shared<CountingFileSystem>(base, counter);
}

}  // namespace sstfilter::tools
