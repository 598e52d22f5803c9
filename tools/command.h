// The command `sstfilter`, callable in process.
#pragma once

#include <ostream>

namespace sstfilter::tools {

// What the process returns.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;  // the work failed or found a fault
inline constexpr int kExitUsage = 2;    // the command line or its input is bad
inline constexpr int kExitInterrupted = 130;

// Runs one command line. Results go to `out`; errors, one line each, and
// progress to `err`. Never throws.
int RunCommand(int argc, const char* const* argv, std::ostream& out,
               std::ostream& err);

}  // namespace sstfilter::tools
