// The benchmark as a user meets it, with runs that are as small as can be.
#include "tools/benchmark/benchmark.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tools/benchmark/malloc_memory.h"

namespace sstfilter::benchmarks {
namespace {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome RunWith(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"sstfilter_bench"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  std::ostringstream out;
  std::ostringstream err;
  const int code =
      RunBenchmark(static_cast<int>(argv.size()), argv.data(), out, err);
  return Outcome{code, out.str(), err.str()};
}

Outcome RunSmall(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(),
                   {"--repeats", "1", "--rounds", "1", "--rate-queries", "1",
                    "--memory-keys", "1"});
  return RunWith(arguments);
}

// The cells of all lines that are rows of a Markdown table.
std::vector<std::vector<std::string>> Rows(const std::string& markdown) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(markdown);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.compare(0, 2, "| ") != 0) continue;
    std::vector<std::string> cells;
    size_t start = 2;
    for (size_t end; (end = line.find(" |", start)) != std::string::npos;
         start = end + 3) {
      cells.push_back(line.substr(start, end - start));
    }
    rows.push_back(cells);
  }
  return rows;
}

TEST(BenchmarkTest, TableHasARowPerFilter) {
  const Outcome outcome =
      RunSmall({"--keys", "1000,2e3", "--lengths", "8,33", "--core"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1,000 keys of 8 bytes:"), std::string::npos);
  EXPECT_NE(outcome.out.find("2,000 keys of 33 bytes:"), std::string::npos);
  EXPECT_NE(outcome.out.find("kernel: "), std::string::npos);
  const auto rows = Rows(outcome.out);
  int references = 0;
  int kernels = 0;
  for (const auto& row : rows) {
    EXPECT_EQ(row.size(), 11u);
    references += row[0] == "rocksdb-bloom" ? 1 : 0;
    kernels += row[0] == "parity/scalar" ? 1 : 0;
  }
  EXPECT_EQ(references, 4);
  EXPECT_EQ(kernels, 4);
}

TEST(BenchmarkTest, ReferenceIsTheFirstFilter) {
  const Outcome outcome = RunSmall(
      {"--keys", "1000", "--filters", "bloom:12@0,parity/scalar:7.5@0"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto rows = Rows(outcome.out);
  ASSERT_EQ(rows.size(), 4u);
  ASSERT_EQ(rows[2].size(), 11u);
  EXPECT_EQ(rows[2][0], "bloom:12@0");
  EXPECT_EQ(rows[2][3].compare(0, 3, "1 ("), 0) << rows[2][3];
  EXPECT_EQ(rows[3][0], "parity/scalar:7.5@0");
}

// It answers as no filter would, and is as large as asked.
TEST(BenchmarkTest, FetchPassesEveryKey) {
  const Outcome outcome =
      RunSmall({"--keys", "4096", "--filters", "bloom,fetch:12@0"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto rows = Rows(outcome.out);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[3][0], "fetch:12@0");
  EXPECT_EQ(rows[3][1], "12.00");
  EXPECT_EQ(rows[3][2], "100 %");
}

TEST(BenchmarkTest, CurveGrowsWithTheKeys) {
  const Outcome outcome = RunSmall(
      {"--curve", "--keys", "1000,4000", "--filters", "rocksdb-bloom,parity"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("| 4,000 | "), std::string::npos) << outcome.out;
  // With counters or without: it says which.
  EXPECT_TRUE(outcome.out.find("Stalled cycles") != std::string::npos ||
              outcome.out.find("not supported here") != std::string::npos)
      << outcome.out;
}

TEST(BenchmarkTest, EveryWayToAsk) {
  for (const char* option : {"--fenced", "--alignment=0", "--huge-pages"}) {
    const Outcome outcome = RunSmall({"--keys", "1000", option});
    // Huge pages may be switched off in the kernel.
    if (outcome.code != 0) {
      EXPECT_STREQ(option, "--huge-pages");
      EXPECT_NE(outcome.err.find("no memory of the kind"), std::string::npos)
          << outcome.err;
    }
  }
}

TEST(BenchmarkTest, SaysWhatMemoryBuildsFind) {
  if (!ControlsFreedMemory()) GTEST_SKIP() << "not with this malloc";
  const std::vector<std::string> arguments = {"--keys", "1000", "--filters",
                                              "bloom"};
  EXPECT_NE(RunSmall(arguments).out.find("find the memory of earlier ones"),
            std::string::npos);
  std::vector<std::string> fresh = arguments;
  fresh.push_back("--fresh-memory");
  EXPECT_NE(RunSmall(fresh).out.find("get fresh memory from the kernel"),
            std::string::npos);
}

TEST(BenchmarkTest, JsonHasEveryFigure) {
  const std::string file =
      testing::TempDir() + "sstfilter_bench_" + std::to_string(getpid());
  const Outcome outcome =
      RunSmall({"--keys", "1000", "--filters", "rocksdb-bloom,parity",
                "--benchmark_out=" + file, "--benchmark_out_format=json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::ifstream in(file);
  const nlohmann::json json = nlohmann::json::parse(in);
  std::remove(file.c_str());
  EXPECT_TRUE(json["context"].contains("machine"));
  ASSERT_EQ(json["benchmarks"].size(), 8u);
  for (const auto& measure : json["benchmarks"]) {
    const bool is_facts =
        measure["name"].get<std::string>().compare(0, 5, "facts") == 0;
    const char* const figure =
        is_facts ? "parity false positive rate" : "parity ratio";
    EXPECT_TRUE(measure.contains(figure)) << measure;
  }
}

TEST(BenchmarkTest, Refused) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--filters", "blooom"},
      {"--filters", "bloom:0.5"},
      {"--filters", "bloom:12x"},
      {"--filters", "parity/sse9"},
      {"--filters", "auto/scalar"},
      {"--filters", "rocksdb-bloom/scalar"},
      {"--filters", "bloom@64"},
      {"--filters", "bloom@x"},
      {"--filters", "huge"},
      {"--lengths", "7"},
      {"--keys", "0"},
      {"--quick", "--full"},
      {"--nonsense"}};
  for (const auto& arguments : wrong) {
    const Outcome outcome = RunWith(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments.back();
    EXPECT_EQ(outcome.out, "") << arguments.back();
    EXPECT_NE(outcome.err, "") << arguments.back();
  }
}

TEST(BenchmarkTest, Help) {
  const Outcome outcome = RunWith({"--help-all"});
  EXPECT_EQ(outcome.code, 2);
  const Outcome help = RunWith({"-h"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("--filters"), std::string::npos);
  EXPECT_EQ(help.err, "");
}

}  // namespace
}  // namespace sstfilter::benchmarks
