#include "sstfilter/check.h"

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>

#include "integration/policy.h"
#include "sstfilter/filter_policy.h"

namespace sstfilter {
namespace {

using rocksdb::ColumnFamilyOptions;
using rocksdb::FilterPolicy;
using rocksdb::Status;

ColumnFamilyOptions WithPolicy(std::shared_ptr<const FilterPolicy> policy) {
  ColumnFamilyOptions options;
  rocksdb::BlockBasedTableOptions table_options;
  table_options.filter_policy = std::move(policy);
  options.table_factory.reset(NewBlockBasedTableFactory(table_options));
  return options;
}

ColumnFamilyOptions WithOptions(const FilterOptions& filter_options) {
  std::shared_ptr<const FilterPolicy> policy;
  EXPECT_TRUE(NewFilterPolicy(filter_options, &policy).ok());
  return WithPolicy(policy);
}

void ExpectRefused(const Status& status, const std::string& reason) {
  EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  EXPECT_NE(status.ToString().find(reason), std::string::npos)
      << status.ToString() << " lacks " << reason;
}

// Bytewise but for the name, and with the caution of a comparator that has not
// said whether it tells all bytes apart.
class CustomComparator : public rocksdb::Comparator {
 public:
  explicit CustomComparator(bool can_be_equal) : can_be_equal_(can_be_equal) {}
  const char* Name() const override { return "custom"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*,
                             const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
  bool CanKeysWithDifferentByteContentsBeEqual() const override {
    return can_be_equal_;
  }

 private:
  const bool can_be_equal_;
};

TEST(CheckFilterPolicyTest, Ours) {
  EXPECT_TRUE(CheckFilterPolicy(WithOptions({})).ok());
  // Options of a database are those of its default column family.
  EXPECT_TRUE(CheckFilterPolicy(rocksdb::Options({}, WithOptions({}))).ok());
}

TEST(CheckFilterPolicyTest, NoPolicy) {
  ExpectRefused(CheckFilterPolicy(ColumnFamilyOptions()),
                "no filter policy is set");
}

// What field reports call "filter strings that are quietly ignored": all of
// them OK and no filter as far as RocksDB is concerned.
TEST(CheckFilterPolicyTest, NamesNobodyKnows) {
  for (const char* name : {"nonesuch", "nonesuch:10", "bloomfilter:abc"}) {
    ColumnFamilyOptions options;
    rocksdb::ConfigOptions config;
    config.ignore_unsupported_options = true;
    ASSERT_TRUE(rocksdb::GetColumnFamilyOptionsFromString(
                    config, ColumnFamilyOptions(),
                    std::string("block_based_table_factory={filter_policy=") +
                        name + "}",
                    &options)
                    .ok());
    ExpectRefused(CheckFilterPolicy(options), "no filter policy is set");
  }
}

TEST(CheckFilterPolicyTest, AnotherPolicy) {
  ExpectRefused(
      CheckFilterPolicy(WithPolicy(std::shared_ptr<const FilterPolicy>(
          rocksdb::NewBloomFilterPolicy(10)))),
      "bloomfilter");
}

TEST(CheckFilterPolicyTest, UnreadableString) {
  const auto poisoned = std::make_shared<const Policy>(
      Status::InvalidArgument("sstfilter: bits_per_key=0.3 is not accepted"));
  ExpectRefused(CheckFilterPolicy(WithPolicy(poisoned)), "bits_per_key=0.3");
}

TEST(CheckFilterPolicyTest, AnotherTableFormat) {
  ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewPlainTableFactory());
  ExpectRefused(CheckFilterPolicy(options), "PlainTable");
  options.table_factory.reset();
  ExpectRefused(CheckFilterPolicy(options), "no table factory");
}

TEST(CheckFilterPolicyTest, ExpectedOptions) {
  FilterExpectation expectation;
  expectation.options.emplace();
  EXPECT_TRUE(CheckFilterPolicy(WithOptions({}), expectation).ok());
  expectation.options->bits_per_key = 12;
  const Status status = CheckFilterPolicy(WithOptions({}), expectation);
  ExpectRefused(status, "bits_per_key=12");
  ExpectRefused(status, "bits_per_key=10");
}

TEST(CheckFilterPolicyTest, ComparatorThatMayCallBytesEqual) {
  const CustomComparator cautious(true);
  const CustomComparator exact(false);
  ColumnFamilyOptions options = WithOptions({});
  options.comparator = &exact;
  EXPECT_TRUE(CheckFilterPolicy(options).ok());
  options.comparator = &cautious;
  ExpectRefused(CheckFilterPolicy(options), "comparator custom");
  FilterExpectation vouched;
  vouched.comparator_tells_bytes_apart = true;
  EXPECT_TRUE(CheckFilterPolicy(options, vouched).ok());

  FilterOptions lower;
  lower.key_transform = AsciiLowerTransform();
  options = WithOptions(lower);
  options.comparator = &cautious;
  EXPECT_TRUE(CheckFilterPolicy(options).ok());
}

TEST(CheckFilterPolicyTest, RocksDBsOwnComparators) {
  ColumnFamilyOptions options = WithOptions({});
  for (const char* name :
       {"leveldb.BytewiseComparator", "rocksdb.ReverseBytewiseComparator",
        "leveldb.BytewiseComparator.u64ts"}) {
    const rocksdb::Comparator* comparator = nullptr;
    ASSERT_TRUE(rocksdb::Comparator::CreateFromString(rocksdb::ConfigOptions(),
                                                      name, &comparator)
                    .ok());
    options.comparator = comparator;
    const Status status = CheckFilterPolicy(options);
    EXPECT_TRUE(status.ok()) << comparator->Name() << ": " << status.ToString();
  }
}

TEST(CheckFilterPolicyTest, ColumnFamilies) {
  std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {"default", WithOptions({})}, {"users", WithOptions({})}};
  EXPECT_TRUE(CheckFilterPolicy(families).ok());
  families[1].options = ColumnFamilyOptions();
  ExpectRefused(CheckFilterPolicy(families), "users");
  ExpectRefused(CheckFilterPolicy(families), "no filter policy is set");
}

}  // namespace
}  // namespace sstfilter
