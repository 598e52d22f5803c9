// A measurement as a picture.
#pragma once

#include "tools/gnuplot.h"
#include "tools/measure.h"

namespace sstfilter::tools {

// A row for each filter: disk reads, false positive rate beside the expected
// one, memory. REQUIRES: at least one result.
Chart MeasureChart(const MeasureReport& report);

}  // namespace sstfilter::tools
