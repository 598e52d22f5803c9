// Runs the command in process, as a user would.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tools/command.h"

namespace sstfilter::tools {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

inline Outcome RunTool(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"sstfilter"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  std::ostringstream out;
  std::ostringstream err;
  const int code =
      RunCommand(static_cast<int>(argv.size()), argv.data(), out, err);
  return Outcome{code, out.str(), err.str()};
}

// One line on standard error that says `why`.
inline void ExpectRefused(const std::vector<std::string>& arguments,
                          const std::string& why) {
  const Outcome outcome = RunTool(arguments);
  EXPECT_NE(outcome.code, 0) << why;
  EXPECT_EQ(outcome.out, "") << why;
  EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  ASSERT_FALSE(outcome.err.empty());
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

inline void ExpectSays(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
}

}  // namespace sstfilter::tools
