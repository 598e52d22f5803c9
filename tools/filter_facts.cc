#include "tools/filter_facts.h"

#include <algorithm>
#include <bitset>
#include <cmath>

#include "filter/bloom.h"
#include "filter/little_endian.h"
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
    case FilterFormat::kUnusable:
      break;
  }
  return 1;
}

std::optional<double> Parameter(const StoredFilter& filter, double rate) {
  if (filter.format == FilterFormat::kUnusable) return std::nullopt;
  if (filter.format != FilterFormat::kSstfilter) return filter.parameter;
  if (IsOurs(filter, FilterKind::kBloom)) return MeanProbes(filter);
  if (IsOurs(filter, FilterKind::kStandardBloom)) {
    return filter.trailer.shape.parameter;
  }
  // Rows vary from block to block; each halves the rate.
  if (rate > 0) return -std::log2(rate);
  return std::nullopt;
}

}  // namespace

std::vector<FilterFacts> FactsOf(const StoredTable& table) {
  double payload = 0;
  for (const StoredFilter& filter : table.filters()) {
    payload += static_cast<double>(filter.payload_bytes);
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
    if (filter.format == FilterFormat::kSstfilter) {
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
  FilterFacts sum;
  if (filters.empty()) return sum;
  sum = filters.front();
  sum.filters = 0;
  sum.keys = 0;
  sum.bytes = 0;
  double rate = 0;
  double fill = 0;
  double parameter = 0;
  double weight = 0;
  for (const FilterFacts& filter : filters) {
    // An empty filter weighs next to nothing, and not nothing.
    const double keys = std::max(filter.keys, 1e-9);
    weight += keys;
    rate += keys * filter.expected_rate;
    fill += keys * filter.fill.value_or(0);
    parameter += keys * filter.parameter.value_or(0);
    if (filter.name != sum.name) sum.name = "mixed";
    sum.usable = sum.usable && filter.usable;
    if (!filter.fill.has_value()) sum.fill.reset();
    if (!filter.parameter.has_value()) sum.parameter.reset();
    sum.filters += filter.filters;
    sum.keys += filter.keys;
    sum.bytes += filter.bytes;
  }
  sum.expected_rate = rate / weight;
  if (sum.fill.has_value()) sum.fill = fill / weight;
  if (sum.parameter.has_value()) sum.parameter = parameter / weight;
  if (sum.keys > 0) {
    sum.bits_per_key = 8 * static_cast<double>(sum.bytes) / sum.keys;
  }
  return sum;
}

}  // namespace sstfilter::tools
