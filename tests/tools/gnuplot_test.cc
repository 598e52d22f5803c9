#include "tools/gnuplot.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "file_size_limit.h"
#include "gnuplot_double.h"
#include "run_tool.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

Chart Titled(const std::string& title) {
  return {300, 200,
          "set termoption noenhanced\nset title " + GnuplotText(title) +
              "\nplot x\n"};
}

TEST(GnuplotTest, TextIsQuoted) {
  EXPECT_EQ(GnuplotText(""), "''");
  EXPECT_EQ(GnuplotText("it's"), "'it''s'");
  EXPECT_EQ(GnuplotText("a\nb\rc\x7f"), "'a?b?c?'");
  EXPECT_EQ(GnuplotText("\xc3\xa9"), "'\xc3\xa9'");
  EXPECT_EQ(GnuplotText("\xff"), "'\xef\xbf\xbd'");
  EXPECT_EQ(GnuplotText("\xef\xbf\xbf'"), "'?'''");
}

TEST(GnuplotTest, TextIsNeverACommand) {
  const TemporaryDirectory directory;
  const std::string name = directory.Path("touched");
  const std::string odd = "`touch " + name + "` $(touch " + name + ") @x '\n" +
                          "system('touch " + name +
                          "') \"\\n {/Bold x}^2_3 %d <&> \xff\xef\xbf\xbe";
  const std::string path = directory.Path("odd.svg");
  const rocksdb::Status status = DrawChart(Titled(odd), path);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::string picture = directory.Read("odd.svg");
  EXPECT_TRUE(IsSvg(picture));
  ExpectSays(picture, "`touch ");
  ExpectSays(picture, "{/Bold x}^2_3 %d &lt;&amp;");
  EXPECT_FALSE(std::filesystem::exists(name));
}

TEST(GnuplotTest, DrawsBothFormatsTheSameEachTime) {
  const TemporaryDirectory directory;
  for (const char* name : {"a.svg", "b.svg", "a.png", "b.png"}) {
    ASSERT_TRUE(CheckChartFile(directory.Path(name)).ok());
    ASSERT_TRUE(DrawChart(Titled("x"), directory.Path(name)).ok());
  }
  EXPECT_TRUE(IsSvg(directory.Read("a.svg")));
  EXPECT_TRUE(IsPng(directory.Read("a.png")));
  EXPECT_EQ(directory.Read("a.svg"), directory.Read("b.svg"));
  EXPECT_EQ(directory.Read("a.png"), directory.Read("b.png"));
}

TEST(GnuplotTest, NamesOfFilesMayBeAnything) {
  const TemporaryDirectory directory;
  for (const char* name : {"a b.svg", "it's \"one\".svg", "back\\slash\\n.svg",
                           "new\nline.svg", "`false`$(false);false.svg",
                           "-e.svg", "\xff\xfe.svg", ".svg", "%s{}.svg"}) {
    ASSERT_TRUE(CheckChartFile(directory.Path(name)).ok()) << name;
    EXPECT_FALSE(std::filesystem::exists(directory.Path(name))) << name;
    ASSERT_TRUE(DrawChart(Titled("x"), directory.Path(name)).ok()) << name;
    EXPECT_TRUE(IsSvg(directory.Read(name))) << name;
  }
  EXPECT_EQ(directory.Entries(), 9u);
}

void ExpectCheckRefuses(const std::string& path, const std::string& why) {
  const rocksdb::Status status = CheckChartFile(path);
  EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  ExpectSays(status.ToString(), why);
}

TEST(GnuplotTest, NamesOfNoPicture) {
  const TemporaryDirectory directory;
  for (const char* name : {"", "x", "svg", "x.jpg", "x.svg.txt", "x.SVG"}) {
    ExpectCheckRefuses(directory.path() + name, ".svg or .png");
  }
}

TEST(GnuplotTest, FilesThatCannotBeWritten) {
  const TemporaryDirectory directory;
  ExpectCheckRefuses(directory.Path("missing/x.svg"), "missing/x.svg");
  std::filesystem::create_directory(directory.Path("d.svg"));
  ExpectCheckRefuses(directory.Path("d.svg"), "irectory");
  // The disk is full only when it is written to.
  std::filesystem::create_symlink("/dev/full", directory.Path("full.svg"));
  EXPECT_TRUE(CheckChartFile(directory.Path("full.svg")).ok());
  const rocksdb::Status status =
      DrawChart(Titled("x"), directory.Path("full.svg"));
  EXPECT_TRUE(status.IsIOError()) << status.ToString();
  ExpectSays(status.ToString(), "full.svg: No space left");
}

TEST(GnuplotTest, ChecksChangeNothing) {
  const TemporaryDirectory directory;
  directory.Write("old.svg", "old");
  EXPECT_TRUE(CheckChartFile(directory.Path("old.svg")).ok());
  EXPECT_TRUE(CheckChartFile(directory.Path("new.svg")).ok());
  EXPECT_EQ(directory.Read("old.svg"), "old");
  EXPECT_EQ(directory.Entries(), 1u);
}

TEST(GnuplotTest, Missing) {
  const TemporaryDirectory directory;
  const PathOnly path(directory.path());
  ExpectCheckRefuses(directory.Path("x.svg"), "gnuplot-nox");
  EXPECT_EQ(directory.Entries(), 0u);
}

TEST(GnuplotTest, ItsMessageIsPassedOn) {
  const TemporaryDirectory directory;
  const std::string path = directory.Write("old.svg", "old");
  const rocksdb::Status status =
      DrawChart({300, 200, "plot no_function(x)\n"}, path);
  EXPECT_TRUE(status.IsIOError());
  ExpectSays(status.ToString(), "undefined function: no_function");
  EXPECT_EQ(status.ToString().find('\n'), std::string::npos);
  EXPECT_EQ(directory.Read("old.svg"), "old");
}

TEST(GnuplotTest, FailuresOfAllKinds) {
  const struct {
    const char* commands;
    const char* why;
  } cases[] = {
      {"echo sorry >&2; exit 3", "exit code 3): sorry"},
      {"kill -9 $$", "signal 9"},
      {"exit 0", "drew no picture"},
      {"echo text", "drew no picture"},
      {"printf '<?xml version=\"1.0\"?>\\n<svg><g></g>'", "cut off"},
      {"printf '<?xml version=\"1.0\"?>\\n<svg></svg'", "cut off"},
      {"printf '<?xml version=\"1.0\"?>\\n'", "cut off"},
      // More than a pipe holds, before reading the script.
      {"i=0; while [ $i -lt 20000 ]; do echo 'much to say' >&2; "
       "i=$((i+1)); done; exit 1",
       "much to say"},
  };
  const TemporaryDirectory programs;
  const TemporaryDirectory directory;
  const std::string picture = directory.Write("old.svg", "old");
  for (const auto& [commands, why] : cases) {
    WriteGnuplotDouble(programs, commands);
    const PathOnly path(programs.path());
    EXPECT_TRUE(CheckChartFile(picture).ok()) << commands;
    const rocksdb::Status status = DrawChart(Titled("x"), picture);
    EXPECT_TRUE(status.IsIOError()) << commands;
    ExpectSays(status.ToString(), why);
    EXPECT_EQ(directory.Read("old.svg"), "old") << commands;
  }
}

TEST(GnuplotTest, TheEndOfAPicture) {
  const struct {
    const char* name;
    const char* printed;
    bool is_whole;
  } cases[] = {
      {"x.svg", "<?xml?><svg></svg>", true},
      {"x.svg", "<?xml?><svg></svg>\\n \\t\\r\\n", true},
      {"x.svg", "<?xml?><svg></svg>\\n.", false},
      {"x.png", "\\211PNG\\r\\n\\032\\n\\0\\0\\0\\0IEND\\256B`\\202", true},
      {"x.png", "\\211PNG\\r\\n\\032\\n\\0\\0\\0\\0IEND\\256B`", false},
      {"x.png", "\\211PNG\\r\\n\\032\\n\\0\\0\\0\\0IEND\\256B`\\202\\n", false},
      {"x.png", "\\211PNG\\r\\n\\032\\n", false},
  };
  const TemporaryDirectory programs;
  const TemporaryDirectory directory;
  for (const auto& [name, printed, is_whole] : cases) {
    WriteGnuplotDouble(programs, std::string("printf '") + printed + "'");
    const PathOnly path(programs.path());
    EXPECT_EQ(DrawChart(Titled("x"), directory.Path(name)).ok(), is_whole)
        << printed;
    EXPECT_EQ(std::filesystem::remove(directory.Path(name)), is_whole);
  }
  EXPECT_EQ(directory.Entries(), 0u);
}

// gnuplot itself ends as if all were well.
TEST(GnuplotTest, NoRoomForThePicture) {
  const TemporaryDirectory directory;
  for (const char* name : {"old.svg", "old.png"}) {
    const std::string path = directory.Write(name, "old");
    {
      const FileSizeLimit limit(1 << 12);
      const rocksdb::Status status = DrawChart(Titled("x"), path);
      EXPECT_TRUE(status.IsIOError()) << status.ToString();
      ExpectSays(status.ToString(), "cut off");
    }
    EXPECT_EQ(directory.Read(name), "old");
    EXPECT_TRUE(DrawChart(Titled("x"), path).ok());
    EXPECT_GT(directory.Read(name).size(), size_t{1 << 12});
  }
  EXPECT_EQ(directory.Entries(), 2u);
}

}  // namespace
}  // namespace sstfilter::tools
