#include "tools/tree_plan.h"

#include <algorithm>
#include <cmath>

namespace sstfilter::tools {

std::vector<PlannedRun> PlanTree(uint64_t keys, const TreeShape& shape) {
  // Shares relative to the bottom level, from the bottom up.
  std::vector<double> shares;
  std::vector<PlannedRun> runs;
  for (int level = shape.levels; level >= 1; --level) {
    shares.push_back(std::pow(shape.size_ratio, level - shape.levels));
    runs.push_back(PlannedRun{level, 0, 0});
  }
  const double young_share = shares.back() / 4;
  for (int i = 0; i < shape.young_files; ++i) {
    shares.push_back(young_share);
    runs.push_back(PlannedRun{0, 0, 0});
  }
  double sum = 0;
  for (const double share : shares) sum += share;

  // The small runs get at least one key each while there are any; the bottom
  // level gets the rest.
  uint64_t left = keys;
  for (size_t i = runs.size() - 1; i > 0; --i) {
    const auto wanted = static_cast<uint64_t>(
        std::llround(static_cast<double>(keys) * shares[i] / sum));
    runs[i].count = std::min(left, std::max<uint64_t>(wanted, 1));
    // Never at the price of an empty bottom level.
    if (runs[i].count == left && left > 0) --runs[i].count;
    left -= runs[i].count;
  }
  runs[0].count = left;

  runs.erase(
      std::remove_if(runs.begin(), runs.end(),
                     [](const PlannedRun& run) { return run.count == 0; }),
      runs.end());
  uint64_t first = 0;
  for (PlannedRun& run : runs) {
    run.first = first;
    first += run.count;
  }
  return runs;
}

}  // namespace sstfilter::tools
