// The benchmark as a function, for main and for tests.
//
// Google Benchmark gives the frame: names with arguments, --benchmark_filter,
// JSON output with every figure as a counter (--benchmark_out=FILE). Its runner
// would measure one filter after the other, seconds apart, or, with random
// interleaving, whole benchmark runs in random order; on a machine that others
// use too, a ratio of two such times mostly tells what happened in between.
// So here one benchmark stands for one measure of all filters, one of its
// iterations is one repeat, and within it the filters take turns of some
// milliseconds (workbench.h, and Rounds in figures.h).
#pragma once

#include <ostream>

namespace sstfilter::benchmarks {

// Prints Markdown to `out`, progress and warnings to `err`. Returns the exit
// code: 0, 1 after a wrong answer or another failure, 2 for wrong arguments.
int RunBenchmark(int argc, const char* const* argv, std::ostream& out,
                 std::ostream& err);

}  // namespace sstfilter::benchmarks
