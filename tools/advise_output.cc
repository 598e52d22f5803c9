#include "tools/advise_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tools/records.h"
#include "tools/text_table.h"

namespace sstfilter::tools {

namespace {

// Files named in the text; JSON has all.
constexpr size_t kNamedFiles = 10;

constexpr char kModel[] =
    "Wasted reads: tables read in vain by one lookup of an absent key that "
    "asks\nevery file of level 0 and one file of each level below.\n";

Json Whole(double value) { return static_cast<uint64_t>(std::llround(value)); }

Json ToJson(const FilterShare& share) {
  return {{"bits_per_key", share.bits_per_key},
          {"filter_bytes", Whole(share.bytes)},
          {"wasted_reads", share.wasted_reads}};
}

Json ToJson(const std::optional<FilterShare>& share) {
  return share.has_value() ? ToJson(*share) : Json(nullptr);
}

Json ToJson(const LevelAdvice& level) {
  return {{"level", level.level},
          {"files", level.files},
          {"keys", Whole(level.keys)},
          {"lookups", level.lookups},
          {"filter", level.filter},
          {"today", ToJson(level.today)},
          {"uniform", ToJson(level.uniform)},
          {"optimal", ToJson(level.optimal)},
          {"bits_per_key_to_set", level.setting},
          {"files_that_do_not_fit", level.misfits}};
}

Json ToJson(const Cost& cost) {
  return {{"wasted_reads", cost.wasted_reads},
          {"uniform", ToJson(cost.uniform)},
          {"optimal", ToJson(cost.optimal)}};
}

Json ToJson(const Misfit& misfit) {
  return {{"file", misfit.path},
          {"level", misfit.level},
          {"bits_per_key", misfit.bits_per_key},
          {"level_bits_per_key", misfit.level_bits_per_key}};
}

Json ToJson(const FamilyAdvice& family);

template <typename Row>
Json ToJson(const std::vector<Row>& rows) {
  Json array = Json::array();
  for (const Row& row : rows) array.push_back(ToJson(row));
  return array;
}

Json ToJson(const FamilyAdvice& family) {
  return {
      {"column_family", family.column_family},
      {"keys", Whole(family.keys)},
      {"levels", ToJson(family.levels)},
      {"today", ToJson(family.today)},
      {"uniform", ToJson(family.uniform)},
      {"optimal", ToJson(family.optimal)},
      {"options",
       {{"optimal", family.optimal_options}, {"levels", family.level_options}}},
      {"costs", ToJson(family.costs)},
      {"files_that_do_not_fit", ToJson(family.misfits)},
      {"notes", family.notes}};
}

Json BudgetToJson(const AdviseOptions& options) {
  switch (options.budget) {
    case AdviseOptions::Budget::kBits:
      return {{"bits", options.amount}};
    case AdviseOptions::Budget::kMemory:
      return {{"memory", Whole(options.amount)}};
    case AdviseOptions::Budget::kWastedReads:
      break;
  }
  return {{"wasted_reads", options.amount}};
}

std::string Reads(double reads) {
  return reads >= 0.001 || reads == 0 ? fmt::format("{:.4f}", reads)
                                      : fmt::format("{:.2e}", reads);
}

std::string Bits(double bits) { return fmt::format("{:.2f}", bits); }

std::string Count(double value) { return fmt::format("{:.0f}", value); }

TextTable TableOfLevels(const FamilyAdvice& family) {
  TextTable table({"level", "files", "keys", "filter\ntoday", "bytes\ntoday",
                   "bits/key\ntoday", "wasted reads\ntoday",
                   "bits/key\nuniform", "wasted reads\nuniform",
                   "bytes\noptimal", "bits/key\nto set",
                   "wasted reads\noptimal", "files that\ndo not fit"});
  uint64_t files = 0;
  const auto add = [&table](const std::string& level, uint64_t level_files,
                            const std::string& filter, const auto& row,
                            const std::string& setting, size_t misfits) {
    table.AddRow({level, fmt::format("{}", level_files), Count(row.keys),
                  filter, Count(row.today.bytes), Bits(row.today.bits_per_key),
                  Reads(row.today.wasted_reads), Bits(row.uniform.bits_per_key),
                  Reads(row.uniform.wasted_reads), Count(row.optimal.bytes),
                  setting, Reads(row.optimal.wasted_reads),
                  fmt::format("{}", misfits)});
  };
  for (const LevelAdvice& level : family.levels) {
    add(fmt::format("{}", level.level), level.files, level.filter, level,
        Bits(level.setting), level.misfits);
    files += level.files;
  }
  add("all", files, "", family, "", family.misfits.size());
  return table;
}

std::string CostsText(const FamilyAdvice& family) {
  TextTable table({"wasted\nreads", "bits/key\nuniform", "bytes\nuniform",
                   "bits/key\noptimal", "bytes\noptimal"});
  for (const Cost& cost : family.costs) {
    const auto bits = [](const std::optional<FilterShare>& share) {
      return share ? Bits(share->bits_per_key) : "out of reach";
    };
    const auto bytes = [](const std::optional<FilterShare>& share) {
      return share ? Count(share->bytes) : "-";
    };
    table.AddRow({Reads(cost.wasted_reads), bits(cost.uniform),
                  bytes(cost.uniform), bits(cost.optimal),
                  bytes(cost.optimal)});
  }
  return table.ToString();
}

std::string MisfitsText(const FamilyAdvice& family) {
  if (family.misfits.empty()) return "";
  std::string text =
      "Files whose bits per key are not those of the optimum for their level, "
      "until a\ncompaction rewrites them:\n";
  const size_t named = std::min(family.misfits.size(), kNamedFiles);
  for (size_t i = 0; i < named; ++i) {
    const Misfit& misfit = family.misfits[i];
    text += fmt::format("  {}: {} on level {}, which should have {}\n",
                        misfit.path, Bits(misfit.bits_per_key), misfit.level,
                        Bits(misfit.level_bits_per_key));
  }
  if (named < family.misfits.size()) {
    text += fmt::format("  and {} more (--format json has all)\n",
                        family.misfits.size() - named);
  }
  return text + "\n";
}

// "2.10 times fewer than uniform".
std::string Against(const std::string& other, double reads_of_other,
                    double reads) {
  constexpr double kShows = 1.005;
  if (reads > 0 && reads_of_other / reads >= kShows) {
    return fmt::format("{:.2f} times fewer than {}", reads_of_other / reads,
                       other);
  }
  if (reads_of_other > 0 && reads / reads_of_other >= kShows) {
    return fmt::format("{:.2f} times more than {}", reads / reads_of_other,
                       other);
  }
  return "as many as " + other;
}

std::string ToText(const FamilyAdvice& family) {
  std::string text =
      fmt::format("Column family {}\n", family.column_family) +
      TableOfLevels(family).ToString() +
      fmt::format(
          "\nWasted reads per absent lookup, and bytes of filters:\n"
          "  today    {:>8}  {:.0f}\n  uniform  {:>8}  {:.0f}\n"
          "  optimal  {:>8}  {:.0f}, {}\n\n",
          Reads(family.today.wasted_reads), family.today.bytes,
          Reads(family.uniform.wasted_reads), family.uniform.bytes,
          Reads(family.optimal.wasted_reads), family.optimal.bytes,
          Against("uniform", family.uniform.wasted_reads,
                  family.optimal.wasted_reads) +
              ", " +
              Against("today", family.today.wasted_reads,
                      family.optimal.wasted_reads)) +
      fmt::format("Options, which follow the tree as it grows:\n  {}\n",
                  family.optimal_options) +
      fmt::format("or fixed, for the tree as it is:\n  {}\n\n",
                  family.level_options) +
      "Memory for a number of wasted reads:\n" + CostsText(family) + "\n" +
      MisfitsText(family);
  for (const std::string& note : family.notes) {
    text += fmt::format("Note: {}.\n", note);
  }
  return text + (family.notes.empty() ? "" : "\n");
}

}  // namespace

std::string AdviceToJson(const AdviseReport& report) {
  return Print({{"database", report.database},
                {"kind", FilterKindName(report.options.kind)},
                {"budget", BudgetToJson(report.options)},
                {"column_families", ToJson(report.families)},
                {"notes", report.notes},
                {"problems", report.problems}});
}

std::string AdviceToText(const AdviseReport& report) {
  std::string text;
  for (const FamilyAdvice& family : report.families) text += ToText(family);
  text += kModel;
  for (const std::string& note : report.notes) text += "Note: " + note + "\n";
  return text;
}

}  // namespace sstfilter::tools
