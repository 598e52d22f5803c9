// A kernel without anything around it.
#pragma once

#include <memory>

#include "filter/algorithm.h"
#include "tools/benchmark/subject.h"

namespace sstfilter::benchmarks {

std::unique_ptr<Subject> MakeKernelSubject(const SubjectSpec& spec,
                                           const FilterAlgorithm& algorithm,
                                           const FilterKernel& kernel);

}  // namespace sstfilter::benchmarks
