// Keys chosen by someone who knows the code: without the seed they are like any
// others, and whatever is stored costs no more than a constant factor.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "filter/hash.h"
#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"
#include "table/random_seed.h"
#include "tests/filter/sampling.h"
#include "tests/sanitizers.h"
#include "tests/table/pile_ups.h"

namespace {

// Of this whole program, so that a test can see what a call allocates.
std::atomic<size_t> allocated_bytes{0};

}  // namespace

// Not inlined: the compiler must not see malloc in them and compare it with
// delete.
#define REPLACEMENT __attribute__((noinline))

REPLACEMENT void* operator new(size_t size, const std::nothrow_t&) noexcept {
  allocated_bytes += size;
  return std::malloc(size == 0 ? 1 : size);
}
REPLACEMENT void* operator new(size_t size) {
  void* const memory = operator new(size, std::nothrow);
  if (memory == nullptr) std::abort();
  return memory;
}
REPLACEMENT void* operator new[](size_t size) { return operator new(size); }
REPLACEMENT void* operator new[](size_t size,
                                 const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
REPLACEMENT void operator delete(void* memory) noexcept { std::free(memory); }
REPLACEMENT void operator delete[](void* memory) noexcept { std::free(memory); }
REPLACEMENT void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
REPLACEMENT void operator delete[](void* memory, size_t) noexcept {
  std::free(memory);
}
REPLACEMENT void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
REPLACEMENT void operator delete[](void* memory,
                                   const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace sstfilter {
namespace {

constexpr uint64_t kKnownSeed = 401;

std::string Key(const char* prefix, uint64_t i) {
  return prefix + std::to_string(i);
}

// A block, and a reader of it.
class Filter {
 public:
  // A seed of 0 is a random one.
  Filter(FilterKind kind, uint64_t seed, const std::vector<std::string>& keys) {
    FilterBlockOptions options;
    options.kind = kind;
    options.fixed_seed = seed;
    FilterBlockBuilder builder(options);
    for (const std::string& key : keys) builder.AddKey(key.data(), key.size());
    block_ = builder.Finish();
    EXPECT_EQ(
        FilterBlockReader::Open(block_.bytes.get(), block_.size, &reader_),
        BlockState::kUsable);
  }

  bool MayMatch(const std::string& key) const {
    return reader_.MayMatch(reader_.Hash(key.data(), key.size()));
  }
  size_t CountMatches(const std::vector<std::string>& keys) const {
    return static_cast<size_t>(
        std::count_if(keys.begin(), keys.end(),
                      [&](const std::string& key) { return MayMatch(key); }));
  }
  double ExpectedRate() const { return reader_.ExpectedFalsePositiveRate(); }
  uint64_t seed() const { return reader_.trailer().seed; }
  uint64_t slots() const {
    return AlgorithmFor(reader_.trailer().kind)->slots(reader_.trailer().shape);
  }

 private:
  FilterBlock block_;
  FilterBlockReader reader_;
};

class HostileKeys : public testing::TestWithParam<FilterKind> {
 protected:
  static std::vector<std::string> Stored(const char* prefix, size_t count) {
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < count; ++i) keys.push_back(Key(prefix, i));
    return keys;
  }
};

INSTANTIATE_TEST_SUITE_P(All, HostileKeys, testing::ValuesIn(kStoredKinds),
                         [](const auto& param) {
                           return std::string(FilterKindName(param.param));
                         });

// False positives collected from one filter are no use against another of the
// same data.
TEST_P(HostileKeys, FalsePositivesCannotBeReplayed) {
  const std::vector<std::string> stored =
      Stored("stored", Scaled(20'000, 2'000));
  const Filter known(GetParam(), kKnownSeed, stored);
  const size_t wanted = Scaled(1000, 50);
  std::vector<std::string> prepared;
  for (uint64_t i = 0; prepared.size() < wanted; ++i) {
    ASSERT_LT(i, 100'000'000U);
    const std::string key = Key("absent", i);
    if (known.MayMatch(key)) prepared.push_back(key);
  }
  ASSERT_EQ(known.CountMatches(prepared), prepared.size());
  const Filter other(GetParam(), kKnownSeed + 1, stored);
  // Two runs in a million would leave these bounds.
  const double expected =
      other.ExpectedRate() * static_cast<double>(prepared.size());
  EXPECT_LE(static_cast<double>(other.CountMatches(prepared)),
            BoundsOfCount(expected, 0.1).high);
}

// Stored keys that all fall into one block under one seed, and so fill it,
// spread evenly under another.
TEST_P(HostileKeys, KeysForOneBlockSpreadUnderAnotherSeed) {
  std::vector<std::string> stored = Stored("ordinary", Scaled(5'000, 2'000));
  const uint64_t slots = Filter(GetParam(), kKnownSeed, stored).slots();
  // As many again that lie in the first sixteenth under the known seed.
  const size_t ordinary = stored.size();
  for (uint64_t i = 0; stored.size() < 2 * ordinary; ++i) {
    std::string key = Key("prepared", i);
    if (SlotOf(HashKey(key.data(), key.size(), kKnownSeed), slots) <
        slots / 16 + 1) {
      stored.push_back(std::move(key));
    }
  }
  const Filter other(GetParam(), kKnownSeed + 1, stored);
  ASSERT_EQ(other.CountMatches(stored), stored.size());
  const std::vector<std::string> absent =
      Stored("absent", Scaled(200'000, 10'000));
  const double expected =
      other.ExpectedRate() * static_cast<double>(absent.size());
  const CountBounds bounds = BoundsOfCount(expected, 0.1);
  const auto passed = static_cast<double>(other.CountMatches(absent));
  EXPECT_GE(passed, bounds.low) << "expected " << expected;
  EXPECT_LE(passed, bounds.high) << "expected " << expected;
  // Under the seed they were prepared for nothing is lost either.
  const Filter known(GetParam(), kKnownSeed, stored);
  EXPECT_EQ(known.CountMatches(stored), stored.size());
}

TEST_P(HostileKeys, EveryFilterHasASeedOfItsOwn) {
  const std::vector<std::string> stored = Stored("stored", 100);
  std::set<uint64_t> seeds;
  int ones = 0;
  constexpr int kFilters = 300;
  for (int i = 0; i < kFilters; ++i) {
    const Filter filter(GetParam(), 0, stored);
    EXPECT_EQ(filter.CountMatches(stored), stored.size());
    seeds.insert(filter.seed());
    ones += __builtin_popcountll(filter.seed());
  }
  EXPECT_EQ(seeds.size(), static_cast<size_t>(kFilters));
  // Half of the bits, give or take six standard deviations.
  EXPECT_NEAR(ones, kFilters * 32, 6 * 0.5 * 8 * 18);
}

TEST(RandomSeedOf, DiffersInEveryByte) {
  std::set<uint64_t> bytes[8];
  for (int i = 0; i < 3000; ++i) {
    const uint64_t seed = RandomSeed();
    EXPECT_NE(seed, 0u);
    for (int b = 0; b < 8; ++b) bytes[b].insert((seed >> (8 * b)) & 0xff);
  }
  for (const auto& seen : bytes) EXPECT_GT(seen.size(), 250u);
}

// --- Cost.

struct Build {
  const FilterKernel* kernel;
  FilterShape shape;
  std::vector<uint64_t>* hashes;
  char* payload;
};

void* RunBuild(void* argument) {
  const auto& build = *static_cast<const Build*>(argument);
  build.kernel->build(build.shape, build.hashes->data(), build.hashes->size(),
                      build.payload);
  return nullptr;
}

class CostOfBuilding : public testing::TestWithParam<KindAndKernel> {};

INSTANTIATE_TEST_SUITE_P(All, CostOfBuilding, testing::ValuesIn(AllKernels()),
                         testing::PrintToStringParamName());

// In memory: nothing is allocated, and a small stack is enough, whatever the
// hashes are. In time: the largest numbers here would take hours if work grew
// with the square of the keys of a block; the time limit of the test is the
// bound.
TEST_P(CostOfBuilding, IsBounded) {
  // RocksDB's threads have more, musl's no less. Instrumented code needs more.
  constexpr size_t kStackBytes = (kSanitized ? 1024 : 128) * 1024;
  const FilterAlgorithm& algorithm = GetParam().algorithm();
  for (const PileUp& pile_up : kPileUps) {
    for (size_t count : {Scaled(1000), Scaled(1'000'000, 10'000)}) {
      Random random(402);
      std::vector<uint64_t> hashes(count);
      for (size_t i = 0; i < count; ++i) {
        hashes[i] = pile_up.hash(random.Next(), i);
      }
      std::vector<uint64_t> scratch = hashes;
      const FilterShape shape = algorithm.shape_for(count, 10);
      const std::unique_ptr<char[]> payload(new char[shape.payload_bytes]());
      Build build{&GetParam().kernel(), shape, &scratch, payload.get()};

      const size_t allocated_before = allocated_bytes;
      pthread_attr_t attributes;
      ASSERT_EQ(pthread_attr_init(&attributes), 0);
      ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStackBytes), 0);
      pthread_t thread;
      ASSERT_EQ(pthread_create(&thread, &attributes, RunBuild, &build), 0);
      ASSERT_EQ(pthread_join(thread, nullptr), 0);
      pthread_attr_destroy(&attributes);
      EXPECT_EQ(allocated_bytes, allocated_before) << pile_up.name;

      const FilterView view = MakeFilterView(algorithm, shape, payload.get());
      for (uint64_t hash : hashes) {
        ASSERT_TRUE(GetParam().kernel().may_match(view, hash)) << pile_up.name;
      }
    }
  }
}

// The block is the only allocation of a Finish that is not of constant size.
TEST_P(HostileKeys, FinishAllocatesTheBlockAndNothingElse) {
  for (size_t count : {1'000, 100'000}) {
    FilterBlockOptions options;
    options.kind = GetParam();
    FilterBlockBuilder builder(options);
    for (uint64_t i = 0; i < count; ++i) {
      const std::string key = Key("k", i);
      builder.AddKey(key.data(), key.size());
    }
    const size_t before = allocated_bytes;
    const FilterBlock block = builder.Finish();
    const size_t allocated = allocated_bytes - before;
    EXPECT_GE(allocated, block.size);
    // The source of the next seed may keep a buffer.
    EXPECT_LE(allocated, block.size + 16384);
  }
}

TEST_P(HostileKeys, AReaderAllocatesNothing) {
  const std::vector<std::string> stored = Stored("stored", 1000);
  FilterBlockOptions options;
  options.kind = GetParam();
  FilterBlockBuilder builder(options);
  for (const std::string& key : stored) builder.AddKey(key.data(), key.size());
  const FilterBlock block = builder.Finish();
  const size_t before = allocated_bytes;
  size_t matches = 0;
  for (const std::string& key : stored) {
    FilterBlockReader reader;
    ASSERT_EQ(FilterBlockReader::Open(block.bytes.get(), block.size, &reader),
              BlockState::kUsable);
    uint64_t hash = reader.Hash(key.data(), key.size());
    bool found = false;
    reader.MayMatch(&hash, 1, &found);
    matches += found && reader.MayMatch(hash);
  }
  EXPECT_EQ(allocated_bytes, before);
  EXPECT_EQ(matches, stored.size());
}

}  // namespace
}  // namespace sstfilter
