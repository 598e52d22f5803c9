// Counts the reads of table files that RocksDB asks the file system for, so
// that "disk reads" never is the filter's own word.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace sstfilter::tools {

struct ReadCounts {
  uint64_t reads = 0;  // all of them, filter blocks included
  uint64_t bytes = 0;
  uint64_t filter_reads = 0;  // those that began in a filter block
  uint64_t filter_bytes = 0;
};

ReadCounts operator-(const ReadCounts& later, const ReadCounts& earlier);
ReadCounts& operator+=(ReadCounts& sum, const ReadCounts& more);

// Shared by a file system and whoever asks for the counts; any thread.
class TableReadCounter {
 public:
  // Where the filter block of one table lies: [begin, end). Empty until known.
  struct FilterRange {
    std::atomic<uint64_t> begin{0};
    std::atomic<uint64_t> end{0};
  };

  // Tells where a table keeps its filter. `file_name` may carry a path; tables
  // are told apart by their last component, which is unique within a database.
  // May be called before or after the table is opened.
  void SetFilterRange(const std::string& file_name, uint64_t begin,
                      uint64_t end);

  // The range of a table, for Count. Never null.
  std::shared_ptr<const FilterRange> RangeOf(const std::string& file_name);

  // Counts one read.
  void Count(const FilterRange& range, uint64_t offset, uint64_t length);

  ReadCounts Counts() const;

 private:
  std::shared_ptr<FilterRange> MutableRangeOf(const std::string& file_name);

  std::atomic<uint64_t> reads_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> filter_reads_{0};
  std::atomic<uint64_t> filter_bytes_{0};

  std::mutex mutex_;  // guards ranges_, not what its pointers point to
  std::map<std::string, std::shared_ptr<FilterRange>> ranges_;
};

// Whether `file_name` names a table (RocksDB's or LevelDB's ending).
bool IsTableFileName(const std::string& file_name);

// A file system that passes everything on to `base` and counts Read, MultiRead
// and ReadAsync of table files in `counter`. Sequential reads (checksums,
// repair) are not counted: no lookup makes them.
std::shared_ptr<rocksdb::FileSystem> NewCountingFileSystem(
    const std::shared_ptr<rocksdb::FileSystem>& base,
    const std::shared_ptr<TableReadCounter>& counter);

}  // namespace sstfilter::tools
