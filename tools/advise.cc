#include "tools/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "filter/algorithm.h"
#include "sstfilter/level_allocation.h"
#include "sstfilter/options.h"
#include "table/trailer.h"

namespace sstfilter::tools {

namespace {

using Curve = std::shared_ptr<const RateCurve>;
using Budget = AdviseOptions::Budget;

// Bits per key this far from the level's optimum do not fit. Small tables are
// rounded up to whole blocks and say nothing.
constexpr double kOddBits = 1.5;
constexpr double kTellingKeys = 1000;

// A file of level 0 next to the level below it when there is none to look at:
// RocksDB compacts level 0 when four files make it as large.
constexpr double kYoungFiles = 4;

// Wasted reads whose price anybody may want to know.
constexpr double kUsualReads[] = {0.5,  0.2,  0.1,   0.05,
                                  0.02, 0.01, 0.005, 0.001};

void Add(const FilterShare& share, FilterShare* sum) {
  sum->bytes += share.bytes;
  sum->wasted_reads += share.wasted_reads;
}

void SetBits(double keys, FilterShare* share) {
  share->bits_per_key = keys > 0 ? 8 * share->bytes / keys : 0;
}

// One column family.
class Adviser {
 public:
  Adviser(const FamilyTree& tree, FilterKind kind)
      : tree_(tree),
        kind_(kind),
        whole_curve_(KindRateCurve(kind, kMaxBitsPerKey)) {
    advice_.column_family = tree.column_family;
    advice_.notes = tree.notes;
    for (const TreeFile& file : tree.files) {
      if (file.keys > 0) AddToday(file);
    }
    for (auto& [number, level] : levels_) {
      FinishToday(&level);
      advice_.keys += level.keys;
      Add(level.today, &advice_.today);
    }
    SetBits(advice_.keys, &advice_.today);
  }

  rocksdb::Status SpendBits(double bits_per_key) {
    UseCap(bits_per_key > FilterOptions().max_bits_per_key
               ? kMaxBitsPerKey
               : FilterOptions().max_bits_per_key);
    allocation_ = AllocateBits(groups_, advice_.keys * bits_per_key,
                               Unfiltered::kForbidden);
    return rocksdb::Status::OK();
  }

  rocksdb::Status Reach(double wasted_reads) {
    for (const double cap :
         {FilterOptions().max_bits_per_key, kMaxBitsPerKey}) {
      UseCap(cap);
      allocation_ =
          AllocateForWastedReads(groups_, wasted_reads, Unfiltered::kForbidden);
      if (IsReached(wasted_reads)) {
        asked_ = wasted_reads;
        return rocksdb::Status::OK();
      }
    }
    return rocksdb::Status::InvalidArgument(fmt::format(
        "--wasted-reads {}: out of reach in column family {}; kind {} gets "
        "down to {:.3g} there",
        wasted_reads, tree_.column_family, FilterKindName(kind_),
        allocation_.wasted_reads));
  }

  FamilyAdvice Finish() {
    const double average = allocation_.total_bits / advice_.keys;
    const std::vector<double> same(levels_.size(), average);
    std::vector<double> settings;
    size_t i = 0;
    for (auto& [number, level] : levels_) {
      level.setting = Rounded(allocation_.bits_per_key[i++]);
      level.uniform = LevelShare(level, average);
      level.optimal = LevelShare(level, level.setting);
      settings.push_back(level.setting);
    }
    advice_.uniform = TreeShare(same);
    advice_.optimal = TreeShare(settings);
    FindMisfits();
    for (const auto& [number, level] : levels_) {
      advice_.levels.push_back(level);
    }
    WriteOptions();
    PriceReads();
    return advice_;
  }

  double keys() const { return advice_.keys; }

 private:
  void AddToday(const TreeFile& file) {
    LevelAdvice& level = levels_[file.level];
    level.level = file.level;
    ++level.files;
    level.keys += file.keys;
    level.today.bytes += static_cast<double>(file.filter.bytes);
    // A sum over level 0, later a mean over other levels.
    level.today.wasted_reads +=
        (file.level == 0 ? 1 : file.keys) * file.filter.expected_rate;
    const std::string name =
        file.filter.has_filter() ? file.filter.name : "none";
    if (level.files == 1) level.filter = name;
    if (level.filter != name) level.filter = "mixed";
  }

  static void FinishToday(LevelAdvice* level) {
    if (level->level == 0) {
      level->lookups = static_cast<double>(level->files);
    } else {
      level->lookups = 1;
      level->today.wasted_reads /= level->keys;
    }
    SetBits(level->keys, &level->today);
  }

  void UseCap(double cap) {
    cap_ = cap;
    curve_ = KindRateCurve(kind_, cap);
    groups_.clear();
    for (const auto& [number, level] : levels_) {
      groups_.push_back({level.keys, level.lookups, curve_});
    }
  }

  // With filters as they are stored: whole blocks, and a trailer.
  FilterShare LevelShare(const LevelAdvice& level, double bits_per_key) const {
    FilterShare share;
    for (const TreeFile& file : tree_.files) {
      if (file.level != level.level || file.keys <= 0) continue;
      const double payload = PayloadBytes(file, bits_per_key);
      share.bytes += payload + static_cast<double>(kTrailerBytes);
      share.wasted_reads += (level.level == 0 ? 1 : file.keys / level.keys) *
                            whole_curve_->Rate(8 * payload / file.keys);
    }
    SetBits(level.keys, &share);
    return share;
  }

  double PayloadBytes(const TreeFile& file, double bits_per_key) const {
    const auto keys = static_cast<uint64_t>(std::llround(file.keys));
    return static_cast<double>(
        AlgorithmFor(kind_)->shape_for(keys, bits_per_key).payload_bytes);
  }

  // `bits_per_key` has one number for each of levels_.
  FilterShare TreeShare(const std::vector<double>& bits_per_key) const {
    FilterShare share;
    size_t i = 0;
    for (const auto& [number, level] : levels_) {
      const FilterShare part = LevelShare(level, bits_per_key[i++]);
      share.bytes += part.bytes;
      share.wasted_reads += part.wasted_reads;
    }
    SetBits(advice_.keys, &share);
    return share;
  }

  bool IsReached(double wasted_reads) const {
    return allocation_.wasted_reads <= wasted_reads * (1 + 1e-6);
  }

  // To two digits that keep to the budget.
  double Rounded(double bits_per_key) const {
    constexpr double kHair = 1e-6;
    return (asked_ > 0 ? std::ceil(bits_per_key * 100 - kHair)
                       : std::floor(bits_per_key * 100 + kHair)) /
           100;
  }

  void FindMisfits() {
    for (const TreeFile& file : tree_.files) {
      if (file.keys < kTellingKeys) continue;
      LevelAdvice& level = levels_[file.level];
      const double bits =
          8 * static_cast<double>(file.filter.bytes) / file.keys;
      if (std::abs(bits - level.setting) <= kOddBits) continue;
      ++level.misfits;
      advice_.misfits.push_back({file.path, file.level, bits, level.setting});
    }
  }

  // From level 0 to the deepest in use. Levels that are empty now get what
  // their files will be worth at the same price of a read.
  std::vector<double> BitsOfAllLevels() const {
    const int deepest = levels_.rbegin()->first;
    std::vector<double> bits(static_cast<size_t>(deepest) + 1);
    double keys_below = 0;
    for (int number = deepest; number >= 0; --number) {
      const auto at = static_cast<size_t>(number);
      const auto level = levels_.find(number);
      if (level != levels_.end()) {
        bits[at] = level->second.setting;
        keys_below = level->second.keys;
        continue;
      }
      keys_below /= number == 0 ? kYoungFiles : SizeRatio();
      bits[at] = std::max(
          Rounded(BitsAtPrice({keys_below, 1, curve_}, allocation_.price)),
          bits[at + 1]);
    }
    return bits;
  }

  // What the option of that name accepts.
  double SizeRatio() const { return std::clamp(tree_.size_ratio, 2.0, 100.0); }

  // With commas: RocksDB cuts option strings at semicolons.
  static std::string PolicyString(const FilterOptions& options) {
    std::string text = "sstfilter:" + FilterOptionsToString(options);
    std::replace(text.begin(), text.end(), ';', ',');
    return text;
  }

  void WriteOptions() {
    FilterOptions options;
    options.kind = kind_;
    FilterOptions listed = options;
    listed.level_bits_per_key = BitsOfAllLevels();
    advice_.level_options = PolicyString(listed);
    options.level_allocation = LevelAllocation::kOptimal;
    options.level_size_ratio = SizeRatio();
    options.max_bits_per_key = cap_;
    options.bits_per_key = std::clamp(
        Rounded(allocation_.total_bits / advice_.keys), kMinBitsPerKey, cap_);
    advice_.optimal_options = PolicyString(options);
  }

  void PriceReads() {
    std::set<double, std::greater<>> targets(std::begin(kUsualReads),
                                             std::end(kUsualReads));
    if (asked_ > 0) targets.insert(asked_);
    double all = 0;
    for (const RunGroup& group : groups_) all += group.lookups;
    if (advice_.today.wasted_reads > 0) {
      targets.insert(advice_.today.wasted_reads);
    }
    for (const double target : targets) {
      if (target >= all) continue;  // free
      Cost cost;
      cost.wasted_reads = target;
      const double bits =
          std::max(curve_->BitsForRate(target / all), curve_->low());
      if (std::isfinite(bits)) {
        cost.uniform = TreeShare(std::vector<double>(levels_.size(), bits));
      }
      const Allocation best =
          AllocateForWastedReads(groups_, target, Unfiltered::kForbidden);
      if (best.wasted_reads <= target * (1 + 1e-6)) {
        cost.optimal = TreeShare(best.bits_per_key);
      }
      advice_.costs.push_back(cost);
    }
  }

  const FamilyTree& tree_;
  const FilterKind kind_;
  const Curve whole_curve_;  // beyond any cap
  FamilyAdvice advice_;
  std::map<int, LevelAdvice> levels_;
  double cap_ = 0;
  Curve curve_;
  std::vector<RunGroup> groups_;  // one for each of levels_
  Allocation allocation_;
  double asked_ = 0;
};

// The same bits per key for every column family: which of them is looked up
// most is not known.
rocksdb::Status BitsOf(const AdviseOptions& options, double keys,
                       double* bits_per_key) {
  const bool is_memory = options.budget == Budget::kMemory;
  *bits_per_key = is_memory ? 8 * options.amount / keys : options.amount;
  if (*bits_per_key >= kMinBitsPerKey && *bits_per_key <= kMaxBitsPerKey) {
    return rocksdb::Status::OK();
  }
  return rocksdb::Status::InvalidArgument(fmt::format(
      "{}: {:.4g} bits per key for {:.0f} keys; accepted are {} to {}",
      is_memory ? "--memory" : "--bits", *bits_per_key, keys, kMinBitsPerKey,
      kMaxBitsPerKey));
}

}  // namespace

rocksdb::Status Advise(const AdviseOptions& options, const DatabaseTrees& trees,
                       std::vector<FamilyAdvice>* advice) {
  advice->clear();
  std::vector<Adviser> advisers;
  double keys = 0;
  for (const FamilyTree& tree : trees.families) {
    Adviser adviser(tree, options.kind);
    if (adviser.keys() <= 0) continue;
    keys += adviser.keys();
    advisers.push_back(std::move(adviser));
  }
  if (advisers.empty()) {
    return rocksdb::Status::InvalidArgument(
        "the database has no table files with keys yet: nothing to advise on");
  }
  const bool by_reads = options.budget == Budget::kWastedReads;
  double bits_per_key = 0;
  if (!by_reads) {
    const rocksdb::Status status = BitsOf(options, keys, &bits_per_key);
    if (!status.ok()) return status;
  }
  for (Adviser& adviser : advisers) {
    const rocksdb::Status status = by_reads ? adviser.Reach(options.amount)
                                            : adviser.SpendBits(bits_per_key);
    if (!status.ok()) return status;
    advice->push_back(adviser.Finish());
  }
  return rocksdb::Status::OK();
}

}  // namespace sstfilter::tools
