#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sstfilter::tools {

// Middle value; the mean of the two middle ones of an even number. Of no
// values: 0.
inline double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace sstfilter::tools
