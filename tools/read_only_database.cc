#include "tools/read_only_database.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <mutex>

#include "sstfilter/filter_policy.h"

namespace sstfilter::tools {

namespace {

using Families = std::vector<rocksdb::ColumnFamilyDescriptor>;

// Another process may replace the manifest while we read it.
constexpr int kTries = 3;

void KnowOurPolicy() {
  static std::once_flag once;
  std::call_once(once, [] {
    RegisterFilterPolicy(*rocksdb::ObjectLibrary::Default(), "");
  });
}

// What the database was last opened with, or defaults when it does not say.
rocksdb::Status LoadOptions(const std::string& path,
                            rocksdb::DBOptions* db_options, Families* families,
                            std::vector<std::string>* notes) {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  rocksdb::Status status =
      rocksdb::LoadLatestOptions(config, path, db_options, families);
  if (status.ok()) return status;
  notes->push_back(fmt::format(
      "{}: no options file that can be used ({}): opened with RocksDB's "
      "defaults",
      path, status.ToString()));
  *db_options = rocksdb::DBOptions();
  families->clear();
  std::vector<std::string> names;
  status = rocksdb::DB::ListColumnFamilies(*db_options, path, &names);
  for (const std::string& name : names) {
    families->emplace_back(name, rocksdb::ColumnFamilyOptions());
  }
  return status;
}

// Nothing that reads more than it must, or that belongs to the service.
void Tame(rocksdb::DBOptions* db_options, Families* families) {
  db_options->create_if_missing = false;
  db_options->create_missing_column_families = false;
  // One damaged table must not keep the others from being looked at.
  db_options->paranoid_checks = false;
  db_options->skip_stats_update_on_db_open = true;
  db_options->max_open_files = 20;
  db_options->max_file_opening_threads = 1;
  db_options->stats_dump_period_sec = 0;
  db_options->stats_persist_period_sec = 0;
  db_options->env = rocksdb::Env::Default();
  const auto cache = rocksdb::NewLRUCache(size_t{8} << 20);
  for (auto& family : *families) {
    auto& factory = family.options.table_factory;
    auto* table = factory == nullptr
                      ? nullptr
                      : factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    if (table != nullptr) table->block_cache = cache;
  }
}

}  // namespace

rocksdb::Status ReadOnlyDatabase::Open(
    const std::string& path, std::unique_ptr<ReadOnlyDatabase>* database) {
  KnowOurPolicy();
  rocksdb::Status status;
  for (int i = 0; i < kTries; ++i) {
    std::unique_ptr<ReadOnlyDatabase> opened(new ReadOnlyDatabase);
    rocksdb::DBOptions db_options;
    Families families;
    status = LoadOptions(path, &db_options, &families, &opened->notes_);
    if (!status.ok()) continue;
    Tame(&db_options, &families);
    rocksdb::DB* db = nullptr;
    status = rocksdb::DB::OpenForReadOnly(db_options, path, families,
                                          &opened->column_families_, &db);
    if (!status.ok()) continue;
    opened->db_.reset(db);
    *database = std::move(opened);
    return status;
  }
  return status;
}

ReadOnlyDatabase::~ReadOnlyDatabase() {
  for (rocksdb::ColumnFamilyHandle* family : column_families_) {
    db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
}

}  // namespace sstfilter::tools
