#include "integration/table_plan.h"

#include <gtest/gtest.h>
#include <rocksdb/table.h>

#include <cmath>
#include <string>
#include <vector>

#include "filter/rate_curve.h"

namespace sstfilter {
namespace {

using rocksdb::FilterBuildingContext;
using rocksdb::TableFileCreationReason;

const rocksdb::BlockBasedTableOptions& TableOptions() {
  static const rocksdb::BlockBasedTableOptions options;
  return options;
}

// What RocksDB says in each situation. Trees have seven levels.
FilterBuildingContext Flush(
    rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel) {
  FilterBuildingContext context(TableOptions());
  context.compaction_style = style;
  context.num_levels = 7;
  context.column_family_name = "default";
  context.level_at_creation = 0;
  context.reason = TableFileCreationReason::kFlush;
  return context;
}

FilterBuildingContext Recovery() {
  FilterBuildingContext context = Flush();
  context.reason = TableFileCreationReason::kRecovery;
  return context;
}

FilterBuildingContext Compaction(
    int level, bool is_bottommost = false,
    rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel) {
  FilterBuildingContext context = Flush(style);
  context.level_at_creation = level;
  context.is_bottommost = is_bottommost;
  context.reason = TableFileCreationReason::kCompaction;
  return context;
}

FilterBuildingContext External() {
  return FilterBuildingContext(TableOptions());
}

FilterOptions Optimal(double bits_per_key = 10,
                      FilterKind kind = FilterKind::kBloom) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  options.kind = kind;
  options.level_allocation = LevelAllocation::kOptimal;
  return options;
}

double Bits(const FilterOptions& options, const FilterBuildingContext& context,
            TreeHistory* history) {
  return PlanTable(options, context, history).bits_per_key;
}

// A tree whose sorted levels are `shallowest` to `deepest`, written to for long
// enough: what a compaction of every level leaves.
void Settle(const FilterOptions& options, int shallowest, int deepest,
            TreeHistory* history) {
  for (int i = 0; i < 2 * kMaxTrust; ++i) {
    PlanTable(options, Compaction(deepest, true), history);
  }
  for (int level = deepest - 1; level >= shallowest; --level) {
    PlanTable(options, Compaction(level), history);
  }
  // What the tables above have used up.
  for (int i = 0; i < 2 * kMaxTrust; ++i) {
    PlanTable(options, Compaction(deepest, true), history);
  }
}

double SettledAverage(const FilterOptions& options, int shallowest, int deepest,
                      double ratio, TreeHistory* history) {
  double keys = 0;
  double bits = 0;
  for (int level = shallowest; level <= deepest; ++level) {
    const double share = std::pow(ratio, level - deepest);
    keys += share;
    bits += share * Bits(options, Compaction(level, level == deepest), history);
  }
  return bits / keys;
}

TEST(OptimalPlan, AverageOverASettledTreeIsTheBudget) {
  for (FilterKind kind :
       {FilterKind::kBloom, FilterKind::kStandardBloom, FilterKind::kParity}) {
    for (double average : {4.0, 7.5, 10.0, 16.0}) {
      for (double ratio : {4.0, 10.0}) {
        // Static level bytes: from level 1 down. Dynamic: up from level 6.
        for (const auto& [shallowest, deepest] :
             {std::pair(1, 3), std::pair(1, 4), std::pair(1, 6),
              std::pair(4, 6), std::pair(3, 6)}) {
          FilterOptions options = Optimal(average, kind);
          options.level_size_ratio = ratio;
          TreeHistory history;
          Settle(options, shallowest, deepest, &history);
          EXPECT_NEAR(
              SettledAverage(options, shallowest, deepest, ratio, &history) /
                  average,
              1, deepest - shallowest >= 3 ? 0.01 : 0.02)
              << FilterKindName(kind) << " " << average << " bits, ratio "
              << ratio << ", levels " << shallowest << "-" << deepest;
        }
      }
    }
  }
}

TEST(OptimalPlan, FollowsTheFormulas) {
  const double bloom_step = std::log(10) / std::pow(std::log(2), 2);
  TreeHistory history;
  const FilterOptions options = Optimal();
  Settle(options, 3, 6, &history);
  const double b0 = Bits(options, Compaction(6, true), &history);
  EXPECT_NEAR(b0, 10 - bloom_step / 9, 0.1);
  // The cache-line filter falls a little slower than the textbook's.
  EXPECT_NEAR(Bits(options, Compaction(5), &history) - b0, bloom_step, 0.5);
  EXPECT_NEAR(Bits(options, Compaction(4), &history) - b0, 2 * bloom_step, 1);
  EXPECT_LE(Bits(options, Compaction(3), &history), 24);

  const FilterOptions parity = Optimal(10, FilterKind::kParity);
  const double p0 = Bits(parity, Compaction(6, true), &history);
  EXPECT_NEAR(p0, 10 - std::log2(10) / 9, 0.15);
  EXPECT_NEAR(Bits(parity, Compaction(5), &history) - p0, std::log2(10), 1);
}

TEST(OptimalPlan, BoundsAreKept) {
  TreeHistory history;
  FilterOptions options = Optimal(10);
  options.max_bits_per_key = 12;
  Settle(options, 3, 6, &history);
  for (int level = 3; level < 6; ++level) {
    EXPECT_EQ(Bits(options, Compaction(level), &history), 12) << level;
  }
  EXPECT_EQ(Bits(options, Flush(), &history), 12);

  FilterOptions little = Optimal(1);
  Settle(little, 3, 6, &history);
  for (int level = 3; level < 6; ++level) {
    EXPECT_EQ(Bits(little, Compaction(level), &history), 1) << level;
  }
  EXPECT_EQ(Bits(little, Compaction(6, true), &history), 1);
}

TEST(OptimalPlan, BottommostTablesOnMiddleLevelsAreOfTheBottom) {
  TreeHistory history;
  Settle(Optimal(), 3, 6, &history);
  const double bottom = Bits(Optimal(), Compaction(6, true), &history);
  for (int level = 0; level < 6; ++level) {
    EXPECT_NEAR(Bits(Optimal(), Compaction(level, true), &history), bottom, 0.1)
        << level;
  }
}

// Seven levels are allowed, three are in use: level 2 is next to the bottom.
TEST(OptimalPlan, EmptyLevelsBelowDoNotCount) {
  TreeHistory small;
  Settle(Optimal(), 1, 3, &small);
  TreeHistory large;
  Settle(Optimal(), 4, 6, &large);
  EXPECT_NEAR(Bits(Optimal(), Compaction(2), &small),
              Bits(Optimal(), Compaction(5), &large), 0.2);
  EXPECT_NEAR(Bits(Optimal(), Compaction(1), &small),
              Bits(Optimal(), Compaction(4), &large), 0.2);
}

TEST(OptimalPlan, YoungFilesOfASettledTree) {
  for (FilterKind kind : {FilterKind::kBloom, FilterKind::kParity}) {
    TreeHistory history;
    const FilterOptions options = Optimal(10, kind);
    Settle(options, 4, 6, &history);
    const double level_4 = Bits(options, Compaction(4), &history);
    for (int i = 0; i < 8; ++i) {
      const double bits =
          Bits(options, i % 2 == 0 ? Flush() : Compaction(0), &history);
      EXPECT_GT(bits, level_4);
      EXPECT_LE(bits, 24);
    }
    EXPECT_GT(Bits(options, Recovery(), &history), level_4);
  }
}

// Nothing but flushes, as in a load in key order: no trust is ever earned.
TEST(OptimalPlan, LoadInKeyOrderCostsAtMostThirtyPercentMore) {
  for (FilterKind kind :
       {FilterKind::kBloom, FilterKind::kParity, FilterKind::kAuto}) {
    for (double average : {1.0, 5.0, 10.0, 20.0}) {
      for (auto style : {rocksdb::kCompactionStyleLevel,
                         rocksdb::kCompactionStyleUniversal}) {
        TreeHistory history;
        double bits = 0;
        for (int i = 0; i < 100; ++i) {
          bits += Bits(Optimal(average, kind), Flush(style), &history);
        }
        EXPECT_LE(bits / 100, 1.3 * average + 1e-9);
        EXPECT_GE(bits / 100, average - 1e-9);
      }
    }
  }
}

// Tables of any level may move down.
TEST(OptimalPlan, TrustIsEarnedByRewriting) {
  const FilterOptions options = Optimal();
  TreeHistory history;
  Settle(options, 3, 6, &history);
  for (int level : {0, 4, 5}) {
    const FilterBuildingContext context =
        level == 0 ? Flush() : Compaction(level);
    int with_extra = 0;
    for (int i = 0; i < 100; ++i) {
      with_extra += Bits(options, context, &history) > 13 ? 1 : 0;
    }
    EXPECT_EQ(with_extra, kMaxTrust) << level;
    EXPECT_EQ(Bits(options, context, &history), 13) << level;
    // One for one from here on.
    PlanTable(options, Compaction(6, true), &history);
    EXPECT_GT(Bits(options, context, &history), 13) << level;
    EXPECT_EQ(Bits(options, context, &history), 13) << level;
  }
}

TEST(OptimalPlan, TablesOnTheSameLevelEarnNoTrust) {
  TreeHistory history;
  for (int i = 0; i < 10; ++i) {
    EXPECT_LE(Bits(Optimal(), Compaction(5), &history), 13);
  }
}

TEST(OptimalPlan, TreesAreKeptApart) {
  TreeHistory history;
  Settle(Optimal(), 3, 6, &history);
  FilterBuildingContext other = Flush();
  other.column_family_name = "other";
  EXPECT_LE(Bits(Optimal(), other, &history), 13);
  EXPECT_GT(Bits(Optimal(), Flush(), &history), 13);
  FilterBuildingContext other_database = Flush();
  other_database.info_log = reinterpret_cast<rocksdb::Logger*>(&history);
  EXPECT_LE(Bits(Optimal(), other_database, &history), 13);
}

TEST(OptimalPlan, ManyTreesAreForgotten) {
  TreeHistory history;
  for (int i = 0; i < 10'000; ++i) {
    FilterBuildingContext context = Compaction(3);
    context.column_family_name = std::to_string(i);
    history.Note(context);
  }
  EXPECT_EQ(history.Note(Compaction(5)).deepest, 6);
}

TEST(OptimalPlan, FifoAndUnknownLevelsAreUniform) {
  TreeHistory history;
  Settle(Optimal(), 3, 6, &history);
  for (auto style :
       {rocksdb::kCompactionStyleFIFO, rocksdb::kCompactionStyleNone}) {
    EXPECT_NEAR(Bits(Optimal(), Flush(style), &history), 10, 1e-9);
    EXPECT_NEAR(Bits(Optimal(), Compaction(0, false, style), &history), 10,
                1e-9);
    EXPECT_NEAR(Bits(Optimal(), Compaction(0, true, style), &history), 10,
                1e-9);
  }
  EXPECT_NEAR(Bits(Optimal(), External(), &history), 10, 1e-9);
}

TEST(OptimalPlan, UniversalRunsDouble) {
  constexpr auto kStyle = rocksdb::kCompactionStyleUniversal;
  TreeHistory history;
  const FilterOptions options = Optimal();
  for (int i = 0; i < 40; ++i) {
    PlanTable(options, Compaction(6, true, kStyle), &history);
  }
  for (int level : {5, 4, 1}) {
    PlanTable(options, Compaction(level, false, kStyle), &history);
  }
  const double bottom = Bits(options, Compaction(6, true, kStyle), &history);
  const double step = 1 / std::log(2);  // ln 2 / (ln 2)^2
  EXPECT_GT(bottom, 8.5);
  EXPECT_NEAR(Bits(options, Compaction(5, false, kStyle), &history) - bottom,
              step, 0.2);
  EXPECT_NEAR(Bits(options, Compaction(4, false, kStyle), &history) - bottom,
              2 * step, 0.3);
  EXPECT_NEAR(Bits(options, Compaction(1, false, kStyle), &history) - bottom,
              3 * step, 0.4);
  EXPECT_NEAR(Bits(options, Flush(kStyle), &history) - bottom, 3 * step, 0.4);
  // level_size_ratio is about leveled compaction.
  FilterOptions other = options;
  other.level_size_ratio = 50;
  EXPECT_EQ(Bits(other, Compaction(5, false, kStyle), &history),
            Bits(options, Compaction(5, false, kStyle), &history));
  // Everything in level 0.
  TreeHistory flat;
  FilterBuildingContext full = Compaction(0, true, kStyle);
  full.num_levels = 1;
  FilterBuildingContext flush = Flush(kStyle);
  flush.num_levels = 1;
  EXPECT_LT(Bits(options, full, &flat), 10);
  EXPECT_GT(Bits(options, flush, &flat), 10);
  EXPECT_LE(Bits(options, flush, &flat), 13);
}

TEST(ReadsPlan, ReachesItsGoalInASettledTree) {
  for (FilterKind kind : {FilterKind::kBloom, FilterKind::kParity}) {
    for (double goal : {0.3, 0.02, 0.001}) {
      FilterOptions options = Optimal(10, kind);
      options.wasted_reads_per_lookup = goal;
      ASSERT_TRUE(CheckTablePlans(options).ok());
      TreeHistory history;
      Settle(options, 3, 6, &history);
      double reads = 0;
      for (int level = 3; level <= 6; ++level) {
        reads += RateAt(kind,
                        Bits(options, Compaction(level, level == 6), &history));
      }
      EXPECT_LE(reads, goal * 1.01) << FilterKindName(kind);
      EXPECT_GE(reads, goal * 0.9) << FilterKindName(kind);
      // Uniform where nothing is known: the same memory.
      EXPECT_NEAR(Bits(options, External(), &history),
                  SettledAverage(options, 3, 6, 10, &history), 0.2);
    }
  }
}

TEST(RatePlan, IsTheRateOfEveryTable) {
  FilterOptions options;
  options.false_positive_rate = 0.01;
  for (FilterKind kind : {FilterKind::kBloom, FilterKind::kStandardBloom,
                          FilterKind::kParity, FilterKind::kAuto}) {
    options.kind = kind;
    for (const FilterBuildingContext& context :
         {Flush(), Compaction(3), Compaction(6, true), External()}) {
      const TablePlan plan = PlanTable(options, context);
      EXPECT_NEAR(RateAt(plan.kind, plan.bits_per_key), 0.01, 1e-4);
    }
  }
}

TEST(ListPlan, NamesLevels) {
  FilterOptions options;
  options.level_bits_per_key = {24, 16, 0, 9.5};
  EXPECT_EQ(PlanTable(options, Flush()).bits_per_key, 24);
  EXPECT_EQ(PlanTable(options, Compaction(1)).bits_per_key, 16);
  EXPECT_FALSE(PlanTable(options, Compaction(2)).has_filter);
  EXPECT_EQ(PlanTable(options, Compaction(3)).bits_per_key, 9.5);
  EXPECT_EQ(PlanTable(options, Compaction(6, true)).bits_per_key, 9.5);
  EXPECT_EQ(PlanTable(options, External()).bits_per_key, 9.5);
}

TEST(AutoKind, QuickWhereTablesAreRewrittenSoon) {
  FilterOptions options;
  options.kind = FilterKind::kAuto;
  for (auto allocation :
       {LevelAllocation::kUniform, LevelAllocation::kOptimal}) {
    options.level_allocation = allocation;
    EXPECT_EQ(PlanTable(options, Flush()).kind, FilterKind::kBloom);
    EXPECT_EQ(PlanTable(options, Recovery()).kind, FilterKind::kBloom);
    EXPECT_EQ(PlanTable(options, Compaction(0)).kind, FilterKind::kBloom);
    EXPECT_EQ(PlanTable(options, Compaction(0, true)).kind,
              FilterKind::kParity);
    EXPECT_EQ(PlanTable(options, Compaction(1)).kind, FilterKind::kParity);
    EXPECT_EQ(PlanTable(options, Compaction(6, true)).kind,
              FilterKind::kParity);
    EXPECT_EQ(PlanTable(options, External()).kind, FilterKind::kParity);
    EXPECT_EQ(
        PlanTable(options, Flush(rocksdb::kCompactionStyleUniversal)).kind,
        FilterKind::kBloom);
    // Never rewritten.
    EXPECT_EQ(PlanTable(options, Flush(rocksdb::kCompactionStyleFIFO)).kind,
              FilterKind::kParity);
  }
}

TEST(UniformPlan, TheSameEverywhere) {
  FilterOptions options;
  options.bits_per_key = 12.5;
  for (const FilterBuildingContext& context :
       {Flush(), Recovery(), Compaction(0), Compaction(3), Compaction(6, true),
        Flush(rocksdb::kCompactionStyleFIFO), External()}) {
    const TablePlan plan = PlanTable(options, context);
    EXPECT_TRUE(plan.has_filter);
    EXPECT_EQ(plan.kind, FilterKind::kBloom);
    EXPECT_EQ(plan.bits_per_key, 12.5);
  }
}

TEST(CheckTablePlans, RefusesWhatIsOutOfReach) {
  FilterOptions options = Optimal();
  EXPECT_TRUE(CheckTablePlans(options).ok());
  options.bits_per_key = 30;
  EXPECT_NE(CheckTablePlans(options).ToString().find("max_bits_per_key=24"),
            std::string::npos);
  options.max_bits_per_key = 30;
  EXPECT_TRUE(CheckTablePlans(options).ok());

  for (FilterKind kind : {FilterKind::kBloom, FilterKind::kStandardBloom,
                          FilterKind::kParity, FilterKind::kAuto}) {
    FilterOptions reads = Optimal(10, kind);
    reads.wasted_reads_per_lookup = 1e-9;
    const std::string message = CheckTablePlans(reads).ToString();
    EXPECT_NE(message.find("wasted_reads_per_lookup=1e-09"), std::string::npos)
        << message;
    EXPECT_NE(message.find("accepted: at least"), std::string::npos) << message;
    for (double in_reach : {0.001, 0.02, 1.0, 10.0}) {
      reads.wasted_reads_per_lookup = in_reach;
      EXPECT_TRUE(CheckTablePlans(reads).ok()) << in_reach;
    }
  }

  FilterOptions rate = Optimal();
  rate.false_positive_rate = 0.01;
  EXPECT_TRUE(CheckTablePlans(rate).IsInvalidArgument());
  rate.level_allocation = LevelAllocation::kUniform;
  EXPECT_TRUE(CheckTablePlans(rate).ok());
}

}  // namespace
}  // namespace sstfilter
