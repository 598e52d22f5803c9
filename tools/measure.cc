#include "tools/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include "filter/cpu.h"
#include "integration/counted.h"
#include "tools/direct_read_file_system.h"
#include "tools/filter_spec.h"
#include "tools/key_source.h"
#include "tools/measure_method.h"
#include "tools/measured_database.h"
#include "tools/work_directory.h"

namespace sstfilter::tools {

namespace {

using Keys = std::vector<std::string_view>;

#ifdef NDEBUG
constexpr bool kIsReleaseBuild = true;
#else
constexpr bool kIsReleaseBuild = false;
#endif

// `wanted` of the keys (0 for all), spread evenly over the load order, so that
// every level gets its share, and the same for every configuration.
Keys Sample(const Keys& keys, uint64_t wanted) {
  const uint64_t size = keys.size();
  if (wanted == 0 || wanted >= size) wanted = size;
  // A step near the golden section that visits every key once.
  uint64_t step = std::max<uint64_t>(
      1, static_cast<uint64_t>(static_cast<double>(size) * 0.6180339887));
  while (std::gcd(step, size) != 1) ++step;
  Keys sample;
  sample.reserve(wanted);
  uint64_t position = 0;
  for (uint64_t i = 0; i < wanted; ++i) {
    sample.push_back(keys[position]);
    position = (position + step) % size;
  }
  return sample;
}

// Part number `round` of `rounds` equal parts.
Keys Slice(const Keys& keys, uint64_t round, uint64_t rounds) {
  const auto begin = static_cast<ptrdiff_t>(keys.size() * round / rounds);
  const auto end = static_cast<ptrdiff_t>(keys.size() * (round + 1) / rounds);
  return Keys(keys.begin() + begin, keys.begin() + end);
}

uint64_t DataBytes(const Keys& keys, uint64_t value_bytes) {
  uint64_t bytes = keys.size() * value_bytes;
  for (const std::string_view key : keys) bytes += key.size();
  return bytes;
}

class Measurement {
 public:
  Measurement(const MeasureOptions& options, Progress* progress,
              MeasureReport* report)
      : options_(options), progress_(progress), report_(report) {}

  rocksdb::Status Run() {
    rocksdb::Status status = ParseFilters();
    if (status.ok()) status = CheckCpu();
    if (status.ok()) status = Load();
    if (status.ok()) status = directory_.Open(options_.directory);
    if (status.ok()) ChooseFileSystem();
    if (status.ok()) status = BuildDatabases();
    if (status.ok()) status = LookUpInRounds();
    if (status.ok()) status = CheckAllKeys();
    if (status.ok()) FillReport();
    databases_.clear();  // closes them before their directory goes
    return status;
  }

 private:
  rocksdb::Status ParseFilters() {
    for (const std::string& text : options_.filters) {
      rocksdb::Status status = ParseFilterSpec(text, &specs_.emplace_back());
      if (!status.ok()) return status;
    }
    return rocksdb::Status::OK();
  }

  static rocksdb::Status CheckCpu() {
    std::string message;
    return CheckCpuOverride(&message)
               ? rocksdb::Status::OK()
               : rocksdb::Status::InvalidArgument(message);
  }

  rocksdb::Status Load() {
    KeySourceOptions source;
    source.keys_path = options_.keys_path;
    source.absent_path = options_.absent_path;
    source.generated = options_.generated;
    source.seed = options_.seed;
    source.absent_wanted = options_.lookups;
    progress_->Begin("reading keys", 0);
    const rocksdb::Status status = LoadKeys(source, &keys_);
    if (!status.ok()) return status;
    absent_ = Sample(keys_.absent, options_.lookups);
    present_ = Sample(keys_.present, options_.present_lookups);
    rounds_ = std::clamp<uint64_t>(std::min(absent_.size(), present_.size()), 1,
                                   options_.rounds);
    return status;
  }

  void ChooseFileSystem() {
    file_system_ = options_.file_system != nullptr
                       ? options_.file_system
                       : rocksdb::FileSystem::Default();
    direct_reads_ = CheckDirectReads(file_system_, directory_.path());
    if (direct_reads_.ok()) {
      file_system_ = NewDirectReadFileSystem(file_system_);
    }
  }

  rocksdb::Status BuildDatabases() {
    const std::vector<PlannedRun> plan =
        PlanTree(keys_.present.size(), options_.shape);
    const uint64_t data_bytes = DataBytes(keys_.present, options_.value_bytes);
    for (size_t i = 0; i < specs_.size(); ++i) {
      progress_->Begin(fmt::format("building {}", specs_[i].text),
                       keys_.present.size());
      databases_.push_back(std::make_unique<MeasuredDatabase>(
          specs_[i], directory_.DatabasePath(i), file_system_, options_,
          data_bytes));
      rocksdb::Status status =
          databases_.back()->Build(keys_.present, plan, progress_);
      if (!status.ok()) return status;
    }
    ChooseTableKeys(plan.front());
    return rocksdb::Status::OK();
  }

  // As many of the bottom run's keys as one of its tables holds, in the order
  // in which a table gets them.
  void ChooseTableKeys(const PlannedRun& bottom) {
    const LevelSummary& level = databases_.front()->levels().rbegin()->second;
    const uint64_t count =
        std::min(bottom.count, level.keys / std::max<uint64_t>(level.files, 1));
    const auto first =
        keys_.present.begin() + static_cast<ptrdiff_t>(bottom.first);
    table_keys_.assign(first, first + static_cast<ptrdiff_t>(count));
    std::sort(table_keys_.begin(), table_keys_.end());
    // Side by side, as a builder meets them: RocksDB has just read each.
    for (const std::string_view key : table_keys_) table_bytes_ += key;
    size_t at = 0;
    for (std::string_view& key : table_keys_) {
      key = std::string_view(table_bytes_).substr(at, key.size());
      at += key.size();
    }
  }

  // Configurations take turns, and another one begins each round, so that a
  // machine that is busy for a while slows all of them.
  rocksdb::Status LookUpInRounds() {
    for (uint64_t round = 0; round < rounds_; ++round) {
      progress_->Begin(
          fmt::format("lookups, round {} of {}", round + 1, rounds_), 0);
      const Keys absent = Slice(absent_, round, rounds_);
      const Keys present = Slice(present_, round, rounds_);
      for (size_t i = 0; i < databases_.size(); ++i) {
        MeasuredDatabase& database =
            *databases_[(i + round) % databases_.size()];
        rocksdb::Status status = database.LookUpAbsent(absent);
        if (status.ok()) status = database.LookUpPresent(present);
        if (!status.ok()) return status;
      }
      // After the lookups of all, so that none finds the caches full of this.
      for (size_t i = 0; i < databases_.size(); ++i) {
        databases_[(i + round) % databases_.size()]->TimeBuild(table_keys_);
      }
    }
    return rocksdb::Status::OK();
  }

  rocksdb::Status CheckAllKeys() {
    progress_->Begin("checking that no key is hidden", 0);
    for (const auto& database : databases_) {
      rocksdb::Status status = database->CheckAllKeys(keys_.present);
      if (!status.ok()) return status;
    }
    return rocksdb::Status::OK();
  }

  void FillReport() {
    const FilterResult* unfiltered = nullptr;
    for (const auto& database : databases_) {
      report_->results.push_back(database->Result());
    }
    for (size_t i = 0; i < specs_.size(); ++i) {
      if (specs_[i].family == FilterFamily::kNone) {
        unfiltered = &report_->results[i];
        break;
      }
    }
    for (FilterResult& result : report_->results) {
      if (unfiltered == nullptr) break;
      result.reads_avoided = static_cast<int64_t>(
          unfiltered->disk_reads_absent + unfiltered->disk_reads_present -
          result.disk_reads_absent - result.disk_reads_present);
    }
    report_->method = DescribeMethod(
        {options_, databases_.front()->levels(), absent_.size(),
         present_.size(), table_keys_.size(), rounds_, direct_reads_.ok()});
    AddNotes();
  }

  void AddNotes() {
    std::vector<std::string>& notes = report_->notes;
    if (!kIsReleaseBuild) {
      notes.push_back(
          "built without NDEBUG (not a release build): times mean little");
    }
    if (!direct_reads_.ok()) {
      notes.push_back(fmt::format("no direct I/O in {}: {}", directory_.path(),
                                  direct_reads_.ToString()));
    }
    if (keys_.repeated_keys > 0) {
      notes.push_back(fmt::format(
          "{} put once",
          keys_.repeated_keys == 1
              ? "1 repeated key was"
              : Counted(keys_.repeated_keys, "repeated key") + " were"));
    }
    if (keys_.dropped_absent > 0) {
      notes.push_back(fmt::format(
          "{} of the absent keys given {} present and dropped",
          keys_.dropped_absent, keys_.dropped_absent == 1 ? "was" : "were"));
    }
    NoteUnusedFilters();
  }

  // RocksDB says nothing when filters are not used.
  void NoteUnusedFilters() {
    for (size_t i = 0; i < specs_.size(); ++i) {
      const FilterResult& result = report_->results[i];
      if (specs_[i].family == FilterFamily::kNone) continue;
      if (result.filter_bytes == 0) {
        report_->notes.push_back(
            fmt::format("{}: RocksDB built no filters", result.filter));
      } else if (!result.observed_fpr.has_value()) {
        report_->notes.push_back(
            fmt::format("{}: no absent lookup asked a filter; every absent key "
                        "lies outside "
                        "the key ranges of the tables",
                        result.filter));
      }
    }
  }

  const MeasureOptions& options_;
  Progress* const progress_;
  MeasureReport* const report_;

  std::vector<FilterSpec> specs_;
  KeySet keys_;
  Keys absent_;  // those looked up
  Keys present_;
  Keys table_keys_;  // those a filter is built of, to see how long it takes
  std::string table_bytes_;  // of table_keys_
  uint64_t rounds_ = 1;
  WorkDirectory directory_;
  std::shared_ptr<rocksdb::FileSystem> file_system_;
  rocksdb::Status direct_reads_;  // or why not
  std::vector<std::unique_ptr<MeasuredDatabase>> databases_;
};

}  // namespace

bool MeasureReport::has_false_negatives() const {
  return std::any_of(
      results.begin(), results.end(),
      [](const FilterResult& result) { return result.false_negatives > 0; });
}

rocksdb::Status Measure(const MeasureOptions& options, Progress* progress,
                        MeasureReport* report) {
  const rocksdb::Status status = Measurement(options, progress, report).Run();
  progress->Clear();
  return status;
}

}  // namespace sstfilter::tools
