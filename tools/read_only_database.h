// A database somebody else made, opened to look at it.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>
#include <vector>

namespace sstfilter::tools {

class ReadOnlyDatabase {
 public:
  // Opens every column family of the database in `path`, with the options file
  // found there as far as this process knows what it names. Writes nothing, and
  // another process may have the database open. `*notes` (if not null) is what
  // had to be ignored, also when opening fails.
  static rocksdb::Status Open(const std::string& path,
                              std::unique_ptr<ReadOnlyDatabase>* database,
                              std::vector<std::string>* notes = nullptr);

  ~ReadOnlyDatabase();
  ReadOnlyDatabase(const ReadOnlyDatabase&) = delete;
  ReadOnlyDatabase& operator=(const ReadOnlyDatabase&) = delete;

  rocksdb::DB* db() const { return db_.get(); }
  const std::vector<rocksdb::ColumnFamilyHandle*>& column_families() const {
    return column_families_;
  }
  // What had to be ignored of the options file, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  // False when the database was opened with defaults: its options say nothing
  // of how the service opens it.
  bool knows_options() const { return knows_options_; }

 private:
  ReadOnlyDatabase() = default;

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> column_families_;
  std::vector<std::string> notes_;
  bool knows_options_ = false;
};

}  // namespace sstfilter::tools
