// Results as Markdown.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tools/benchmark/figures.h"
#include "tools/benchmark/settings.h"

namespace sstfilter::benchmarks {

// Names of the measures, in the order of the columns.
inline constexpr const char* kMeasures[] = {
    "build",        "absent",        "present",   "half",
    "batch absent", "batch present", "batch half"};

// CPU, compiler, RocksDB, kernel: what figures depend on.
std::string MachineLine();

// What the columns mean and how they were measured.
std::string MethodText(const Settings& settings);

// One table per number of keys and key length: a row per filter, a column per
// measure.
void PrintTables(const Results& results,
                 const std::vector<std::string>& filters, std::ostream& out);

// One table per measure: a row per number of keys, a column per filter; then
// the share of time spent waiting for memory. `counters` says why the hardware
// does not count, or is empty if it does.
void PrintCurve(const Results& results, const std::vector<std::string>& filters,
                const std::string& counters, std::ostream& out);

}  // namespace sstfilter::benchmarks
