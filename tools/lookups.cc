#include "tools/lookups.h"

#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <algorithm>
#include <chrono>

#include "tools/interrupt.h"

namespace sstfilter::tools {

namespace {

rocksdb::Slice ToSlice(std::string_view text) {
  return rocksdb::Slice(text.data(), text.size());
}

// Found or not is an answer; everything else is a failure.
rocksdb::Status Tally(const rocksdb::Status& answer, uint64_t* found) {
  if (answer.ok()) ++*found;
  return answer.IsNotFound() ? rocksdb::Status::OK() : answer;
}

rocksdb::Status GetAll(rocksdb::DB* database,
                       const std::vector<std::string_view>& keys,
                       uint64_t* found) {
  const rocksdb::ReadOptions options;
  rocksdb::ColumnFamilyHandle* const family = database->DefaultColumnFamily();
  rocksdb::PinnableSlice value;
  for (const std::string_view key : keys) {
    rocksdb::Status status = CheckInterrupt();
    if (status.ok()) {
      status =
          Tally(database->Get(options, family, ToSlice(key), &value), found);
    }
    value.Reset();
    if (!status.ok()) return status;
  }
  return rocksdb::Status::OK();
}

rocksdb::Status MultiGetAll(rocksdb::DB* database,
                            const std::vector<std::string_view>& keys,
                            size_t batch, uint64_t* found) {
  const rocksdb::ReadOptions options;
  rocksdb::ColumnFamilyHandle* const family = database->DefaultColumnFamily();
  std::vector<rocksdb::Slice> slices(batch);
  std::vector<rocksdb::PinnableSlice> values(batch);
  std::vector<rocksdb::Status> answers(batch);
  for (size_t first = 0; first < keys.size(); first += batch) {
    rocksdb::Status status = CheckInterrupt();
    if (!status.ok()) return status;
    const size_t count = std::min(batch, keys.size() - first);
    for (size_t i = 0; i < count; ++i) slices[i] = ToSlice(keys[first + i]);
    database->MultiGet(options, family, count, slices.data(), values.data(),
                       answers.data());
    for (size_t i = 0; i < count; ++i) {
      values[i].Reset();
      status = Tally(answers[i], found);
      if (!status.ok()) return status;
    }
  }
  return rocksdb::Status::OK();
}

std::map<int, LevelChecks> ChecksByLevel(const rocksdb::PerfContext& perf) {
  std::map<int, LevelChecks> levels;
  for (const auto& [level, counts] : *perf.level_to_perf_context) {
    LevelChecks& checks = levels[static_cast<int>(level)];
    checks.skipped = counts.bloom_filter_useful;
    checks.true_positives = counts.bloom_filter_full_true_positive;
    checks.false_positives =
        counts.bloom_filter_full_positive - checks.true_positives;
  }
  return levels;
}

}  // namespace

LookupCounts& operator+=(LookupCounts& sum, const LookupCounts& more) {
  sum.lookups += more.lookups;
  sum.found += more.found;
  sum.microseconds += more.microseconds;
  sum.disk += more.disk;
  for (const auto& [level, checks] : more.levels) {
    LevelChecks& total = sum.levels[level];
    total.skipped += checks.skipped;
    total.false_positives += checks.false_positives;
    total.true_positives += checks.true_positives;
  }
  return sum;
}

rocksdb::Status LookUp(rocksdb::DB* database, const TableReadCounter& counter,
                       const std::vector<std::string_view>& keys, size_t batch,
                       LookupCounts* counts) {
  using Clock = std::chrono::steady_clock;
  const rocksdb::PerfLevel old_level = rocksdb::GetPerfLevel();
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
  perf.EnablePerLevelPerfContext();
  perf.Reset();

  const ReadCounts before = counter.Counts();
  const Clock::time_point start = Clock::now();
  uint64_t found = 0;
  const rocksdb::Status status =
      batch > 1 ? MultiGetAll(database, keys, batch, &found)
                : GetAll(database, keys, &found);
  const std::chrono::duration<double, std::micro> took = Clock::now() - start;

  counts->lookups = keys.size();
  counts->found = found;
  counts->microseconds = took.count();
  counts->disk = counter.Counts() - before;
  counts->levels = ChecksByLevel(perf);
  perf.DisablePerLevelPerfContext();
  rocksdb::SetPerfLevel(old_level);
  return status;
}

rocksdb::Status CountHiddenKeys(rocksdb::DB* database,
                                const std::vector<std::string_view>& keys,
                                uint64_t* hidden) {
  rocksdb::ReadOptions options;
  options.read_tier = rocksdb::kBlockCacheTier;
  rocksdb::ColumnFamilyHandle* const family = database->DefaultColumnFamily();
  rocksdb::PinnableSlice value;
  *hidden = 0;
  for (const std::string_view key : keys) {
    rocksdb::Status status = CheckInterrupt();
    if (!status.ok()) return status;
    status = database->Get(options, family, ToSlice(key), &value);
    value.Reset();
    if (status.IsNotFound()) {
      ++*hidden;
    } else if (!status.ok() && !status.IsIncomplete()) {
      return status;
    }
  }
  return rocksdb::Status::OK();
}

}  // namespace sstfilter::tools
