// `sstfilter size`: the engineer's calculator.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "filter/algorithm.h"
#include "sstfilter/sizing.h"
#include "tools/command.h"
#include "tools/count_option.h"
#include "tools/filter_sizes.h"
#include "tools/gnuplot.h"
#include "tools/records.h"
#include "tools/size_chart.h"
#include "tools/subcommand.h"
#include "tools/text_table.h"

namespace sstfilter::tools {

namespace {

struct Arguments {
  uint64_t keys = 0;
  double bits = 0;
  double rate = 0;
  uint64_t memory = 0;
  bool curve = false;
  std::string format = "table";
  std::string plot_path;
};

constexpr uint64_t kMostKeys = uint64_t{1} << 48;
constexpr double kCurveLow = 2;
constexpr double kCurveHigh = 24;

constexpr char kDescription[] =
    "Computes how large a filter must be, or how good it is. Prints every kind "
    "of filter side by side for a number of keys, given bits per key, a rate "
    "or an amount of memory.";

constexpr char kExamples[] =
    "Examples:\n"
    "  sstfilter size --keys 1e9 --bits 10\n"
    "  sstfilter size --keys 1000000000 --fpr 0.01\n"
    "  sstfilter size --keys 1000000000 --memory 1GiB --format json\n"
    "  sstfilter size --keys 1000000000 --curve --format csv\n"
    "  sstfilter size --keys 1000000000 --curve --plot curve.svg\n";

std::string Reads(double per_million) {
  return per_million >= 100 ? fmt::format("{:.0f}", per_million)
                            : fmt::format("{:.3g}", per_million);
}

uint64_t Bytes(const Arguments& arguments, const FilterSize& size) {
  return FilterBytes(arguments.keys, size.bits_per_key);
}

bool IsInReach(const FilterSize& size) {
  return std::isfinite(size.bits_per_key);
}

Record RecordOf(const Arguments& arguments, const FilterSize& size) {
  const bool reached = IsInReach(size);
  const auto if_reached = [reached](const Json& value) {
    return reached ? value : Json(nullptr);
  };
  return {
      {"kind", size.kind},
      {"parameter", if_reached(size.parameter)},
      {"bits_per_key", if_reached(size.bits_per_key)},
      {"bytes", reached ? Json(Bytes(arguments, size)) : Json(nullptr)},
      {"expected_fpr", if_reached(size.rate)},
      {"wasted_reads_per_million", if_reached(size.rate * 1e6)},
  };
}

std::string Memory(uint64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return fmt::format(unit == 0 ? "{:.0f} {}" : "{:.2f} {}", value, units[unit]);
}

std::string TableOf(const Arguments& arguments,
                    const std::vector<FilterSize>& sizes) {
  TextTable table({"kind", "k", "bits\nper key", "memory", "rate\n%",
                   "wasted reads\nper million"});
  for (const FilterSize& size : sizes) {
    if (!IsInReach(size)) {
      table.AddRow({size.kind, "-", "out of reach", "-", "-", "-"});
      continue;
    }
    table.AddRow(
        {size.kind, size.parameter, fmt::format("{:.2f}", size.bits_per_key),
         Memory(Bytes(arguments, size)), fmt::format("{:.4g}", 100 * size.rate),
         Reads(1e6 * size.rate)});
  }
  return table.ToString() +
         "\nWasted reads: tables read in vain per million lookups of keys that "
         "are not in the table.\n";
}

int RunSizes(const Arguments& arguments, const Streams& streams) {
  std::vector<FilterSize> sizes;
  if (arguments.rate > 0) {
    sizes = SizesForRate(arguments.keys, arguments.rate);
  } else {
    const double bits = arguments.memory > 0
                            ? BitsPerKey(arguments.memory, arguments.keys)
                            : arguments.bits;
    if (!(bits >= kMinBitsPerKey && bits <= kMaxBitsPerKey)) {
      return ReportFailure(rocksdb::Status::InvalidArgument(fmt::format(
                               "{}: {:.4g} bits per key; accepted are {} to {}",
                               arguments.memory > 0 ? "--memory" : "--bits",
                               bits, kMinBitsPerKey, kMaxBitsPerKey)),
                           streams.err);
    }
    sizes = SizesForBits(arguments.keys, bits);
  }
  std::vector<Record> records;
  for (const FilterSize& size : sizes) {
    records.push_back(RecordOf(arguments, size));
  }
  if (arguments.format == "json") {
    streams.out << Print(
        {{"keys", arguments.keys}, {"sizes", ToJsonArray(records)}});
  } else if (arguments.format == "csv") {
    streams.out << ToCsv(records.front(), records);
  } else {
    streams.out << TableOf(arguments, sizes);
  }
  return kExitOk;
}

int RunCurve(const Arguments& arguments, const Streams& streams) {
  const bool plots = !arguments.plot_path.empty();
  rocksdb::Status status;
  if (plots) status = CheckChartFile(arguments.plot_path);
  if (!status.ok()) return ReportFailure(status, streams.err);
  std::vector<std::vector<FilterSize>> curve;
  std::vector<Record> records;
  std::vector<std::string> headers = {"bits\nper key"};
  for (const std::string& kind : SizedKinds()) headers.push_back(kind + "\n%");
  TextTable table(headers);
  for (double bits = kCurveLow; bits <= kCurveHigh; bits += 1) {
    Record record = {{"bits_per_key", bits}};
    std::vector<std::string> row = {fmt::format("{:.0f}", bits)};
    curve.push_back(SizesForBits(arguments.keys, bits));
    const std::vector<FilterSize>& sizes = curve.back();
    for (size_t i = 0; i < sizes.size(); ++i) {
      // The names live as long as the program.
      record.emplace_back(SizedKinds()[i].c_str(), sizes[i].rate);
      row.push_back(fmt::format("{:.4g}", 100 * sizes[i].rate));
    }
    records.push_back(record);
    table.AddRow(row);
  }
  if (arguments.format == "json") {
    streams.out << Print(
        {{"keys", arguments.keys}, {"curve", ToJsonArray(records)}});
  } else if (arguments.format == "csv") {
    streams.out << ToCsv(records.front(), records);
  } else {
    streams.out << table.ToString();
  }
  if (plots) {
    status = DrawChart(SizeChart(arguments.keys, curve), arguments.plot_path);
  }
  return status.ok() ? kExitOk : ReportFailure(status, streams.err);
}

int RunSize(const Arguments& arguments, const Streams& streams) {
  if (arguments.curve) return RunCurve(arguments, streams);
  // Range lets through what is no number.
  if (std::isnan(arguments.rate)) {
    return ReportFailure(
        rocksdb::Status::InvalidArgument("--fpr: not a number"), streams.err);
  }
  if (arguments.bits == 0 && arguments.rate == 0 && arguments.memory == 0) {
    return ReportFailure(
        rocksdb::Status::InvalidArgument(
            "no size: give --bits B, --fpr P, --memory BYTES or --curve"),
        streams.err);
  }
  return RunSizes(arguments, streams);
}

}  // namespace

void AddSizeCommand(CLI::App* app, Work* work) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app->add_subcommand("size", kDescription);
  command->footer(kExamples);
  command->add_option("--keys", arguments->keys, "Distinct keys")
      ->required()
      ->transform(Count(1, kMostKeys));
  CLI::Option* bits =
      command->add_option("--bits", arguments->bits, "Bits per key")
          ->check(CLI::Range(kMinBitsPerKey, kMaxBitsPerKey));
  CLI::Option* rate = command
                          ->add_option("--fpr", arguments->rate,
                                       "False positive rate, for instance 0.01")
                          ->check(CLI::Range(1e-12, 0.99))
                          ->excludes(bits);
  CLI::Option* memory = command
                            ->add_option("--memory", arguments->memory,
                                         "Bytes, or with a unit such as 8MiB")
                            ->transform(ByteCount(1, uint64_t{1} << 60))
                            ->excludes(bits)
                            ->excludes(rate);
  CLI::Option* curve = command
                           ->add_flag("--curve", arguments->curve,
                                      "Rate against bits per key, from 2 to 24")
                           ->excludes(bits)
                           ->excludes(rate)
                           ->excludes(memory);
  command->add_option("--format", arguments->format, "How to print")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->add_option("--plot", arguments->plot_path, kPlotHelp)
      ->type_name("FILE")
      ->needs(curve);
  command->callback([arguments, work] {
    *work = [arguments](const Streams& streams) {
      return RunSize(*arguments, streams);
    };
  });
}

}  // namespace sstfilter::tools
