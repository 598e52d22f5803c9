// What was measured, and how rounds become one figure with its spread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sstfilter::benchmarks {

struct Figure {
  double nanoseconds = 0;  // per key
  // To the first filter, measured in the same rounds.
  double ratio = 0;
  double lowest_ratio = 0;
  double highest_ratio = 0;
  // By the hardware's counters, if it has them: cycles in which nothing could
  // go on, as a share of all. Negative: unknown.
  double stalled_share = -1;
};

// The times of several filters, taken in turn, so that whatever else the
// machine does meets all of them. A ratio is formed within a round, where the
// two times are neighbours, the median of the ratios over the rounds of a
// repeat, and the median, the lowest and the highest over the repeats.
class Rounds {
 public:
  explicit Rounds(size_t filters) : current_(filters), repeats_(filters) {}

  // One value per filter.
  void AddRound(const std::vector<double>& nanoseconds);
  void EndRepeat();

  Figure FigureOf(size_t filter) const;

 private:
  struct Repeat {
    double nanoseconds;
    double ratio;
  };
  struct Current {
    std::vector<double> nanoseconds;
    std::vector<double> ratios;
  };

  std::vector<Current> current_;              // by filter
  std::vector<std::vector<Repeat>> repeats_;  // by filter
};

struct FilterFacts {
  double bits_per_key = 0;
  double false_positive_rate = 0;
  // Bytes per key at the peak of building, beside the filter; negative: not
  // measured.
  double build_memory = -1;
};

// Everything measured for one number of keys and one key length.
struct CaseResult {
  std::vector<FilterFacts> facts;                      // by filter
  std::map<std::string, std::vector<Figure>> figures;  // by measure, filter
};

// By number of keys and key length.
using Results = std::map<std::pair<uint64_t, size_t>, CaseResult>;

}  // namespace sstfilter::benchmarks
