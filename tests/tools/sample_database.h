// Small databases for tests that look at tables.
#pragma once

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sstfilter/filter_policy.h"
#include "sstfilter/key_transform.h"
#include "tools/filter_spec.h"

namespace sstfilter::tools {

inline std::string SampleKey(int i) {
  char key[32];
  std::snprintf(key, sizeof(key), "key-%08d", i);
  return key;
}

struct SampleTable {
  std::string filter = "sstfilter:10";  // see ParseFilterSpec
  bool partitioned = false;
  bool whole_keys = true;
};

inline rocksdb::Options SampleOptions(const SampleTable& table) {
  FilterSpec spec;
  const rocksdb::Status status = ParseFilterSpec(table.filter, &spec);
  EXPECT_TRUE(status.ok()) << status.ToString();
  rocksdb::BlockBasedTableOptions table_options;
  table_options.filter_policy = spec.policy;
  table_options.whole_key_filtering = table.whole_keys;
  if (table.partitioned) {
    table_options.partition_filters = true;
    table_options.index_type =
        rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table_options.metadata_block_size = 1024;
  }
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(NewBlockBasedTableFactory(table_options));
  return options;
}

inline std::shared_ptr<const rocksdb::FilterPolicy>& PolicyIn(
    const rocksdb::Options& options) {
  return options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
      ->filter_policy;
}

// With filters under a key transform of the service's own, which nobody else
// knows. It leaves keys as they are.
inline rocksdb::Options OwnTransformOptions(SampleTable table,
                                            const std::string& name) {
  FilterOptions filter;
  filter.key_transform = std::make_shared<const KeyTransform>(
      KeyTransform{name, [](const rocksdb::Slice& key, std::string* out) {
                     out->assign(key.data(), key.size());
                   }});
  table.filter = "none";
  const rocksdb::Options options = SampleOptions(table);
  EXPECT_TRUE(NewFilterPolicy(filter, &PolicyIn(options)).ok());
  return options;
}

inline std::unique_ptr<rocksdb::DB> OpenSample(const rocksdb::Options& options,
                                               const std::string& path) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, path, &db);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return std::unique_ptr<rocksdb::DB>(db);
}

// Puts keys [first, end) and makes a table of them. Every tenth key is deleted
// in the table.
inline void AddSampleTable(rocksdb::DB* db, int first, int end) {
  for (int i = first; i < end; ++i) {
    const std::string key = SampleKey(i);
    EXPECT_TRUE(
        (i % 10 == 9 ? db->Delete({}, key) : db->Put({}, key, "value")).ok());
  }
  EXPECT_TRUE(db->Flush({}).ok());
}

// The database of one table per call; returns the table's path.
inline std::string MakeSample(const rocksdb::Options& options,
                              const std::string& path, int first, int end) {
  const auto db = OpenSample(options, path);
  AddSampleTable(db.get(), first, end);
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  return files.empty() ? "" : files.front().db_path + files.front().name;
}

// Names, sizes, times and contents: to see that nothing was touched.
inline std::map<std::string, std::pair<std::string, std::string>> Everything(
    const std::string& directory) {
  std::map<std::string, std::pair<std::string, std::string>> all;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(directory)) {
    std::ifstream file(entry.path(), std::ios::binary);
    all[entry.path().string()] = {
        std::to_string(entry.last_write_time().time_since_epoch().count()),
        entry.is_directory()
            ? ""
            : std::string(std::istreambuf_iterator<char>(file), {})};
  }
  return all;
}

// What a file looks like whose key is not known.
inline void Garble(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  uint32_t stream = 1;
  for (char& c : bytes) {
    stream = stream * 1664525 + 1013904223;
    c = static_cast<char>(c ^ (stream >> 24));
  }
  file.clear();
  file.seekp(0);
  file << bytes;
}

inline void Overwrite(const std::string& path, size_t offset,
                      const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file << bytes;
}

}  // namespace sstfilter::tools
