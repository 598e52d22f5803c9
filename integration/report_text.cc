// Filter reports as text, JSON and Prometheus exposition.
#include <cstdio>
#include <functional>

#include "sstfilter/report.h"

namespace sstfilter {

namespace {

std::string Number(uint64_t value) { return std::to_string(value); }

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
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
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
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

std::string PoliciesText(const LevelFilterReport& level) {
  std::string text;
  for (const auto& [policy, tables] : level.policies) {
    text += (text.empty() ? "" : ", ") + Number(tables) + " " + policy;
  }
  return text;
}

std::string LevelJson(const LevelFilterReport& level) {
  std::string policies;
  for (const auto& [policy, tables] : level.policies) {
    policies += (policies.empty() ? "" : ",") + JsonString(policy) + ":" +
                Number(tables);
  }
  return "{\"level\":" + std::to_string(level.level) +
         ",\"tables\":" + Number(level.tables) +
         ",\"tables_without_filter\":" + Number(level.tables_without_filter) +
         ",\"keys\":" + Number(level.keys) +
         ",\"filter_keys\":" + Number(level.filter_keys) +
         ",\"filter_bytes\":" + Number(level.filter_bytes) +
         ",\"bits_per_key\":" + Number(level.bits_per_key) + ",\"policies\":{" +
         policies + "}}";
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
         "}";
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

void PolicyGauge(const std::vector<FilterReport>& reports, std::string* out) {
  constexpr char kName[] = "sstfilter_policy_tables";
  Head(kName, "gauge", "Live tables by the policy that built their filter.",
       out);
  for (const FilterReport& report : reports) {
    for (const LevelFilterReport& level : report.levels) {
      for (const auto& [policy, tables] : level.policies) {
        *out += std::string(kName) +
                "{column_family=" + LabelValue(report.column_family) +
                ",level=\"" + std::to_string(level.level) +
                "\",policy=" + LabelValue(policy) + "} " + Number(tables) +
                "\n";
      }
    }
  }
}

void Counter(const char* name, const char* help, uint64_t value,
             std::string* out) {
  Head(name, "counter", help, out);
  *out += std::string(name) + " " + Number(value) + "\n";
}

void Lookups(const FilterLookupReport& lookups, std::string* out) {
  Counter("sstfilter_tables_skipped_total",
          "Tables that a lookup did not look into because of their filter.",
          lookups.tables_skipped, out);
  Counter("sstfilter_false_positives_total",
          "Tables looked into in vain after their filter let the key pass.",
          lookups.false_positives, out);
  Counter("sstfilter_true_positives_total",
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
            Number(level.tables) + " tables (" + PoliciesText(level) + "), " +
            Number(level.keys) + " keys, " + Number(level.filter_bytes) +
            " bytes of filters, " + Number(level.bits_per_key) +
            " bits per key\n";
  }
  if (!report.lookups.has_value()) return text;
  const FilterLookupReport& lookups = *report.lookups;
  text += "  lookups: " + Number(lookups.tables_skipped) + " tables skipped, " +
          Number(lookups.false_positives) + " false positives, " +
          Number(lookups.true_positives) +
          " true positives, false positive rate " +
          (lookups.false_positive_rate.has_value()
               ? Number(100 * *lookups.false_positive_rate) + " %"
               : "unknown") +
          "\n  prefixes: " + Number(lookups.prefix_checks) + " checks, " +
          Number(lookups.prefix_skipped) +
          " tables skipped\n  (not corrected for KeyMayExist and reads "
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
  PolicyGauge(reports, &out);
  for (const FilterReport& report : reports) {
    if (!report.lookups.has_value()) continue;
    Lookups(*report.lookups, &out);
    break;
  }
  return out;
}

}  // namespace sstfilter
