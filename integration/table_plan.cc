#include "integration/table_plan.h"

#include <algorithm>
#include <cmath>

#include "filter/algorithm.h"
#include "filter/rate_curve.h"
#include "integration/option_text.h"
#include "sstfilter/level_allocation.h"

namespace sstfilter {

namespace {

using rocksdb::FilterBuildingContext;
using rocksdb::Status;

// Trees that are remembered at a time; far more than a process has open.
constexpr size_t kMaxTrees = 4096;

// RocksDB's default num_levels, where it is not told.
constexpr int kDefaultLevels = 7;

// See the header: universal compaction's runs at least double, and are few.
constexpr double kUniversalRatio = 2;
constexpr int kUniversalDepth = 3;

// Level 0 is compacted into level 1 when this many files make it as large
// (level0_file_num_compaction_trigger's default).
constexpr double kYoungFiles = 4;

bool IsLeveled(const FilterBuildingContext& context) {
  return context.compaction_style == rocksdb::kCompactionStyleLevel;
}

bool IsUniversal(const FilterBuildingContext& context) {
  return context.compaction_style == rocksdb::kCompactionStyleUniversal;
}

// Whether the level of a table says anything about the size of its run.
bool HasLevel(const FilterBuildingContext& context) {
  return context.level_at_creation >= 0 &&
         (IsLeveled(context) || IsUniversal(context));
}

bool IsYoung(const FilterBuildingContext& context) {
  return context.level_at_creation == 0 && !context.is_bottommost;
}

// Flushes and level 0 are rewritten soon: what is quick to build pays there.
// Not so under FIFO compaction, where they are all there is, and a table whose
// level is unknown (SstFileWriter) may stay for good.
FilterKind KindForYoung(FilterKind kind) {
  return kind == FilterKind::kAuto ? FilterKind::kBloom : kind;
}

FilterKind KindForOld(FilterKind kind) {
  return kind == FilterKind::kAuto ? FilterKind::kParity : kind;
}

FilterKind ConcreteKind(const FilterOptions& options,
                        const FilterBuildingContext& context) {
  return HasLevel(context) && IsYoung(context) ? KindForYoung(options.kind)
                                               : KindForOld(options.kind);
}

double ListedBits(const std::vector<double>& bits,
                  const FilterBuildingContext& context) {
  // Unknown level: like the deepest listed one, where most tables live.
  if (context.level_at_creation < 0) return bits.back();
  const auto level = static_cast<size_t>(context.level_at_creation);
  return bits[std::min(level, bits.size() - 1)];
}

// BitsForRate evaluates the rate dozens of times; remembered.
double BitsForTableRate(FilterKind kind, double rate) {
  static std::mutex mutex;
  static auto* known = new std::map<std::pair<FilterKind, double>, double>;
  std::lock_guard<std::mutex> lock(mutex);
  if (known->size() > kMaxTrees) known->clear();
  const auto found = known->find({kind, rate});
  if (found != known->end()) return found->second;
  return (*known)[{kind, rate}] = BitsForRate(kind, rate);
}

// A full tree whose levels grow by a constant ratio.
class GeometricTree {
 public:
  // Level `depth` is the smallest.
  GeometricTree(const FilterOptions& options, double ratio, int depth)
      : ratio_(ratio),
        old_(KindRateCurve(KindForOld(options.kind), options.max_bits_per_key)),
        young_(KindRateCurve(KindForYoung(options.kind),
                             options.max_bits_per_key)) {
    std::vector<RunGroup> levels;
    for (int d = 0; d <= depth; ++d) {
      levels.push_back({Keys(d), 1, old_});
      keys_ += Keys(d);
    }
    allocation_ =
        options.wasted_reads_per_lookup != 0
            ? AllocateForWastedReads(levels, options.wasted_reads_per_lookup,
                                     Unfiltered::kForbidden)
            : AllocateBits(levels, keys_ * options.bits_per_key,
                           Unfiltered::kForbidden);
  }

  double average_bits() const { return allocation_.total_bits / keys_; }
  double wasted_reads() const { return allocation_.wasted_reads; }

  // Of the sorted run at `distance` from the bottom.
  double Bits(int distance) const {
    const auto last = static_cast<int>(allocation_.bits_per_key.size()) - 1;
    return allocation_
        .bits_per_key[static_cast<size_t>(std::min(distance, last))];
  }

  // Of a file of level 0 that is `files` times smaller than that run.
  double YoungBits(int distance, double files) const {
    return BitsAtPrice({Keys(distance) / files, 1, young_}, allocation_.price);
  }

 private:
  double Keys(int distance) const { return std::pow(ratio_, -distance); }

  const double ratio_;
  const std::shared_ptr<const RateCurve> old_;
  const std::shared_ptr<const RateCurve> young_;
  double keys_ = 0;
  Allocation allocation_;
};

// Levels above the bottom one.
int Depth(const FilterBuildingContext& context,
          const TreeHistory::Depth& known) {
  if (known.shallowest < known.deepest) {
    return known.deepest - known.shallowest;
  }
  // Nothing known above the bottom yet: all levels there are. Those that
  // dynamic level bytes leave empty are the small ones, which matter little.
  const int deepest = known.deepest > 0        ? known.deepest
                      : context.num_levels > 1 ? context.num_levels - 1
                                               : kDefaultLevels - 1;
  return deepest - 1;
}

double LeveledBits(const FilterOptions& options,
                   const FilterBuildingContext& context,
                   const TreeHistory::Depth& known, double* average) {
  const GeometricTree tree(options, options.level_size_ratio,
                           Depth(context, known));
  *average = tree.average_bits();
  if (context.is_bottommost) return tree.Bits(0);
  if (context.level_at_creation > 0) {
    return tree.Bits(known.deepest - context.level_at_creation);
  }
  return tree.YoungBits(known.deepest - known.shallowest, kYoungFiles);
}

double UniversalBits(const FilterOptions& options,
                     const FilterBuildingContext& context,
                     const TreeHistory::Depth& known, double* average) {
  // Here level 0 holds runs all the time.
  const GeometricTree tree(
      options, kUniversalRatio,
      std::min(Depth(context, known) + 1, kUniversalDepth));
  *average = tree.average_bits();
  if (context.is_bottommost) return tree.Bits(0);
  if (context.level_at_creation > 0) {
    return tree.Bits(known.deepest - context.level_at_creation);
  }
  return tree.YoungBits(
      std::min(known.deepest - known.shallowest + 1, kUniversalDepth), 1);
}

double OptimalBits(const FilterOptions& options,
                   const FilterBuildingContext& context, TreeHistory* history) {
  if (!HasLevel(context)) {
    return GeometricTree(options, options.level_size_ratio,
                         Depth(context, TreeHistory::Depth()))
        .average_bits();
  }
  const TreeHistory::Depth known = history->Note(context);
  double average = 0;
  const double bits = IsUniversal(context)
                          ? UniversalBits(options, context, known, &average)
                          : LeveledBits(options, context, known, &average);
  const double bound =
      std::min(average * kYoungBitsBound, options.max_bits_per_key);
  if (bits <= bound || context.is_bottommost) return bits;
  return history->TakeTrust(context) ? bits : bound;
}

}  // namespace

TreeHistory::Tree& TreeHistory::TreeOf(const FilterBuildingContext& context) {
  // Closed databases leave their entries behind. A tree that is forgotten is
  // soon known again.
  if (trees_.size() >= kMaxTrees) trees_.clear();
  return trees_[{context.info_log, context.column_family_name}];
}

TreeHistory::Depth TreeHistory::Note(const FilterBuildingContext& context) {
  std::lock_guard<std::mutex> lock(mutex_);
  Tree& tree = TreeOf(context);
  const int level = context.level_at_creation;
  // Flushes say nothing about the levels below.
  if (level > 0) {
    Depth& depth = tree.depth;
    depth.deepest =
        std::max(depth.deepest, context.is_bottommost ? level : level + 1);
    depth.shallowest =
        depth.shallowest == 0 ? level : std::min(depth.shallowest, level);
    tree.trust.resize(std::max(tree.trust.size(), static_cast<size_t>(level)),
                      0);
    for (int above = 0; above < level; ++above) {
      int& trust = tree.trust[static_cast<size_t>(above)];
      trust = std::min(trust + 1, kMaxTrust);
    }
  }
  return tree.depth;
}

bool TreeHistory::TakeTrust(const FilterBuildingContext& context) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<int>& trust = TreeOf(context).trust;
  const auto level = static_cast<size_t>(context.level_at_creation);
  if (level >= trust.size() || trust[level] == 0) return false;
  --trust[level];
  return true;
}

TablePlan PlanTable(const FilterOptions& options,
                    const FilterBuildingContext& context,
                    TreeHistory* history) {
  TablePlan plan;
  plan.kind = ConcreteKind(options, context);
  plan.bits_per_key = options.bits_per_key;
  if (!options.level_bits_per_key.empty()) {
    plan.bits_per_key = ListedBits(options.level_bits_per_key, context);
    plan.has_filter = plan.bits_per_key != 0;
  } else if (options.false_positive_rate != 0) {
    plan.bits_per_key =
        BitsForTableRate(plan.kind, options.false_positive_rate);
  } else if (options.level_allocation == LevelAllocation::kOptimal) {
    plan.bits_per_key = OptimalBits(options, context, history);
  }
  return plan;
}

TablePlan PlanTable(const FilterOptions& options,
                    const FilterBuildingContext& context) {
  TreeHistory history;
  return PlanTable(options, context, &history);
}

Status CheckTablePlans(const FilterOptions& options) {
  const bool by_rate = options.false_positive_rate != 0;
  const bool by_reads = options.wasted_reads_per_lookup != 0;
  // Now rather than at the first flush.
  if (by_rate) {
    BitsForTableRate(KindForYoung(options.kind), options.false_positive_rate);
    BitsForTableRate(KindForOld(options.kind), options.false_positive_rate);
  }
  if (options.level_allocation != LevelAllocation::kOptimal) {
    return Status::OK();
  }
  if (by_rate) {
    return Status::InvalidArgument(
        "sstfilter: false_positive_rate is the rate of every table and does "
        "not "
        "go with level_allocation=optimal",
        "use wasted_reads_per_lookup");
  }
  if (!by_reads && options.bits_per_key > options.max_bits_per_key) {
    return Status::InvalidArgument(
        "sstfilter: bits_per_key=" + ToText(options.bits_per_key) +
            " is not accepted",
        "accepted with level_allocation=optimal: at most max_bits_per_key=" +
            ToText(options.max_bits_per_key));
  }
  const GeometricTree tree(options, options.level_size_ratio,
                           kDefaultLevels - 2);
  if (by_reads &&
      tree.wasted_reads() > options.wasted_reads_per_lookup * (1 + 1e-6)) {
    return Status::InvalidArgument(
        "sstfilter: wasted_reads_per_lookup=" +
            ToText(options.wasted_reads_per_lookup) + " is not accepted",
        "accepted: at least " + ToText(tree.wasted_reads()) + ", what kind " +
            FilterKindName(options.kind) +
            " reaches in six levels at max_bits_per_key=" +
            ToText(options.max_bits_per_key));
  }
  return Status::OK();
}

}  // namespace sstfilter
