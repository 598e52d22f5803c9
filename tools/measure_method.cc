#include "tools/measure_method.h"

#include <fmt/format.h>
#include <rocksdb/version.h>

#include "filter/cpu.h"
#include "integration/counted.h"

namespace sstfilter::tools {

namespace {

std::string DescribeTree(const std::map<int, LevelSummary>& levels) {
  std::string tree;
  for (const auto& [level, summary] : levels) {
    tree += fmt::format("{}L{} {} in {}", tree.empty() ? "" : ", ", level,
                        Counted(summary.keys, "key"),
                        Counted(summary.files, "table"));
  }
  return tree;
}

}  // namespace

std::vector<std::string> DescribeMethod(const MethodFacts& facts) {
  const MeasureOptions& options = facts.options;
  return {
      fmt::format("The same tree for every filter: {}; values of {}, no "
                  "compression.",
                  DescribeTree(facts.levels),
                  Counted(options.value_bytes, "byte")),
      fmt::format("{} absent and {} present keys looked up.",
                  facts.absent_lookups, facts.present_lookups),
      fmt::format("A disk read is one read of a table file that RocksDB asked "
                  "the file system for, reads of filter blocks included; {}.",
                  facts.direct_reads
                      ? "direct I/O, past the page cache"
                      : "no direct I/O here, so the operating system may serve "
                        "it from memory"),
      fmt::format("Block cache of {}; filters and index blocks are {}.",
                  Counted(options.cache_bytes, "byte"),
                  options.cache_filters ? "in it and may have to be read again"
                                        : "held in memory outside it"),
      "Reads avoided are those of the run without filters less one's own.",
      "Skipped tables, false positives and their rate, false positives / "
      "(false "
      "positives + skipped), are those of absent lookups.",
      fmt::format("Microseconds per lookup by {}, one thread, median of {} "
                  "in which the filters take turns.",
                  options.batch > 1
                      ? fmt::format("MultiGet of {} keys", options.batch)
                      : "Get",
                  Counted(facts.rounds, "round")),
      fmt::format("Build time: adding the keys of one table of the deepest "
                  "level, {}, and making the filter of them, apart from the "
                  "database, the same way for every filter; median of the "
                  "rounds.",
                  facts.keys_per_build),
      fmt::format("RocksDB {}, sstfilter kernels: {}.",
                  rocksdb::GetRocksVersionAsString(),
                  CpuLevelName(ActiveCpuLevel())),
  };
}

}  // namespace sstfilter::tools
