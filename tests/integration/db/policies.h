// The filter policies the database tests run with, and two doubles: filters
// that keep the keys, so that a wrong "absent" can be told from luck, and a
// policy that watches another one at work.
#pragma once

#include <rocksdb/filter_policy.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "sstfilter/options.h"

namespace sstfilter {

// For GoogleTest.
inline void PrintTo(FilterKind kind, std::ostream* out) {
  *out << FilterKindName(kind);
}

}  // namespace sstfilter

namespace sstfilter::dbtest {

using PolicyPtr = std::shared_ptr<const rocksdb::FilterPolicy>;

// A filter that keeps its keys. It answers "absent" for a key that was not
// added, except for a share `rate` of them, picked by their hash: 0 is exact, 1
// is "always may match".
PolicyPtr NewKeyKeepingPolicy(double rate);

// One of ours. The seed is fixed: what a test sees is the same in every run.
FilterOptions OptionsOf(FilterKind kind, double bits_per_key = 10);
PolicyPtr NewPolicy(const FilterOptions& options);

// What a test is run with.
struct PolicyUnderTest {
  std::string name;
  // The false positive rate of a whole table at 10 bits per key is at most
  // this.
  double rate = 0;
  std::function<PolicyPtr()> make;
};

std::ostream& operator<<(std::ostream& out, const PolicyUnderTest& policy);

// The kinds that this build has, kAuto among them.
std::vector<FilterKind> BuiltKinds();

PolicyUnderTest UnderTest(FilterKind kind);
// bloom, standard, parity, auto.
std::vector<PolicyUnderTest> OurPolicies();
// Ours and: exact, always (may match), builtin (RocksDB's Bloom filter).
std::vector<PolicyUnderTest> AllPolicies();
PolicyUnderTest Exact();
PolicyUnderTest AlwaysMayMatch();
PolicyUnderTest Builtin();

// What an observed policy was asked for. Counts only ever grow.
struct Observations {
  struct Context {
    int level;
    int num_levels;
    bool is_bottommost;
    std::string column_family;
    rocksdb::TableFileCreationReason reason;
  };

  std::atomic<uint64_t> builders{0};
  std::atomic<uint64_t> keys_added{0};
  std::atomic<uint64_t> filters_finished{0};
  std::atomic<uint64_t> filter_bytes{0};
  std::atomic<uint64_t> readers{0};
  // Keys that readers were asked for.
  std::atomic<uint64_t> probes{0};
  // Keys asked for in calls for several at once, and the most in one call.
  std::atomic<uint64_t> batch_probes{0};
  std::atomic<uint64_t> largest_batch{0};
  // Addresses of blocks that were not multiples of 8.
  std::atomic<uint64_t> unaligned_blocks{0};
  // Not multiples of 64: pieces of a block lie in two cache lines.
  std::atomic<uint64_t> blocks_across_lines{0};

  std::vector<Context> Contexts() const;

  mutable std::mutex mutex;
  std::vector<Context> contexts;
};

// Passes everything on to `policy`, whose blocks it reads and writes, and notes
// it in `observations`. `damage`, if given, may change the bytes of each filter
// between Finish and MaybePostVerify.
PolicyPtr Observe(PolicyPtr policy, std::shared_ptr<Observations> observations,
                  std::function<void(char* bytes, size_t size)> damage = {});

// For INSTANTIATE_TEST_SUITE_P.
template <typename ParamInfo>
std::string PolicyName(const ParamInfo& info) {
  return info.param.name;
}

}  // namespace sstfilter::dbtest
