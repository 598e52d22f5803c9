#include "tools/measure_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "tools/records.h"
#include "tools/text_table.h"

namespace sstfilter::tools {

namespace {

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

// All fields of a result but its levels: the JSON object and the CSV columns.
std::vector<std::pair<const char*, Json>> Fields(const FilterResult& result) {
  return {
      {"filter", result.filter},
      {"keys", result.keys},
      {"filter_bytes", result.filter_bytes},
      {"bits_per_key", result.bits_per_key},
      {"absent_lookups", result.absent_lookups},
      {"present_lookups", result.present_lookups},
      {"tables_skipped", result.tables_skipped},
      {"false_positives", result.false_positives},
      {"observed_fpr", OrNull(result.observed_fpr)},
      {"expected_fpr", OrNull(result.expected_fpr)},
      {"disk_reads_absent", result.disk_reads_absent},
      {"disk_reads_present", result.disk_reads_present},
      {"disk_bytes_absent", result.disk_bytes_absent},
      {"disk_bytes_present", result.disk_bytes_present},
      {"filter_reads", result.filter_reads},
      {"filter_read_bytes", result.filter_read_bytes},
      {"reads_avoided", OrNull(result.reads_avoided)},
      {"us_per_absent_get", result.us_per_absent_get},
      {"us_per_present_get", result.us_per_present_get},
      {"build_us_per_table", OrNull(result.build_us_per_table)},
      {"build_ns_per_key", OrNull(result.build_ns_per_key)},
      {"false_negatives", result.false_negatives},
  };
}

std::string ToJson(const MeasureReport& report) {
  Json results = Json::array();
  for (const FilterResult& result : report.results) {
    Json object = Json::object();
    for (auto& [name, value] : Fields(result)) object[name] = value;
    Json levels = Json::array();
    for (const LevelResult& level : result.levels) {
      levels.push_back({{"level", level.level},
                        {"files", level.files},
                        {"keys", level.keys},
                        {"filter_bytes", level.filter_bytes},
                        {"checks", level.checks},
                        {"false_positives", level.false_positives}});
    }
    object["levels"] = levels;
    results.push_back(object);
  }
  const Json document = {
      {"method", report.method}, {"notes", report.notes}, {"results", results}};
  // File names and filter texts may be any bytes.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ToCsv(const MeasureReport& report) {
  std::string text;
  const auto add_line = [&text](const std::vector<std::string>& cells) {
    text += fmt::format("{}\n", fmt::join(cells, ","));
  };
  std::vector<std::string> names;
  for (const auto& [name, value] : Fields(FilterResult())) {
    names.emplace_back(name);
  }
  add_line(names);
  for (const FilterResult& result : report.results) {
    std::vector<std::string> cells;
    for (const auto& [name, value] : Fields(result)) {
      cells.push_back(CsvCell(value));
    }
    add_line(cells);
  }
  return text;
}

std::string Percent(const std::optional<double>& rate) {
  return rate.has_value() ? fmt::format("{:.4f}", 100 * *rate) : "-";
}

std::string ResultTable(const MeasureReport& report) {
  TextTable table({"filter", "filter\nbytes", "bits\nper key",
                   "tables\nskipped", "false\npositives", "rate\n%",
                   "expected\n%", "disk reads\nabsent", "disk reads\npresent",
                   "of these\nof filters", "reads\navoided", "us per\nabsent",
                   "us per\npresent", "build ns\nper key"});
  for (const FilterResult& result : report.results) {
    table.AddRow({result.filter, fmt::format("{}", result.filter_bytes),
                  fmt::format("{:.2f}", result.bits_per_key),
                  fmt::format("{}", result.tables_skipped),
                  fmt::format("{}", result.false_positives),
                  Percent(result.observed_fpr), Percent(result.expected_fpr),
                  fmt::format("{}", result.disk_reads_absent),
                  fmt::format("{}", result.disk_reads_present),
                  fmt::format("{}", result.filter_reads),
                  result.reads_avoided.has_value()
                      ? fmt::format("{}", *result.reads_avoided)
                      : "-",
                  fmt::format("{:.2f}", result.us_per_absent_get),
                  fmt::format("{:.2f}", result.us_per_present_get),
                  result.build_ns_per_key.has_value()
                      ? fmt::format("{:.1f}", *result.build_ns_per_key)
                      : "-"});
  }
  return table.ToString();
}

std::string LevelTable(const MeasureReport& report) {
  TextTable table({"filter", "level", "tables", "keys", "filter\nbytes",
                   "bits\nper key", "checks", "false\npositives"});
  for (const FilterResult& result : report.results) {
    for (const LevelResult& level : result.levels) {
      const double bits = level.keys == 0
                              ? 0
                              : static_cast<double>(level.filter_bytes) * 8 /
                                    static_cast<double>(level.keys);
      table.AddRow(
          {result.filter, fmt::format("{}", level.level),
           fmt::format("{}", level.files), fmt::format("{}", level.keys),
           fmt::format("{}", level.filter_bytes), fmt::format("{:.2f}", bits),
           fmt::format("{}", level.checks),
           fmt::format("{}", level.false_positives)});
    }
  }
  return table.ToString();
}

std::string ToTable(const MeasureReport& report, bool by_level) {
  std::string text = ResultTable(report);
  if (by_level) text += "\n" + LevelTable(report);
  text += "\n";
  for (const std::string& sentence : report.method) text += sentence + "\n";
  for (const std::string& note : report.notes) text += "Note: " + note + "\n";
  return text;
}

}  // namespace

std::string FormatReport(const MeasureReport& report,
                         const OutputOptions& options) {
  switch (options.format) {
    case OutputFormat::kTable:
      return ToTable(report, options.by_level);
    case OutputFormat::kJson:
      return ToJson(report);
    case OutputFormat::kCsv:
      return ToCsv(report);
  }
  return "";
}

}  // namespace sstfilter::tools
