#include "tools/tree_summary.h"

#include <rocksdb/file_system.h>
#include <rocksdb/metadata.h>
#include <rocksdb/table_properties.h>

#include <memory>
#include <string>
#include <vector>

namespace sstfilter::tools {

namespace {

// A table's properties come under its whole path, its metadata under a name
// that begins with a slash.
std::string TableName(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

// The filter block as the table stores it. Filter blocks are never compressed.
rocksdb::Status ReadFilterBlock(rocksdb::FileSystem* file_system,
                                const std::string& path,
                                const rocksdb::TableProperties& table,
                                std::string* block) {
  block->resize(table.filter_size);
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  rocksdb::IOStatus status =
      file_system->NewRandomAccessFile(path, {}, &file, nullptr);
  rocksdb::Slice read;
  if (status.ok()) {
    status = file->Read(table.data_size, block->size(), {}, &read,
                        block->data(), nullptr);
  }
  if (status.ok() && read.size() != block->size()) {
    return rocksdb::Status::Corruption("table ends in its filter", path);
  }
  // A file system may answer from memory of its own.
  if (status.ok() && read.data() != block->data()) *block = read.ToString();
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
      status = ReadFilterBlock(database->GetFileSystem(), path, *properties,
                               &filter_block);
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
