// `sstfilter advise`: its command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "filter/algorithm.h"
#include "tools/advise.h"
#include "tools/advise_output.h"
#include "tools/command.h"
#include "tools/count_option.h"
#include "tools/subcommand.h"

namespace sstfilter::tools {

namespace {

struct Arguments {
  std::string path;
  double bits = 0;
  uint64_t memory = 0;
  double wasted_reads = 0;
  std::string kind;  // empty: that of today
  std::string format = "table";
};

constexpr char kDescription[] =
    "Computes the best bits per key for each level of a database. Prints how "
    "its filter memory would avoid the most reads, what that gives compared to "
    "today and to uniform filters of the same size, and the options to paste. "
    "The database is opened read-only, also while another process has it open.";

constexpr char kExamples[] =
    "Examples:\n"
    "  sstfilter advise --db /var/lib/service/db --bits 10\n"
    "  sstfilter advise --db /var/lib/service/db --memory 1GiB --kind parity\n"
    "  sstfilter advise --db /var/lib/service/db --wasted-reads 0.02 "
    "--format json\n"
    "\n"
    "With several column families, each gets --bits on average or reaches "
    "--wasted-reads;\n--memory is shared out by their keys.\n";

rocksdb::Status OptionsOf(const Arguments& arguments, AdviseOptions* options) {
  // Range lets through what is no number.
  if (std::isnan(arguments.bits) || std::isnan(arguments.wasted_reads)) {
    return rocksdb::Status::InvalidArgument(
        fmt::format("{}: not a number",
                    std::isnan(arguments.bits) ? "--bits" : "--wasted-reads"));
  }
  if (arguments.memory > 0) {
    options->budget = AdviseOptions::Budget::kMemory;
    options->amount = static_cast<double>(arguments.memory);
  } else if (arguments.wasted_reads > 0) {
    options->budget = AdviseOptions::Budget::kWastedReads;
    options->amount = arguments.wasted_reads;
  } else if (arguments.bits > 0) {
    options->budget = AdviseOptions::Budget::kBits;
    options->amount = arguments.bits;
  } else {
    return rocksdb::Status::InvalidArgument(
        "no budget: give --bits B, --memory BYTES or --wasted-reads W");
  }
  return rocksdb::Status::OK();
}

void ChooseKind(const Arguments& arguments, const DatabaseTrees& trees,
                AdviseReport* report) {
  if (!arguments.kind.empty()) {
    // The option accepts known names only.
    ParseFilterKind(arguments.kind, &report->options.kind);
    return;
  }
  const std::optional<FilterKind> today = KindOfToday(trees);
  if (!today.has_value()) return;
  report->options.kind = *today;
  report->notes.push_back(
      fmt::format("planned with kind {}, which most keys have today; --kind "
                  "names another",
                  FilterKindName(*today)));
}

int RunAdvise(const Arguments& arguments, const Streams& streams) {
  AdviseReport report;
  report.database = arguments.path;
  rocksdb::Status status = OptionsOf(arguments, &report.options);
  DatabaseTrees trees;
  if (status.ok()) status = ReadTrees(arguments.path, &trees);
  report.notes = trees.notes;
  report.problems = trees.problems;
  for (const std::string& problem : report.problems) {
    streams.err << "sstfilter: " << problem << "\n";
  }
  if (status.ok()) ChooseKind(arguments, trees, &report);
  if (status.ok()) status = Advise(report.options, trees, &report.families);
  if (!status.ok()) return ReportFailure(status, streams.err);
  streams.out << (arguments.format == "json" ? AdviceToJson(report)
                                             : AdviceToText(report));
  return report.problems.empty() ? kExitOk : kExitFailure;
}

}  // namespace

void AddAdviseCommand(CLI::App* app, Work* work) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app->add_subcommand("advise", kDescription);
  command->footer(kExamples);
  command->add_option("--db", arguments->path, "Directory of the database")
      ->required()
      ->type_name("DIR");
  CLI::Option* bits = command
                          ->add_option("--bits", arguments->bits,
                                       "Bits per key, on average over the tree")
                          ->check(CLI::Range(kMinBitsPerKey, kMaxBitsPerKey));
  CLI::Option* memory =
      command
          ->add_option("--memory", arguments->memory,
                       "Bytes of all filters, or with a unit such as 8MiB")
          ->transform(ByteCount(1, uint64_t{1} << 60))
          ->excludes(bits);
  command
      ->add_option("--wasted-reads", arguments->wasted_reads,
                   "Wasted reads per lookup of an absent key, for instance "
                   "0.02")
      ->check(CLI::Range(1e-12, 1000.0))
      ->excludes(bits)
      ->excludes(memory);
  command
      ->add_option("--kind", arguments->kind,
                   "Kind of filter to plan with. Default: that of today where "
                   "it is one of these, else bloom")
      ->check(CLI::IsMember({"bloom", "parity"}));
  command->add_option("--format", arguments->format, "How to print")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->callback([arguments, work] {
    *work = [arguments](const Streams& streams) {
      return RunAdvise(*arguments, streams);
    };
  });
}

}  // namespace sstfilter::tools
