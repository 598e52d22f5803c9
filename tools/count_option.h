// Numbers on the command line that count something.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace sstfilter::tools {

// For Option::transform: whole numbers from `least` to `most`, in digits or as
// 1e9 or 1.5e6; those above 2^53 in digits only. What is refused is told what
// is accepted.
CLI::Validator Count(uint64_t least, uint64_t most);

// The same for bytes, which may have a unit such as 8MiB.
CLI::Validator ByteCount(uint64_t least, uint64_t most);

}  // namespace sstfilter::tools
