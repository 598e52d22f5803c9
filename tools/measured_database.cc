#include "tools/measured_database.h"

#include <rocksdb/file_system.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "tools/build_time.h"
#include "tools/median.h"

namespace sstfilter::tools {

namespace {

// A full disk ends the work. RocksDB would wait for it to become less full, and
// Close waits for that, now and then for ever; it does neither where it cannot
// learn how full a disk is.
class NoRecoveryFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "SstfilterNoRecoveryFileSystem"; }

  rocksdb::IOStatus GetFreeSpace(const std::string& /*path*/,
                                 const rocksdb::IOOptions& /*options*/,
                                 uint64_t* /*free_space*/,
                                 rocksdb::IODebugContext* /*dbg*/) override {
    return rocksdb::IOStatus::NotSupported();
  }
};

rocksdb::Options DatabaseOptions(const FilterSpec& spec,
                                 const MeasureOptions& measure,
                                 uint64_t data_bytes, rocksdb::Env* env) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = spec.policy;
  // One shard: a small cache cut into sixty-four would hold nothing.
  table.block_cache =
      rocksdb::NewLRUCache(static_cast<size_t>(measure.cache_bytes), 0);
  table.cache_index_and_filter_blocks = measure.cache_filters;

  rocksdb::Options options;
  PrepareTreeOptions(data_bytes, measure.shape.levels, &options);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.env = env;
  return options;
}

void SumChecks(const LookupCounts& counts, uint64_t* skipped,
               uint64_t* false_positives) {
  for (const auto& [level, checks] : counts.levels) {
    *skipped += checks.skipped;
    *false_positives += checks.false_positives;
  }
}

// The tree's expected rate: each level's, weighted by how often it was asked,
// or by its keys when no filter was asked at all.
double ExpectedTreeRate(const std::map<int, LevelSummary>& levels,
                        const std::map<int, LevelChecks>& asked) {
  double checks = 0;
  double passed = 0;
  double keys = 0;
  double passed_by_keys = 0;
  for (const auto& [level, summary] : levels) {
    const auto found = asked.find(level);
    if (found != asked.end()) {
      const auto level_checks = static_cast<double>(found->second.checks());
      checks += level_checks;
      passed += level_checks * summary.expected_rate;
    }
    keys += static_cast<double>(summary.keys);
    passed_by_keys += static_cast<double>(summary.keys) * summary.expected_rate;
  }
  if (checks > 0) return passed / checks;
  return keys > 0 ? passed_by_keys / keys : 0;
}

}  // namespace

MeasuredDatabase::MeasuredDatabase(
    FilterSpec spec, std::string path,
    const std::shared_ptr<rocksdb::FileSystem>& file_system,
    const MeasureOptions& options, uint64_t data_bytes)
    : spec_(std::move(spec)),
      path_(std::move(path)),
      value_bytes_(static_cast<size_t>(options.value_bytes)),
      batch_(static_cast<size_t>(options.batch)),
      counter_(std::make_shared<TableReadCounter>()),
      environment_(rocksdb::NewCompositeEnv(NewCountingFileSystem(
          std::make_shared<NoRecoveryFileSystem>(file_system), counter_))),
      options_(
          DatabaseOptions(spec_, options, data_bytes, environment_.get())) {}

rocksdb::Status MeasuredDatabase::Build(
    const std::vector<std::string_view>& keys,
    const std::vector<PlannedRun>& plan, Progress* progress) {
  rocksdb::Status status =
      BuildTree(options_, path_, keys, value_bytes_, plan, progress);
  if (!status.ok()) return status;
  rocksdb::DB* opened = nullptr;
  status = rocksdb::DB::Open(options_, path_, &opened);
  if (!status.ok()) return status;
  database_.reset(opened);
  return SummarizeTree(opened, spec_, counter_.get(), &levels_);
}

rocksdb::Status MeasuredDatabase::LookUpAbsent(
    const std::vector<std::string_view>& keys) {
  LookupCounts round;
  const rocksdb::Status status =
      LookUp(database_.get(), *counter_, keys, batch_, &round);
  if (!status.ok()) return status;
  if (round.found != 0) {
    return rocksdb::Status::Corruption("a key that was never put was found");
  }
  absent_ += round;
  us_per_absent_get_.push_back(round.microseconds /
                               static_cast<double>(round.lookups));
  return status;
}

rocksdb::Status MeasuredDatabase::LookUpPresent(
    const std::vector<std::string_view>& keys) {
  LookupCounts round;
  const rocksdb::Status status =
      LookUp(database_.get(), *counter_, keys, batch_, &round);
  if (!status.ok()) return status;
  present_ += round;
  us_per_present_get_.push_back(round.microseconds /
                                static_cast<double>(round.lookups));
  return status;
}

void MeasuredDatabase::TimeBuild(const std::vector<std::string_view>& keys) {
  const std::optional<double> microseconds = TimeFilterBuild(
      spec_.policy.get(),
      *options_.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>(),
      levels_.rbegin()->first, keys);
  if (!microseconds.has_value()) return;
  us_per_build_.push_back(*microseconds);
  keys_per_build_ = keys.size();
}

rocksdb::Status MeasuredDatabase::CheckAllKeys(
    const std::vector<std::string_view>& keys) {
  return CountHiddenKeys(database_.get(), keys, &hidden_keys_);
}

FilterResult MeasuredDatabase::Result() const {
  FilterResult result;
  result.filter = spec_.text;
  for (const auto& [level, summary] : levels_) {
    result.keys += summary.keys;
    result.filter_bytes += summary.filter_bytes;
    LevelResult& row = result.levels.emplace_back();
    row.level = level;
    row.files = summary.files;
    row.keys = summary.keys;
    row.filter_bytes = summary.filter_bytes;
    const auto checks = absent_.levels.find(level);
    if (checks != absent_.levels.end()) {
      row.checks = checks->second.checks();
      row.false_positives = checks->second.false_positives;
    }
  }
  if (result.keys > 0) {
    result.bits_per_key = static_cast<double>(result.filter_bytes) * 8 /
                          static_cast<double>(result.keys);
  }
  result.absent_lookups = absent_.lookups;
  result.present_lookups = present_.lookups;
  SumChecks(absent_, &result.tables_skipped, &result.false_positives);
  const uint64_t answers = result.tables_skipped + result.false_positives;
  if (answers > 0) {
    result.observed_fpr = static_cast<double>(result.false_positives) /
                          static_cast<double>(answers);
  }
  if (spec_.family != FilterFamily::kNone) {
    result.expected_fpr = ExpectedTreeRate(levels_, absent_.levels);
  }
  result.disk_reads_absent = absent_.disk.reads;
  result.disk_reads_present = present_.disk.reads;
  result.disk_bytes_absent = absent_.disk.bytes;
  result.disk_bytes_present = present_.disk.bytes;
  result.filter_reads = absent_.disk.filter_reads + present_.disk.filter_reads;
  result.filter_read_bytes =
      absent_.disk.filter_bytes + present_.disk.filter_bytes;
  result.us_per_absent_get = Median(us_per_absent_get_);
  result.us_per_present_get = Median(us_per_present_get_);
  if (!us_per_build_.empty()) {
    const double microseconds = Median(us_per_build_);
    result.build_us_per_table = microseconds;
    result.build_ns_per_key =
        microseconds * 1000 / static_cast<double>(keys_per_build_);
  }
  // The lookups and the check of all keys meet the same filters: a key either
  // of them missed is counted once.
  result.false_negatives =
      std::max(hidden_keys_, present_.lookups - present_.found);
  return result;
}

}  // namespace sstfilter::tools
