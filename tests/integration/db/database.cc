#include "database.h"

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/statistics.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace sstfilter::dbtest {

using rocksdb::Slice;
using rocksdb::Status;

void Check(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

namespace {

std::string TempParent() {
  const char* asked = getenv("TEST_TMPDIR");
  if (asked == nullptr && access("/dev/shm", W_OK) == 0) return "/dev/shm/";
  return testing::TempDir();
}

}  // namespace

TempDir::TempDir() : path_(TempParent() + "sstfilter-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("cannot make " + path_);
  }
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Activity operator-(const Activity& later, const Activity& earlier) {
  return {later.skipped - earlier.skipped,
          later.passed - earlier.passed,
          later.passed_rightly - earlier.passed_rightly,
          later.prefixes_checked - earlier.prefixes_checked,
          later.prefixes_skipped - earlier.prefixes_skipped,
          later.disk_reads - earlier.disk_reads,
          later.data_misses - earlier.data_misses};
}

Database::Database(std::shared_ptr<const rocksdb::FilterPolicy> policy)
    : reads_(std::make_shared<tools::TableReadCounter>()),
      env_(rocksdb::NewCompositeEnv(tools::NewCountingFileSystem(
          rocksdb::FileSystem::Default(), reads_))) {
  options.create_if_missing = true;
  options.env = env_.get();
  options.statistics = rocksdb::CreateDBStatistics();
  options.disable_auto_compactions = true;
  options.compression = rocksdb::kNoCompression;
  // In a file system in memory, preallocated space would be filled with zeros.
  options.allow_fallocate = false;
  // One table per flush and per compaction unless a test says otherwise.
  options.write_buffer_size = 256 << 20;
  options.target_file_size_base = 256 << 20;
  options.max_bytes_for_level_base = uint64_t{1} << 40;
  table.no_block_cache = true;
  table.filter_policy = std::move(policy);
}

Database::~Database() { Close(); }

rocksdb::Options Database::AllOptions() const {
  rocksdb::Options all = options;
  all.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return all;
}

Status Database::TryOpen() {
  Close();
  rocksdb::DB* db = nullptr;
  const Status status = rocksdb::DB::Open(AllOptions(), path(), &db);
  db_.reset(db);
  return status;
}

void Database::Open() { Check(TryOpen()); }

void Database::Adopt(rocksdb::DB* db) { db_.reset(db); }

void Database::Close() { db_.reset(); }

void Database::Put(const std::string& key, const std::string& value) {
  Check(db_->Put({}, key, value));
}

void Database::Delete(const std::string& key) { Check(db_->Delete({}, key)); }

void Database::Flush() { Check(db_->Flush({})); }

void Database::Compact() {
  rocksdb::CompactRangeOptions compact;
  compact.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  Check(db_->CompactRange(compact, nullptr, nullptr));
}

std::optional<std::string> Database::Get(const std::string& key,
                                         rocksdb::ReadOptions read) const {
  std::string value;
  const Status status = db_->Get(read, key, &value);
  if (status.IsNotFound()) return std::nullopt;
  Check(status);
  return value;
}

std::vector<std::optional<std::string>> Database::MultiGet(
    const std::vector<std::string>& keys, size_t batch,
    rocksdb::ReadOptions read) const {
  std::vector<std::optional<std::string>> results;
  for (size_t begin = 0; begin < keys.size(); begin += batch) {
    const size_t count = std::min(batch, keys.size() - begin);
    const std::vector<Slice> asked(keys.begin() + begin,
                                   keys.begin() + begin + count);
    std::vector<rocksdb::PinnableSlice> values(count);
    std::vector<Status> statuses(count);
    db_->MultiGet(read, db_->DefaultColumnFamily(), count, asked.data(),
                  values.data(), statuses.data());
    for (size_t i = 0; i < count; ++i) {
      if (statuses[i].IsNotFound()) {
        results.emplace_back();
      } else {
        Check(statuses[i]);
        results.emplace_back(values[i].ToString());
      }
    }
  }
  return results;
}

uint64_t Database::Ticker(uint32_t ticker) const {
  return options.statistics->getTickerCount(ticker);
}

Activity Database::activity() const {
  return {Ticker(rocksdb::BLOOM_FILTER_USEFUL),
          Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE),
          Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE),
          Ticker(rocksdb::BLOOM_FILTER_PREFIX_CHECKED),
          Ticker(rocksdb::BLOOM_FILTER_PREFIX_USEFUL),
          reads_->Counts().reads,
          Ticker(rocksdb::BLOCK_CACHE_DATA_MISS)};
}

int Database::Tables(int level) const {
  std::string number;
  db_->GetProperty("rocksdb.num-files-at-level" + std::to_string(level),
                   &number);
  return std::stoi(number);
}

int Database::Tables() const { return static_cast<int>(LiveFiles().size()); }

rocksdb::TablePropertiesCollection Database::Properties() const {
  rocksdb::TablePropertiesCollection properties;
  Check(db_->GetPropertiesOfAllTables(&properties));
  return properties;
}

std::vector<rocksdb::LiveFileMetaData> Database::LiveFiles() const {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  return files;
}

void MakePartitioned(rocksdb::BlockBasedTableOptions* table) {
  table->partition_filters = true;
  table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table->metadata_block_size = 512;
  // Without a block cache every check would read its partition from disk.
  table->no_block_cache = false;
  table->block_cache = rocksdb::NewLRUCache(64 << 20);
}

}  // namespace sstfilter::dbtest
