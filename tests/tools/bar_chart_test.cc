#include "tools/bar_chart.h"

#include <gtest/gtest.h>

#include <string>

#include "gnuplot_double.h"
#include "run_tool.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

// gnuplot is the judge of what it understands.
void ExpectDrawn(const Chart& chart) {
  const TemporaryDirectory directory;
  const rocksdb::Status status = DrawChart(chart, directory.Path("x.svg"));
  EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << chart.commands;
  EXPECT_TRUE(IsSvg(directory.Read("x.svg"))) << chart.commands;
}

BarChart TwoRows() {
  return {
      "All",
      {"first", "second"},
      {{"Reads", "reads", "", {{"absent", {100, 80}}, {"present", {50, 0}}}},
       {"Rate", "%", "no filter", {{"", {std::nullopt, 0.5}}}}}};
}

TEST(BarChartTest, HasAllThereIsToSay) {
  const Chart chart = DrawBars(TwoRows());
  for (const char* text :
       {"multiplot title 'All'", "set title 'Reads'", "set xlabel 'reads'",
        "set title 'Rate'", "set xlabel '%'", "title 'absent'",
        "title 'present'", "\"no filter\"", "\"0.500\"",
        "set ytics ('first' 0, 'second' 1)"}) {
    ExpectSays(chart.commands, text);
  }
  ExpectDrawn(chart);
}

TEST(BarChartTest, DataOfABarIsItsValue) {
  const Chart chart = DrawBars(TwoRows());
  // From 0 to the value, around the row; a value of 0 is a number and no bar.
  ExpectSays(chart.commands,
             "$bars_0_0 << EOD\n"
             "100 -0.1750 0 100 -0.3360 -0.0140\n"
             "80 0.8250 0 80 0.6640 0.9860\nEOD\n");
  ExpectSays(chart.commands,
             "$bars_0_1 << EOD\n50 0.1750 0 50 0.0140 0.3360\nEOD\n");
  ExpectSays(chart.commands,
             "$numbers_0_1 << EOD\n50 0.1750 \"50\"\n0 1.1750 \"0\"\nEOD\n");
}

TEST(BarChartTest, SaysThatAScaleIsLogarithmic) {
  BarChart bars = TwoRows();
  EXPECT_EQ(DrawBars(bars).commands.find("\nset logscale x"),
            std::string::npos);
  bars.panels[0].series[0].values = {100000, 1};
  const Chart chart = DrawBars(bars);
  ExpectSays(chart.commands, "\nset logscale x");
  ExpectSays(chart.commands, "'reads (log scale)'");
  ExpectDrawn(chart);
}

TEST(BarChartTest, LongNamesGetRoomAndLines) {
  BarChart bars = TwoRows();
  const Chart narrow = DrawBars(bars);
  bars.rows[1] =
      "sstfilter:kind=parity;bits_per_key=7.2;level_allocation=optimal";
  const Chart wide = DrawBars(bars);
  EXPECT_GT(wide.width, narrow.width);
  ExpectSays(wide.commands,
             "'sstfilter:kind=parity;bits_per_key=7.2;' . \"\\n\" . "
             "'level_allocation=optimal' 1");
  ExpectDrawn(wide);
  bars.rows[1] = std::string(500, 'x');
  const Chart cut = DrawBars(bars);
  EXPECT_LT(cut.width, wide.width + 100);
  ExpectSays(cut.commands, "xxx...' 1");
  ExpectDrawn(cut);
  // Lines end between characters, also where one takes three bytes.
  std::string umbrellas;
  for (int i = 0; i < 20; ++i) umbrellas += "\xe2\x98\x82";
  for (size_t shift = 0; shift < 3; ++shift) {
    bars.rows[1] = std::string(shift, 'x') + umbrellas;
    const Chart chart = DrawBars(bars);
    EXPECT_EQ(chart.commands.find("\xef\xbf\xbd"), std::string::npos) << shift;
    ExpectDrawn(chart);
  }
}

TEST(BarChartTest, Extremes) {
  BarChart bars = {"", {""}, {{"", "", "", {{"", {0}}}}}};
  ExpectDrawn(DrawBars(bars));
  bars.panels[0].series[0].values = {std::nullopt};
  ExpectDrawn(DrawBars(bars));
  bars.panels[0].series[0].values = {1e18};
  ExpectDrawn(DrawBars(bars));
  bars.rows = {"a", "b"};
  bars.panels[0].series = {{"x", {1e-12, 1e18}}, {"y", {std::nullopt, 0}}};
  ExpectDrawn(DrawBars(bars));
  bars.rows.assign(60, "row");
  bars.panels[0].series = {{"x", std::vector<std::optional<double>>(60, 1)}};
  ExpectDrawn(DrawBars(bars));
}

TEST(BarChartTest, MemoryIsInTheUnitOfTheLargest) {
  EXPECT_EQ(MemoryPanel({}).axis, "bytes");
  EXPECT_EQ(MemoryPanel({0, 1023}).axis, "bytes");
  const BarPanel panel = MemoryPanel({0, 512 << 10, 2 << 20});
  EXPECT_EQ(panel.axis, "MiB");
  EXPECT_EQ(panel.series[0].values,
            (std::vector<std::optional<double>>{0, 0.5, 2}));
  EXPECT_EQ(MemoryPanel({uint64_t{5} << 50}).axis, "TiB");
}

}  // namespace
}  // namespace sstfilter::tools
