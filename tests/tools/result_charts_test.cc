// The pictures of measure, size and inspect: that the results are in them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_tool.h"
#include "tools/inspect_chart.h"
#include "tools/measure_chart.h"
#include "tools/size_chart.h"

namespace sstfilter::tools {
namespace {

TEST(MeasureChartTest, ResultsOfEachFilter) {
  MeasureReport report;
  FilterResult none;
  none.filter = "none";
  none.keys = 5000;
  none.absent_lookups = 1000;
  none.present_lookups = 200;
  none.disk_reads_absent = 2900;
  none.disk_reads_present = 400;
  FilterResult some = none;
  some.filter = "sstfilter:10";
  some.filter_bytes = 6 << 10;
  some.disk_reads_absent = 17;
  some.observed_fpr = 0.0123;
  some.expected_fpr = 0.0117;
  report.results = {none, some};
  const std::string commands = MeasureChart(report).commands;
  for (const char* text :
       {"5,000 keys", "1,000 lookups", "'none' 0, 'sstfilter:10' 1",
        "title 'absent keys'", "title 'present keys'", "title 'observed'",
        "title 'expected'", "\"2900\"", "\"17\"", "\"400\"", "\"1.23\"",
        "\"1.17\"", "\"no filter\"", "'KiB'", "\"6\""}) {
    ExpectSays(commands, text);
  }
}

TEST(SizeChartTest, ALineForEachKind) {
  std::vector<std::vector<FilterSize>> curve;
  for (const double bits : {2.0, 10.0, 24.0}) {
    curve.push_back(SizesForBits(1000000, bits));
  }
  const std::string commands = SizeChart(1000000, curve).commands;
  for (const char* text :
       {"1,000,000 keys", "'bits per key'", "'false positive rate, %'",
        "xrange [2:24]", "logscale y", "title 'textbook bloom'",
        "title 'sstfilter bloom'", "title 'sstfilter parity'",
        "title 'rocksdb bloom'", "title 'rocksdb ribbon'"}) {
    ExpectSays(commands, text);
  }
  // The data: bits, then the rates in percent.
  std::string row = "\n10";
  for (const FilterSize& size : curve[1]) {
    char text[32];
    std::snprintf(text, sizeof(text), " %.9g", 100 * size.rate);
    row += text;
  }
  ExpectSays(commands, row + "\n");
}

LevelTotal Level(const std::string& family, int level, uint64_t entries) {
  LevelTotal total;
  total.database = "/db";
  total.column_family = family;
  total.level = level;
  total.tables = 2;
  total.entries = entries;
  total.filter_bytes = entries * 10 / 8;
  total.bits_per_key = 10.25;
  total.expected_rate = 0.0064;
  return total;
}

TEST(InspectChartTest, ARowForEachLevel) {
  InspectReport report;
  report.levels = {Level("default", 0, 8192), Level("it's", 6, 819200)};
  report.levels[0].expected_rate = 1;
  std::string commands = InspectChart(report).commands;
  for (const char* text :
       {"4 tables with 827,392 entries",
        "'default, level 0' 0, 'it''s, level 6' 1", "\"100\"", "\"0.640\"",
        "\"10.2\"", "'KiB (log scale)'", "\"10\"", "\"1000\""}) {
    ExpectSays(commands, text);
  }
  EXPECT_EQ(commands.find("/db"), std::string::npos);

  report.levels[1].database = "/other";
  report.levels.push_back({});  // loose files
  commands = InspectChart(report).commands;
  ExpectSays(commands, "'/db: default, level 0' 0");
  ExpectSays(commands, "'/other: it''s, level 6' 1");
  ExpectSays(commands, "'tables of no known level' 2");
}

TEST(InspectChartTest, TheLargestOfVeryMany) {
  InspectReport report;
  for (int i = 0; i < 100; ++i) {
    // Many of the same size, too.
    report.levels.push_back(
        Level("f" + std::to_string(i), 1, i < 50 ? 7 : 1000 + i));
  }
  const std::string commands = InspectChart(report).commands;
  ExpectSays(commands, "the 60 largest of 100 levels");
  ExpectSays(commands, "'f50, level 1'");
  ExpectSays(commands, "'f99, level 1' 59");
  EXPECT_EQ(commands.find("'f49, level 1'"), std::string::npos);
}

}  // namespace
}  // namespace sstfilter::tools
