#include "tools/builtin_filter_rates.h"

#include <algorithm>
#include <cmath>

#include "sstfilter/sizing.h"

namespace sstfilter::tools {

namespace {

constexpr double kLineBits = 512;

// The largest setting, in thousandths of a bit per key, that gets 1, 2, 3, ...
// probes. Past the end of the table there is one probe for two bits per key.
// The numbers are RocksDB's and are part of what its filters look like on disk.
constexpr int kMaxMillibits[] = {2080,  3580,  5100,  6640,  8300,  10070,
                                 11720, 14001, 16050, 18300, 22001, 25501};
constexpr int kMaxProbes = 24;

constexpr uint64_t kLineBytes = 64;
// What RocksDB appends to every built-in filter.
constexpr uint64_t kMetadataBytes = 5;

uint64_t Lines(double bits_per_key, uint64_t keys) {
  const double bits = bits_per_key * static_cast<double>(keys);
  return std::max<uint64_t>(1,
                            static_cast<uint64_t>(std::ceil(bits / kLineBits)));
}

// Probability that an absent key passes a line in which `keys` keys were put:
// each of its probes, chosen with repetition, meets a set bit.
double LineRate(double keys, int probes) {
  const double unset = std::pow(1 - 1 / kLineBits, keys * probes);
  const double set = 1 - unset;
  // The number of set bits varies from line to line even at equal load, and the
  // rate is convex in it: second-order correction with the variance of the
  // occupancy problem.
  const double both_unset = std::pow(1 - 2 / kLineBits, keys * probes);
  const double variance =
      std::max(0.0, unset / kLineBits + (1 - 1 / kLineBits) * both_unset -
                        unset * unset);
  const double curvature =
      probes < 2 || set <= 0
          ? 0
          : probes * (probes - 1) * std::pow(set, probes - 2);
  return std::min(1.0, std::pow(set, probes) + variance * curvature / 2);
}

}  // namespace

int RocksdbBloomProbes(double bits_per_key) {
  const auto millibits =
      static_cast<int>(std::lround(std::clamp(bits_per_key, 1.0, 1e6) * 1000));
  int probes = 1;
  for (const int limit : kMaxMillibits) {
    if (millibits <= limit) return probes;
    ++probes;
  }
  return std::min(kMaxProbes, (millibits - 1) / 2000 - 1);
}

double RocksdbBloomRate(double actual_bits_per_key, int probes) {
  if (!(actual_bits_per_key > 0)) return 1;
  const double mean = kLineBits / actual_bits_per_key;
  return PoissonAverage(mean, [probes](uint64_t load) {
    return LineRate(static_cast<double>(load), probes);
  });
}

uint64_t RocksdbBloomFilterBytes(double bits_per_key, uint64_t keys) {
  return Lines(bits_per_key, keys) * kLineBytes + kMetadataBytes;
}

double RocksdbBloomTableRate(double bits_per_key, uint64_t keys) {
  if (keys == 0) return 0;
  const auto count = static_cast<double>(keys);
  const auto lines = static_cast<double>(Lines(bits_per_key, keys));
  const double actual_bits = lines * kLineBits / count;
  // RocksDB chooses the probes by what the table really spends.
  const int probes = RocksdbBloomProbes(actual_bits);
  if (lines == 1) return LineRate(count, probes);
  return RocksdbBloomRate(actual_bits, probes);
}

double RocksdbRibbonRate(double bits_per_key) {
  return RocksdbBloomRate(bits_per_key, RocksdbBloomProbes(bits_per_key));
}

}  // namespace sstfilter::tools
