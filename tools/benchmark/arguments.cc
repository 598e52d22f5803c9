#include "tools/benchmark/arguments.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <sstream>

namespace sstfilter::benchmarks {

namespace {

// Whole numbers in either spelling: 100000 or 1e5.
std::vector<uint64_t> Whole(const std::vector<double>& numbers) {
  std::vector<uint64_t> whole;
  for (const double number : numbers) {
    whole.push_back(static_cast<uint64_t>(std::llround(number)));
  }
  return whole;
}

// Fields that the user has set are not touched.
void ApplyPreset(const CLI::App& app, bool quick, bool full,
                 Settings* settings) {
  const auto is_free = [&app](const char* option) {
    return app.count(option) == 0;
  };
  if (quick) {
    if (is_free("--keys")) settings->keys = {100'000};
    if (is_free("--repeats")) settings->repeats = 3;
    if (is_free("--rounds")) settings->rounds = 7;
    if (is_free("--rate-queries")) settings->rate_queries = 500'000;
  }
  if (full) {
    if (is_free("--keys")) {
      settings->keys = {10'000, 100'000, 1'000'000, 10'000'000};
    }
    if (is_free("--lengths")) settings->lengths = {8, 16, 32, 100, 300};
    settings->core = true;
  }
  if (settings->curve) {
    if (is_free("--keys")) {
      settings->keys = {10'000,     30'000,     100'000,
                        300'000,    1'000'000,  3'000'000,
                        10'000'000, 30'000'000, 100'000'000};
      if (quick) settings->keys.resize(5);
    }
    if (is_free("--filters")) {
      settings->filters = {"rocksdb-bloom", "rocksdb-ribbon", "bloom", "parity",
                           "fetch"};
    }
  }
}

}  // namespace

ArgumentsOutcome ParseArguments(int argc, const char* const* argv,
                                Settings* settings, std::ostream& out,
                                std::ostream& err) {
  CLI::App app(
      "Compares filters of sstfilter and RocksDB in one process and prints "
      "Markdown tables. Options of Google Benchmark are understood too: "
      "--benchmark_out=FILE keeps every figure as JSON.",
      "sstfilter_bench");
  bool quick = false;
  bool full = false;
  std::vector<double> keys;
  app.add_option("--keys", keys,
                 "Keys per filter, separated by commas (default 1e5,1e7)")
      ->delimiter(',')
      ->check(CLI::Range(1.0, 1e9));
  app.add_option("--lengths", settings->lengths,
                 "Bytes per key, separated by commas (default 16)")
      ->delimiter(',')
      ->check(CLI::Range(8, 4096));
  app.add_option("--filters", settings->filters,
                 "Filters, separated by commas: rocksdb-bloom, "
                 "rocksdb-ribbon, bloom, standard, parity, one kernel "
                 "(parity/avx2), fetch (no filter: only reads the memory that "
                 "one would); each may say its bits per key (parity:7.2) "
                 "and where its block lies (parity@0, parity@0huge). The "
                 "others are compared with the first")
      ->delimiter(',');
  app.add_option("--bits", settings->bits_per_key, "Bits per key (default 10)")
      ->check(CLI::Range(1.0, 100.0));
  app.add_flag("--core", settings->core,
               "Every kernel too, below the RocksDB interface");
  app.add_flag("--quick", quick, "A short run: fewer repeats, 1e5 keys");
  app.add_flag("--full", full,
               "1e4 to 1e7 keys, 8 to 300 bytes per key, every kernel: takes "
               "half an hour")
      ->excludes("--quick");
  app.add_flag("--curve", settings->curve,
               "Cost against the number of keys, up to 1e8");
  app.add_flag("--fenced", settings->fenced,
               "Each single lookup ends before the next begins: latency");
  app.add_flag("--fresh-memory", settings->fresh_memory,
               "Builds get their memory from the kernel (default: they find "
               "that of earlier builds)");
  app.add_option("--alignment", settings->placement.alignment,
                 "Address of a filter block modulo 64 (default 16, where "
                 "glibc puts large blocks)")
      ->check(CLI::Range(0, 63));
  app.add_flag("--huge-pages", settings->placement.huge_pages,
               "Filter blocks in huge pages");
  app.add_option("--repeats", settings->repeats, "Repeats (default 7)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--rounds", settings->rounds, "Rounds per repeat (default 15)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--rate-queries", settings->rate_queries,
                 "Absent keys for the false positive rate (default 4000000)")
      ->check(CLI::Range(1.0, 1e12));
  app.add_option("--memory-keys", settings->memory_keys,
                 "The fewest keys with which the memory of building is "
                 "measured (default 1000000)")
      ->check(CLI::Range(1.0, 1e9));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool is_help = error.get_exit_code() == 0;
    if (is_help) {
      std::ostringstream ignored;
      app.exit(error, out, ignored);
      return ArgumentsOutcome::kHelp;
    }
    err << "sstfilter_bench: " << error.what() << " (see --help)\n";
    return ArgumentsOutcome::kError;
  }
  if (!keys.empty()) settings->keys = Whole(keys);
  ApplyPreset(app, quick, full, settings);
  return ArgumentsOutcome::kRun;
}

}  // namespace sstfilter::benchmarks
