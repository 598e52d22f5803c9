// How a measurement was made, in words, so that its numbers can be judged.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/measure.h"
#include "tools/tree_summary.h"

namespace sstfilter::tools {

struct MethodFacts {
  const MeasureOptions& options;
  const std::map<int, LevelSummary>& levels;
  uint64_t absent_lookups;
  uint64_t present_lookups;
  uint64_t keys_per_build;
  uint64_t rounds;
  bool direct_reads;
};

// A sentence each.
std::vector<std::string> DescribeMethod(const MethodFacts& facts);

}  // namespace sstfilter::tools
