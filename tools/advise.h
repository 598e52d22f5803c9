// Where a database's filter memory would pay most.
//
// The model is that of sstfilter/level_allocation.h: a lookup of an absent key
// asks every file of level 0 and one file of each level below. Keys that are
// looked up are taken to be spread like the keys that are stored, so that a
// level's rate is the mean over its keys. Where ranges of level 0 do not
// overlap, fewer files are asked, and real numbers are below these.
#pragma once

#include <rocksdb/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sstfilter/filter_kind.h"
#include "tools/advise_tree.h"

namespace sstfilter::tools {

struct AdviseOptions {
  enum class Budget {
    kBits,         // per key, on average over each column family
    kMemory,       // bytes of all filters of the database together
    kWastedReads,  // per absent lookup in any one column family
  };
  Budget budget = Budget::kBits;
  double amount = 10;
  FilterKind kind = FilterKind::kBloom;  // not kAuto
};

// Of a level or of a whole column family, with filters as they are stored:
// small files take more than the setting, because filters are made of whole
// blocks.
struct FilterShare {
  double bits_per_key = 0;  // over all keys, also those without a filter
  double bytes = 0;
  double wasted_reads = 0;  // per lookup of an absent key
};

struct LevelAdvice {
  int level = 0;
  uint64_t files = 0;
  double keys = 0;
  double lookups = 0;  // files that one lookup of an absent key asks
  std::string filter;  // the kind today; "none", "mixed"
  FilterShare today;
  FilterShare uniform;
  FilterShare optimal;
  double setting = 0;  // bits per key to set for `optimal`
  uint64_t misfits = 0;
};

// What it takes to have few wasted reads; empty where no filter reaches that.
struct Cost {
  double wasted_reads = 0;
  std::optional<FilterShare> uniform;
  std::optional<FilterShare> optimal;
};

// A file whose bits per key are far from the optimum of its level: made for
// another level, or with another setting.
struct Misfit {
  std::string path;
  int level = 0;
  double bits_per_key = 0;
  double level_bits_per_key = 0;  // the setting
};

struct FamilyAdvice {
  std::string column_family;
  double keys = 0;
  std::vector<LevelAdvice> levels;  // those that have files, newest first
  FilterShare today;
  FilterShare uniform;  // at the memory of `optimal`, up to whole blocks
  FilterShare optimal;
  std::string optimal_options;  // level_allocation=optimal
  std::string level_options;    // level_bits_per_key=...
  std::vector<Cost> costs;      // most wasted reads first
  std::vector<Misfit> misfits;
  std::vector<std::string> notes;
};

// InvalidArgument when the trees hold no keys or the budget is out of reach.
rocksdb::Status Advise(const AdviseOptions& options, const DatabaseTrees& trees,
                       std::vector<FamilyAdvice>* advice);

}  // namespace sstfilter::tools
