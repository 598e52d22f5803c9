// A temporary RocksDB database that tells how much its filters were used.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/counting_file_system.h"

namespace sstfilter::dbtest {

// Throws, which fails the test, unless `status` is OK.
void Check(const rocksdb::Status& status);

// A directory that goes away with its contents. In memory (/dev/shm) where
// there is such a place: tests flush often, and a disk makes them wait each
// time.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

// What filters and disks did.
struct Activity {
  // Lookups, one for each table or partition: answered "absent", "may be here",
  // and the latter rightly.
  uint64_t skipped = 0;
  uint64_t passed = 0;
  uint64_t passed_rightly = 0;
  // Iterators, and MultiGet when only prefixes are filtered.
  uint64_t prefixes_checked = 0;
  uint64_t prefixes_skipped = 0;
  // Reads of table files, whatever for.
  uint64_t disk_reads = 0;
  // Data blocks that were not in the block cache.
  uint64_t data_misses = 0;
};

Activity operator-(const Activity& later, const Activity& earlier);

// Options of the tests: statistics on, no automatic compactions, no
// compression, no block cache (filters and indexes live with the open table),
// reads counted. All may be changed between Open calls.
class Database {
 public:
  explicit Database(std::shared_ptr<const rocksdb::FilterPolicy> policy);
  ~Database();

  rocksdb::Options options;
  rocksdb::BlockBasedTableOptions table;

  // `options` with `table` in them.
  rocksdb::Options AllOptions() const;

  // Opens, or closes and opens again, with the options as they are.
  void Open();
  rocksdb::Status TryOpen();
  // For databases opened in other ways (transactions, read-only). Takes
  // ownership.
  void Adopt(rocksdb::DB* db);
  void Close();

  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::DB* get() const { return db_.get(); }
  std::string path() const { return directory_ / "db"; }
  const TempDir& directory() const { return directory_; }

  void Put(const std::string& key, const std::string& value);
  void Delete(const std::string& key);
  void Flush();
  // Rewrites everything, the bottommost level too.
  void Compact();

  std::optional<std::string> Get(const std::string& key,
                                 rocksdb::ReadOptions read = {}) const;
  // In calls for `batch` keys each.
  std::vector<std::optional<std::string>> MultiGet(
      const std::vector<std::string>& keys, size_t batch,
      rocksdb::ReadOptions read = {}) const;

  Activity activity() const;
  uint64_t Ticker(uint32_t ticker) const;
  int Tables(int level) const;
  int Tables() const;
  rocksdb::TablePropertiesCollection Properties() const;
  std::vector<rocksdb::LiveFileMetaData> LiveFiles() const;

 private:
  TempDir directory_;
  std::shared_ptr<tools::TableReadCounter> reads_;
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
};

// Partitioned filters of a few hundred bytes each, and a block cache for them.
void MakePartitioned(rocksdb::BlockBasedTableOptions* table);

}  // namespace sstfilter::dbtest
