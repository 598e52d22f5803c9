// One filter configuration under measurement: its database, the counter of its
// disk reads and what its lookups came to.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/counting_file_system.h"
#include "tools/filter_spec.h"
#include "tools/lookups.h"
#include "tools/measure.h"
#include "tools/tree_builder.h"
#include "tools/tree_summary.h"

namespace sstfilter::tools {

class MeasuredDatabase {
 public:
  // Table reads go through `file_system`, which this class counts.
  MeasuredDatabase(FilterSpec spec, std::string path,
                   const std::shared_ptr<rocksdb::FileSystem>& file_system,
                   const MeasureOptions& options, uint64_t data_bytes);

  const FilterSpec& spec() const { return spec_; }
  const std::map<int, LevelSummary>& levels() const { return levels_; }

  // Writes the database, then opens it anew for lookups.
  rocksdb::Status Build(const std::vector<std::string_view>& keys,
                        const std::vector<PlannedRun>& plan,
                        Progress* progress);

  // One round of lookups.
  rocksdb::Status LookUpAbsent(const std::vector<std::string_view>& keys);
  rocksdb::Status LookUpPresent(const std::vector<std::string_view>& keys);

  // Builds the filter of one table of `keys` on the deepest level once more.
  void TimeBuild(const std::vector<std::string_view>& keys);

  // Asks the filters for every key; after the lookups, because it leaves its
  // traces in the block cache.
  rocksdb::Status CheckAllKeys(const std::vector<std::string_view>& keys);

  // Everything but reads_avoided, which takes two configurations.
  FilterResult Result() const;

 private:
  const FilterSpec spec_;
  const std::string path_;
  const size_t value_bytes_;
  const size_t batch_;
  const std::shared_ptr<TableReadCounter> counter_;
  // The database uses the environment: declared, so destroyed, in this order.
  std::unique_ptr<rocksdb::Env> environment_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> database_;

  std::map<int, LevelSummary> levels_;
  LookupCounts absent_;
  LookupCounts present_;
  std::vector<double> us_per_absent_get_;  // one per round
  std::vector<double> us_per_present_get_;
  std::vector<double> us_per_build_;
  size_t keys_per_build_ = 0;
  uint64_t hidden_keys_ = 0;
};

}  // namespace sstfilter::tools
