// The filters of a tree as a picture.
#pragma once

#include "tools/gnuplot.h"
#include "tools/inspect.h"

namespace sstfilter::tools {

// A row for each level of each column family: expected false positive rate,
// bits per key and memory of its filters. Of very many levels, those with the
// most entries.
// REQUIRES: at least one level.
Chart InspectChart(const InspectReport& report);

}  // namespace sstfilter::tools
