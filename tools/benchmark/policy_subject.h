// A filter as RocksDB meets it: a policy, its builder and its reader.
#pragma once

#include <memory>
#include <string>

#include "tools/benchmark/subject.h"

namespace sstfilter::benchmarks {

// `spec.kind` is rocksdb-bloom, rocksdb-ribbon or one of our kinds; null and a
// reason otherwise.
std::unique_ptr<Subject> MakePolicySubject(const SubjectSpec& spec,
                                           std::string* error);

}  // namespace sstfilter::benchmarks
