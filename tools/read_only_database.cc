#include "tools/read_only_database.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>

#include <mutex>

#include "integration/policy_name.h"
#include "sstfilter/filter_policy.h"
#include "sstfilter/key_transform.h"
#include "tools/options_file.h"
#include "tools/stand_ins.h"

namespace sstfilter::tools {

namespace {

using Families = std::vector<rocksdb::ColumnFamilyDescriptor>;

// Another process may replace the manifest while we read it.
constexpr int kTries = 3;

void KnowOurPolicy() {
  static std::once_flag once;
  std::call_once(once, [] {
    RegisterFilterPolicy(*rocksdb::ObjectLibrary::Default(), "");
  });
}

// The name in the value of an option that names a class: "name",
// "name:argument" or "{id=name;...}".
std::string NameOf(const std::string& value) {
  const size_t id = value.find("id=");
  const size_t first =
      value.front() == '{' && id != std::string::npos ? id + 3 : 0;
  return value.substr(first, value.find_first_of(";:}", first) - first);
}

// The value of a field of a policy's options; empty without it.
std::string FieldOf(const std::string& value, const std::string& field) {
  const size_t at = value.find(field + "=");
  if (at == std::string::npos) return "";
  const size_t first = at + field.size() + 1;
  return value.substr(first, value.find_first_of(";}", first) - first);
}

// What takes the place of a filter policy that could not be made from `value`.
// One of ours keeps its key transform, which decides what tables it can read.
std::shared_ptr<const rocksdb::FilterPolicy> StandInFor(
    const std::string& value) {
  const std::string name = NameOf(value);
  if (name != kPolicyName) return StandInFilterPolicy(name);
  FilterOptions options;
  const std::string transform = FieldOf(value, "key_transform");
  if (!transform.empty()) {
    options.key_transform = FindKeyTransform(transform);
    if (options.key_transform == nullptr) {
      options.key_transform = std::make_shared<const KeyTransform>(KeyTransform{
          transform, [](const rocksdb::Slice& key, std::string* canonical) {
            canonical->assign(key.data(), key.size());
          }});
    }
  }
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  return NewFilterPolicy(options, &policy).ok() ? policy : nullptr;
}

void StandIn(const UnknownOption& option, Families* families) {
  if (option.value.empty()) return;
  for (auto& family : *families) {
    if (family.name != option.column_family) continue;
    if (option.of == UnknownOption::Of::kColumnFamily &&
        option.name == "prefix_extractor") {
      family.options.prefix_extractor =
          StandInPrefixExtractor(NameOf(option.value));
    }
    if (option.of == UnknownOption::Of::kTable &&
        option.name == "filter_policy") {
      auto* table = family.options.table_factory
                        ->GetOptions<rocksdb::BlockBasedTableOptions>();
      if (table != nullptr) table->filter_policy = StandInFor(option.value);
    }
  }
}

std::string ListOf(const std::vector<UnknownOption>& options) {
  std::string list;
  for (const UnknownOption& option : options) {
    list += (list.empty() ? "" : ", ") + option.ToString();
  }
  return list;
}

// What the database was last opened with, or defaults when it does not say.
rocksdb::Status LoadOptions(const std::string& path,
                            rocksdb::DBOptions* db_options, Families* families,
                            bool* knows_options,
                            std::vector<std::string>* notes) {
  OptionsFile file;
  rocksdb::Status status = ReadOptionsFile(path, &file);
  *knows_options = status.ok();
  if (status.ok()) {
    *db_options = file.db_options;
    *families = file.column_families;
    for (const UnknownOption& option : file.unknown) StandIn(option, families);
    if (!file.unknown.empty()) {
      notes->push_back(
          fmt::format("{}: not known here and ignored, of the options file: {}",
                      path, ListOf(file.unknown)));
    }
    return status;
  }
  notes->push_back(fmt::format(
      "{}: no options file that can be used ({}): opened with RocksDB's "
      "defaults",
      path, status.ToString()));
  std::vector<std::string> names;
  status = rocksdb::DB::ListColumnFamilies(*db_options, path, &names);
  for (const std::string& name : names) {
    families->emplace_back(name, rocksdb::ColumnFamilyOptions());
  }
  return status;
}

// Nothing that reads more than it must, or that belongs to the service.
void Tame(rocksdb::DBOptions* db_options, Families* families) {
  db_options->create_if_missing = false;
  db_options->create_missing_column_families = false;
  // One damaged table must not keep the others from being looked at.
  db_options->paranoid_checks = false;
  db_options->skip_stats_update_on_db_open = true;
  db_options->max_open_files = 20;
  db_options->max_file_opening_threads = 1;
  db_options->stats_dump_period_sec = 0;
  db_options->stats_persist_period_sec = 0;
  db_options->env = rocksdb::Env::Default();
  const auto cache = rocksdb::NewLRUCache(size_t{8} << 20);
  for (auto& family : *families) {
    auto& factory = family.options.table_factory;
    auto* table = factory == nullptr
                      ? nullptr
                      : factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    if (table != nullptr) table->block_cache = cache;
  }
}

}  // namespace

rocksdb::Status ReadOnlyDatabase::Open(
    const std::string& path, std::unique_ptr<ReadOnlyDatabase>* database,
    std::vector<std::string>* notes) {
  KnowOurPolicy();
  rocksdb::Status status;
  for (int i = 0; i < kTries; ++i) {
    std::unique_ptr<ReadOnlyDatabase> opened(new ReadOnlyDatabase);
    rocksdb::DBOptions db_options;
    Families families;
    status = LoadOptions(path, &db_options, &families, &opened->knows_options_,
                         &opened->notes_);
    if (notes != nullptr) *notes = opened->notes_;
    if (!status.ok()) continue;
    Tame(&db_options, &families);
    rocksdb::DB* db = nullptr;
    status = rocksdb::DB::OpenForReadOnly(db_options, path, families,
                                          &opened->column_families_, &db);
    if (!status.ok()) continue;
    opened->db_.reset(db);
    *database = std::move(opened);
    return status;
  }
  return status;
}

ReadOnlyDatabase::~ReadOnlyDatabase() {
  for (rocksdb::ColumnFamilyHandle* family : column_families_) {
    db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
}

}  // namespace sstfilter::tools
