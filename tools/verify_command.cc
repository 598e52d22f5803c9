// `sstfilter verify`: its command line and its report.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "integration/counted.h"
#include "tools/command.h"
#include "tools/count_option.h"
#include "tools/records.h"
#include "tools/subcommand.h"
#include "tools/table_files.h"
#include "tools/text_table.h"
#include "tools/verify.h"

namespace sstfilter::tools {

namespace {

using State = TableVerdict::State;

struct Arguments {
  std::vector<std::string> paths;
  std::string format = "table";
  VerifyOptions verify;
};

constexpr char kDescription[] =
    "Asks the filter of every table for every key of the table. Then asks for "
    "absent keys and prints the observed false positive rate beside "
    "the expected one. Fails when a filter denies a key, cannot be read or "
    "disagrees with its table. Writes nothing. Filters written under a key "
    "transform are asked when it is one that comes with sstfilter; under "
    "another, and filters of other policies, they are counted as not checked "
    "and their names are printed. Exit status: 0 when everything that could be "
    "checked is sound, also when something was not checked or has no filter; 1 "
    "when a filter is at fault or a table or file cannot be read, is damaged "
    "or "
    "does not belong there; 2 for a bad command line; 130 when interrupted.";

constexpr char kExamples[] =
    "Examples:\n"
    "  sstfilter verify /var/lib/service/db\n"
    "  sstfilter verify 000123.sst 000124.sst --absent 1000000\n"
    "  sstfilter verify /var/lib/service/db --format json\n";

const char* StateName(State state) {
  switch (state) {
    case State::kNotReached:
      return "not reached";
    case State::kPartial:
      return "in part";
    case State::kSound:
      return "sound";
    case State::kUnfiltered:
      return "no filter";
    case State::kNotChecked:
      return "not checked";
    case State::kFailed:
      return "FAILED";
  }
  return "";
}

std::string Percent(double rate) { return fmt::format("{:.4f}", 100 * rate); }

std::string Observed(uint64_t passed, uint64_t asked) {
  return asked == 0 ? "-"
                    : Percent(static_cast<double>(passed) /
                              static_cast<double>(asked));
}

std::string TableOf(const std::vector<TableVerdict>& verdicts) {
  TextTable table({"table", "filter", "filters", "keys", "prefixes", "denied",
                   "absent\nasked", "observed\n%", "expected\n%", "result"});
  for (const TableVerdict& verdict : verdicts) {
    if (verdict.state == State::kNotReached) continue;
    table.AddRow(
        {verdict.table.path, verdict.filter.empty() ? "-" : verdict.filter,
         fmt::format("{}", verdict.filters), fmt::format("{}", verdict.keys),
         fmt::format("{}", verdict.prefixes),
         fmt::format("{}", verdict.false_negatives),
         fmt::format("{}", verdict.absent_asked),
         Observed(verdict.absent_passed, verdict.absent_asked),
         verdict.expected_rate.has_value() ? Percent(*verdict.expected_rate)
                                           : "-",
         StateName(verdict.state)});
  }
  return table.ToString();
}

struct Sums {
  std::map<State, uint64_t> tables;
  uint64_t keys = 0;
  uint64_t denied = 0;
  uint64_t asked = 0;
  uint64_t passed = 0;
  double expected = 0;  // to pass

  uint64_t count(State state) const {
    const auto found = tables.find(state);
    return found == tables.end() ? 0 : found->second;
  }
};

Sums Sum(const std::vector<TableVerdict>& verdicts) {
  Sums sums;
  for (const TableVerdict& verdict : verdicts) {
    ++sums.tables[verdict.state];
    sums.keys += verdict.keys;
    sums.denied += verdict.false_negatives;
    sums.asked += verdict.absent_asked;
    sums.passed += verdict.absent_passed;
    sums.expected += static_cast<double>(verdict.absent_asked) *
                     verdict.expected_rate.value_or(0);
  }
  return sums;
}

std::string Summary(const std::vector<TableVerdict>& verdicts) {
  const Sums sums = Sum(verdicts);
  std::string text =
      fmt::format("{}: {} sound, {} without a filter, {} failed",
                  Counted(verdicts.size(), "table"), sums.count(State::kSound),
                  sums.count(State::kUnfiltered), sums.count(State::kFailed));
  const uint64_t unchecked = sums.count(State::kNotChecked);
  if (unchecked > 0) text += fmt::format(", {} not checked", unchecked);
  const uint64_t left =
      sums.count(State::kNotReached) + sums.count(State::kPartial);
  if (left > 0) text += fmt::format(", {} not or not wholly read", left);
  text += fmt::format("; {} read, {} denied", Counted(sums.keys, "key"),
                      sums.denied);
  if (sums.asked > 0) {
    text +=
        fmt::format("; absent keys: {} % passed, {} % expected",
                    Observed(sums.passed, sums.asked),
                    Percent(sums.expected / static_cast<double>(sums.asked)));
  }
  return text + ".\n";
}

Json OrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json Share(uint64_t part, uint64_t whole) {
  return whole == 0
             ? Json(nullptr)
             : Json(static_cast<double>(part) / static_cast<double>(whole));
}

Record RecordOf(const TableVerdict& verdict) {
  return {
      {"file", verdict.table.path},
      {"column_family", OrNull(verdict.table.column_family)},
      {"level",
       verdict.table.level < 0 ? Json(nullptr) : Json(verdict.table.level)},
      {"filter", OrNull(verdict.filter)},
      {"key_transform", OrNull(verdict.key_transform)},
      {"filters", verdict.filters},
      {"keys", verdict.keys},
      {"prefixes", verdict.prefixes},
      {"denied", verdict.false_negatives},
      {"absent_asked", verdict.absent_asked},
      {"absent_passed", verdict.absent_passed},
      {"observed_fpr", Share(verdict.absent_passed, verdict.absent_asked)},
      {"expected_fpr", verdict.expected_rate.has_value()
                           ? Json(*verdict.expected_rate)
                           : Json(nullptr)},
      {"result", StateName(verdict.state)},
  };
}

std::vector<Record> RecordsOf(const std::vector<TableVerdict>& verdicts) {
  std::vector<Record> records;
  records.reserve(verdicts.size());
  for (const TableVerdict& verdict : verdicts) {
    records.push_back(RecordOf(verdict));
  }
  return records;
}

Json SummaryJson(const std::vector<TableVerdict>& verdicts) {
  const Sums sums = Sum(verdicts);
  return {{"tables", verdicts.size()},
          {"sound", sums.count(State::kSound)},
          {"without_filter", sums.count(State::kUnfiltered)},
          {"not_checked", sums.count(State::kNotChecked)},
          {"failed", sums.count(State::kFailed)},
          {"not_wholly_read",
           sums.count(State::kNotReached) + sums.count(State::kPartial)},
          {"keys", sums.keys},
          {"denied", sums.denied},
          {"absent_asked", sums.asked},
          {"absent_passed", sums.passed}};
}

int RunVerify(const Arguments& arguments, const Streams& streams) {
  VerifyOptions options = arguments.verify;
  if (streams.show_progress) options.progress = &streams.err;
  const TableFiles found = FindTables(arguments.paths);
  std::vector<TableVerdict> verdicts;
  const rocksdb::Status status = VerifyTables(found.tables, options, &verdicts);

  std::vector<std::string> notes = found.notes;
  std::vector<std::string> problems = found.problems;
  for (const TableVerdict& verdict : verdicts) {
    for (const std::string& note : verdict.notes) {
      notes.push_back(verdict.table.path + ": " + note);
    }
    for (const std::string& why : verdict.failures) {
      problems.push_back(verdict.table.path + ": " + why);
    }
  }
  if (arguments.format == "json") {
    streams.out << Print({{"tables", ToJsonArray(RecordsOf(verdicts))},
                          {"summary", SummaryJson(verdicts)},
                          {"notes", notes},
                          {"problems", problems}});
  } else if (arguments.format == "csv") {
    streams.out << ToCsv(RecordOf(TableVerdict()), RecordsOf(verdicts));
  } else {
    if (!verdicts.empty()) {
      streams.out << TableOf(verdicts) << "\n" << Summary(verdicts);
    }
    for (const std::string& note : notes) {
      streams.out << "Note: " << note << "\n";
    }
  }
  for (const std::string& problem : problems) {
    streams.err << "sstfilter: " << problem << "\n";
  }
  if (!status.ok()) return ReportFailure(status, streams.err);
  return problems.empty() ? kExitOk : kExitFailure;
}

}  // namespace

void AddVerifyCommand(CLI::App* app, Work* work) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app->add_subcommand("verify", kDescription);
  command->footer(kExamples);
  command
      ->add_option("path", arguments->paths,
                   "Table files, database directories or directories of table "
                   "files")
      ->required();
  command
      ->add_option("--absent", arguments->verify.absent,
                   "Absent keys to ask each filter for")
      ->transform(Count(0, uint64_t{1} << 40))
      ->capture_default_str();
  command
      ->add_option("--threads", arguments->verify.threads,
                   "Tables to read side by side; 0 for one per CPU")
      ->check(CLI::Range(0U, 1024U))
      ->capture_default_str();
  command
      ->add_option("--format", arguments->format,
                   "How to print; csv has the tables only")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->callback([arguments, work] {
    *work = [arguments](const Streams& streams) {
      return RunVerify(*arguments, streams);
    };
  });
}

}  // namespace sstfilter::tools
