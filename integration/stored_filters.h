// The filters a table file carries, as the bytes that are stored.
//
// A table's filter block is reached without knowing RocksDB's file format: a
// policy whose GetFilterBitsReader receives the block's bytes is handed to
// RocksDB's own SstFileReader. Opening a table that way reads its filter or all
// the partitions of it, in the order of their keys.
#pragma once

#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "table/trailer.h"

namespace sstfilter {

enum class FilterFormat {
  kSstfilter,
  kRocksdbBloom,   // RocksDB's cache-line Bloom (format_version 5 and later)
  kRocksdbRibbon,  // RocksDB's Ribbon
  kRocksdbLegacyBloom,  // RocksDB's Bloom before format_version 5
  // Six zero bytes, what a builder gives that could not build, ours for want of
  // memory: "may match" to every key, as it is meant.
  kGivenUp,
  // So few bytes that RocksDB answers "absent" to every key: what its own
  // builders give for a partition without keys.
  kNoKeys,
  kUnusable,  // damaged or unknown: "may match" to every key
};

// One filter block, or one partition.
struct StoredFilter {
  std::string block;

  FilterFormat format = FilterFormat::kUnusable;
  // "sstfilter bloom", "rocksdb ribbon", ...; "none" for kGivenUp and kNoKeys;
  // for kUnusable why it is.
  std::string name;
  // Bytes before the metadata.
  uint64_t payload_bytes = 0;

  // kSstfilter only.
  Trailer trailer;
  // The key transform it was written under, when StoredTable found its name.
  std::string key_transform;
  // Bloom filters of RocksDB: probes. Ribbon: columns of solution, a fraction
  // when the last is there for part of the keys only.
  double parameter = 0;
  // Ribbon: expected false positive rate, which its size alone decides.
  double ribbon_rate = 0;
};

// Recognises any bytes.
StoredFilter DescribeFilter(const rocksdb::Slice& block);

// Asks one stored filter for keys or prefixes; false means "absent". Refers to
// the bytes of the filter. Null for a filter that cannot be asked: unusable, or
// written under a key transform that this process does not know.
using FilterQuestion = std::function<bool(const rocksdb::Slice&)>;
FilterQuestion MakeFilterQuestion(const StoredFilter& filter);

class StoredTable {
 public:
  // Opens the table file `path` for reading, through the environment and with
  // the comparator and merge operator of `base`. Its filters need not be usable
  // for that, or readable. Filters written under a key transform are found when
  // it is a ready-made one, or named `key_transform`, or when its name can be
  // read from the file.
  static rocksdb::Status Open(const rocksdb::Options& base,
                              const std::string& path,
                              std::unique_ptr<StoredTable>* table,
                              const std::string& key_transform = "");

  ~StoredTable();

  const rocksdb::TableProperties& properties() const { return *properties_; }

  // In key order. More than one: a partitioned filter.
  const std::vector<StoredFilter>& filters() const { return filters_; }

  // Why the table has no filter, or not the one that its properties tell of.
  enum class Lack {
    kNone,
    kNoPolicy,     // written without a filter policy
    kSkipped,      // the policy made none for this table
    kGivenUp,      // nothing but FilterFormat::kGivenUp in its place
    kOtherPolicy,  // stored under a name that no built-in filter has
    kUnreadable,   // the properties tell of a filter; the block is damaged, or
                   // cut to a few bytes
  };
  Lack lack() const { return lack_; }

  // What LevelFilterReport::kinds calls the filters.
  std::string kind() const;

  rocksdb::Iterator* NewIterator(const rocksdb::ReadOptions& options);

 private:
  StoredTable() = default;

  rocksdb::Status OpenAs(const rocksdb::Options& base, const std::string& path,
                         const std::string& compatibility_name);

  std::unique_ptr<rocksdb::SstFileReader> reader_;
  std::shared_ptr<const rocksdb::TableProperties> properties_;
  std::vector<StoredFilter> filters_;
  Lack lack_ = Lack::kNone;
};

}  // namespace sstfilter
