// What --help says there is: the yardstick for documents made from the same
// command line.
#pragma once

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "run_tool.h"

namespace sstfilter::tools {

// The commands, each with the names of its options.
inline std::map<std::string, std::set<std::string>> HelpOptions() {
  std::map<std::string, std::set<std::string>> options;
  std::istringstream program(RunTool({"--help"}).out);
  std::string line;
  while (std::getline(program, line) && line != "Subcommands:") {
  }
  std::smatch match;
  while (std::getline(program, line)) {
    if (std::regex_search(line, match, std::regex("^  ([a-z]+) "))) {
      options[match[1]];
    }
  }
  for (auto& [command, names] : options) {
    std::istringstream help(RunTool({command, "--help"}).out);
    while (std::getline(help, line) && line != "Examples:") {
      if (std::regex_search(line, match,
                            std::regex("^  (-[a-z],)?(--[a-z-]+)"))) {
        if (match[1].matched) names.insert(match[1].str().substr(0, 2));
        names.insert(match[2]);
      }
    }
  }
  return options;
}

}  // namespace sstfilter::tools
