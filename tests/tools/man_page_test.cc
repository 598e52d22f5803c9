#include "tools/man_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "help_options.h"
#include "integration/option_text.h"
#include "run_tool.h"
#include "sstfilter/options.h"
#include "temporary_directory.h"
#include "tools/filter_fields.h"

namespace sstfilter::tools {
namespace {

// What a reader sees; fails when groff finds a fault in the page.
std::string Rendered(const std::string& page) {
  const TemporaryDirectory directory;
  const std::string source = directory.Write("page", page);
  const std::string command = "groff -man -ww -Tascii -P-cbou -rLL=200n " +
                              source + " >" + directory.Path("text") + " 2>" +
                              directory.Path("faults");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(directory.Read("faults"), "");
  return directory.Read("text");
}

std::string Section(const std::string& text, const std::string& title) {
  const size_t begin = text.find("\n" + title + "\n");
  EXPECT_NE(begin, std::string::npos) << title;
  if (begin == std::string::npos) return "";
  // The next line that is not indented.
  size_t end = begin + 1 + title.size();
  while (end + 1 < text.size() &&
         (text[end] != '\n' || text[end + 1] == ' ' || text[end + 1] == '\n')) {
    ++end;
  }
  return text.substr(begin, end - begin);
}

TEST(ManPageTest, HasEverySection) {
  const std::string text = Rendered(ManPage(DescribeCommandLine()));
  for (const char* title :
       {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "FILTER OPTIONS",
        "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"}) {
    EXPECT_GT(Section(text, title).size(), 20u) << title;
  }
  ExpectSays(Section(text, "ENVIRONMENT"), "SSTFILTER_CPU");
  ExpectSays(Section(text, "SEE ALSO"), "gnuplot(1)");
  // whatis and apropos read this line.
  ExpectSays(Section(text, "NAME"), "sstfilter - ");
}

TEST(ManPageTest, HasEveryOptionOfEveryCommand) {
  const std::string text = Rendered(ManPage(DescribeCommandLine()));
  const std::string commands = Section(text, "COMMANDS");
  const auto help = HelpOptions();
  ASSERT_EQ(help.size(), 5u);
  size_t begin = 0;
  for (const CommandFacts& command : DescribeCommandLine()) {
    if (command.name == "sstfilter") continue;
    ASSERT_EQ(help.count(command.name), 1u) << command.name;
    begin = commands.find("\n   sstfilter " + command.name + "\n", begin);
    ASSERT_NE(begin, std::string::npos) << command.name;
    const size_t end = commands.find("\n   sstfilter ", begin + 1);
    const std::string part = commands.substr(begin, end - begin);
    EXPECT_GT(help.at(command.name).size(), 2u);
    for (const std::string& name : help.at(command.name)) {
      EXPECT_TRUE(std::regex_search(
          part, std::regex("\n       (-h, )?" + name + "( |,|\n)")))
          << command.name << " " << name << "\n"
          << part;
    }
  }
}

TEST(ManPageTest, HasEveryFieldOfAFilter) {
  const std::string text = Rendered(ManPage(DescribeCommandLine()));
  const std::string fields = Section(text, "FILTER OPTIONS");
  std::vector<std::string> names;
  for (const FilterFieldFacts& field : FilterFields()) {
    names.emplace_back(field.name);
    EXPECT_TRUE(std::regex_search(
        fields, std::regex("\n       " + names.back() + "( |\n)")))
        << fields;
    if (*field.default_value == '\0') continue;
    FilterOptions options;
    EXPECT_TRUE(
        ParseFilterOptions(names.back() + "=" + field.default_value, &options)
            .ok());
    EXPECT_EQ(options, FilterOptions())
        << "not the default of " << names.back();
  }
  EXPECT_EQ(names, FilterFieldNames());
}

TEST(ManPageTest, SaysWhatAnOptionTakes) {
  const std::string text = Rendered(ManPage(DescribeCommandLine()));
  ExpectSays(text, "--format TEXT");
  ExpectSays(text, "One of table, json, csv.");
  ExpectSays(text, "In the range 1 - 6.");
  ExpectSays(text, "Default: 65536.");
  ExpectSays(text, "--plot FILE");
  ExpectSays(text, "Needs --curve.");
  ExpectSays(text, "sstfilter inspect [options] path ...");
  ExpectSays(text, "Not together with --curve, --fpr, --memory.");
}

TEST(ManPageTest, ExamplesAreThoseOfHelp) {
  const std::string examples =
      Section(Rendered(ManPage(DescribeCommandLine())), "EXAMPLES");
  for (const CommandFacts& command : DescribeCommandLine()) {
    if (command.name == "sstfilter") continue;
    size_t seen = 0;
    std::istringstream lines(command.footer);
    std::string line;
    while (std::getline(lines, line)) {
      if (line.rfind("  ", 0) != 0) continue;
      ExpectSays(examples, line.substr(line.find_first_not_of(' ')) + "\n");
      ++seen;
    }
    EXPECT_GT(seen, 0u) << command.name;
  }
}

TEST(ManPageTest, NothingHasAMeaningToTroff) {
  CommandFacts program;
  program.name = "sstfilter";
  program.description = ".so /etc/passwd\n'so x\n\\fB\\n[x] a-b `c' ^ ~ \"d\"";
  const std::string text = Rendered(ManPage({program}));
  ExpectSays(text, ".so /etc/passwd 'so x \\fB\\n[x] a-b `c' ^ ~ \"d\".");
}

}  // namespace
}  // namespace sstfilter::tools
