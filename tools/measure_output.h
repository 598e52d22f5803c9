// A measurement as text, JSON or CSV.
#pragma once

#include <string>

#include "tools/measure.h"

namespace sstfilter::tools {

enum class OutputFormat { kTable, kJson, kCsv };

struct OutputOptions {
  OutputFormat format = OutputFormat::kTable;
  bool by_level = false;  // in the table: a second one with a row per level
};

std::string FormatReport(const MeasureReport& report,
                         const OutputOptions& options);

}  // namespace sstfilter::tools
