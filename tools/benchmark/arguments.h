// The command line.
#pragma once

#include <ostream>

#include "tools/benchmark/settings.h"

namespace sstfilter::benchmarks {

enum class ArgumentsOutcome { kRun, kHelp, kError };

// Help goes to `out`, errors to `err`.
ArgumentsOutcome ParseArguments(int argc, const char* const* argv,
                                Settings* settings, std::ostream& out,
                                std::ostream& err);

}  // namespace sstfilter::benchmarks
