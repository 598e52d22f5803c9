#include "integration/policy.h"

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "integration/policy_name.h"
#include "integration/rocksdb_internals.h"
#include "integration/rocksdb_version.h"
#include "sstfilter/filter_policy.h"
#include "table/trailer.h"

namespace sstfilter {
namespace {

using rocksdb::FilterPolicy;
using rocksdb::Slice;
using rocksdb::Status;

std::shared_ptr<const FilterPolicy> MakePolicy(const FilterOptions& options) {
  std::shared_ptr<const FilterPolicy> policy;
  const Status status = NewFilterPolicy(options, &policy);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return policy;
}

std::string Key(int i) { return "key" + std::to_string(i); }

// The filter block a policy builds for keys [0, count).
struct Built {
  std::unique_ptr<const char[]> bytes;
  Slice contents;
};

Built Build(const FilterPolicy& policy, int count) {
  const rocksdb::BlockBasedTableOptions table_options;
  const rocksdb::FilterBuildingContext context(table_options);
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  Built built;
  if (builder == nullptr) return built;
  for (int i = 0; i < count; ++i) builder->AddKey(Key(i));
  Status status;
  built.contents = builder->Finish(&built.bytes, &status);
  EXPECT_TRUE(status.ok());
  EXPECT_TRUE(builder->MaybePostVerify(built.contents).ok());
  return built;
}

// How many of the keys [first, last) a policy lets pass; all without a reader.
int Passed(const FilterPolicy& policy, const Slice& contents, int first,
           int last) {
  const std::unique_ptr<rocksdb::FilterBitsReader> reader(
      policy.GetFilterBitsReader(contents));
  int passed = 0;
  for (int i = first; i < last; ++i) {
    passed += reader == nullptr || reader->MayMatch(Key(i));
  }
  return passed;
}

TEST(NewFilterPolicyTest, RefusesBadOptionsAndLeavesThePointer) {
  const auto before = MakePolicy({});
  auto policy = before;
  FilterOptions options;
  options.bits_per_key = 0.3;
  const Status status = NewFilterPolicy(options, &policy);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("bits_per_key=0.3"), std::string::npos);
  EXPECT_EQ(policy, before);
}

TEST(NewFilterPolicyTest, Names) {
  const auto policy = MakePolicy({});
  EXPECT_STREQ(policy->Name(), "sstfilter");
  // Tables are found by this name, now and by every later version.
  EXPECT_STREQ(policy->CompatibilityName(), "rocksdb.BuiltinBloomFilter");
  const std::unique_ptr<const FilterPolicy> builtin(
      rocksdb::NewBloomFilterPolicy(10));
  EXPECT_STREQ(policy->CompatibilityName(), builtin->CompatibilityName());
}

TEST(NewFilterPolicyTest, RefusesAnotherRocksDB) {
  EXPECT_TRUE(CheckRocksDBVersion().ok());
  const std::string other = std::to_string(ROCKSDB_MAJOR + 1) + ".0.0";
  const Status status = CheckRocksDBVersion(other);
  EXPECT_TRUE(status.IsNotSupported());
  EXPECT_NE(status.ToString().find(other), std::string::npos);
  const std::string same =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  EXPECT_TRUE(CheckRocksDBVersion(same).ok());
  EXPECT_TRUE(CheckRocksDBVersion(same + ".99").ok());
  EXPECT_FALSE(CheckRocksDBVersion(same + "1.0").ok());
  EXPECT_FALSE(CheckRocksDBVersion("").ok());
}

TEST(AsPolicyTest, TellsOursFromOthers) {
  EXPECT_EQ(AsPolicy(nullptr), nullptr);
  EXPECT_NE(AsPolicy(MakePolicy({}).get()), nullptr);
  const std::unique_ptr<const FilterPolicy> builtin(
      rocksdb::NewBloomFilterPolicy(10));
  EXPECT_EQ(AsPolicy(builtin.get()), nullptr);
  // One of another release, from another copy of the library in the process,
  // has the name but not the layout.
  class OtherRelease final : public rocksdb::FilterPolicy {
   public:
    const char* Name() const override { return kPolicyName; }
    const char* CompatibilityName() const override {
      return kCompatibilityName;
    }
    rocksdb::FilterBitsBuilder* GetBuilderWithContext(
        const rocksdb::FilterBuildingContext& /*context*/) const override {
      return nullptr;
    }
    rocksdb::FilterBitsReader* GetFilterBitsReader(
        const Slice& /*contents*/) const override {
      return nullptr;
    }
  };
  EXPECT_EQ(AsPolicy(std::make_unique<OtherRelease>().get()), nullptr);
}

TEST(PolicyTest, FindsEveryKeyOfEveryKind) {
  for (FilterKind kind : {FilterKind::kBloom, FilterKind::kStandardBloom,
                          FilterKind::kParity, FilterKind::kAuto}) {
    FilterOptions options;
    options.kind = kind;
    const auto policy = MakePolicy(options);
    const Built built = Build(*policy, 10000);
    EXPECT_EQ(Passed(*policy, built.contents, 0, 10000), 10000);
    EXPECT_LT(Passed(*policy, built.contents, 10000, 20000), 200);
  }
}

// Both directions, block by block.
TEST(PolicyTest, ReadsBuiltinBlocks) {
  const auto policy = MakePolicy({});
  const std::unique_ptr<const FilterPolicy> builtins[] = {
      std::unique_ptr<const FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)),
      std::unique_ptr<const FilterPolicy>(
          rocksdb::NewRibbonFilterPolicy(10, -1))};
  for (const auto& builtin : builtins) {
    const Built built = Build(*builtin, 10000);
    EXPECT_EQ(Passed(*policy, built.contents, 0, 10000), 10000);
    EXPECT_LT(Passed(*policy, built.contents, 10000, 20000), 200);
    // Its keys were hashed as they are: useless under a transform.
    FilterOptions options;
    options.key_transform = AsciiLowerTransform();
    const auto transforming = MakePolicy(options);
    EXPECT_EQ(Passed(*transforming, built.contents, 10000, 20000), 10000);
    EXPECT_EQ(AsPolicy(transforming.get())->counters().blocks_other_transform,
              1u);
  }
}

TEST(PolicyTest, BuiltinsTakeOurBlocksForMayMatch) {
  const std::unique_ptr<const FilterPolicy> builtin(
      rocksdb::NewBloomFilterPolicy(10));
  for (int keys : {1, 1000}) {
    const Built built = Build(*MakePolicy({}), keys);
    EXPECT_EQ(Passed(*builtin, built.contents, 0, 20000), 20000);
  }
}

TEST(PolicyTest, AnotherTransformMeansMayMatch) {
  FilterOptions lower;
  lower.key_transform = AsciiLowerTransform();
  FilterOptions strip;
  strip.key_transform = StripTrailingSpacesTransform();
  const std::vector<FilterOptions> all = {FilterOptions(), lower, strip};
  for (const FilterOptions& writer : all) {
    const Built built = Build(*MakePolicy(writer), 1000);
    for (const FilterOptions& reader : all) {
      const int passed =
          Passed(*MakePolicy(reader), built.contents, 1000, 2000);
      if (reader == writer) {
        EXPECT_LT(passed, 50);
      } else {
        EXPECT_EQ(passed, 1000);
      }
    }
  }
}

// What is left of a damaged filter of RocksDB's, which its own reader takes for
// one without keys.
TEST(PolicyTest, TooFewBytesMeanMayMatch) {
  const auto policy = MakePolicy({});
  const std::unique_ptr<const FilterPolicy> builtin(
      rocksdb::NewBloomFilterPolicy(10));
  const Built ours = Build(*policy, 1000);
  const Built theirs = Build(*builtin, 1000);
  for (const Slice& whole : {ours.contents, theirs.contents}) {
    for (size_t size = 0; size <= 5; ++size) {
      EXPECT_EQ(Passed(*policy, Slice(whole.data(), size), 0, 100), 100);
    }
  }
}

TEST(PolicyTest, PoisonedPolicyBuildsNothingAndSaysWhy) {
  const Policy policy(Status::InvalidArgument("the reason"));
  EXPECT_EQ(Build(policy, 10).contents.size(), 0u);
  EXPECT_NE(policy.ValidateOptions({}, {}).ToString().find("the reason"),
            std::string::npos);
  FilterOptions options;
  EXPECT_TRUE(GetFilterOptions(policy, &options).IsInvalidArgument());
  EXPECT_TRUE(SetFilterOptions(policy, options).IsInvalidArgument());
}

// Readers keep the function the policy was made with; so must builders.
TEST(SetFilterOptionsTest, ATransformOfTheSameNameIsNotExchanged) {
  FilterOptions options;
  options.key_transform = AsciiLowerTransform();
  const auto policy = MakePolicy(options);
  KeyTransform other = *AsciiLowerTransform();
  other.function = [](const Slice& key, std::string* canonical) {
    canonical->assign(key.data(), key.size());
    canonical->append("another");
  };
  options.key_transform = std::make_shared<const KeyTransform>(other);
  options.bits_per_key = 20;
  ASSERT_TRUE(SetFilterOptions(*policy, options).ok());
  const Built built = Build(*policy, 1000);
  EXPECT_GT(built.contents.size(), 2000u);
  EXPECT_EQ(Passed(*policy, built.contents, 0, 1000), 1000);
}

TEST(SetFilterOptionsTest, NewTablesAndOptionStringFollow) {
  const auto policy = MakePolicy({});
  const Built before = Build(*policy, 10000);
  FilterOptions options;
  options.bits_per_key = 20;
  options.kind = FilterKind::kParity;
  ASSERT_TRUE(SetFilterOptions(*policy, options).ok());
  const Built after = Build(*policy, 10000);
  EXPECT_GT(after.contents.size(), before.contents.size() * 19 / 10);
  EXPECT_EQ(Passed(*policy, before.contents, 0, 10000), 10000);
  EXPECT_LT(Passed(*policy, before.contents, 10000, 20000), 200);
  EXPECT_EQ(Passed(*policy, after.contents, 0, 10000), 10000);
  EXPECT_LT(Passed(*policy, after.contents, 10000, 20000), 20);

  FilterOptions got;
  ASSERT_TRUE(GetFilterOptions(*policy, &got).ok());
  EXPECT_EQ(got, options);
  EXPECT_EQ(policy->ToString(rocksdb::ConfigOptions()),
            "{id=sstfilter;bits_per_key=20;kind=parity;}");
  EXPECT_EQ(policy->GetPrintableOptions(), "bits_per_key=20;kind=parity");
}

TEST(SetFilterOptionsTest, Refusals) {
  const auto policy = MakePolicy({});
  FilterOptions bad;
  bad.bits_per_key = -1;
  EXPECT_TRUE(SetFilterOptions(*policy, bad).IsInvalidArgument());
  FilterOptions transform;
  transform.bits_per_key = 12;
  transform.key_transform = AsciiLowerTransform();
  const Status status = SetFilterOptions(*policy, transform);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("key_transform"), std::string::npos);
  FilterOptions got;
  ASSERT_TRUE(GetFilterOptions(*policy, &got).ok());
  EXPECT_EQ(got, FilterOptions());

  const std::unique_ptr<const FilterPolicy> builtin(
      rocksdb::NewBloomFilterPolicy(10));
  EXPECT_TRUE(SetFilterOptions(*builtin, {}).IsInvalidArgument());
  EXPECT_TRUE(GetFilterOptions(*builtin, &got).IsInvalidArgument());
}

// For ThreadSanitizer: everything that may run while options change.
TEST(SetFilterOptionsTest, WhileTablesAreBuiltAndRead) {
  const auto policy = MakePolicy({});
  std::atomic<bool> stop{false};
  std::atomic<int> missing{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        const Built built = Build(*policy, 300);
        missing += 300 - Passed(*policy, built.contents, 0, 300);
      }
    });
  }
  threads.emplace_back([&] {
    FilterOptions got;
    while (!stop) {
      // One of the two states below, never a mixture.
      missing += !GetFilterOptions(*policy, &got).ok() ||
                 (got.bits_per_key == 20) != (got.kind == FilterKind::kParity);
      missing += policy->ToString(rocksdb::ConfigOptions()).empty();
    }
  });
  FilterOptions parity;
  parity.bits_per_key = 20;
  parity.kind = FilterKind::kParity;
  for (int i = 0; i < 200; ++i) {
    missing += !SetFilterOptions(*policy, parity).ok();
    missing += !SetFilterOptions(*policy, FilterOptions()).ok();
    std::this_thread::yield();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(missing, 0);
}

TEST(PolicyTest, Equivalence) {
  rocksdb::ConfigOptions exact;
  rocksdb::ConfigOptions loose;
  loose.sanity_level = rocksdb::ConfigOptions::kSanityLevelLooselyCompatible;
  FilterOptions other;
  other.bits_per_key = 12;
  const auto a = MakePolicy({});
  const auto b = MakePolicy({});
  const auto c = MakePolicy(other);
  const std::unique_ptr<const FilterPolicy> builtin(
      rocksdb::NewBloomFilterPolicy(10));
  std::string mismatch;
  EXPECT_TRUE(a->AreEquivalent(exact, b.get(), &mismatch));
  EXPECT_FALSE(a->AreEquivalent(exact, c.get(), &mismatch));
  EXPECT_EQ(mismatch, "options");
  EXPECT_TRUE(a->AreEquivalent(loose, c.get(), &mismatch));
  EXPECT_FALSE(a->AreEquivalent(loose, builtin.get(), &mismatch));
  EXPECT_FALSE(a->AreEquivalent(loose, nullptr, &mismatch));
}

}  // namespace
}  // namespace sstfilter
