// No filter: what its memory alone costs.
#pragma once

#include <memory>

#include "tools/benchmark/subject.h"

namespace sstfilter::benchmarks {

// Reads, for each hash, the block of 64 bytes that a filter of `bits_per_key`
// would look at, and passes every key. In batches it prefetches, as filters do.
// A filter that keeps each key in one block cannot take less time when its
// memory is not in the cache.
std::unique_ptr<Subject> MakeFetchSubject(const SubjectSpec& spec);

}  // namespace sstfilter::benchmarks
