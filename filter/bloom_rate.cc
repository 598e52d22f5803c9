// Expected false positive rate of the cache-line Bloom filter.
//
// Not the textbook formula with fewer bits: three averages are taken, each over
// what really varies.
//   1. A word with c keys has a random number of its 32 bits set (balls into
//      bins); the builder keeps the smallest of four such numbers.
//   2. c is binomial: each key of the block probes the word with probability
//      k / 15. An absent key passes when it hits a set bit in each of its k
//      words; how the loads of two of them vary together follows from the
//      pattern.
//   3. The load of the block an absent key falls into is binomial (nearly
//      Poisson), and k depends on it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "filter/bloom-inl.h"
#include "filter/bloom.h"
#include "filter/distributions.h"

namespace sstfilter {

namespace {

constexpr int kWordBits = 32;
constexpr int kUsedWords = kBloomWords - 1;

// Above this load, single loads are not worth telling apart: the loads of the
// words are taken at their means.
constexpr size_t kMaxTabledLoad = 1024;

// Expected share of a word's bits that is set when it has `keys` keys, for the
// best of the tries.
class WordFill {
 public:
  WordFill() {
    double set[kWordBits + 1] = {1};  // probability of i bits set
    for (double& fill : fill_) {
      double expected = 0;
      double more = 1;
      for (int i = 0; i < kWordBits; ++i) {
        more = std::max(0.0, more - set[i]);
        expected += std::pow(more, kBloomTries);
      }
      fill = expected / kWordBits;
      for (int i = kWordBits; i > 0; --i) {
        set[i] = (set[i] * i + set[i - 1] * (kWordBits - i + 1)) / kWordBits;
      }
      set[0] = 0;
    }
  }

  double operator()(size_t keys) const {
    return keys < kTabled ? fill_[keys] : 1.0;
  }

 private:
  static constexpr size_t kTabled = 1024;
  double fill_[kTabled];
};

// Sum, over the pairs of words that a key with k probes probes, of the
// covariance that another key's use of the two words has.
double PairCovariance(int k) {
  const uint32_t pattern = kBloomPatterns[k];
  const double single = static_cast<double>(k) / kUsedWords;
  double sum = 0;
  for (int i = 0; i < kUsedWords; ++i) {
    for (int j = i + 1; j < kUsedWords; ++j) {
      if (((pattern >> i) & (pattern >> j) & 1) == 0) continue;
      const int distance = j - i;
      const uint32_t rotated =
          ((pattern << distance) | (pattern >> (kUsedWords - distance))) &
          0x7fff;
      sum += static_cast<double>(__builtin_popcount(pattern & rotated)) /
                 kUsedWords -
             single * single;
    }
  }
  return sum;
}

class BlockRates {
 public:
  BlockRates() {
    for (int k = 1; k <= kBloomMaxProbes; ++k)
      covariance_[k] = PairCovariance(k);
    for (int row = 0; row < kBloomProbeSetCount; ++row) {
      for (size_t load = 0; load <= kMaxTabledLoad; ++load) {
        rates_[row][load] = Rate(row, load);
      }
    }
  }

  double operator()(int row, size_t load) const {
    if (load <= kMaxTabledLoad) return rates_[row][load];
    const double k = kBloomProbeSets[row].probes[0];
    const double mean = static_cast<double>(load) * k / kUsedWords;
    return std::pow(word_fill_(static_cast<size_t>(std::min(mean, 1e6))), k);
  }

 private:
  double Rate(int row, size_t load) const {
    if (load == 0) return 0;
    const BloomProbeSet& probe_set = kBloomProbeSets[row];
    const int k = probe_set.probes[BloomCodeForLoad(probe_set, load)];
    double fill = 0;
    double slope = 0;  // of the fill, per key in the word
    ForBinomial(static_cast<double>(load), static_cast<double>(k) / kUsedWords,
                [&](size_t keys, double probability) {
                  fill += probability * word_fill_(keys);
                  slope +=
                      probability * (word_fill_(keys + 1) - word_fill_(keys));
                });
    const double relative = slope / fill;
    // The mean of a product of k fills, to second order.
    return std::min(
        1.0, std::pow(fill, k) *
                 std::exp(relative * relative * static_cast<double>(load) *
                          covariance_[k]));
  }

  WordFill word_fill_;
  double covariance_[kBloomMaxProbes + 1] = {};
  double rates_[kBloomProbeSetCount][kMaxTabledLoad + 1];
};

const BlockRates& SharedBlockRates() {
  static const BlockRates rates;
  return rates;
}

}  // namespace

double BloomBlockRate(int parameter, size_t load) {
  return SharedBlockRates()(parameter - 1, load);
}

double BloomFalsePositiveRate(const FilterShape& shape, uint64_t keys) {
  if (keys == 0) return 0;
  const BlockRates& rates = SharedBlockRates();
  // NOLINTNEXTLINE(bugprone-integer-division): whole blocks.
  const double blocks = static_cast<double>(shape.payload_bytes / kBlockBytes);
  double rate = 0;
  ForBinomial(static_cast<double>(keys), 1 / blocks,
              [&](size_t load, double probability) {
                rate += probability * rates(shape.parameter - 1, load);
              });
  return std::clamp(rate, 0.0, 1.0);
}

}  // namespace sstfilter
