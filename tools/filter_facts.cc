#include "tools/filter_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>

#include "filter/bloom.h"
#include "filter/little_endian.h"
#include "integration/policy_name.h"
#include "sstfilter/sizing.h"
#include "table/filter_block_reader.h"
#include "tools/builtin_filter_rates.h"

namespace sstfilter::tools {

namespace {

bool IsOurs(const StoredFilter& filter, FilterKind kind) {
  return filter.format == FilterFormat::kSstfilter &&
         filter.trailer.kind == kind;
}

// Share of the bits for keys that are set.
double Fill(const StoredFilter& filter) {
  // The first word of each of our blocks is a header.
  const bool has_headers = IsOurs(filter, FilterKind::kBloom);
  uint64_t ones = 0;
  uint64_t bits = 0;
  for (uint64_t i = 0; i < filter.payload_bytes; ++i) {
    if (has_headers && i % kBlockBytes < kBlockBytes / kBloomWords) continue;
    ones += std::bitset<8>(static_cast<uint8_t>(filter.block[i])).count();
    bits += 8;
  }
  return bits == 0 ? 0 : static_cast<double>(ones) / static_cast<double>(bits);
}

// Of our Bloom filter, which chooses the number for each block: the mean.
double MeanProbes(const StoredFilter& filter) {
  const BloomProbeSet& set =
      kBloomProbeSets[filter.trailer.shape.parameter - 1];
  uint64_t probes = 0;
  uint64_t blocks = 0;
  for (uint64_t at = 0; at < filter.payload_bytes; at += kBlockBytes) {
    const uint32_t header = LoadLittle32(filter.block.data() + at);
    if (header == kBloomEmptyHeader) continue;
    probes += set.probes[header & 3];
    ++blocks;
  }
  return blocks == 0
             ? 0
             : static_cast<double>(probes) / static_cast<double>(blocks);
}

bool IsBloom(const StoredFilter& filter) {
  switch (filter.format) {
    case FilterFormat::kSstfilter:
      return filter.trailer.kind == FilterKind::kBloom ||
             filter.trailer.kind == FilterKind::kStandardBloom;
    case FilterFormat::kRocksdbBloom:
    case FilterFormat::kRocksdbLegacyBloom:
      return true;
    case FilterFormat::kRocksdbRibbon:
    case FilterFormat::kGivenUp:
    case FilterFormat::kNoKeys:
    case FilterFormat::kUnusable:
      return false;
  }
  return false;
}

// Expected rate from the block, its keys and nothing else.
double Rate(const StoredFilter& filter, double keys) {
  const double bits =
      8 * static_cast<double>(filter.payload_bytes) / std::max(keys, 1e-9);
  switch (filter.format) {
    case FilterFormat::kSstfilter: {
      FilterBlockReader reader;
      const BlockState state = FilterBlockReader::Open(
          filter.block.data(), filter.block.size(), &reader);
      return state == BlockState::kUsable ? reader.ExpectedFalsePositiveRate()
                                          : 1;
    }
    case FilterFormat::kRocksdbBloom:
      if (filter.payload_bytes == kBlockBytes) {
        return RocksdbBloomTableRate(bits,
                                     static_cast<uint64_t>(std::llround(keys)));
      }
      return RocksdbBloomRate(bits, static_cast<int>(filter.parameter));
    case FilterFormat::kRocksdbLegacyBloom:
      return CacheLineBloomRate(bits, static_cast<int>(filter.parameter));
    case FilterFormat::kRocksdbRibbon:
      return filter.ribbon_rate;
    case FilterFormat::kNoKeys:
      return 0;
    case FilterFormat::kGivenUp:
    case FilterFormat::kUnusable:
      break;
  }
  return 1;
}

std::optional<double> Parameter(const StoredFilter& filter, double rate) {
  if (filter.format != FilterFormat::kSstfilter) {
    return filter.parameter > 0 ? std::optional<double>(filter.parameter)
                                : std::nullopt;
  }
  if (IsOurs(filter, FilterKind::kBloom)) return MeanProbes(filter);
  if (IsOurs(filter, FilterKind::kStandardBloom)) {
    return filter.trailer.shape.parameter;
  }
  // Rows vary from block to block; each halves the rate.
  if (rate > 0) return -std::log2(rate);
  return std::nullopt;
}

// Means over the keys; of what only filters have, over the keys of filters.
class Means {
 public:
  void Add(const FilterFacts& filter) {
    // An empty filter weighs next to nothing, and not nothing.
    const double keys = std::max(filter.keys, 1e-9);
    weight_ += keys;
    rate_ += keys * filter.expected_rate;
    if (!filter.has_filter()) return;
    weight_of_filters_ += keys;
    fill_ += keys * filter.fill.value_or(0);
    parameter_ += keys * filter.parameter.value_or(0);
  }

  void Finish(FilterFacts* sum) const {
    sum->expected_rate = rate_ / weight_;
    if (sum->fill.has_value()) sum->fill = fill_ / weight_of_filters_;
    if (sum->parameter.has_value()) {
      sum->parameter = parameter_ / weight_of_filters_;
    }
  }

 private:
  double weight_ = 0;
  double weight_of_filters_ = 0;
  double rate_ = 0;
  double fill_ = 0;
  double parameter_ = 0;
};

}  // namespace

std::vector<FilterFacts> FactsOf(const StoredTable& table) {
  double payload = 0;
  double given_up = 0;
  // What ours, which say how many keys they hold, leave for those given up.
  uint64_t left = table.properties().num_filter_entries;
  for (const StoredFilter& filter : table.filters()) {
    payload += static_cast<double>(filter.payload_bytes);
    left -= std::min(left, filter.trailer.keys);
    if (filter.format == FilterFormat::kGivenUp) ++given_up;
  }
  const auto entries =
      static_cast<double>(table.properties().num_filter_entries);
  std::vector<FilterFacts> all;
  for (const StoredFilter& filter : table.filters()) {
    FilterFacts facts;
    facts.name = filter.name;
    facts.usable = filter.format != FilterFormat::kUnusable;
    facts.filters = 1;
    facts.bytes = filter.block.size();
    if (filter.format == FilterFormat::kGivenUp) {
      facts.given_up = 1;
      facts.keys = static_cast<double>(left) / given_up;
    } else if (filter.format == FilterFormat::kNoKeys) {
      facts.no_keys = 1;
    } else if (filter.format == FilterFormat::kSstfilter) {
      facts.format_version = kFormatVersion;
      facts.keys = static_cast<double>(filter.trailer.keys);
    } else if (payload > 0) {
      facts.keys =
          entries * static_cast<double>(filter.payload_bytes) / payload;
    }
    if (facts.keys > 0) {
      facts.bits_per_key = 8 * static_cast<double>(facts.bytes) / facts.keys;
    }
    facts.expected_rate = Rate(filter, facts.keys);
    facts.parameter = Parameter(filter, facts.expected_rate);
    if (IsBloom(filter)) facts.fill = Fill(filter);
    all.push_back(facts);
  }
  return all;
}

FilterFacts Combine(const std::vector<FilterFacts>& filters) {
  if (filters.empty()) return FilterFacts();
  // Partitions without a filter do not give the others their name.
  const auto first = std::find_if(
      filters.begin(), filters.end(),
      [](const FilterFacts& filter) { return filter.has_filter(); });
  FilterFacts sum = first == filters.end() ? filters.front() : *first;
  sum.filters = 0;
  sum.given_up = 0;
  sum.no_keys = 0;
  sum.keys = 0;
  sum.bytes = 0;
  sum.bits_per_key = 0;
  Means means;
  for (const FilterFacts& filter : filters) {
    means.Add(filter);
    sum.usable = sum.usable && filter.usable;
    sum.filters += filter.filters;
    sum.given_up += filter.given_up;
    sum.no_keys += filter.no_keys;
    sum.bytes += filter.bytes;
    if (!filter.has_filter()) continue;
    if (filter.name != sum.name) sum.name = "mixed";
    if (!filter.fill.has_value()) sum.fill.reset();
    if (!filter.parameter.has_value()) sum.parameter.reset();
    sum.keys += filter.keys;
  }
  means.Finish(&sum);
  if (sum.keys > 0) {
    sum.bits_per_key = 8 * static_cast<double>(sum.bytes) / sum.keys;
  }
  return sum;
}

std::string WhyGivenUp(const rocksdb::TableProperties& properties,
                       const FilterFacts& facts) {
  if (facts.given_up == 0) return "";
  const char* why =
      properties.filter_policy_name == kPolicyName
          ? "memory ran out while it was built"
          : "its builder gave up, as RocksDB's do when memory changes under "
            "them";
  if (facts.given_up == facts.filters) {
    return fmt::format(
        "no filter: {}; every lookup reads the table until a compaction "
        "rewrites it",
        why);
  }
  return fmt::format(
      "{} of {} partitions without a filter: {}; every lookup of their keys "
      "reads until a compaction rewrites the table",
      facts.given_up, facts.filters, why);
}

}  // namespace sstfilter::tools
