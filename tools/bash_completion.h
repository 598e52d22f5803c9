// The completion of `sstfilter` in bash.
#pragma once

#include <string>
#include <vector>

#include "tools/command_line.h"

namespace sstfilter::tools {

// A script that bash reads: it makes the function _sstfilter complete the
// command sstfilter.
std::string BashCompletion(const std::vector<CommandFacts>& commands);

}  // namespace sstfilter::tools
