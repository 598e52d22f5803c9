// The option --plot of every command that has it, as a user meets it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gnuplot_double.h"
#include "run_tool.h"
#include "sample_database.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

class PlotCommandTest : public ::testing::Test {
 protected:
  // One short run of each command, without --plot.
  std::vector<std::vector<std::string>> Runs() const {
    return {{"size", "--keys", "1000000", "--curve"},
            {"size", "--keys", "1000000", "--curve", "--format", "csv"},
            {"inspect", directory_.Path("db")},
            {"inspect", directory_.Path("db"), "--format", "json"},
            {"measure", "--num", "2000", "--lookups", "200",
             "--present-lookups", "100", "--filter", "none", "--filter",
             "sstfilter:kind=parity;bits_per_key=7.2;level_allocation=optimal",
             "--db", directory_.Path("work"), "--format", "csv"}};
  }

  static std::vector<std::string> With(std::vector<std::string> run,
                                       const std::string& plot) {
    run.insert(run.end(), {"--plot", plot});
    return run;
  }

  void MakeDatabase() {
    MakeSample(SampleOptions({"sstfilter:10"}), directory_.Path("db"), 0, 1000);
  }

  const TemporaryDirectory directory_;
};

TEST_F(PlotCommandTest, DrawsAndPrints) {
  MakeDatabase();
  const std::string svg = directory_.Path("it's a \"picture\".svg");
  const std::string png = directory_.Path("picture.png");
  for (const std::vector<std::string>& run : Runs()) {
    const Outcome drawn = RunTool(With(run, svg));
    EXPECT_EQ(drawn.code, 0) << drawn.err;
    EXPECT_EQ(drawn.err, "");
    EXPECT_TRUE(IsSvg(directory_.Read("it's a \"picture\".svg"))) << run[0];
    EXPECT_EQ(RunTool(With(run, png)).code, 0) << run[0];
    EXPECT_TRUE(IsPng(directory_.Read("picture.png"))) << run[0];
    // Times are in the results of measure.
    if (run[0] != "measure") {
      EXPECT_EQ(drawn.out, RunTool(run).out);
    }
    EXPECT_NE(drawn.out, "");
    std::filesystem::remove(svg);
    std::filesystem::remove(png);
  }
}

TEST_F(PlotCommandTest, RefusedBeforeTheWork) {
  MakeDatabase();
  const TemporaryDirectory empty;
  for (const std::vector<std::string>& run : Runs()) {
    ExpectRefused(With(run, directory_.Path("x.jpg")), ".svg or .png");
    ExpectRefused(With(run, directory_.Path("no/x.svg")), "No such file");
    const PathOnly path(empty.path());
    ExpectRefused(With(run, directory_.Path("x.svg")), "gnuplot-nox");
  }
  EXPECT_FALSE(std::filesystem::exists(directory_.Path("work")));
  EXPECT_EQ(directory_.Entries(), 1u);  // the database
}

TEST_F(PlotCommandTest, ResultsAreNotLostWhenDrawingFails) {
  MakeDatabase();
  const TemporaryDirectory programs;
  WriteGnuplotDouble(programs, "echo 'out of ink' >&2; exit 1");
  const PathOnly path(programs.path());
  for (const std::vector<std::string>& run : Runs()) {
    const Outcome outcome = RunTool(With(run, directory_.Path("x.svg")));
    EXPECT_EQ(outcome.code, kExitFailure) << run[0];
    EXPECT_NE(outcome.out, "") << run[0];
    ExpectSays(outcome.err, "out of ink");
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(directory_.Path("x.svg")));
  }
}

TEST_F(PlotCommandTest, SizeDrawsTheCurveOnly) {
  ExpectRefused({"size", "--keys", "5", "--bits", "5", "--plot",
                 directory_.Path("x.svg")},
                "--plot requires --curve");
}

TEST_F(PlotCommandTest, LevelsAndOddColumnFamilies) {
  const std::string name = "it's <odd> & `touch x`\n\xff";
  {
    const auto options = SampleOptions({"rocksdb-bloom:10"});
    const auto db = OpenSample(options, directory_.Path("db"));
    AddSampleTable(db.get(), 0, 1000);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
    AddSampleTable(db.get(), 0, 1000);
    rocksdb::ColumnFamilyHandle* other = nullptr;
    ASSERT_TRUE(
        db->CreateColumnFamily(SampleOptions({"none"}), name, &other).ok());
    ASSERT_TRUE(db->Put({}, other, "key", "value").ok());
    ASSERT_TRUE(db->Flush({}, other).ok());
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(other).ok());
  }
  const Outcome outcome = RunTool(
      {"inspect", directory_.Path("db"), "--plot", directory_.Path("x.svg")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string picture = directory_.Read("x.svg");
  EXPECT_TRUE(IsSvg(picture));
  ExpectSays(picture, "default, level 0");
  ExpectSays(picture, "default, level 1");
  ExpectSays(picture, "&amp; `touch x`");
  ExpectSays(picture, "it's &lt;odd");
}

TEST_F(PlotCommandTest, NothingToDraw) {
  OpenSample(SampleOptions({"none"}), directory_.Path("db"));
  const Outcome outcome = RunTool(
      {"inspect", directory_.Path("db"), "--plot", directory_.Path("x.svg")});
  EXPECT_EQ(outcome.code, kExitFailure);
  ExpectSays(outcome.err, "there are no tables");
  EXPECT_FALSE(std::filesystem::exists(directory_.Path("x.svg")));
}

TEST_F(PlotCommandTest, HelpHasAnExample) {
  for (const char* command : {"measure", "size", "inspect"}) {
    const std::string help = RunTool({command, "--help"}).out;
    const size_t examples = help.find("Examples:");
    ASSERT_NE(examples, std::string::npos) << command;
    ExpectSays(help.substr(examples), "--plot");
  }
}

}  // namespace
}  // namespace sstfilter::tools
