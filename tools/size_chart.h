// False positive rate against bits per key as a picture.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/filter_sizes.h"
#include "tools/gnuplot.h"

namespace sstfilter::tools {

// A line for each kind through `curve`, whose elements are those of
// SizesForBits at ascending bits per key. REQUIRES: at least one element.
Chart SizeChart(uint64_t keys,
                const std::vector<std::vector<FilterSize>>& curve);

}  // namespace sstfilter::tools
