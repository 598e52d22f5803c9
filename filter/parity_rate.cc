// The expected false positive rate of the parity filter: the probability of
// each load of a block, times the rate of a block with that load. The latter
// follows from how often random systems over GF(2) have a solution.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "filter/distributions.h"
#include "filter/parity.h"
#include "filter/parity_layout.h"

namespace sstfilter {

namespace {

// Loads beyond this leave nothing bound: the smallest share is a quarter.
constexpr int kMaxLoad = 1023;

struct Logs {
  Logs() {
    for (size_t i = 1; i < factorial.size(); ++i) {
      factorial[i] = factorial[i - 1] + std::log(static_cast<double>(i));
    }
  }
  std::array<double, kMaxLoad + 1> factorial{};
};

double Binomial(int n, int k, double p) {
  static const Logs logs;
  if (p <= 0) return k == 0 ? 1 : 0;
  if (p >= 1) return k == n ? 1 : 0;
  const auto log = [](int i) { return logs.factorial[static_cast<size_t>(i)]; };
  return std::exp(log(n) - log(k) - log(n - k) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

// Probability that `rows` random equations in `columns` unknowns are
// independent.
double Independent(int rows, int columns) {
  if (rows > columns) return 0;
  double result = 1;
  for (int i = columns - rows + 1; i <= columns && i <= 60; ++i) {
    result *= 1 - std::ldexp(1.0, -i);
  }
  return result;
}

// Probability that a random rows x columns matrix has rank min(rows, columns) -
// `missing`.
double Corank(int rows, int columns, int missing) {
  const int small = std::min(rows, columns);
  const int excess = std::max(rows, columns) - small;
  if (missing > small) return 0;
  // Exact but for terms of the order of 2^-small.
  double result = std::ldexp(1.0, -missing * (missing + excess));
  for (int i = missing + excess + 1; i <= small + excess && i <= 60; ++i) {
    result *= 1 - std::ldexp(1.0, -i);
  }
  for (int i = 1; i <= missing; ++i) {
    result *= (1 - std::ldexp(1.0, -(small - missing + i))) /
              (1 - std::ldexp(1.0, -i));
  }
  return result;
}

// Probability that `rows` random equations in `columns` unknowns with random
// right sides have a solution.
double Consistent(int rows, int columns) {
  double result = 0;
  for (int missing = 0; missing < 8 && missing <= rows; ++missing) {
    result += Corank(rows, columns, missing) * std::ldexp(1.0, -missing);
  }
  return result;
}

class BlockRates {
 public:
  explicit BlockRates(const ParityGeometry& geometry)
      : geometry_(geometry),
        plans_(kParityTables.plan[geometry.words / 4]),
        split_(geometry.split),
        tail_(std::min(split_ + kParityWindow,
                       static_cast<int>(geometry.max_columns))) {
    for (int bits = 0; bits <= kParityMaxColumns; ++bits) {
      for (int rows = 0; rows <= bits; ++rows) {
        consistent_[bits - rows][rows < 20 ? rows : 20] =
            Consistent(std::min(rows, 20), bits - rows + std::min(rows, 20));
      }
    }
  }

  // The rate at `load` keys.
  double Rate(int load) const {
    if (load == 0) return 0;
    double left = 1;
    const double rate =
        load <= kParityMaxColumns ? RateOfSystems(load, &left) : 0;
    return rate + left * RateOfShares(load);
  }

 private:
  // Probability that the fraction of a block with this load and columns can be
  // solved for one vector.
  double Fraction(int load, int columns) const {
    const ParityPlan& plan = plans_[columns];
    if (plan.fraction_bits == 0) return 1;
    double result = 0;
    for (int bound = 0; bound <= load && bound <= plan.fraction_bits; ++bound) {
      result += Binomial(load, bound, plan.threshold / 256.0) *
                consistent_[plan.fraction_bits - bound][std::min(bound, 20)];
    }
    return result;
  }

  double PassRate(int columns) const {
    const ParityPlan& plan = plans_[columns];
    return std::ldexp(1 - plan.threshold / 512.0, -plan.rows);
  }

  // The part of the rate that is due to codes which bind all keys. *left
  // becomes the probability that there is none.
  double RateOfSystems(int load, double* left) const {
    std::array<double, kParityMaxColumns + 1> fraction{};
    const int first = std::max<int>(load, geometry_.min_columns);
    for (int c = first; c <= geometry_.max_columns; ++c) {
      fraction[static_cast<size_t>(c)] = Fraction(load, c);
    }
    const auto solvable = [&](int c) {
      return fraction[static_cast<size_t>(c)];
    };
    double rate = 0;
    *left = 0;
    if (load <= split_) {
      // The smallest width that works, the same for all vectors; one vector is
      // allowed up to column `split`.
      double before = 0;
      for (int width = load; width <= split_; ++width) {
        const double now = Independent(load, width);
        double weight = now - before;
        before = now;
        for (int c = std::max(width, first); c <= split_; ++c) {
          rate += weight * solvable(c) * PassRate(c);
          weight *= 1 - solvable(c);
        }
        rate += RateFromWindow(0, weight, first, solvable, left);
      }
    }
    // Keys left after the columns that all vectors share.
    const int least = std::max(0, load - split_);
    for (int more = load <= split_ ? 1 : 0; more < 12; ++more) {
      const int keys = least + more;
      if (keys > load) break;
      rate += RateFromWindow(keys, Corank(load, split_, more), first, solvable,
                             left);
    }
    return rate;
  }

  // The same for a block of probability `weight` of whose keys `keys` are left
  // when the window begins.
  template <typename Solvable>
  double RateFromWindow(int keys, double weight, int first, Solvable solvable,
                        double* left) const {
    if (weight < 1e-18) return 0;
    double rate = 0;
    // Probability of each number of vectors that have a solution so far.
    std::array<double, kParityVectors + 1> ready{};
    ready[0] = weight;
    double before = 0;
    for (int c = split_ + 1; c <= tail_; ++c) {
      const double now = Independent(keys, c - split_);
      const double arrives = before < 1 ? (now - before) / (1 - before) : 1;
      before = now;
      std::array<double, kParityVectors + 1> next{};
      for (int have = 0; have <= kParityVectors; ++have) {
        const auto from = static_cast<size_t>(have);
        if (ready[from] < 1e-20) continue;
        for (int get = 0; get <= kParityVectors - have; ++get) {
          next[from + static_cast<size_t>(get)] +=
              ready[from] * Binomial(kParityVectors - have, get, arrives);
        }
      }
      ready = next;
      if (c < first) continue;
      for (int have = 1; have <= kParityVectors; ++have) {
        double& probability = ready[static_cast<size_t>(have)];
        const double fails = std::pow(1 - solvable(c), have);
        rate += probability * (1 - fails) * PassRate(c);
        probability *= fails;
      }
    }
    // From here on the codes allow vector 0 only.
    double remaining = 0;
    for (double probability : ready) remaining += probability;
    double have = remaining * before;
    double wait = remaining - have;
    for (int c = tail_ + 1; c <= geometry_.max_columns; ++c) {
      const double now = Independent(keys, c - split_);
      const double arrives = before < 1 ? (now - before) / (1 - before) : 1;
      before = now;
      have += wait * arrives;
      wait *= 1 - arrives;
      if (c < first) continue;
      rate += have * solvable(c) * PassRate(c);
      have *= 1 - solvable(c);
    }
    *left += have + wait;
    return rate;
  }

  // The rate of a block that no code of a complete system fits.
  double RateOfShares(int load) const {
    const int columns = geometry_.max_columns;
    double left = 1;
    double rate = 0;
    for (int share = kParityShares - 1; share >= kParityFirstShare; --share) {
      const double part = share / static_cast<double>(kParityShares);
      double solvable = 0;
      for (int bound = 0; bound <= columns && bound <= load; ++bound) {
        solvable += Binomial(load, bound, part) * Independent(bound, columns);
      }
      rate += left * solvable *
              (1 - part + part * std::ldexp(1.0, -plans_[columns].rows));
      left *= 1 - solvable;
    }
    return rate + left;
  }

  const ParityGeometry& geometry_;
  const ParityPlan* const plans_;
  const int split_;
  const int tail_;
  double consistent_[kParityMaxColumns + 1][21];
};

// The rate of one load, computed when it is first asked for: a curve over bits
// per key touches many geometries and, of each, only the loads around the mean.
double RateOf(int parameter, uint64_t load) {
  constexpr double kUnknown = -1;
  struct Entry {
    std::once_flag once;
    std::unique_ptr<const BlockRates> block;
    std::vector<std::atomic<double>> rates;
  };
  static std::array<Entry, kParityGeometries> entries;
  Entry& entry = entries[static_cast<size_t>(parameter)];
  std::call_once(entry.once, [&] {
    entry.block =
        std::make_unique<const BlockRates>(kParityTables.geometry[parameter]);
    entry.rates = std::vector<std::atomic<double>>(kMaxLoad + 1);
    for (auto& rate : entry.rates) rate = kUnknown;
  });
  std::atomic<double>& known = entry.rates[load];
  double rate = known.load(std::memory_order_relaxed);
  if (rate == kUnknown) {
    // Two threads may both compute it, to the same value.
    rate = entry.block->Rate(static_cast<int>(load));
    known.store(rate, std::memory_order_relaxed);
  }
  return rate;
}

}  // namespace

double ParityBlockRate(int parameter, uint64_t load) {
  return load > kMaxLoad ? 1 : RateOf(parameter, load);
}

double ParityFalsePositiveRate(int parameter, uint64_t slots, uint64_t keys) {
  if (slots == 1) return ParityBlockRate(parameter, keys);
  double rate = 0;
  ForBinomial(static_cast<double>(keys), 1 / static_cast<double>(slots),
              [&](size_t load, double probability) {
                rate += probability * ParityBlockRate(parameter, load);
              });
  return std::clamp(rate, 0.0, 1.0);
}

int ParityParameterFor(double bits_per_key) {
  // Where the smaller blocks become better: fewer keys per block than a system
  // can have columns.
  constexpr double kHalfBelow = 4.9;
  constexpr double kQuarterBelow = 2.2;
  if (bits_per_key < kQuarterBelow) return kParityQuarter;
  const int words = bits_per_key < kHalfBelow ? 4 : 8;
  const double mean = words * 64 / bits_per_key;
  // The window is centred on the load that contributes most to the rate: the
  // maximum x of 2^(-bits / x) times the probability of x.
  const double weight = ParityPayloadBits(words) * std::log(2.0);
  double x = mean;
  for (int i = 0; i < 40; ++i) {
    x = (x + mean + mean * weight / (x * x)) / 2;
  }
  const int i = static_cast<int>(std::lround((x - 12) / 4)) - 2;
  return (words == 8 ? kParityLarge : kParityHalf) +
         std::clamp(i, 0, kParitySplits - 1);
}

}  // namespace sstfilter
