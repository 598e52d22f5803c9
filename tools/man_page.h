// The man page of `sstfilter`.
#pragma once

#include <string>
#include <vector>

#include "tools/command_line.h"

namespace sstfilter::tools {

// sstfilter.1, in the language of man(7).
std::string ManPage(const std::vector<CommandFacts>& commands);

}  // namespace sstfilter::tools
