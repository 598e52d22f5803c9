// detect_filter_construct_corruption: memory that changes while a filter is
// built must not become a filter that hides keys. (Case 40 of tests/README.md.)
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "integration/bits_builder.h"
#include "lookups.h"

namespace sstfilter {

// Reaches into a builder the way failing memory would.
class FilterBlockBuilderTestPeer {
 public:
  static void FlipHashBit(FilterBlockBuilder* builder, size_t index) {
    builder->hashes_.data()[index] ^= uint64_t{1} << (index % 64);
  }
  static size_t HashesKeptForVerify(const FilterBlockBuilder& builder) {
    return builder.to_verify_.size();
  }
};

namespace dbtest {
namespace {

using Peer = FilterBlockBuilderTestPeer;

// Half of the bits of a filter are set: most of its keys need one that now is
// not.
void Invert(char* begin, char* end) {
  for (char* byte = begin; byte != end; ++byte)
    *byte = static_cast<char>(~*byte);
}

class MemoryCorruption : public testing::TestWithParam<FilterKind> {
 protected:
  static constexpr size_t kKeys = 3000;

  static std::unique_ptr<BitsBuilder> NewBuilder(bool detect) {
    FilterBlockOptions options;
    options.kind = GetParam();
    options.fixed_seed = 0x5eed;
    options.detect_corruption = detect;
    auto builder = std::make_unique<BitsBuilder>(
        options, nullptr, std::make_shared<FilterCounters>());
    for (size_t i = 0; i < kKeys; ++i) builder->AddKey(Key(i));
    return builder;
  }
};

TEST_P(MemoryCorruption, HashChangedBeforeFinish) {
  for (size_t index : {size_t{0}, size_t{1}, kKeys / 2, kKeys - 1}) {
    const auto builder = NewBuilder(true);
    Peer::FlipHashBit(builder->block_builder(), index);
    std::unique_ptr<const char[]> bytes;
    rocksdb::Status status;
    const rocksdb::Slice nothing = builder->Finish(&bytes, &status);
    // For a caller that does not look at the status: no key is absent.
    const auto policy = NewPolicy(OptionsOf(GetParam()));
    const std::unique_ptr<rocksdb::FilterBitsReader> reader(
        policy->GetFilterBitsReader(nothing));
    EXPECT_TRUE(reader == nullptr || reader->MayMatch(Key(0)));
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    // The builder is as new.
    EXPECT_EQ(builder->EstimateEntriesAdded(), 0u);
    builder->AddKey("key");
    const rocksdb::Slice block = builder->Finish(&bytes, &status);
    EXPECT_TRUE(status.ok());
    EXPECT_TRUE(builder->MaybePostVerify(block).ok());
  }
}

TEST_P(MemoryCorruption, BytesChangedAfterFinish) {
  // The whole payload, a part of it, the magic number and the seed.
  for (int damage = 0; damage < 4; ++damage) {
    SCOPED_TRACE(damage);
    const auto builder = NewBuilder(true);
    std::unique_ptr<const char[]> bytes;
    rocksdb::Status status;
    const rocksdb::Slice block = builder->Finish(&bytes, &status);
    ASSERT_TRUE(status.ok());
    char* data = const_cast<char*>(bytes.get());
    const size_t payload = block.size() - kTrailerBytes;
    if (damage == 0) Invert(data, data + payload);
    if (damage == 1) Invert(data + payload / 2, data + payload / 2 + 64);
    if (damage == 2) data[block.size() - 1] ^= 1;
    if (damage == 3) data[block.size() - kTrailerBytes] ^= 1;
    const rocksdb::Status verified = builder->MaybePostVerify(block);
    EXPECT_TRUE(verified.IsCorruption()) << verified.ToString();
  }
}

TEST_P(MemoryCorruption, IntactFiltersPass) {
  const auto builder = NewBuilder(true);
  std::unique_ptr<const char[]> bytes;
  rocksdb::Status status;
  for (int partition = 0; partition < 3; ++partition) {
    const rocksdb::Slice block = builder->Finish(&bytes, &status);
    EXPECT_TRUE(status.ok());
    EXPECT_TRUE(builder->MaybePostVerify(block).ok());
    EXPECT_EQ(Peer::HashesKeptForVerify(*builder->block_builder()), 0u)
        << "given back";
    for (size_t i = 0; i < 100; ++i) builder->AddKey(Key(partition * 100 + i));
  }
}

TEST_P(MemoryCorruption, CostsNothingWhenOff) {
  const auto builder = NewBuilder(false);
  Peer::FlipHashBit(builder->block_builder(), 5);
  std::unique_ptr<const char[]> bytes;
  rocksdb::Status status;
  const rocksdb::Slice block = builder->Finish(&bytes, &status);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(Peer::HashesKeptForVerify(*builder->block_builder()), 0u);
  EXPECT_TRUE(builder->MaybePostVerify(block).ok());
}

std::vector<FilterKind> ConcreteKinds() {
  std::vector<FilterKind> kinds = BuiltKinds();
  kinds.erase(std::remove(kinds.begin(), kinds.end(), FilterKind::kAuto),
              kinds.end());
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(All, MemoryCorruption,
                         testing::ValuesIn(ConcreteKinds()),
                         [](const testing::TestParamInfo<FilterKind>& test) {
                           return std::string(FilterKindName(test.param));
                         });

using Param = std::tuple<PolicyUnderTest, bool>;

class CorruptionInADatabase : public testing::TestWithParam<Param> {};

// RocksDB's own Bloom filter runs the same test: we answer as it does.
TEST_P(CorruptionInADatabase, FieldCase40FlushFailsAndDataSurvives) {
  const auto& [policy, partitioned] = GetParam();
  auto observations = std::make_shared<Observations>();
  const PolicyPtr damaging = Observe(
      policy.make(), observations,
      [](char* bytes, size_t size) { Invert(bytes, bytes + size / 2); });
  Database database(damaging);
  if (partitioned) MakePartitioned(&database.table);
  database.table.detect_filter_construct_corruption = true;
  database.Open();
  const auto keys = PresentKeys(1500);
  PutAll(database, keys);
  const rocksdb::Status status = database->Flush({});
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_GT(observations->filters_finished, 0u);
  ExpectAllFound(database, keys);

  database.table.filter_policy = policy.make();
  database.Open();
  ExpectAllFound(database, keys);
  database.Flush();
  ExpectUseful(policy, database, keys, AbsentKeys(1400));
}

// Switched off nothing checks, and the damage is there to be seen: the test
// above would fail without the check.
TEST_P(CorruptionInADatabase, FieldCase40NothingIsDetectedWhenOff) {
  const auto& [policy, partitioned] = GetParam();
  Database database(Observe(
      policy.make(), std::make_shared<Observations>(),
      [](char* bytes, size_t size) { Invert(bytes, bytes + size / 2); }));
  if (partitioned) MakePartitioned(&database.table);
  database.Open();
  PutAll(database, PresentKeys(1500));
  EXPECT_TRUE(database->Flush({}).ok());
  size_t lost = 0;
  for (const std::string& key : PresentKeys(1500)) {
    lost += !database.Get(key).has_value();
  }
  EXPECT_GT(lost, 100u);
}

std::vector<PolicyUnderTest> VerifyingPolicies() {
  std::vector<PolicyUnderTest> policies = OurPolicies();
  policies.push_back(Builtin());
  return policies;
}

INSTANTIATE_TEST_SUITE_P(
    All, CorruptionInADatabase,
    testing::Combine(testing::ValuesIn(VerifyingPolicies()), testing::Bool()),
    [](const testing::TestParamInfo<Param>& test) {
      return std::get<0>(test.param).name +
             (std::get<1>(test.param) ? "_partitioned" : "_full");
    });

}  // namespace
}  // namespace dbtest
}  // namespace sstfilter
