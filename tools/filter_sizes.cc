#include "tools/filter_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "filter/algorithm.h"
#include "filter/bloom.h"
#include "filter/rate_curve.h"
#include "sstfilter/sizing.h"
#include "tools/builtin_filter_rates.h"

namespace sstfilter::tools {

namespace {

struct SizedKind {
  std::string name;
  std::function<double(double bits, uint64_t keys)> rate;
  std::function<std::string(double bits, double rate)> parameter;
};

double TextbookRate(double bits) {
  return StandardBloomRate(bits, BestWholeProbes(bits));
}

double RocksdbBloomRateAt(double bits) {
  return RocksdbBloomRate(bits, RocksdbBloomProbes(bits));
}

std::string BloomProbes(double bits) {
  const FilterShape shape =
      AlgorithmFor(FilterKind::kBloom)->shape_for(kManyKeys, bits);
  const BloomProbeSet& set = kBloomProbeSets[shape.parameter - 1];
  return fmt::format("{} to {} probes", set.probes[0], set.probes[3]);
}

// Ribbon slots per key: more keys, a wider band or more room. RocksDB's figure
// for bands of 128 slots and a chance of one in twenty to start over.
double RibbonOverhead(uint64_t keys) {
  const double slots = std::max(1.0, static_cast<double>(keys));
  return std::max(1.0, 0.9712 + 0.0038 * std::log2(slots));
}

// The rate of a fractional number of columns of solution: the last is there for
// part of the keys only.
double RibbonColumnsRate(double columns) {
  const double whole = std::floor(columns);
  return std::exp2(-whole) * (1 - (columns - whole) / 2);
}

double RibbonColumns(double rate) {
  const double whole = std::floor(-std::log2(rate));
  return whole + 2 * (1 - rate * std::exp2(whole));
}

const std::vector<SizedKind>& Kinds() {
  static const std::vector<SizedKind> kinds = {
      {"textbook bloom",
       [](double bits, uint64_t) { return TextbookRate(bits); },
       [](double bits, double) {
         return fmt::format("{} probes", BestWholeProbes(bits));
       }},
      {"bloom",
       [](double bits, uint64_t) { return RateAt(FilterKind::kBloom, bits); },
       [](double bits, double) { return BloomProbes(bits); }},
      {"parity",
       [](double bits, uint64_t) { return RateAt(FilterKind::kParity, bits); },
       [](double, double rate) {
         return fmt::format("{:.1f} rows", -std::log2(rate));
       }},
      {"rocksdb bloom",
       [](double bits, uint64_t) { return RocksdbBloomRateAt(bits); },
       [](double bits, double) {
         return fmt::format("{} probes", RocksdbBloomProbes(bits));
       }},
      {"rocksdb ribbon",
       [](double bits, uint64_t keys) { return RibbonRateForBits(keys, bits); },
       [](double, double rate) {
         return fmt::format("{:.2f} columns", RibbonColumns(rate));
       }},
  };
  return kinds;
}

FilterSize SizeOf(const SizedKind& kind, uint64_t keys, double bits) {
  FilterSize size;
  size.kind = kind.name;
  size.bits_per_key = bits;
  if (std::isfinite(bits)) {
    size.rate = kind.rate(bits, keys);
    size.parameter = kind.parameter(bits, size.rate);
  }
  return size;
}

}  // namespace

double RibbonBits(uint64_t keys, double rate) {
  return RibbonColumns(rate) * RibbonOverhead(keys);
}

double RibbonRateForBits(uint64_t keys, double bits_per_key) {
  return RibbonColumnsRate(bits_per_key / RibbonOverhead(keys));
}

const std::vector<std::string>& SizedKinds() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const SizedKind& kind : Kinds()) all.push_back(kind.name);
    return all;
  }();
  return names;
}

std::vector<FilterSize> SizesForBits(uint64_t keys, double bits_per_key) {
  std::vector<FilterSize> sizes;
  for (const SizedKind& kind : Kinds()) {
    sizes.push_back(SizeOf(kind, keys, bits_per_key));
  }
  return sizes;
}

std::vector<FilterSize> SizesForRate(uint64_t keys, double rate) {
  std::vector<FilterSize> sizes;
  for (const SizedKind& kind : Kinds()) {
    const double bits = BitsPerKeyForRate(
        [&kind, keys](double at) { return kind.rate(at, keys); }, rate,
        kMinBitsPerKey, kMaxBitsPerKey);
    sizes.push_back(SizeOf(kind, keys, bits));
  }
  return sizes;
}

}  // namespace sstfilter::tools
