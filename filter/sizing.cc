#include "sstfilter/sizing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "filter/algorithm.h"
#include "filter/distributions.h"

namespace sstfilter {

namespace {

const double kLn2 = std::log(2.0);

double BlockFill(double keys_in_block, int probes) {
  return 1.0 - std::pow(1.0 - 1.0 / kBlockBits, keys_in_block * probes);
}

}  // namespace

double StandardBloomFill(double bits_per_key, double probes) {
  return -std::expm1(-probes / bits_per_key);
}

double StandardBloomRate(double bits_per_key, double probes) {
  return std::pow(StandardBloomFill(bits_per_key, probes), probes);
}

double BestProbes(double bits_per_key) { return bits_per_key * kLn2; }

int BestWholeProbes(double bits_per_key) {
  return std::max(1, static_cast<int>(std::lround(BestProbes(bits_per_key))));
}

double BestStandardBloomRate(double bits_per_key) {
  return std::exp(-bits_per_key * kLn2 * kLn2);
}

double StandardBloomBitsPerKey(double rate) {
  return -std::log(rate) / (kLn2 * kLn2);
}

double CacheLineBloomFill(double bits_per_key, int probes) {
  return PoissonAverage(kBlockBits / bits_per_key, [probes](uint64_t load) {
    return BlockFill(static_cast<double>(load), probes);
  });
}

double CacheLineBloomRate(double bits_per_key, int probes) {
  return PoissonAverage(kBlockBits / bits_per_key, [probes](uint64_t load) {
    return std::pow(BlockFill(static_cast<double>(load), probes), probes);
  });
}

int BestCacheLineProbes(double bits_per_key) {
  int best = 1;
  double best_rate = CacheLineBloomRate(bits_per_key, 1);
  for (int probes = 2; probes <= 64; ++probes) {
    const double rate = CacheLineBloomRate(bits_per_key, probes);
    if (rate < best_rate) {
      best = probes;
      best_rate = rate;
    }
  }
  return best;
}

double CacheLineBloomBitsPerKey(double rate) {
  return BitsPerKeyForRate(
      [](double bits) {
        return CacheLineBloomRate(bits, BestCacheLineProbes(bits));
      },
      rate, 0.01, 1000.0);
}

uint64_t FilterBytes(uint64_t keys, double bits_per_key) {
  const double bytes = std::ceil(static_cast<double>(keys) * bits_per_key / 8);
  // 2^64 as a double; everything from there on does not fit.
  if (bytes >= 18446744073709551616.0) {
    return std::numeric_limits<uint64_t>::max();
  }
  return static_cast<uint64_t>(bytes);
}

double BitsPerKey(uint64_t bytes, uint64_t keys) {
  if (keys == 0) return 0;
  return 8.0 * static_cast<double>(bytes) / static_cast<double>(keys);
}

double BitsPerKeyForRate(const std::function<double(double)>& rate_of_bits,
                         double rate, double low, double high) {
  if (rate_of_bits(high) > rate) return std::numeric_limits<double>::infinity();
  if (rate_of_bits(low) <= rate) return low;
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (rate_of_bits(middle) <= rate ? high : low) = middle;
  }
  return high;
}

double PoissonAverage(double mean,
                      const std::function<double(uint64_t)>& value) {
  double sum = 0;
  ForLikely(
      std::floor(mean), std::numeric_limits<double>::infinity(),
      [mean](double load) { return mean / (load + 1); },
      [&](size_t load, double probability) {
        sum += probability * value(load);
      });
  return sum;
}

}  // namespace sstfilter
