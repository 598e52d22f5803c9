// `sstfilter measure`: its command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "integration/counted.h"
#include "tools/command.h"
#include "tools/count_option.h"
#include "tools/filter_spec.h"
#include "tools/gnuplot.h"
#include "tools/measure.h"
#include "tools/measure_chart.h"
#include "tools/measure_output.h"
#include "tools/progress.h"
#include "tools/subcommand.h"

namespace sstfilter::tools {

namespace {

struct Arguments {
  MeasureOptions measure;
  std::string format = "table";
  bool by_level = false;
  std::string plot_path;
};

// Numbers above this are slips of the pen, or negative ones in disguise.
constexpr uint64_t kMost = uint64_t{1} << 40;

constexpr char kDescription[] =
    "Counts the disk reads that filters avoid. Builds one real database per "
    "filter, looks up absent and present keys and prints what each filter "
    "avoided and cost.";

constexpr char kExamples[] =
    "Examples:\n"
    "  sstfilter measure --num 1000000\n"
    "  sstfilter measure --keys users.txt --absent strangers.txt \\\n"
    "      --filter none --filter rocksdb-bloom:10 --filter sstfilter:10\n"
    "  sstfilter measure --num 1000000 --young-files 8 --format json\n"
    "  sstfilter measure --num 1000000 --plot measure.svg\n";

void AddKeyOptions(CLI::App* command, MeasureOptions* options) {
  CLI::Option* keys =
      command
          ->add_option("--keys", options->keys_path,
                       "File with one key per line; - is standard input")
          ->type_name("FILE");
  command
      ->add_option("--num", options->generated,
                   "Generate this many pseudo-random 16-byte keys instead")
      ->transform(Count(1, kMost))
      ->default_str("")
      ->excludes(keys);
  command
      ->add_option(
          "--absent", options->absent_path,
          "File with keys to look up in vain; default: made from the keys")
      ->type_name("FILE");
  command->add_option("--seed", options->seed, "Of everything pseudo-random");
}

void AddTreeOptions(CLI::App* command, MeasureOptions* options) {
  command
      ->add_option("--filter", options->filters,
                   fmt::format("A filter to measure, may be repeated: {}",
                               kFilterSpecHelp))
      ->allow_extra_args(false);
  command
      ->add_option(
          "--db", options->directory,
          "Directory for the databases, new or empty or from an earlier run; "
          "it is kept. Default: a temporary one, removed at the end")
      ->type_name("DIR");
  command
      ->add_option("--levels", options->shape.levels,
                   "Levels below level 0 that hold keys")
      ->check(CLI::Range(1, 6));
  command
      ->add_option("--size-ratio", options->shape.size_ratio,
                   "Keys of a level over keys of the level above")
      ->check(CLI::Range(1.0, 1000.0));
  command
      ->add_option("--young-files", options->shape.young_files,
                   "Files left in level 0, as in a busy service")
      ->transform(Count(0, 1000));
  command->add_option("--value-size", options->value_bytes, "Bytes of a value")
      ->transform(Count(0, uint64_t{1} << 20));
}

void AddLookupOptions(CLI::App* command, MeasureOptions* options) {
  command
      ->add_option("--lookups", options->lookups,
                   "Absent keys to look up; 0 for all")
      ->transform(Count(0, kMost));
  command
      ->add_option("--present-lookups", options->present_lookups,
                   "Present keys to look up; 0 for all")
      ->transform(Count(0, kMost));
  command
      ->add_option("--rounds", options->rounds,
                   "Parts of the lookups in which the filters take turns")
      ->transform(Count(1, 1000));
  command
      ->add_option("--batch", options->batch,
                   "Keys per MultiGet; 1 looks up with Get")
      ->transform(Count(1, uint64_t{1} << 16));
  command
      ->add_option(
          "--cache", options->cache_bytes,
          "Block cache, in bytes or with a unit such as 8MiB; small, so "
          "that a read is a read")
      ->transform(ByteCount(0, kMost));
  command->add_flag("--cache-filters", options->cache_filters,
                    "Keep filters and index blocks in the block cache, where "
                    "they may have to be read again, not beside it");
}

void AddOutputOptions(CLI::App* command, Arguments* arguments) {
  command->add_option("--format", arguments->format, "How to print the results")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  command->add_flag("--by-level", arguments->by_level,
                    "In the table: checks and false positives of each level");
  command->add_option("--plot", arguments->plot_path, kPlotHelp)
      ->type_name("FILE");
}

OutputOptions Output(const Arguments& arguments) {
  OutputOptions output;
  output.by_level = arguments.by_level;
  if (arguments.format == "json") output.format = OutputFormat::kJson;
  if (arguments.format == "csv") output.format = OutputFormat::kCsv;
  return output;
}

int RunMeasure(const Arguments& arguments, const Streams& streams) {
  const bool plots = !arguments.plot_path.empty();
  rocksdb::Status status;
  if (plots) status = CheckChartFile(arguments.plot_path);
  if (!status.ok()) return ReportFailure(status, streams.err);
  MeasureReport report;
  Progress progress(streams.show_progress ? &streams.err : nullptr);
  status = Measure(arguments.measure, &progress, &report);
  if (!status.ok()) return ReportFailure(status, streams.err);
  streams.out << FormatReport(report, Output(arguments));
  for (const FilterResult& result : report.results) {
    if (result.false_negatives == 0) continue;
    streams.err << fmt::format("sstfilter: {}: answered absent: {}\n",
                               result.filter,
                               Counted(result.false_negatives, "present key"));
  }
  if (plots) status = DrawChart(MeasureChart(report), arguments.plot_path);
  if (!status.ok()) return ReportFailure(status, streams.err);
  return report.has_false_negatives() ? kExitFailure : kExitOk;
}

}  // namespace

void AddMeasureCommand(CLI::App* app, Work* work) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app->add_subcommand("measure", kDescription);
  command->footer(kExamples);
  command->option_defaults()->always_capture_default();
  AddKeyOptions(command, &arguments->measure);
  AddTreeOptions(command, &arguments->measure);
  AddLookupOptions(command, &arguments->measure);
  AddOutputOptions(command, arguments.get());
  command->callback([arguments, work] {
    *work = [arguments](const Streams& streams) {
      return RunMeasure(*arguments, streams);
    };
  });
}

}  // namespace sstfilter::tools
