// What comes before any one command.
#include "tools/command.h"

#include <gtest/gtest.h>

#include "help_options.h"
#include "integration/option_text.h"
#include "run_tool.h"
#include "sstfilter/version.h"

namespace sstfilter::tools {
namespace {

TEST(CommandTest, SaysItsVersion) {
  const Outcome outcome = RunTool({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "sstfilter " SSTFILTER_VERSION "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandTest, HelpFitsOnAScreen) {
  const Outcome outcome = RunTool({"--help"});
  std::istringstream lines(outcome.out);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), 80u) << line;
  }
  EXPECT_LE(count, 40u);
  EXPECT_EQ(HelpOptions().size(), 5u);
  for (const std::string& field : FilterFieldNames()) {
    ExpectSays(outcome.out, field);
  }
}

TEST(CommandTest, NamesTheCommandsWhenOneIsMistyped) {
  ExpectRefused({"mesure", "--num", "1"}, "no such command: mesure");
  ExpectRefused({"mesure"}, "measure, inspect, size, advise, verify");
  ExpectRefused({}, "--help");
}

}  // namespace
}  // namespace sstfilter::tools
