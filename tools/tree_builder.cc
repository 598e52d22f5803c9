#include "tools/tree_builder.h"

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "tools/interrupt.h"

namespace sstfilter::tools {

namespace {

constexpr uint64_t kSmallestTable = 256 << 10;
constexpr uint64_t kLargestTable = 64 << 20;
// The bottom level of a small run still has about this many tables.
constexpr uint64_t kTablesWanted = 16;

constexpr uint64_t kSmallestFlush = 16 << 20;
constexpr uint64_t kFlushesWanted = 64;

uint64_t TableBytes(uint64_t data_bytes) {
  return std::clamp(data_bytes / kTablesWanted, kSmallestTable, kLargestTable);
}

// Keys and values that one flush writes.
uint64_t FlushBytes(uint64_t data_bytes) {
  return std::max(kSmallestFlush, data_bytes / kFlushesWanted);
}

class TreeWriter {
 public:
  TreeWriter(rocksdb::DB* database, const rocksdb::Options& options,
             const std::vector<std::string_view>& keys, size_t value_bytes,
             Progress* progress)
      : database_(database),
        keys_(keys),
        value_bytes_(value_bytes),
        // Below the memtable's limit, which counts its own overhead too: a
        // flush happens when this class asks for it and at no other time.
        flush_bytes_(options.write_buffer_size / 4),
        table_bytes_(options.target_file_size_base),
        progress_(progress) {
    write_options_.disableWAL = true;  // every run is flushed
  }

  rocksdb::Status WriteRun(const PlannedRun& run) {
    uint64_t bytes = 0;
    for (uint64_t i = run.first; i < run.first + run.count; ++i) {
      const std::string_view key = keys_[i];
      FillValue(key);
      rocksdb::Status status = CheckInterrupt();
      if (status.ok()) {
        status = database_->Put(write_options_,
                                rocksdb::Slice(key.data(), key.size()), value_);
      }
      bytes += key.size() + value_.size();
      if (status.ok() && bytes >= flush_bytes_) {
        status = database_->Flush(rocksdb::FlushOptions());
        bytes = 0;
      }
      if (!status.ok()) return status;
      progress_->Step();
    }
    rocksdb::Status status = database_->Flush(rocksdb::FlushOptions());
    if (status.ok() && run.level > 0) status = CompactTo(run.level);
    return status;
  }

 private:
  // The key over and over: nothing to be stored elsewhere, and not compressible
  // into nothing should somebody switch compression on.
  void FillValue(std::string_view key) {
    value_.clear();
    if (key.empty()) return;
    while (value_.size() < value_bytes_) value_.append(key);
    value_.resize(value_bytes_);
  }

  // Moves everything in level 0 to `level`, which is empty.
  rocksdb::Status CompactTo(int level) {
    std::vector<rocksdb::LiveFileMetaData> files;
    database_->GetLiveFilesMetaData(&files);
    std::vector<std::string> young;
    for (const rocksdb::LiveFileMetaData& file : files) {
      if (file.level == 0) young.push_back(file.name);
    }
    rocksdb::CompactionOptions options;
    options.compression = rocksdb::kNoCompression;
    options.output_file_size_limit = table_bytes_;
    return database_->CompactFiles(options, young, level);
  }

  rocksdb::DB* const database_;
  const std::vector<std::string_view>& keys_;
  const size_t value_bytes_;
  const uint64_t flush_bytes_;
  const uint64_t table_bytes_;
  Progress* const progress_;
  rocksdb::WriteOptions write_options_;
  std::string value_;
};

}  // namespace

void PrepareTreeOptions(uint64_t data_bytes, int levels,
                        rocksdb::Options* options) {
  options->create_if_missing = true;
  options->num_levels = levels + 1;
  options->disable_auto_compactions = true;
  options->level_compaction_dynamic_level_bytes = false;
  options->compression = rocksdb::kNoCompression;
  options->max_subcompactions = 1;
  options->write_buffer_size = 4 * FlushBytes(data_bytes);
  options->target_file_size_base = TableBytes(data_bytes);
  // Tables are cut by their size alone, never by what lies below them.
  options->max_compaction_bytes = std::numeric_limits<uint64_t>::max() / 2;
  options->level0_slowdown_writes_trigger = std::numeric_limits<int>::max();
  options->level0_stop_writes_trigger = std::numeric_limits<int>::max();
  options->stats_dump_period_sec = 0;
  options->stats_persist_period_sec = 0;
}

rocksdb::Status BuildTree(const rocksdb::Options& options,
                          const std::string& path,
                          const std::vector<std::string_view>& keys,
                          size_t value_bytes,
                          const std::vector<PlannedRun>& plan,
                          Progress* progress) {
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(options, path, &opened);
  if (!status.ok()) return status;
  const std::unique_ptr<rocksdb::DB> database(opened);
  TreeWriter writer(opened, options, keys, value_bytes, progress);
  for (const PlannedRun& run : plan) {
    status = writer.WriteRun(run);
    if (!status.ok()) break;
  }
  const rocksdb::Status closed = database->Close();
  return status.ok() ? closed : status;
}

}  // namespace sstfilter::tools
