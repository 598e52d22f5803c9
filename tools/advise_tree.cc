#include "tools/advise_tree.h"

#include <fmt/format.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "filter/algorithm.h"
#include "integration/counted.h"
#include "tools/interrupt.h"
#include "tools/read_only_database.h"

namespace sstfilter::tools {

namespace {

namespace fs = std::filesystem;

rocksdb::Status CheckDatabase(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return rocksdb::Status::InvalidArgument(fmt::format(
        "{}: {}", path, error ? error.message() : "no such directory"));
  }
  if (!fs::exists(fs::path(path) / "CURRENT", error)) {
    return rocksdb::Status::InvalidArgument(
        fmt::format("{}: not a RocksDB database", path));
  }
  return rocksdb::Status::OK();
}

// Adds the file, or a problem.
void AddFile(const rocksdb::LiveFileMetaData& live, FamilyTree* tree,
             std::vector<std::string>* problems) {
  TreeFile file;
  file.path = live.db_path + live.name;
  file.level = live.level;
  std::unique_ptr<StoredTable> table;
  const rocksdb::Status status =
      StoredTable::Open(rocksdb::Options(), file.path, &table);
  if (!status.ok()) {
    std::error_code error;
    problems->push_back(
        fs::exists(file.path, error)
            ? fmt::format("{}: the table itself cannot be read: {}", file.path,
                          status.ToString())
            : fmt::format("{}: the table file is missing", file.path));
    return;
  }
  if (table->lack() == StoredTable::Lack::kUnreadable) {
    problems->push_back(
        fmt::format("{}: filter block of {} is damaged", file.path,
                    Counted(table->properties().filter_size, "byte")));
  }
  file.filter = Combine(FactsOf(*table));
  const rocksdb::TableProperties& properties = table->properties();
  file.keys =
      file.filter.keys > 0 && file.filter.given_up == 0
          ? file.filter.keys
          : static_cast<double>(properties.num_entries -
                                std::min(properties.num_entries,
                                         properties.num_range_deletions));
  tree->files.push_back(std::move(file));
}

void AddOptions(const rocksdb::Options& options, FamilyTree* tree) {
  tree->size_ratio = options.max_bytes_for_level_multiplier;
  if (options.optimize_filters_for_hits) {
    tree->notes.push_back(
        "optimize_filters_for_hits is on: RocksDB builds no filters on the "
        "last level, whatever is advised for it");
  }
  if (options.compaction_style == rocksdb::kCompactionStyleFIFO ||
      options.compaction_style == rocksdb::kCompactionStyleNone) {
    tree->notes.push_back(
        "compaction does not move keys down: all files are alike, and every "
        "allocation is uniform");
  }
}

}  // namespace

rocksdb::Status ReadTrees(const std::string& path, DatabaseTrees* trees) {
  *trees = DatabaseTrees();
  rocksdb::Status status = CheckDatabase(path);
  if (!status.ok()) return status;
  std::unique_ptr<ReadOnlyDatabase> database;
  status = ReadOnlyDatabase::Open(path, &database);
  if (!status.ok()) {
    return rocksdb::Status::InvalidArgument(fmt::format(
        "{}: cannot be opened as a database: {}", path, status.ToString()));
  }
  trees->notes = database->notes();
  std::vector<rocksdb::LiveFileMetaData> live;
  database->db()->GetLiveFilesMetaData(&live);
  for (rocksdb::ColumnFamilyHandle* handle : database->column_families()) {
    FamilyTree tree;
    tree.column_family = handle->GetName();
    AddOptions(database->db()->GetOptions(handle), &tree);
    for (const rocksdb::LiveFileMetaData& file : live) {
      if (file.column_family_name != tree.column_family) continue;
      status = CheckInterrupt();
      if (!status.ok()) return status;
      AddFile(file, &tree, &trees->problems);
    }
    if (!tree.files.empty()) trees->families.push_back(std::move(tree));
  }
  if (trees->families.empty() && !trees->problems.empty()) {
    return rocksdb::Status::Corruption(
        path, "no table file of it can be read: nothing to advise on");
  }
  return status;
}

std::optional<FilterKind> KindOfToday(const DatabaseTrees& trees) {
  std::optional<FilterKind> kind;
  double most = 0;
  for (const FilterKind candidate : {FilterKind::kBloom, FilterKind::kParity}) {
    const std::string name =
        std::string("sstfilter ") + FilterKindName(candidate);
    double keys = 0;
    for (const FamilyTree& tree : trees.families) {
      for (const TreeFile& file : tree.files) {
        if (file.filter.name == name) keys += file.keys;
      }
    }
    if (keys > most) kind = candidate;
    most = std::max(most, keys);
  }
  return kind;
}

}  // namespace sstfilter::tools
