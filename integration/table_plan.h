// Which filter a table gets.
//
// With level_allocation=optimal the bits of a table follow from its distance d
// to the bottom of the tree: level d holds a share (1 - 1/T) T^-d of the keys
// (T = level_size_ratio), and sstfilter/level_allocation.h spreads bits_per_key
// over such a tree, at least 1 bit and at most max_bits_per_key. What is known
// of d:
//
//  * is_bottommost: d = 0, on whatever level. RocksDB says so when no older
//    data lies in the key range, which is exactly when the table is the largest
//    run a lookup in its range meets.
//  * Other tables below level 0, leveled compaction: the levels from this one
//    to the deepest in use. RocksDB does not tell the latter. num_levels counts
//    empty levels too, and takes a tree of three filled levels for one of
//    seven: level 2 would get the cap instead of 5 bits more than the bottom,
//    9 % of the budget. So the policy remembers, for every column family, the
//    deepest level it has built a table for, with dynamic level bytes and
//    without. A table that is not bottommost has something below it, d >= 1,
//    and that is the value used until more is known.
//  * Level 0, flushes, recovery and compactions within level 0: a run of its
//    own, a quarter of the smallest sorted level (RocksDB compacts level 0 into
//    level 1 when four files make it as large).
//  * Universal compaction: each level below 0 and each file of level 0 is a
//    run, and a run survives while it is larger than the younger ones together,
//    so they at least double: T = 2 whatever level_size_ratio is. There are few
//    runs and their sizes vary, so d is at most 3.
//  * FIFO: all tables are alike, flushed and never rewritten, and never called
//    bottommost: uniform. So is compaction style "none".
//  * SstFileWriter and repair (level -1): the table may go anywhere: uniform.
//
// Tables move down a level without being rewritten when nothing overlaps them.
// A load in key order leaves all its flushed tables at the bottom, and with
// them their extra bits. The bound: a table gets more than kYoungBitsBound
// times the average only on trust that it will be rewritten, and trust is
// earned by rewriting:
//
//    every table a compaction builds on a deeper level allows one table above
//    it the bits that its level asks for; at most kMaxTrust are saved up.
//
// Normal writing rewrites several tables below for each one above, so trust is
// always there. A load in key order rewrites nothing and gets kYoungBitsBound:
// at most 30 % more filter memory than uniform. Should one follow normal
// writing, kMaxTrust tables may exceed that.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sstfilter/options.h"

namespace sstfilter {

// Of the average bits per key, for tables that may never be rewritten.
inline constexpr double kYoungBitsBound = 1.3;

// As many tables as level 0 holds before RocksDB slows writers down, by
// default.
inline constexpr int kMaxTrust = 20;

struct TablePlan {
  // False: no filter.
  bool has_filter = true;
  // A concrete kind, not kAuto.
  FilterKind kind = FilterKind::kBloom;
  double bits_per_key = 10.0;
};

// What a policy has seen of the trees it builds tables for. Thread-safe.
class TreeHistory {
 public:
  // Levels of a tree that tables were built for; 0 when none was yet.
  struct Depth {
    int shallowest = 0;  // below level 0
    int deepest = 0;
  };

  // Notes a table that is about to be built. What is known then.
  Depth Note(const rocksdb::FilterBuildingContext& context);

  // Takes one table's worth of trust of a table's level; false if there is
  // none.
  bool TakeTrust(const rocksdb::FilterBuildingContext& context);

 private:
  struct Tree {
    Depth depth;
    // By level: tables that may still get all the bits of their level.
    std::vector<int> trust;
  };

  Tree& TreeOf(const rocksdb::FilterBuildingContext& context);

  std::mutex mutex_;
  // By the database's logger and the column family's name.
  std::map<std::pair<const void*, std::string>, Tree> trees_;
};

// Decides from valid options, what RocksDB says about the table being built,
// and what was built before. Takes well under a millisecond after
// CheckTablePlans of the same options.
TablePlan PlanTable(const FilterOptions& options,
                    const rocksdb::FilterBuildingContext& context,
                    TreeHistory* history);

// For a tree of which nothing is known but this table.
TablePlan PlanTable(const FilterOptions& options,
                    const rocksdb::FilterBuildingContext& context);

// Whether tables can be planned from options whose fields are each in range:
// InvalidArgument if the budget is out of reach of the kind, or contradicts the
// level allocation.
rocksdb::Status CheckTablePlans(const FilterOptions& options);

}  // namespace sstfilter
