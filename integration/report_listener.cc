// One line in RocksDB's info log for every filter built.
#include <rocksdb/env.h>
#include <rocksdb/table_properties.h>

#include "sstfilter/report.h"

namespace sstfilter {

namespace {

using rocksdb::DB;

class FilterListener final : public rocksdb::EventListener {
 public:
  const char* Name() const override { return "sstfilter-listener"; }

  void OnFlushCompleted(DB* db, const rocksdb::FlushJobInfo& info) override {
    LogTable(db, info.cf_name, info.file_path, 0, info.table_properties, 0);
  }

  void OnCompactionCompleted(DB* db,
                             const rocksdb::CompactionJobInfo& info) override {
    if (!info.status.ok()) return;
    for (const std::string& path : info.output_files) {
      const auto found = info.table_properties.find(path);
      if (found == info.table_properties.end()) continue;
      LogTable(db, info.cf_name, path, info.output_level, *found->second,
               info.stats.elapsed_micros);
    }
  }

 private:
  // 0 microseconds: RocksDB does not tell.
  static void LogTable(DB* db, const std::string& column_family,
                       const std::string& path, int level,
                       const rocksdb::TableProperties& table,
                       uint64_t microseconds) {
    const std::string file = path.substr(path.find_last_of('/') + 1);
    const std::string time =
        microseconds == 0 ? "" : " job_micros=" + std::to_string(microseconds);
    const bool has_filter = table.filter_size > 0;
    rocksdb::Log(rocksdb::InfoLogLevel::INFO_LEVEL, db->GetDBOptions().info_log,
                 "[sstfilter] [%s] file=%s level=%d filter=%s keys=%llu "
                 "bytes=%llu%s",
                 column_family.c_str(), file.c_str(), level,
                 has_filter ? table.filter_policy_name.c_str() : "none",
                 static_cast<unsigned long long>(table.num_filter_entries),
                 static_cast<unsigned long long>(table.filter_size),
                 time.c_str());
  }
};

}  // namespace

std::shared_ptr<rocksdb::EventListener> NewFilterListener() {
  return std::make_shared<FilterListener>();
}

}  // namespace sstfilter
