#include <iostream>

#include "tools/benchmark/benchmark.h"

int main(int argc, char** argv) {
  return sstfilter::benchmarks::RunBenchmark(argc, argv, std::cout, std::cerr);
}
