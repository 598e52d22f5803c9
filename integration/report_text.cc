// Filter reports as text, JSON and Prometheus exposition.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "integration/counted.h"
#include "integration/option_text.h"
#include "sstfilter/report.h"

namespace sstfilter {

namespace {

std::string Number(uint64_t value) { return std::to_string(value); }

// To the last bit: what grows by little must be seen to grow.
std::string Number(double value) { return ToText(value); }

std::string RoundedNumber(double value) {
  char text[32];
  static_cast<void>(std::snprintf(text, sizeof(text), "%.6g", value));
  return text;
}

// Names of column families and policies may hold any bytes. What is special
// gets a backslash; control characters and bytes that are no ASCII are spelled
// out where JSON wants it.
std::string JsonString(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char escape[8];
      static_cast<void>(std::snprintf(escape, sizeof(escape), "\\u%04x", byte));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string LabelValue(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      out += '?';  // label values must be UTF-8
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

using Tables = std::map<std::string, uint64_t>;

std::string TablesText(const Tables& counts) {
  std::string text;
  for (const auto& [name, tables] : counts) {
    text += (text.empty() ? "" : ", ") + Number(tables) + " " + name;
  }
  return text;
}

std::string TablesJson(const Tables& counts) {
  std::string text;
  for (const auto& [name, tables] : counts) {
    text += (text.empty() ? "" : ",") + JsonString(name) + ":" + Number(tables);
  }
  return "{" + text + "}";
}

std::string LevelJson(const LevelFilterReport& level) {
  return "{\"level\":" + std::to_string(level.level) +
         ",\"tables\":" + Number(level.tables) +
         ",\"tables_without_filter\":" + Number(level.tables_without_filter) +
         ",\"keys\":" + Number(level.keys) +
         ",\"filter_keys\":" + Number(level.filter_keys) +
         ",\"filter_bytes\":" + Number(level.filter_bytes) +
         ",\"bits_per_key\":" + Number(level.bits_per_key) +
         ",\"policies\":" + TablesJson(level.policies) +
         ",\"kinds\":" + TablesJson(level.kinds) + "}";
}

std::string LookupsJson(const FilterLookupReport& lookups) {
  return "{\"tables_skipped\":" + Number(lookups.tables_skipped) +
         ",\"false_positives\":" + Number(lookups.false_positives) +
         ",\"true_positives\":" + Number(lookups.true_positives) +
         ",\"prefix_checks\":" + Number(lookups.prefix_checks) +
         ",\"prefix_skipped\":" + Number(lookups.prefix_skipped) +
         ",\"false_positive_rate\":" +
         (lookups.false_positive_rate.has_value()
              ? Number(*lookups.false_positive_rate)
              : "null") +
         ",\"corrected_for_key_may_exist_and_cache_only_reads\":false}";
}

std::string BuildsJson(const FilterBuildReport& builds) {
  return "{\"policy\":" + Number(builds.policy) +
         ",\"tables\":" + Number(builds.tables) +
         ",\"filters\":" + Number(builds.filters) +
         ",\"keys\":" + Number(builds.keys) +
         ",\"bytes\":" + Number(builds.bytes) +
         ",\"microseconds\":" + Number(builds.microseconds) +
         ",\"longest_microseconds\":" + Number(builds.longest_microseconds) +
         ",\"filters_out_of_memory\":" + Number(builds.filters_out_of_memory) +
         ",\"blocks_unknown\":" + Number(builds.blocks_unknown) +
         ",\"blocks_damaged\":" + Number(builds.blocks_damaged) +
         ",\"blocks_other_transform\":" +
         Number(builds.blocks_other_transform) + "}";
}

void Head(const char* name, const char* type, const char* help,
          std::string* out) {
  *out += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name +
          " " + type + "\n";
}

using LevelValue = std::function<std::string(const LevelFilterReport&)>;

// All samples of a metric stand together.
void Gauge(const std::vector<FilterReport>& reports, const char* name,
           const char* help, const LevelValue& value, std::string* out) {
  Head(name, "gauge", help, out);
  for (const FilterReport& report : reports) {
    for (const LevelFilterReport& level : report.levels) {
      *out += std::string(name) +
              "{column_family=" + LabelValue(report.column_family) +
              ",level=\"" + std::to_string(level.level) + "\"} " +
              value(level) + "\n";
    }
  }
}

// Tables by what `label` says of them.
void TablesGauge(const std::vector<FilterReport>& reports, const char* name,
                 const char* help, const char* label,
                 Tables LevelFilterReport::*counts, std::string* out) {
  Head(name, "gauge", help, out);
  for (const FilterReport& report : reports) {
    for (const LevelFilterReport& level : report.levels) {
      for (const auto& [value, tables] : level.*counts) {
        *out += std::string(name) +
                "{column_family=" + LabelValue(report.column_family) +
                ",level=\"" + std::to_string(level.level) + "\"," + label +
                "=" + LabelValue(value) + "} " + Number(tables) + "\n";
      }
    }
  }
}

// A value of the whole process.
void Single(const char* name, const char* type, const char* help,
            const std::string& value, std::string* out) {
  Head(name, type, help, out);
  *out += std::string(name) + " " + value + "\n";
}

void Counter(const char* name, const char* help, uint64_t value,
             std::string* out) {
  Single(name, "counter", help, Number(value), out);
}

// Of all policies, each once.
std::optional<FilterBuildReport> SumOfBuilds(
    const std::vector<FilterReport>& reports) {
  std::optional<FilterBuildReport> sum;
  std::set<uint64_t> policies;
  for (const FilterReport& report : reports) {
    if (!report.builds.has_value()) continue;
    const FilterBuildReport& builds = *report.builds;
    if (!policies.insert(builds.policy).second) continue;
    if (!sum.has_value()) sum.emplace();
    sum->tables += builds.tables;
    sum->filters += builds.filters;
    sum->keys += builds.keys;
    sum->bytes += builds.bytes;
    sum->microseconds += builds.microseconds;
    sum->longest_microseconds =
        std::max(sum->longest_microseconds, builds.longest_microseconds);
    sum->filters_out_of_memory += builds.filters_out_of_memory;
    sum->blocks_unknown += builds.blocks_unknown;
    sum->blocks_damaged += builds.blocks_damaged;
    sum->blocks_other_transform += builds.blocks_other_transform;
  }
  return sum;
}

void Builds(const FilterBuildReport& builds, std::string* out) {
  Counter("sstfilter_tables_built_total", "Tables that got a filter.",
          builds.tables, out);
  Counter("sstfilter_filters_built_total",
          "Filters built; a partitioned table has many.", builds.filters, out);
  Counter("sstfilter_filter_keys_built_total",
          "Distinct keys and prefixes in filters built.", builds.keys, out);
  Counter("sstfilter_filter_built_bytes_total", "Size of filters built.",
          builds.bytes, out);
  Single("sstfilter_filter_build_seconds_total", "counter",
         "Time spent in building filters from keys already hashed, over all "
         "threads.",
         Number(builds.microseconds / 1e6), out);
  Single("sstfilter_longest_filter_build_seconds", "gauge",
         "Time of the filter build that took longest.",
         Number(builds.longest_microseconds / 1e6), out);
  Counter("sstfilter_filters_out_of_memory_total",
          "Tables and partitions left without a filter because memory ran out.",
          builds.filters_out_of_memory, out);
  const char* unused = "sstfilter_unused_filter_blocks_total";
  Head(unused, "counter",
       "Filter blocks that were read and are not used, by reason.", out);
  const std::pair<const char*, uint64_t> reasons[] = {
      {"unknown", builds.blocks_unknown},
      {"damaged", builds.blocks_damaged},
      {"other_transform", builds.blocks_other_transform}};
  for (const auto& [reason, blocks] : reasons) {
    *out += std::string(unused) + "{reason=\"" + reason + "\"} " +
            Number(blocks) + "\n";
  }
}

// RocksDB counts such reads as any other.
constexpr char kNotCorrected[] =
    " Not corrected for KeyMayExist and reads restricted to the cache.";

void LookupCounter(const char* name, const std::string& help, uint64_t value,
                   std::string* out) {
  Counter(name, (help + kNotCorrected).c_str(), value, out);
}

void Lookups(const FilterLookupReport& lookups, std::string* out) {
  LookupCounter(
      "sstfilter_tables_skipped_total",
      "Tables that a lookup did not look into because of their filter.",
      lookups.tables_skipped, out);
  LookupCounter(
      "sstfilter_false_positives_total",
      "Tables looked into in vain after their filter let the key pass.",
      lookups.false_positives, out);
  LookupCounter("sstfilter_true_positives_total",
                "Tables whose filter let the key pass and that held it.",
                lookups.true_positives, out);
  Counter("sstfilter_prefix_checks_total",
          "Prefixes that filters were asked for by iterators.",
          lookups.prefix_checks, out);
  Counter("sstfilter_prefix_skipped_total",
          "Tables that an iterator skipped because of their filter.",
          lookups.prefix_skipped, out);
}

}  // namespace

std::string FilterReportToText(const FilterReport& report) {
  std::string text = "column family " + report.column_family + "\n";
  for (const LevelFilterReport& level : report.levels) {
    text += "  level " + std::to_string(level.level) + ": " +
            Counted(level.tables, "table") + " (" + TablesText(level.policies) +
            (level.kinds.empty() ? "" : "; " + TablesText(level.kinds)) +
            "), " + Counted(level.keys, "key") + ", " +
            Counted(level.filter_bytes, "byte") + " of filters, " +
            RoundedNumber(level.bits_per_key) + " bits per key\n";
  }
  if (report.builds.has_value()) {
    const FilterBuildReport& builds = *report.builds;
    text +=
        "  built: " + Counted(builds.filters, "filter") + " of " +
        Counted(builds.tables, "table") + ", " + Counted(builds.keys, "key") +
        ", " + Counted(builds.bytes, "byte") + ", " +
        RoundedNumber(builds.microseconds) + " microseconds, at most " +
        RoundedNumber(builds.longest_microseconds) + " for one, " +
        Number(builds.filters_out_of_memory) +
        " left out as memory ran out\n  filter blocks not used: " +
        Number(builds.blocks_unknown) + " of unknown version or kind, " +
        Number(builds.blocks_damaged) + " damaged, " +
        Number(builds.blocks_other_transform) + " of another key transform\n";
  }
  if (!report.lookups.has_value()) return text;
  const FilterLookupReport& lookups = *report.lookups;
  text += "  lookups: " + Counted(lookups.tables_skipped, "table") +
          " skipped, " + Counted(lookups.false_positives, "false positive") +
          ", " + Counted(lookups.true_positives, "true positive") +
          ", false positive rate " +
          (lookups.false_positive_rate.has_value()
               ? RoundedNumber(100 * *lookups.false_positive_rate) + " %"
               : "unknown") +
          "\n  prefixes: " + Counted(lookups.prefix_checks, "check") + ", " +
          Counted(lookups.prefix_skipped, "table") +
          " skipped\n  (not corrected for KeyMayExist and reads "
          "restricted to the cache)\n";
  return text;
}

std::string FilterReportToJson(const FilterReport& report) {
  std::string levels;
  for (const LevelFilterReport& level : report.levels) {
    levels += (levels.empty() ? "" : ",") + LevelJson(level);
  }
  return "{\"column_family\":" + JsonString(report.column_family) +
         ",\"levels\":[" + levels + "],\"lookups\":" +
         (report.lookups.has_value() ? LookupsJson(*report.lookups) : "null") +
         ",\"builds\":" +
         (report.builds.has_value() ? BuildsJson(*report.builds) : "null") +
         "}\n";
}

std::string FilterReportsToPrometheus(
    const std::vector<FilterReport>& reports) {
  using Level = const LevelFilterReport&;
  std::string out;
  Gauge(
      reports, "sstfilter_tables", "Live tables.",
      [](Level level) { return Number(level.tables); }, &out);
  Gauge(
      reports, "sstfilter_unfiltered_tables", "Live tables without a filter.",
      [](Level level) { return Number(level.tables_without_filter); }, &out);
  Gauge(
      reports, "sstfilter_keys", "Entries in live tables.",
      [](Level level) { return Number(level.keys); }, &out);
  Gauge(
      reports, "sstfilter_filter_keys",
      "Distinct keys and prefixes in filters of live tables.",
      [](Level level) { return Number(level.filter_keys); }, &out);
  Gauge(
      reports, "sstfilter_filter_size_bytes",
      "Size of the filters of live tables.",
      [](Level level) { return Number(level.filter_bytes); }, &out);
  TablesGauge(reports, "sstfilter_policy_tables",
              "Live tables by the policy that built their filter.", "policy",
              &LevelFilterReport::policies, &out);
  TablesGauge(reports, "sstfilter_kind_tables",
              "Live tables by the kind of their filter.", "kind",
              &LevelFilterReport::kinds, &out);
  const std::optional<FilterBuildReport> builds = SumOfBuilds(reports);
  if (builds.has_value()) Builds(*builds, &out);
  for (const FilterReport& report : reports) {
    if (!report.lookups.has_value()) continue;
    Lookups(*report.lookups, &out);
    break;
  }
  return out;
}

}  // namespace sstfilter
