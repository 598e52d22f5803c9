#include "tools/filter_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "filter/algorithm.h"
#include "sstfilter/filter_policy.h"
#include "table/filter_block_reader.h"
#include "tools/builtin_filter_rates.h"

namespace sstfilter::tools {

namespace {

constexpr char kNone[] = "none";
constexpr char kRocksdbBloom[] = "rocksdb-bloom";
constexpr char kRocksdbRibbon[] = "rocksdb-ribbon";
constexpr char kSstfilter[] = "sstfilter";

rocksdb::Status Refuse(const std::string& text, const std::string& reason) {
  return rocksdb::Status::InvalidArgument(
      fmt::format("filter {:?}: {}", text, reason));
}

rocksdb::Status ParseBitsPerKey(const std::string& text, std::string_view bits,
                                double* bits_per_key) {
  double value = 0;
  const char* end = bits.data() + bits.size();
  const auto [stop, error] = std::from_chars(bits.data(), end, value);
  // A comparison that NaN fails.
  const bool in_range = value >= kMinBitsPerKey && value <= kMaxBitsPerKey;
  if (error != std::errc() || stop != end || !in_range) {
    return Refuse(text,
                  fmt::format("bits per key is {:?}; accepted are numbers from "
                              "{} to {}",
                              bits, kMinBitsPerKey, kMaxBitsPerKey));
  }
  *bits_per_key = value;
  return rocksdb::Status::OK();
}

rocksdb::Status ParseSstfilter(const std::string& text, FilterSpec* spec) {
  spec->family = FilterFamily::kSstfilter;
  rocksdb::Status status = ParseFilterOptions(text, &spec->options);
  if (status.ok()) status = NewFilterPolicy(spec->options, &spec->policy);
  if (status.ok()) return status;
  if (!status.IsInvalidArgument()) return status;
  return Refuse(text, status.getState());
}

}  // namespace

rocksdb::Status ParseFilterSpec(const std::string& text, FilterSpec* spec) {
  *spec = FilterSpec();
  spec->text = text;
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = std::string_view(text).substr(0, colon);
  if (name == kSstfilter || text[0] == '{') return ParseSstfilter(text, spec);

  if (name == kNone) {
    if (colon != text.size()) return Refuse(text, "none takes no options");
    spec->family = FilterFamily::kNone;
    return rocksdb::Status::OK();
  }
  if (name != kRocksdbBloom && name != kRocksdbRibbon) {
    return Refuse(
        text, fmt::format("unknown filter; accepted are {}", kFilterSpecHelp));
  }
  const std::string_view bits =
      std::string_view(text).substr(std::min(colon + 1, text.size()));
  rocksdb::Status status = ParseBitsPerKey(text, bits, &spec->bits_per_key);
  if (!status.ok()) return status;
  if (name == kRocksdbBloom) {
    spec->family = FilterFamily::kRocksdbBloom;
    spec->policy.reset(rocksdb::NewBloomFilterPolicy(spec->bits_per_key));
  } else {
    spec->family = FilterFamily::kRocksdbRibbon;
    spec->policy.reset(rocksdb::NewRibbonFilterPolicy(spec->bits_per_key));
  }
  return status;
}

double ExpectedRate(const FilterSpec& spec,
                    const rocksdb::TableProperties& properties,
                    const rocksdb::Slice& filter_block) {
  const uint64_t keys = properties.num_filter_entries;
  if (properties.filter_size == 0) return 1;
  switch (spec.family) {
    case FilterFamily::kNone:
      return 1;
    case FilterFamily::kRocksdbBloom:
      return RocksdbBloomTableRate(spec.bits_per_key, keys);
    case FilterFamily::kRocksdbRibbon:
      // Ribbon gives way to Bloom in small tables and in level 0; it would have
      // been smaller.
      return properties.filter_size >=
                     RocksdbBloomFilterBytes(spec.bits_per_key, keys)
                 ? RocksdbBloomTableRate(spec.bits_per_key, keys)
                 : RocksdbRibbonRate(spec.bits_per_key);
    case FilterFamily::kSstfilter:
      break;
  }
  FilterBlockReader reader;
  const BlockState state = FilterBlockReader::Open(
      filter_block.data(), filter_block.size(), &reader);
  return state == BlockState::kUsable ? reader.ExpectedFalsePositiveRate() : 1;
}

}  // namespace sstfilter::tools
