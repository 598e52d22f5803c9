// The filter of a table that is being written, as listener and policy see it
// together.
//
// RocksDB tells listeners that it begins a table, by its path, and then asks
// the policy for the table's filter builder, without the path but on the same
// thread and before it begins another table there. That is how a builder finds
// the table it works for. It may then add keys and finish partitions on other
// threads (parallel compression), and a thread may write two tables side by
// side: the builder keeps its FilterBuild.
#pragma once

#include <rocksdb/env.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "sstfilter/filter_kind.h"

namespace sstfilter {

// What was built until now. Readers on other threads see each number by itself;
// when RocksDB says that the table was created, all of them are final.
struct FilterBuild {
  // Set by the policy before the first filter.
  FilterKind kind = FilterKind::kBloom;
  rocksdb::Logger* info_log = nullptr;  // of the database; may be null

  std::atomic<uint64_t> filters{0};      // 1, or partitions
  std::atomic<uint64_t> nanoseconds{0};  // spent building them
};

// For listeners: this thread begins the table `path`. Any number of listeners
// may say so.
void BeginTable(const std::string& path);

// For listeners: this thread created the table `path`, or gave one up, for
// which RocksDB has a path of its own. The filter that was built for it; null
// when no policy of ours was asked for one, or not by way of BeginTable.
std::shared_ptr<const FilterBuild> EndTable(const std::string& path);

// For policies: the table that this thread began last and no builder has taken
// yet; null when there is none, as without a listener and in SstFileWriter.
std::shared_ptr<FilterBuild> TakeTable();

}  // namespace sstfilter
