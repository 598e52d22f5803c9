// Memory runs out while a filter is built: the table is written without it, or
// a partition of it is missing, and no key is lost.
//
// The program is linked so that the allocations of the filter code, which are
// made to fail, pass through the functions below. Those of RocksDB, a library
// of its own that does not survive such a failure, do not.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <tuple>
#include <vector>

#include "integration/policy.h"
#include "lookups.h"
#include "tests/filter/sampling.h"

namespace {

// Smaller allocations are not counted and do not fail.
constexpr size_t kLarge = 2048;

std::atomic<bool> watching{false};
std::atomic<int64_t> large_allocations{0};
// The number of the large allocation that fails, counted from 0; all later ones
// fail too if `fail_rest` is set.
std::atomic<int64_t> failing{-1};
std::atomic<bool> fail_rest{false};

bool Fails(size_t size) {
  if (!watching || size < kLarge) return false;
  const int64_t number = large_allocations++;
  return failing >= 0 && (number == failing || (fail_rest && number > failing));
}

}  // namespace

// The linker's names for the function that is wrapped and for its wrapper.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void* __real_malloc(size_t size);
void* __real_realloc(void* memory, size_t size);
void* __real__ZnamRKSt9nothrow_t(size_t size, const std::nothrow_t&);

void* __wrap_malloc(size_t size) {
  return Fails(size) ? nullptr : __real_malloc(size);
}
void* __wrap_realloc(void* memory, size_t size) {
  return Fails(size) ? nullptr : __real_realloc(memory, size);
}
void* __wrap__ZnamRKSt9nothrow_t(size_t size, const std::nothrow_t& tag) {
  return Fails(size) ? nullptr : __real__ZnamRKSt9nothrow_t(size, tag);
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace sstfilter::dbtest {
namespace {

using Param = std::tuple<FilterKind, bool, bool>;

class OutOfMemory : public testing::TestWithParam<Param> {
 protected:
  static constexpr uint64_t kKeys = 5'000;

  OutOfMemory() : policy_(NewPolicy(OptionsOf(std::get<0>(GetParam())))) {
    const auto& [kind, partitioned, detect] = GetParam();
    if (partitioned) {
      MakePartitioned(&database_.table);
      // So large that a partition takes large allocations.
      database_.table.metadata_block_size = 4 << 10;
    }
    database_.table.detect_filter_construct_corruption = detect;
  }
  ~OutOfMemory() override { watching = false; }

  uint64_t FiltersLacking() const {
    return AsPolicy(policy_.get())->counters().filters_out_of_memory;
  }

  // Writes the same keys into one new table, while allocation number `which`
  // fails, or it and the following. Says how many there were.
  int64_t FlushWithFailure(int64_t which, bool rest) {
    PutAll(database_, PresentKeys(kKeys));
    failing = which;
    fail_rest = rest;
    large_allocations = 0;
    watching = true;
    const rocksdb::Status status = database_->Flush({});
    watching = false;
    EXPECT_TRUE(status.ok()) << status.ToString();
    return large_allocations;
  }

  void ExpectNothingLost() {
    ExpectAllFound(database_, PresentKeys(kKeys));
    GetAbsent(database_, AbsentKeys(kKeys / 10));
    // From the disk, and by RocksDB without us too.
    for (const PolicyPtr& reader : {Builtin().make(), policy_}) {
      database_.table.filter_policy = reader;
      database_.Open();
      ExpectAllFound(database_, PresentKeys(kKeys));
    }
  }

  const PolicyPtr policy_;
  Database database_{policy_};
};

TEST_P(OutOfMemory, AFilterIsLackingAndNoKey) {
  database_.Open();
  const int64_t allocations = FlushWithFailure(-1, false);
  ASSERT_GE(allocations, 2) << "the list of hashes and the block";
  ASSERT_EQ(FiltersLacking(), 0u);
  Random random(602);
  const auto rounds = static_cast<int64_t>(Scaled(4, 3));
  for (int64_t round = 0; round < rounds; ++round) {
    const uint64_t before = FiltersLacking();
    // The first, the last, and some of those between.
    const int64_t which =
        round == 0   ? 0
        : round == 1 ? allocations - 1
                     : static_cast<int64_t>(
                           random.Below(static_cast<uint64_t>(allocations)));
    SCOPED_TRACE("allocation " + std::to_string(which) + " of " +
                 std::to_string(allocations));
    FlushWithFailure(which, round % 2 == 0);
    EXPECT_GT(FiltersLacking(), before);
    ExpectNothingLost();
    // With memory again, a compaction makes the filters that were lacking.
    if (round % 4 == 3) database_.Compact();
    if (HasFailure()) return;
  }
  database_.Compact();
  const Activity activity = GetAbsent(database_, AbsentKeys(1000));
  EXPECT_GT(activity.skipped, 900u);
}

TEST_P(OutOfMemory, ACompactionGoesOn) {
  database_.Open();
  for (int table = 0; table < 3; ++table) FlushWithFailure(-1, false);
  const uint64_t before = FiltersLacking();
  failing = 0;
  fail_rest = true;
  large_allocations = 0;
  watching = true;
  database_.Compact();
  watching = false;
  EXPECT_GT(FiltersLacking(), before);
  ExpectNothingLost();
}

INSTANTIATE_TEST_SUITE_P(All, OutOfMemory,
                         testing::Combine(testing::ValuesIn(BuiltKinds()),
                                          testing::Bool(), testing::Bool()),
                         [](const testing::TestParamInfo<Param>& test) {
                           return std::string(
                                      FilterKindName(std::get<0>(test.param))) +
                                  (std::get<1>(test.param) ? "_partitioned"
                                                           : "_full") +
                                  (std::get<2>(test.param) ? "_checked" : "");
                         });

}  // namespace
}  // namespace sstfilter::dbtest
