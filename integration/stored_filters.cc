#include "integration/stored_filters.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "filter/little_endian.h"
#include "integration/given_up_filter.h"
#include "integration/policy_name.h"
#include "integration/rocksdb_internals.h"
#include "integration/stored_name.h"
#include "sstfilter/key_transform.h"
#include "table/filter_block_reader.h"

namespace sstfilter {

using rocksdb::Slice;
using rocksdb::Status;

namespace {

// What RocksDB appends to its own filters: a marker or the number of probes,
// and four bytes whose meaning depends on it.
constexpr size_t kMetadataBytes = 5;
constexpr signed char kBloomMarker = -1;
constexpr signed char kRibbonMarker = -2;
// More probes than these are markers yet to be given a meaning.
constexpr signed char kMostLegacyProbes = 30;
// A Ribbon block has 128 slots, so 16 bytes in every column.
constexpr uint64_t kRibbonSegmentBytes = 16;

// Keeps the bytes of every filter block it is shown.
class CapturingPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit CapturingPolicy(std::string compatibility_name)
      : compatibility_name_(std::move(compatibility_name)) {}

  const char* Name() const override { return "sstfilter-capture"; }
  const char* CompatibilityName() const override {
    return compatibility_name_.c_str();
  }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext&) const override {
    return nullptr;
  }
  // Null is "may match": no key is hidden while the table is read.
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (capturing_) blocks_.push_back(contents.ToString());
    return nullptr;
  }

  // What was seen until now; nothing is kept from then on.
  std::vector<std::string> Take() const {
    std::lock_guard<std::mutex> lock(mutex_);
    capturing_ = false;
    return std::move(blocks_);
  }

 private:
  const std::string compatibility_name_;
  mutable std::mutex mutex_;
  mutable bool capturing_ = true;
  mutable std::vector<std::string> blocks_;
};

StoredFilter Unusable(const Slice& block, std::string why) {
  StoredFilter filter;
  filter.block = block.ToString();
  filter.name = std::move(why);
  return filter;
}

void DescribeBloom(const char* metadata, StoredFilter* filter) {
  const auto probes = static_cast<uint8_t>(metadata[2]);
  // Other implementations and block sizes are reserved.
  if (metadata[1] != 0 || (probes >> 5) != 0 || probes == 0 || probes == 31 ||
      filter->payload_bytes % 64 != 0) {
    filter->name = "rocksdb bloom of an unknown form";
    return;
  }
  filter->format = FilterFormat::kRocksdbBloom;
  filter->name = "rocksdb bloom";
  filter->parameter = probes;
}

void DescribeRibbon(const char* metadata, StoredFilter* filter) {
  const uint64_t blocks = LoadLittle32(metadata + 1) >> 8;
  const uint64_t segments = filter->payload_bytes / kRibbonSegmentBytes;
  if (blocks < 2 || segments < blocks) {
    filter->name = "rocksdb ribbon of an unknown form";
    return;
  }
  filter->format = FilterFormat::kRocksdbRibbon;
  filter->name = "rocksdb ribbon";
  filter->parameter =
      static_cast<double>(segments) / static_cast<double>(blocks);
  // The first blocks have one column fewer than the rest.
  const uint64_t columns = segments / blocks;
  const double more = filter->parameter - static_cast<double>(columns);
  double rate = 1 - more / 2;
  for (uint64_t i = 0; i < columns; ++i) rate /= 2;
  filter->ribbon_rate = rate;
}

StoredFilter DescribeBuiltin(const Slice& block) {
  StoredFilter filter;
  filter.block = block.ToString();
  const bool given_up = block == GivenUpFilter();
  if (block.size() <= kMetadataBytes || given_up) {
    filter.format = given_up ? FilterFormat::kGivenUp : FilterFormat::kNoKeys;
    filter.name = "none";
    return filter;
  }
  filter.payload_bytes = block.size() - kMetadataBytes;
  const char* metadata = block.data() + filter.payload_bytes;
  const auto marker = static_cast<signed char>(metadata[0]);
  if (marker == kBloomMarker) {
    DescribeBloom(metadata, &filter);
  } else if (marker == kRibbonMarker) {
    DescribeRibbon(metadata, &filter);
  } else if (marker >= 1 && marker <= kMostLegacyProbes) {
    filter.format = FilterFormat::kRocksdbLegacyBloom;
    filter.name = "rocksdb legacy bloom";
    filter.parameter = marker;
  } else {
    filter.name = "always true";
  }
  return filter;
}

// The transform of that name hash among those this process knows.
std::shared_ptr<const KeyTransform> FindTransform(const StoredFilter& filter) {
  for (const auto& transform :
       {AsciiLowerTransform(), StripTrailingSpacesTransform(),
        FindKeyTransform(filter.key_transform)}) {
    if (transform != nullptr &&
        KeyTransformId(transform->name.data(), transform->name.size()) ==
            filter.trailer.key_transform) {
      return transform;
    }
  }
  return nullptr;
}

FilterQuestion AskSstfilter(const StoredFilter& filter) {
  FilterBlockReader reader;
  if (FilterBlockReader::Open(filter.block.data(), filter.block.size(),
                              &reader) != BlockState::kUsable) {
    return nullptr;
  }
  if (filter.trailer.key_transform == 0) {
    return [reader](const Slice& key) {
      return reader.MayMatch(reader.Hash(key.data(), key.size()));
    };
  }
  const auto transform = FindTransform(filter);
  if (transform == nullptr) return nullptr;
  return [reader, transform](const Slice& key) {
    std::string canonical;
    transform->function(key, &canonical);
    return reader.MayMatch(reader.Hash(canonical.data(), canonical.size()));
  };
}

FilterQuestion AskBuiltin(const StoredFilter& filter) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(),
                                          kCompatibilityName, &policy)
      .PermitUncheckedError();
  if (policy == nullptr) return nullptr;
  std::shared_ptr<rocksdb::FilterBitsReader> reader(
      policy->GetFilterBitsReader(filter.block));
  if (reader == nullptr) return nullptr;
  return [reader](const Slice& key) { return reader->MayMatch(key); };
}

// Names under which tables say a policy that stores its filters as the
// built-in family does.
bool IsBuiltinFamily(const std::string& policy_name) {
  static const std::set<std::string> names = {
      kPolicyName,    kCompatibilityName,    "bloomfilter",
      "ribbonfilter", "rocksdb.BloomFilter", "rocksdb.RibbonFilter"};
  return names.count(policy_name) != 0;
}

StoredTable::Lack LackOf(const rocksdb::TableProperties& properties,
                         const std::vector<StoredFilter>& filters) {
  const auto all_are = [&filters](FilterFormat format) {
    return std::all_of(filters.begin(), filters.end(),
                       [format](const StoredFilter& filter) {
                         return filter.format == format;
                       });
  };
  if (!filters.empty()) {
    if (all_are(FilterFormat::kGivenUp)) return StoredTable::Lack::kGivenUp;
    return all_are(FilterFormat::kNoKeys) && properties.num_filter_entries > 0
               ? StoredTable::Lack::kUnreadable
               : StoredTable::Lack::kNone;
  }
  if (properties.filter_size > 0) {
    return IsBuiltinFamily(properties.filter_policy_name)
               ? StoredTable::Lack::kUnreadable
               : StoredTable::Lack::kOtherPolicy;
  }
  return properties.filter_policy_name.empty() ? StoredTable::Lack::kNoPolicy
                                               : StoredTable::Lack::kSkipped;
}

const char* KindOf(const StoredFilter& filter) {
  switch (filter.format) {
    case FilterFormat::kSstfilter:
      return FilterKindName(filter.trailer.kind);
    case FilterFormat::kRocksdbBloom:
    case FilterFormat::kRocksdbLegacyBloom:
      return "rocksdb-bloom";
    case FilterFormat::kRocksdbRibbon:
      return "rocksdb-ribbon";
    case FilterFormat::kGivenUp:
    case FilterFormat::kNoKeys:
      return "none";
    case FilterFormat::kUnusable:
      break;
  }
  return "other";
}

}  // namespace

StoredFilter DescribeFilter(const Slice& block) {
  Trailer trailer;
  const BlockState state = Trailer::Read(block.data(), block.size(), &trailer);
  if (state == BlockState::kForeign) return DescribeBuiltin(block);
  if (state != BlockState::kUsable) {
    return Unusable(block, std::string("sstfilter ") + BlockStateName(state));
  }
  StoredFilter filter;
  filter.block = block.ToString();
  filter.format = FilterFormat::kSstfilter;
  filter.name = std::string("sstfilter ") + FilterKindName(trailer.kind);
  filter.payload_bytes = trailer.shape.payload_bytes;
  filter.trailer = trailer;
  return filter;
}

FilterQuestion MakeFilterQuestion(const StoredFilter& filter) {
  switch (filter.format) {
    case FilterFormat::kSstfilter:
      return AskSstfilter(filter);
    case FilterFormat::kRocksdbBloom:
    case FilterFormat::kRocksdbRibbon:
    case FilterFormat::kRocksdbLegacyBloom:
    case FilterFormat::kGivenUp:
    case FilterFormat::kNoKeys:
      return AskBuiltin(filter);
    case FilterFormat::kUnusable:
      return nullptr;
  }
  return nullptr;
}

StoredTable::~StoredTable() = default;

Status StoredTable::OpenAs(const rocksdb::Options& base,
                           const std::string& path,
                           const std::string& compatibility_name) {
  const auto policy = std::make_shared<CapturingPolicy>(compatibility_name);
  rocksdb::BlockBasedTableOptions table_options;
  table_options.filter_policy = policy;
  // RocksDB reads partitions of a filter into a cache only. One of its own: the
  // answers above must not be found by anybody else.
  table_options.block_cache = rocksdb::NewLRUCache(size_t{16} << 20, 0);
  rocksdb::Options options = base;
  options.table_factory.reset(
      rocksdb::NewBlockBasedTableFactory(table_options));

  reader_ = std::make_unique<rocksdb::SstFileReader>(options);
  const Status status = reader_->Open(path);
  if (!status.ok()) return status;
  properties_ = reader_->GetTableProperties();
  if (properties_ == nullptr) {
    return Status::Corruption("no table properties", path);
  }
  for (const std::string& block : policy->Take()) {
    filters_.push_back(DescribeFilter(block));
  }
  return status;
}

Status StoredTable::Open(const rocksdb::Options& base, const std::string& path,
                         std::unique_ptr<StoredTable>* table,
                         const std::string& key_transform) {
  std::unique_ptr<StoredTable> opened(new StoredTable);
  Status status = opened->OpenAs(base, path, kCompatibilityName);
  if (!status.ok()) return status;
  // Filters of a key transform are stored under its name.
  std::vector<std::string> transforms;
  if (opened->filters_.empty() && opened->properties_->filter_size > 0 &&
      opened->properties_->filter_policy_name == kPolicyName) {
    transforms = {StoredTransformName(base.env, path),
                  AsciiLowerTransform()->name,
                  StripTrailingSpacesTransform()->name, key_transform};
  }
  for (const std::string& transform : transforms) {
    if (!opened->filters_.empty()) break;
    if (transform.empty()) continue;
    status = opened->OpenAs(base, path, CompatibilityNameFor(transform));
    if (!status.ok()) return status;
    for (StoredFilter& filter : opened->filters_) {
      filter.key_transform = transform;
    }
  }
  opened->lack_ = LackOf(*opened->properties_, opened->filters_);
  *table = std::move(opened);
  return status;
}

std::string StoredTable::kind() const {
  if (filters_.empty()) {
    return lack_ == Lack::kNoPolicy || lack_ == Lack::kSkipped ? "none"
                                                               : "other";
  }
  if (lack_ == Lack::kUnreadable) return "other";
  // Partitions without a filter do not make it another one.
  std::string kind = "none";
  for (const StoredFilter& filter : filters_) {
    const std::string of_filter = KindOf(filter);
    if (of_filter == "none" || of_filter == kind) continue;
    if (kind != "none") return "other";
    kind = of_filter;
  }
  return kind;
}

rocksdb::Iterator* StoredTable::NewIterator(
    const rocksdb::ReadOptions& options) {
  return reader_->NewIterator(options);
}

}  // namespace sstfilter
