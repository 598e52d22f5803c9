#include "tools/bash_completion.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "help_options.h"
#include "run_tool.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

using Words = std::set<std::string>;

// What bash offers for the last of the words, as bash takes them apart; and
// "<default>" or "<dirnames>" where it leaves that to readline.
Words Complete(const std::vector<std::string>& words) {
  const TemporaryDirectory directory;
  directory.Write("completion", BashCompletion(DescribeCommandLine()));
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  directory.Write("ask",
                  "set -eu\n"
                  "compopt() { echo \"<$2>\"; }\n"  // outside of readline
                  "source " +
                      directory.Path("completion") +
                      "\n"
                      "COMP_WORDS=(sstfilter" +
                      line + ")\nCOMP_CWORD=" + std::to_string(words.size()) +
                      "\n"
                      "_sstfilter || true\n"  // nothing offered is no fault
                      "for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; "
                      "done\n");
  const std::string command = "bash " + directory.Path("ask") + " >" +
                              directory.Path("answer") + " 2>" +
                              directory.Path("faults");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(directory.Read("faults"), "");
  std::istringstream answer(directory.Read("answer"));
  Words offered;
  std::string word;
  while (std::getline(answer, word)) offered.insert(word);
  return offered;
}

TEST(BashCompletionTest, Commands) {
  Words commands = {"-h", "--help", "--version"};
  for (const auto& [command, options] : HelpOptions()) commands.insert(command);
  EXPECT_EQ(commands.size(), 8u);
  EXPECT_EQ(Complete({""}), commands);
  EXPECT_EQ(Complete({"me"}), Words({"measure"}));
  EXPECT_EQ(Complete({"zz"}), Words());
}

TEST(BashCompletionTest, OptionsOfEveryCommand) {
  for (const auto& [command, options] : HelpOptions()) {
    EXPECT_EQ(Complete({command, "-"}), options) << command;
  }
  EXPECT_EQ(Complete({"measure", "--num", "5", "--pl"}), Words({"--plot"}));
  EXPECT_EQ(Complete({"measure", "--cache-filters", "--by"}),
            Words({"--by-level"}));
}

TEST(BashCompletionTest, ListedValues) {
  const Words three = {"table", "json", "csv"};
  EXPECT_EQ(Complete({"size", "--format", ""}), three);
  EXPECT_EQ(Complete({"measure", "--num", "5", "--format", "="}), three);
  EXPECT_EQ(Complete({"inspect", "--format", "=", "c"}), Words({"csv"}));
  EXPECT_EQ(Complete({"advise", "--format", ""}), Words({"table", "json"}));
  EXPECT_EQ(Complete({"advise", "--kind", ""}), Words({"bloom", "parity"}));
}

TEST(BashCompletionTest, FilesAndDirectories) {
  EXPECT_EQ(Complete({"measure", "--keys", ""}), Words({"<default>"}));
  EXPECT_EQ(Complete({"measure", "--absent", "x"}), Words({"<default>"}));
  EXPECT_EQ(Complete({"size", "--curve", "--plot", "=", "x"}),
            Words({"<default>"}));
  EXPECT_EQ(Complete({"measure", "--db", ""}), Words({"<dirnames>"}));
  EXPECT_EQ(Complete({"advise", "--db", ""}), Words({"<dirnames>"}));
  EXPECT_EQ(Complete({"inspect", ""}), Words({"<default>"}));
  EXPECT_EQ(Complete({"verify", "a.sst", "b"}), Words({"<default>"}));
}

TEST(BashCompletionTest, NothingForNumbers) {
  EXPECT_EQ(Complete({"measure", "--num", ""}), Words());
  EXPECT_EQ(Complete({"verify", "--threads", ""}), Words());
}

}  // namespace
}  // namespace sstfilter::tools
