#include "tools/benchmark/report.h"

#include <fmt/format.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "filter/cpu.h"
#include "tools/benchmark/malloc_memory.h"
#include "tools/thousands.h"

namespace sstfilter::benchmarks {

using tools::WithThousands;

namespace {

std::string CpuModel() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    const size_t colon = line.find(':');
    if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown CPU";
}

std::string Compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string Percent(double share) {
  if (share == 0) return "0 %";
  // Three significant digits, never in scientific notation.
  const double percent = share * 100;
  const int digits =
      std::max(0, 2 - static_cast<int>(std::floor(std::log10(percent))));
  return fmt::format("{:.{}f} %", percent, digits);
}

// The reference shows its time, the others their ratio to it.
std::string Cell(const Figure& figure, bool is_reference) {
  if (is_reference) return fmt::format("1 ({:.1f} ns)", figure.nanoseconds);
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", figure.ratio,
                     figure.lowest_ratio, figure.highest_ratio);
}

void PrintRow(const std::vector<std::string>& cells, std::ostream& out) {
  for (const std::string& cell : cells) out << "| " << cell << " ";
  out << "|\n";
}

void PrintHead(const std::vector<std::string>& cells, std::ostream& out) {
  PrintRow(cells, out);
  PrintRow(std::vector<std::string>(cells.size(), "---"), out);
}

void PrintTable(const CaseResult& result,
                const std::vector<std::string>& filters, std::ostream& out) {
  std::vector<std::string> head = {"filter", "bits/key", "false positives"};
  for (const char* measure : kMeasures) {
    if (result.figures.count(measure) != 0) head.push_back(measure);
  }
  head.push_back("build memory");
  PrintHead(head, out);
  for (size_t i = 0; i < filters.size(); ++i) {
    const FilterFacts& facts = result.facts[i];
    std::vector<std::string> cells = {filters[i],
                                      fmt::format("{:.2f}", facts.bits_per_key),
                                      Percent(facts.false_positive_rate)};
    for (const char* measure : kMeasures) {
      const auto figures = result.figures.find(measure);
      if (figures == result.figures.end()) continue;
      cells.push_back(Cell(figures->second[i], i == 0));
    }
    cells.push_back(facts.build_memory < 0
                        ? "?"
                        : fmt::format("{:.1f} B", facts.build_memory));
    PrintRow(cells, out);
  }
}

// A table of `cell(figures of the smallest case, those of this case)`.
template <typename CellFunction>
void PrintCurveTable(const Results& results,
                     const std::vector<std::string>& filters,
                     const std::string& measure, std::ostream& out,
                     const CellFunction& cell) {
  std::vector<std::string> head = {"keys"};
  head.insert(head.end(), filters.begin(), filters.end());
  PrintHead(head, out);
  const std::vector<Figure>* first = nullptr;
  for (const auto& [keys_and_length, result] : results) {
    const auto figures = result.figures.find(measure);
    if (figures == result.figures.end()) continue;
    if (first == nullptr) first = &figures->second;
    std::vector<std::string> cells = {WithThousands(keys_and_length.first)};
    for (size_t i = 0; i < filters.size(); ++i) {
      cells.push_back(cell((*first)[i], figures->second[i]));
    }
    PrintRow(cells, out);
  }
}

}  // namespace

std::string MachineLine() {
  return fmt::format("{}; {}; RocksDB {}; kernel: {}", CpuModel(), Compiler(),
                     rocksdb::GetRocksVersionAsString(),
                     CpuLevelName(ActiveCpuLevel()));
}

std::string MethodText(const Settings& settings) {
  return fmt::format(
      "Ratios to the first row's time (in nanoseconds per key), in brackets "
      "the lowest and the highest of {} repeats. Each repeat is the median of "
      "{} rounds; in a round all filters are measured in turn, each on its own "
      "keys, and ratios are formed within the round. Time is CPU time of the "
      "one thread, without that of fetching the keys (same loop, no filter). "
      "Queries are in random order and never repeated; `half` mixes present "
      "and absent keys at random; `batch` asks for 32 keys at a time. Every "
      "answer for a present key is checked. Filter blocks lie at {} modulo 64, "
      "in {} pages. Builds {}. False positives: {} absent keys. Build memory: "
      "bytes per key at the peak, beside the filter, with at least {} keys and "
      "fresh memory. `fetch` is no filter: it reads one block of 64 bytes per "
      "key, given its hash, and nothing else.{}\n",
      settings.repeats, settings.rounds, settings.placement.alignment,
      settings.placement.huge_pages ? "huge" : "small",
      !ControlsFreedMemory()  ? "get what memory malloc gives them"
      : settings.fresh_memory ? "get fresh memory from the kernel"
                              : "find the memory of earlier ones",
      WithThousands(settings.rate_queries), WithThousands(settings.memory_keys),
      settings.fenced
          ? " Single lookups are fenced off from one another: latency."
          : "");
}

void PrintTables(const Results& results,
                 const std::vector<std::string>& filters, std::ostream& out) {
  for (const auto& [keys_and_length, result] : results) {
    out << fmt::format("\n{} keys of {} bytes:\n\n",
                       WithThousands(keys_and_length.first),
                       keys_and_length.second);
    PrintTable(result, filters, out);
  }
}

void PrintCurve(const Results& results, const std::vector<std::string>& filters,
                const std::string& counters, std::ostream& out) {
  for (const char* measure : kMeasures) {
    bool measured = false;
    for (const auto& result : results) {
      measured = measured || result.second.figures.count(measure) != 0;
    }
    if (!measured) continue;
    out << fmt::format("\n{}, ns per key (ratio to {}):\n\n", measure,
                       filters[0]);
    PrintCurveTable(results, filters, measure, out,
                    [](const Figure&, const Figure& figure) {
                      return fmt::format("{:.1f} ({:.2f})", figure.nanoseconds,
                                         figure.ratio);
                    });
  }
  out << "\nTime of an absent lookup beyond that in the smallest filter, "
         "waiting for memory that is not in the nearest cache:\n\n";
  PrintCurveTable(results, filters, "absent", out,
                  [](const Figure& first, const Figure& figure) {
                    const double share =
                        1 - first.nanoseconds / figure.nanoseconds;
                    return fmt::format("{:.0f} %", std::max(0.0, share) * 100);
                  });
  if (!counters.empty()) {
    out << "\nHardware counters are not supported here (" << counters
        << "): no stalled cycles.\n";
    return;
  }
  out << "\nStalled cycles of an absent lookup (stalled-cycles-backend / "
         "cycles):\n\n";
  PrintCurveTable(results, filters, "absent", out,
                  [](const Figure&, const Figure& figure) {
                    return fmt::format("{:.0f} %", figure.stalled_share * 100);
                  });
}

}  // namespace sstfilter::benchmarks
