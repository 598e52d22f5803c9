// What comes before any one command.
#include "tools/command.h"

#include <gtest/gtest.h>

#include "sstfilter/version.h"
#include "tests/tools/run_tool.h"

namespace sstfilter::tools {
namespace {

TEST(CommandTest, SaysItsVersion) {
  const Outcome outcome = RunTool({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "sstfilter " SSTFILTER_VERSION "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandTest, NamesTheCommandsWhenOneIsMistyped) {
  ExpectRefused({"mesure", "--num", "1"}, "no such command: mesure");
  ExpectRefused({"mesure"}, "measure, inspect, size, advise, verify");
  ExpectRefused({}, "--help");
}

}  // namespace
}  // namespace sstfilter::tools
