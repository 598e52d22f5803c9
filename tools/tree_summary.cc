#include "tools/tree_summary.h"

#include <rocksdb/metadata.h>
#include <rocksdb/table_properties.h>

#include <memory>
#include <string>
#include <vector>

#include "integration/stored_filters.h"

namespace sstfilter::tools {

namespace {

// A table's properties come under its whole path, its metadata under a name
// that begins with a slash.
std::string TableName(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

// The filter as the table stores it; empty without one.
rocksdb::Status ReadFilterBlock(rocksdb::Env* env, const std::string& path,
                                std::string* block) {
  rocksdb::Options options;
  options.env = env;
  std::unique_ptr<StoredTable> table;
  const rocksdb::Status status = StoredTable::Open(options, path, &table);
  if (!status.ok()) return status;
  block->clear();
  if (!table->filters().empty()) *block = table->filters().front().block;
  return status;
}

void AddTable(const rocksdb::TableProperties& table, double expected_rate,
              LevelSummary* level) {
  const auto keys_before = static_cast<double>(level->keys);
  const auto keys = static_cast<double>(table.num_entries);
  ++level->files;
  level->keys += table.num_entries;
  level->filter_bytes += table.filter_size;
  if (keys > 0) {
    level->expected_rate =
        (level->expected_rate * keys_before + expected_rate * keys) /
        (keys_before + keys);
  }
}

}  // namespace

rocksdb::Status SummarizeTree(rocksdb::DB* database, const FilterSpec& spec,
                              TableReadCounter* counter,
                              std::map<int, LevelSummary>* levels) {
  std::vector<rocksdb::LiveFileMetaData> files;
  database->GetLiveFilesMetaData(&files);
  std::map<std::string, int> level_of;
  for (const rocksdb::LiveFileMetaData& file : files) {
    level_of[TableName(file.name)] = file.level;
  }
  rocksdb::TablePropertiesCollection tables;
  rocksdb::Status status = database->GetPropertiesOfAllTables(&tables);
  if (!status.ok()) return status;
  for (const auto& [path, properties] : tables) {
    const auto level = level_of.find(TableName(path));
    if (level == level_of.end()) {
      return rocksdb::Status::Corruption("table of no level", path);
    }
    std::string filter_block;
    if (spec.family == FilterFamily::kSstfilter) {
      status = ReadFilterBlock(database->GetEnv(), path, &filter_block);
      if (!status.ok()) return status;
    }
    AddTable(*properties, ExpectedRate(spec, *properties, filter_block),
             &(*levels)[level->second]);
    // Filter blocks follow the data blocks directly.
    counter->SetFilterRange(path, properties->data_size,
                            properties->data_size + properties->filter_size);
  }
  return status;
}

}  // namespace sstfilter::tools
