#include "integration/filter_build.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sstfilter {

namespace {

// A thread writes two tables at a time at most (a compaction that keeps young
// keys a level higher). Tables that were given up leave theirs behind.
constexpr size_t kTables = 4;

struct BegunTable {
  std::string path;
  std::shared_ptr<FilterBuild> build;
  bool is_taken = false;  // by a builder, or ended without one
  bool has_filter = false;
};

// Oldest first.
std::vector<BegunTable>& TablesOfThread() {
  thread_local std::vector<BegunTable> tables;
  return tables;
}

}  // namespace

void BeginTable(const std::string& path) {
  std::vector<BegunTable>& tables = TablesOfThread();
  // Another listener of the same database was told already.
  if (!tables.empty() && !tables.back().is_taken &&
      tables.back().path == path) {
    return;
  }
  if (tables.size() == kTables) tables.erase(tables.begin());
  BegunTable table;
  table.path = path;
  table.build = std::make_shared<FilterBuild>();
  tables.push_back(std::move(table));
}

std::shared_ptr<const FilterBuild> EndTable(const std::string& path) {
  std::vector<BegunTable>& tables = TablesOfThread();
  // What comes next on this thread is not for this table.
  if (!tables.empty()) tables.back().is_taken = true;
  // A path comes again when a database is made anew.
  const auto table =
      std::find_if(tables.rbegin(), tables.rend(),
                   [&path](const BegunTable& it) { return it.path == path; });
  return table != tables.rend() && table->has_filter ? table->build : nullptr;
}

std::shared_ptr<FilterBuild> TakeTable() {
  std::vector<BegunTable>& tables = TablesOfThread();
  if (tables.empty() || tables.back().is_taken) return nullptr;
  tables.back().is_taken = true;
  tables.back().has_filter = true;
  return tables.back().build;
}

}  // namespace sstfilter
