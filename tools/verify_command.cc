// `sstfilter verify`: its command line and its report.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tools/command.h"
#include "tools/subcommand.h"
#include "tools/table_files.h"
#include "tools/text_table.h"
#include "tools/verify.h"

namespace sstfilter::tools {

namespace {

using State = TableVerdict::State;

struct Arguments {
  std::vector<std::string> paths;
  VerifyOptions verify;
};

constexpr char kDescription[] =
    "Reads every key of every table and asks the table's filter for it; then "
    "asks for absent keys and prints the observed false positive rate beside "
    "the expected one. Fails when a filter denies a key, cannot be read or "
    "disagrees with its table. Writes nothing.";

constexpr char kExamples[] =
    "Examples:\n"
    "  sstfilter verify /var/lib/service/db\n"
    "  sstfilter verify 000123.sst 000124.sst --absent 1000000\n";

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

std::string Summary(const std::vector<TableVerdict>& verdicts) {
  uint64_t keys = 0;
  uint64_t denied = 0;
  uint64_t asked = 0;
  uint64_t passed = 0;
  double expected = 0;
  size_t counts[5] = {};
  for (const TableVerdict& verdict : verdicts) {
    ++counts[static_cast<size_t>(verdict.state)];
    keys += verdict.keys;
    denied += verdict.false_negatives;
    asked += verdict.absent_asked;
    passed += verdict.absent_passed;
    expected += static_cast<double>(verdict.absent_asked) *
                verdict.expected_rate.value_or(0);
  }
  const auto count = [&counts](State state) {
    return counts[static_cast<size_t>(state)];
  };
  std::string text = fmt::format(
      "{} tables: {} sound, {} without a filter, {} failed", verdicts.size(),
      count(State::kSound), count(State::kUnfiltered), count(State::kFailed));
  const size_t left = count(State::kNotReached) + count(State::kPartial);
  if (left > 0) text += fmt::format(", {} not or not wholly read", left);
  text += fmt::format("; {} keys read, {} denied", keys, denied);
  if (asked > 0) {
    text += fmt::format("; absent keys: {} % passed, {} % expected",
                        Observed(passed, asked),
                        Percent(expected / static_cast<double>(asked)));
  }
  return text + ".\n";
}

int RunVerify(const Arguments& arguments, const Streams& streams) {
  VerifyOptions options = arguments.verify;
  if (streams.show_progress) options.progress = &streams.err;
  const TableFiles found = FindTables(arguments.paths);
  std::vector<TableVerdict> verdicts;
  const rocksdb::Status status = VerifyTables(found.tables, options, &verdicts);

  bool failed = !found.problems.empty();
  if (!verdicts.empty()) {
    streams.out << TableOf(verdicts) << "\n" << Summary(verdicts);
  }
  for (const std::string& note : found.notes) {
    streams.out << "Note: " << note << "\n";
  }
  for (const TableVerdict& verdict : verdicts) {
    for (const std::string& note : verdict.notes) {
      streams.out << "Note: " << verdict.table.path << ": " << note << "\n";
    }
  }
  for (const std::string& problem : found.problems) {
    streams.err << "sstfilter: " << problem << "\n";
  }
  for (const TableVerdict& verdict : verdicts) {
    for (const std::string& why : verdict.failures) {
      failed = true;
      streams.err << "sstfilter: " << verdict.table.path << ": " << why << "\n";
    }
  }
  if (!status.ok()) return ReportFailure(status, streams.err);
  return failed ? kExitFailure : kExitOk;
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
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 40))
      ->capture_default_str();
  command
      ->add_option("--threads", arguments->verify.threads,
                   "Tables to read side by side; 0 for one per CPU")
      ->check(CLI::Range(0U, 1024U))
      ->capture_default_str();
  command->callback([arguments, work] {
    *work = [arguments](const Streams& streams) {
      return RunVerify(*arguments, streams);
    };
  });
}

}  // namespace sstfilter::tools
