// The command line of `sstfilter` as data: what the man page and the completion
// of shells are made from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/subcommand.h"

namespace sstfilter::tools {

// The parser itself. When it has parsed a command line, `*work`, which outlives
// it, is what to do.
std::unique_ptr<CLI::App> MakeParser(Work* work);

struct OptionFacts {
  std::vector<std::string> names;  // "-h", "--help"; of a positional, its name
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;
  std::string value;                 // "FILE", "UINT"; empty: takes none
  std::vector<std::string> choices;  // the only words accepted, where few are
  std::string range;                 // "1 - 6"; empty: not limited
  std::string default_value;
  std::string description;
  std::vector<std::string> excludes;  // options it does not go with
  std::vector<std::string> needs;     // options it does not go without
};

struct CommandFacts {
  std::string name;
  std::string description;
  std::string footer;  // examples
  std::vector<OptionFacts> options;
};

// The program as a whole: first itself, with the options before a command,
// then the commands. All lists are in the order of --help, or sorted.
std::vector<CommandFacts> DescribeCommandLine();

}  // namespace sstfilter::tools
