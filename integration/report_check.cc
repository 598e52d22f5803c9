// Finds filters that RocksDB does not use without saying so.
#include <rocksdb/metadata.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <map>

#include "integration/policy.h"
#include "integration/stored_filters.h"
#include "sstfilter/report.h"

namespace sstfilter {

namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;

// What is known of a column family: its options, when there is a handle.
struct Family {
  bool has_options = false;
  bool is_block_based = false;
  bool has_policy = false;
  bool skips_last_level = false;  // optimize_filters_for_hits
  const Policy* policy = nullptr;
  uint32_t transform = 0;
  std::string transform_name;
  std::string prefix_extractor = "nullptr";

  uint64_t tables = 0;
  uint64_t unfiltered = 0;
  uint64_t unfiltered_in_last = 0;
  uint64_t builtin = 0;
  uint64_t unreadable = 0;  // the filter is
  uint64_t unreadable_tables = 0;
  uint64_t other_policy = 0;
  uint64_t other_transform = 0;
  uint64_t other_prefix = 0;
  int last_level = 0;
  std::string example;        // a table whose filter cannot be read
  std::string example_table;  // one that cannot be read itself, and why
};

void ReadOptions(DB* db, ColumnFamilyHandle* handle, Family* family) {
  const rocksdb::Options options = db->GetOptions(handle);
  family->has_options = true;
  family->skips_last_level = options.optimize_filters_for_hits;
  if (options.prefix_extractor != nullptr) {
    family->prefix_extractor = options.prefix_extractor->AsString();
  }
  const auto* table = options.table_factory == nullptr
                          ? nullptr
                          : options.table_factory
                                ->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table == nullptr) return;
  family->is_block_based = true;
  family->has_policy = table->filter_policy != nullptr;
  family->policy = AsPolicy(table->filter_policy.get());
  if (family->policy == nullptr) return;
  const auto transform = family->policy->CurrentOptions().key_transform;
  if (transform != nullptr) {
    family->transform_name = transform->name;
    family->transform =
        KeyTransformId(transform->name.data(), transform->name.size());
  }
}

bool UsesPrefixes(const rocksdb::TableProperties& properties) {
  const auto& collected = properties.user_collected_properties;
  const auto found =
      collected.find("rocksdb.block.based.table.prefix.filtering");
  return found != collected.end() && found->second == "1";
}

void CountFilters(const StoredTable& table, const std::string& path,
                  Family* family) {
  bool readable = true;
  bool builtin = false;
  bool other_transform = false;
  for (const StoredFilter& filter : table.filters()) {
    readable = readable && filter.format != FilterFormat::kUnusable;
    if (filter.format == FilterFormat::kGivenUp ||
        filter.format == FilterFormat::kNoKeys) {
      continue;
    }
    if (filter.format == FilterFormat::kSstfilter) {
      other_transform = other_transform ||
                        (family->policy != nullptr &&
                         filter.trailer.key_transform != family->transform);
    } else if (filter.format != FilterFormat::kUnusable) {
      builtin = true;
      other_transform = other_transform || family->transform != 0;
    }
  }
  if (!readable) {
    ++family->unreadable;
    family->example = path;
  }
  if (builtin) ++family->builtin;
  if (other_transform) ++family->other_transform;
  if (UsesPrefixes(table.properties()) && family->has_options &&
      table.properties().prefix_extractor_name != family->prefix_extractor) {
    ++family->other_prefix;
  }
}

void CountTable(const rocksdb::Options& base,
                const rocksdb::LiveFileMetaData& file, Family* family) {
  const std::string path = file.db_path + file.name;
  std::unique_ptr<StoredTable> table;
  const rocksdb::Status status =
      StoredTable::Open(base, path, &table, family->transform_name);
  // Compacted away meanwhile.
  if (!status.ok() && base.env->FileExists(path).IsNotFound()) return;
  ++family->tables;
  if (!status.ok()) {
    ++family->unreadable_tables;
    family->example_table = path + ": " + status.ToString();
    return;
  }
  switch (table->lack()) {
    case StoredTable::Lack::kNone:
      CountFilters(*table, path, family);
      break;
    case StoredTable::Lack::kNoPolicy:
    case StoredTable::Lack::kSkipped:
    case StoredTable::Lack::kGivenUp:
      ++family->unfiltered;
      if (file.level == family->last_level) ++family->unfiltered_in_last;
      break;
    case StoredTable::Lack::kOtherPolicy:
      ++family->other_policy;
      break;
    case StoredTable::Lack::kUnreadable:
      ++family->unreadable;
      family->example = path;
      break;
  }
}

class Warnings {
 public:
  explicit Warnings(std::vector<FilterWarning>* all) : all_(*all) {}

  void Add(const char* code, const std::string& message,
           const std::string& advice) {
    all_.push_back({code, message, advice});
  }

  void AddOfFamily(const std::string& name, const Family& family) {
    const std::string of = " of " + std::to_string(family.tables) +
                           (family.tables == 1 ? " table " : " tables ");
    const std::string in = "column family " + name + ": ";
    const auto have = [&](uint64_t n) {
      return in + std::to_string(n) + of + (n == 1 ? "has " : "have ");
    };
    if (family.has_options && !family.has_policy) {
      Add("no-policy", in + "opened without a filter policy",
          family.is_block_based
              ? "set BlockBasedTableOptions::filter_policy; if an option "
                "string "
                "names one, call sstfilter::RegisterFilterPolicy before "
                "loading "
                "it"
              : "its table format has no filter policies");
    }
    const bool for_hits =
        family.skips_last_level && family.unfiltered_in_last > 0;
    const uint64_t unexplained =
        family.unfiltered - (for_hits ? family.unfiltered_in_last : 0);
    if (for_hits) {
      Add("skipped-for-hits",
          have(family.unfiltered_in_last) +
              "no filter because optimize_filters_for_hits leaves out the "
              "last level" +
              (family.unfiltered == family.tables ? ": all filters are skipped"
                                                  : ""),
          "set optimize_filters_for_hits=false unless nearly every lookup "
          "finds "
          "its key");
    }
    if (unexplained > 0) {
      Add("no-filter", have(unexplained) + "no filter",
          "they get one when they are next compacted with a filter policy set; "
          "CompactRange with bottommost_level_compaction=kForce does it now");
    }
    if (family.builtin > 0 && family.policy != nullptr) {
      Add("other-family",
          have(family.builtin) + "a filter of RocksDB's built-in family",
          "they keep working and are replaced when they are next compacted");
    }
    if (family.unreadable_tables > 0) {
      Add("unreadable-table",
          in + std::to_string(family.unreadable_tables) + of +
              "cannot be read, keys and filter alike, for instance " +
              family.example_table,
          "restore the file from a backup: no filter makes up for it");
    }
    if (family.unreadable > 0) {
      Add("unreadable",
          have(family.unreadable) +
              "a filter that cannot be read, for instance " + family.example,
          "run sstfilter verify; restore the file from a backup, or compact it "
          "to build the filter anew");
    }
    if (family.other_policy > 0) {
      Add("other-policy",
          have(family.other_policy) +
              "a filter stored under the name of another policy",
          "it is not used; compact them to build the filter anew");
    }
    if (family.other_transform > 0) {
      Add("other-transform",
          have(family.other_transform) +
              "a filter written under another key transform, which is not "
              "used",
          "set the key_transform they were written under, or compact them");
    }
    if (family.other_prefix > 0) {
      Add("prefix-extractor-changed",
          have(family.other_prefix) + "prefixes of an extractor other than " +
              family.prefix_extractor + ", so that they may not be asked",
          "compact them, or set the prefix extractor back");
    }
  }

 private:
  std::vector<FilterWarning>& all_;
};

// Whether lookups happened and no filter was asked.
void CheckUse(DB* db, bool has_filters, Warnings* warnings) {
  const auto statistics = db->GetDBOptions().statistics;
  if (statistics == nullptr || !has_filters) return;
  const auto count = [&](rocksdb::Tickers ticker) {
    return statistics->getTickerCount(ticker);
  };
  const uint64_t asked = count(rocksdb::BLOOM_FILTER_USEFUL) +
                         count(rocksdb::BLOOM_FILTER_FULL_POSITIVE) +
                         count(rocksdb::BLOOM_FILTER_PREFIX_CHECKED);
  const uint64_t gets = count(rocksdb::NUMBER_KEYS_READ) +
                        count(rocksdb::NUMBER_MULTIGET_KEYS_READ);
  const uint64_t seeks = count(rocksdb::NUMBER_DB_SEEK);
  if (asked > 0 || gets + seeks == 0) return;
  const std::string message = std::to_string(gets) + " lookups and " +
                              std::to_string(seeks) +
                              " seeks, and none asked a filter: ";
  if (gets == 0) {
    warnings->Add("never-asked", message + "only iterators without a prefix",
                  "filters answer point lookups, and seeks when a "
                  "prefix_extractor is set and total_order_seek is not");
  } else if (count(rocksdb::MEMTABLE_HIT) >= gets) {
    warnings->Add("never-asked",
                  message + "the memtable answered all of the lookups",
                  "nothing, if that is what the service does");
  } else {
    warnings->Add("never-asked",
                  message +
                      "the keys lie outside every table, or the tables "
                      "they lie in have no filter that is used",
                  "compare the other warnings; whole_key_filtering must be on "
                  "for point lookups");
  }
}

}  // namespace

std::vector<FilterWarning> CheckFilters(
    DB* db, const std::vector<ColumnFamilyHandle*>& column_families) {
  std::map<std::string, Family> families;
  for (ColumnFamilyHandle* handle : column_families) {
    ReadOptions(db, handle, &families[handle->GetName()]);
  }
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  for (const auto& file : files) {
    int& last = families[file.column_family_name].last_level;
    last = std::max(last, file.level);
  }
  rocksdb::Options base;
  base.env = db->GetEnv();
  for (const auto& file : files) {
    CountTable(base, file, &families[file.column_family_name]);
  }
  std::vector<FilterWarning> all;
  Warnings warnings(&all);
  bool has_filters = false;
  for (const auto& [name, family] : families) {
    warnings.AddOfFamily(name, family);
    has_filters = has_filters || family.unfiltered < family.tables;
  }
  CheckUse(db, has_filters, &warnings);
  return all;
}

std::vector<FilterWarning> CheckFilters(DB* db) {
  return CheckFilters(db, {db->DefaultColumnFamily()});
}

}  // namespace sstfilter
