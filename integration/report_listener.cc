// One line in RocksDB's info log for every filter built.
#include <rocksdb/env.h>
#include <rocksdb/table_properties.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <unordered_map>

#include "integration/filter_build.h"
#include "integration/policy_name.h"
#include "sstfilter/report.h"

namespace sstfilter {

namespace {

using rocksdb::DB;

using Build = std::shared_ptr<const FilterBuild>;

// Builds of tables whose job is not completed. Thread-safe.
class PendingBuilds {
 public:
  void Put(const std::string& path, Build build) {
    std::lock_guard<std::mutex> lock(mutex_);
    Remove(path);
    // Tables of jobs that RocksDB never calls completed.
    if (numbers_.size() == kMost) Remove(builds_.begin()->second.path);
    numbers_[path] = next_;
    builds_[next_++] = {path, std::move(build)};
  }

  // Null if there is none.
  Build Take(const std::string& path) {
    std::lock_guard<std::mutex> lock(mutex_);
    return Remove(path);
  }

 private:
  static constexpr size_t kMost = 10000;

  struct Pending {
    std::string path;
    Build build;
  };

  Build Remove(const std::string& path) {
    const auto number = numbers_.find(path);
    if (number == numbers_.end()) return nullptr;
    const auto pending = builds_.find(number->second);
    Build build = std::move(pending->second.build);
    numbers_.erase(number);
    builds_.erase(pending);
    return build;
  }

  std::mutex mutex_;
  uint64_t next_ = 0;
  std::map<uint64_t, Pending> builds_;  // oldest first
  std::unordered_map<std::string, uint64_t> numbers_;
};

// What a line says.
struct Line {
  const std::string& column_family;
  const std::string& path;
  int level;
  const rocksdb::TableProperties& table;
  const FilterBuild* build;  // null when it is not known
};

std::string KindOf(const Line& line) {
  if (line.table.filter_size == 0) return "none";
  if (line.build != nullptr) return FilterKindName(line.build->kind);
  const std::string& policy = line.table.filter_policy_name;
  return policy == kPolicyName ? "unknown" : policy;
}

void Log(rocksdb::Logger* log, const Line& line, const std::string& more) {
  const rocksdb::TableProperties& table = line.table;
  std::string built;
  if (line.build != nullptr) {
    const double micros =
        static_cast<double>(line.build->nanoseconds.load()) / 1e3;
    char text[80];
    static_cast<void>(std::snprintf(
        text, sizeof(text), " filters=%llu build_micros=%.1f",
        static_cast<unsigned long long>(line.build->filters.load()), micros));
    built = text;
  }
  rocksdb::Log(
      rocksdb::InfoLogLevel::INFO_LEVEL, log,
      "[sstfilter] [%s] file=%s level=%d filter=%s kind=%s keys=%llu "
      "bytes=%llu%s%s",
      line.column_family.c_str(),
      line.path.substr(line.path.find_last_of('/') + 1).c_str(), line.level,
      table.filter_size > 0 ? table.filter_policy_name.c_str() : "none",
      KindOf(line).c_str(),
      static_cast<unsigned long long>(table.num_filter_entries),
      static_cast<unsigned long long>(table.filter_size), built.c_str(),
      more.c_str());
}

class FilterListener final : public rocksdb::EventListener {
 public:
  const char* Name() const override { return "sstfilter-listener"; }

  void OnTableFileCreationStarted(
      const rocksdb::TableFileCreationBriefInfo& info) override {
    BeginTable(info.file_path);
  }

  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    Build build = EndTable(info.file_path);
    if (build == nullptr || !info.status.ok()) return;
    if (info.reason != rocksdb::TableFileCreationReason::kRecovery) {
      pending_.Put(info.file_path, std::move(build));
      return;
    }
    // No job is called completed for it. Its database is being opened, by this
    // thread, so that the log is there.
    if (build->info_log == nullptr) return;
    Log(build->info_log,
        {info.cf_name, info.file_path, 0, info.table_properties, build.get()},
        " reason=recovery");
  }

  void OnFlushCompleted(DB* db, const rocksdb::FlushJobInfo& info) override {
    const Build build = pending_.Take(info.file_path);
    Log(db->GetDBOptions().info_log.get(),
        {info.cf_name, info.file_path, 0, info.table_properties, build.get()},
        "");
  }

  void OnCompactionCompleted(DB* db,
                             const rocksdb::CompactionJobInfo& info) override {
    for (size_t i = 0; i < info.output_files.size(); ++i) {
      const std::string& path = info.output_files[i];
      const Build build = pending_.Take(path);
      const auto found = info.table_properties.find(path);
      if (!info.status.ok() || found == info.table_properties.end()) continue;
      // Tables of one compaction may be for two levels.
      const int level = i < info.output_file_infos.size()
                            ? info.output_file_infos[i].level
                            : info.output_level;
      Log(db->GetDBOptions().info_log.get(),
          {info.cf_name, path, level, *found->second, build.get()},
          " job_micros=" + std::to_string(info.stats.elapsed_micros));
    }
  }

  void OnTableFileDeleted(const rocksdb::TableFileDeletionInfo& info) override {
    pending_.Take(info.file_path);
  }

 private:
  PendingBuilds pending_;
};

}  // namespace

std::shared_ptr<rocksdb::EventListener> NewFilterListener() {
  return std::make_shared<FilterListener>();
}

}  // namespace sstfilter
