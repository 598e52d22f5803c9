#include "integration/policy.h"

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/options_type.h>

#include <atomic>

#include "integration/bits_builder.h"
#include "integration/bits_reader.h"
#include "integration/filter_build.h"
#include "integration/option_text.h"
#include "integration/policy_name.h"
#include "integration/table_plan.h"
#include "sstfilter/version.h"
#include "table/filter_block_reader.h"

namespace sstfilter {

using rocksdb::Status;

namespace {

uint32_t TransformId(const KeyTransform* transform) {
  return transform == nullptr
             ? 0
             : KeyTransformId(transform->name.data(), transform->name.size());
}

// RocksDB's own policy that only reads. Made by name and not with
// NewBloomFilterPolicy, which the preload library puts in our place. Null, and
// then built-in filters are not used, would need a RocksDB that no longer has
// it.
std::shared_ptr<const rocksdb::FilterPolicy> BuiltinReadPolicy() {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(),
                                          kCompatibilityName, &policy)
      .PermitUncheckedError();
  return policy;
}

using FieldTypes = std::unordered_map<std::string, rocksdb::OptionTypeInfo>;

rocksdb::OptionTypeInfo FieldType(const std::string& field) {
  rocksdb::OptionTypeInfo type(0, rocksdb::OptionType::kUnknown);
  type.SetParseFunc([field](const rocksdb::ConfigOptions&, const std::string&,
                            const std::string& value, void* policy) {
    return static_cast<Policy*>(policy)->ApplyText(field + "=" + value);
  });
  type.SetSerializeFunc([field](const rocksdb::ConfigOptions&,
                                const std::string&, const void* policy,
                                std::string* value) {
    *value = FilterFieldText(
        static_cast<const Policy*>(policy)->CurrentOptions(), field);
    return Status::OK();
  });
  return type;
}

// The fields as RocksDB wants to know them, for GetOption, GetOptionString and
// strings that change some fields of a policy that is there already.
const FieldTypes& AllFieldTypes() {
  static const FieldTypes* types = [] {
    auto* all = new FieldTypes;
    for (const std::string& field : FilterFieldNames()) {
      all->emplace(field, FieldType(field));
    }
    return all;
  }();
  return *types;
}

// What ends every filter that RocksDB builds.
constexpr size_t kBuiltinMetadataBytes = 5;

uint64_t NextNumber() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

Policy::Policy(const FilterOptions& options)
    : number_(NextNumber()),
      counters_(std::make_shared<FilterCounters>()),
      builtin_(BuiltinReadPolicy()) {
  Configure(options);
  RegisterOptions(kPolicyName, this, &AllFieldTypes());
}

Policy::Policy(const Status& error) : Policy(FilterOptions()) {
  error_ = error;
}

Policy::~Policy() = default;

void Policy::Configure(const FilterOptions& options) {
  options_ = options;
  key_transform_ = options.key_transform;
  key_transform_id_ = TransformId(key_transform_.get());
  compatibility_name_ = CompatibilityNameFor(
      key_transform_ == nullptr ? std::string() : key_transform_->name);
}

const char* Policy::kClassName() { return "sstfilter-" SSTFILTER_VERSION; }

bool Policy::IsInstanceOf(const std::string& name) const {
  return name == kClassName() || FilterPolicy::IsInstanceOf(name);
}

const char* Policy::Name() const { return kPolicyName; }

const char* Policy::CompatibilityName() const {
  return compatibility_name_.c_str();
}

rocksdb::FilterBitsBuilder* Policy::GetBuilderWithContext(
    const rocksdb::FilterBuildingContext& context) const {
  if (!error().ok()) return nullptr;
  const FilterOptions options = CurrentOptions();
  const TablePlan plan = PlanTable(options, context, &history_);
  if (!plan.has_filter) return nullptr;
  FilterBlockOptions block_options;
  block_options.kind = plan.kind;
  block_options.bits_per_key = plan.bits_per_key;
  block_options.fixed_seed = options.seed;
  block_options.key_transform = key_transform_id_;
  block_options.detect_corruption =
      context.table_options.detect_filter_construct_corruption;
  const std::shared_ptr<FilterBuild> build = TakeTable();
  if (build != nullptr) {
    build->kind = plan.kind;
    build->info_log = context.info_log;
  }
  return new BitsBuilder(block_options, key_transform_, counters_, build);
}

rocksdb::FilterBitsReader* Policy::GetFilterBitsReader(
    const rocksdb::Slice& contents) const {
  FilterBlockReader block;
  switch (FilterBlockReader::Open(contents.data(), contents.size(), &block)) {
    case BlockState::kUsable:
      if (block.trailer().key_transform != key_transform_id_) {
        ++counters_->blocks_other_transform;
        return nullptr;
      }
      return NewBitsReader(block, key_transform_).release();
    case BlockState::kForeign:
      // RocksDB's reader takes so few bytes for a filter without keys, and what
      // is left of a damaged one for the same.
      if (contents.size() <= kBuiltinMetadataBytes) return nullptr;
      if (key_transform_ != nullptr) {
        ++counters_->blocks_other_transform;
        return nullptr;
      }
      return builtin_ == nullptr ? nullptr
                                 : builtin_->GetFilterBitsReader(contents);
    case BlockState::kUnknownVersion:
    case BlockState::kUnknownKind:
      ++counters_->blocks_unknown;
      return nullptr;
    case BlockState::kDamaged:
      ++counters_->blocks_damaged;
      return nullptr;
  }
  return nullptr;
}

FilterOptions Policy::CurrentOptions() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return options_;
}

Status Policy::ChangeOptions(const FilterOptions& options) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (TransformId(options.key_transform.get()) != key_transform_id_) {
    return Status::InvalidArgument(
        "sstfilter: key_transform cannot change while a policy is in use",
        "make a new policy and open the database with it");
  }
  options_ = options;
  // The function that readers use, whatever this one does under that name.
  options_.key_transform = key_transform_;
  return Status::OK();
}

Status Policy::ApplyText(const std::string& text) {
  if (!error().ok()) return error();
  FilterOptions options = CurrentOptions();
  const Status status = ApplyFilterOptions(text, &options);
  std::lock_guard<std::mutex> lock(mutex_);
  if (status.ok()) {
    Configure(options);
  } else {
    error_ = status;
  }
  return status;
}

Status Policy::error() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

std::string Policy::GetPrintableOptions() const {
  return FilterOptionsToString(CurrentOptions());
}

Status Policy::ValidateOptions(
    const rocksdb::DBOptions& /*db_options*/,
    const rocksdb::ColumnFamilyOptions& /*cf_options*/) const {
  return error();
}

bool Policy::AreEquivalent(const rocksdb::ConfigOptions& config_options,
                           const rocksdb::Configurable* other,
                           std::string* mismatch) const {
  mismatch->clear();
  if (this == other || config_options.IsCheckDisabled()) return true;
  // RocksDB compares a policy with a policy only.
  const Policy* policy =
      AsPolicy(static_cast<const rocksdb::FilterPolicy*>(other));
  if (policy == nullptr) {
    *mismatch = "id";
    return false;
  }
  if (config_options.sanity_level <=
      rocksdb::ConfigOptions::kSanityLevelLooselyCompatible) {
    return true;
  }
  if (CurrentOptions() == policy->CurrentOptions()) return true;
  *mismatch = "options";
  return false;
}

Status Policy::ConfigureOptions(
    const rocksdb::ConfigOptions& /*config_options*/,
    const std::unordered_map<std::string, std::string>& fields,
    std::unordered_map<std::string, std::string>* /*unused*/) {
  // Called for every new object, also with no fields: this is where the error
  // of the object's own string comes out. ignore_unknown_options is not heard:
  // a filter that is not what the user asked for must be noticed.
  std::string text;
  for (const auto& field : fields) {
    text += field.first + "=" + field.second + ";";
  }
  return ApplyText(text);
}

std::string Policy::SerializeOptions(
    const rocksdb::ConfigOptions& config_options,
    const std::string& header) const {
  if (config_options.IsShallow()) return kPolicyName;
  const FilterOptions options = CurrentOptions();
  std::string text = header + "id=" + kPolicyName + config_options.delimiter;
  for (const std::string& name : FilterFieldNames()) {
    const std::string value = FilterFieldText(options, name);
    if (value.empty()) continue;
    text += header + name + "=" + value + config_options.delimiter;
  }
  return text;
}

const Policy* AsPolicy(const rocksdb::FilterPolicy* policy) {
  return policy == nullptr ? nullptr : policy->CheckedCast<Policy>();
}

}  // namespace sstfilter
