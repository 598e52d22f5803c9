#include "integration/stored_filters.h"

#include <gtest/gtest.h>

#include "integration/stored_name.h"
#include "odd_database.h"
#include "sample_database.h"
#include "temporary_directory.h"
#include "tools/filter_facts.h"
#include "tools/filter_sizes.h"
#include "tools/table_keys.h"

namespace sstfilter::tools {
namespace {

constexpr int kKeys = 5000;

std::unique_ptr<StoredTable> Open(const std::string& path) {
  std::unique_ptr<StoredTable> table;
  const rocksdb::Status status =
      StoredTable::Open(TableReadOptions(), path, &table);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return table;
}

std::unique_ptr<StoredTable> Make(const TemporaryDirectory& directory,
                                  const SampleTable& sample) {
  return Open(
      MakeSample(SampleOptions(sample), directory.Path("db"), 0, kKeys));
}

TEST(StoredFiltersTest, RecognisesEveryKind) {
  const struct {
    const char* spec;
    const char* name;
    double low, high;  // rate
  } cases[] = {
      {"sstfilter:10", "sstfilter bloom", 0.005, 0.008},
      {"sstfilter:bits_per_key=10;kind=standard", "sstfilter standard", 0.007,
       0.009},
      {"sstfilter:bits_per_key=10;kind=parity", "sstfilter parity", 0.001,
       0.003},
      {"rocksdb-bloom:10", "rocksdb bloom", 0.009, 0.0102},
  };
  for (const auto& one : cases) {
    const TemporaryDirectory directory;
    const auto table = Make(directory, {one.spec});
    ASSERT_EQ(table->filters().size(), 1u) << one.spec;
    EXPECT_EQ(table->lack(), StoredTable::Lack::kNone);
    EXPECT_EQ(table->filters()[0].name, one.name);
    const FilterFacts facts = Combine(FactsOf(*table));
    EXPECT_TRUE(facts.usable);
    EXPECT_EQ(facts.keys, kKeys);
    EXPECT_NEAR(facts.bits_per_key, 10, 0.2);
    EXPECT_GT(facts.expected_rate, one.low) << one.spec;
    EXPECT_LT(facts.expected_rate, one.high) << one.spec;
    ASSERT_TRUE(facts.parameter.has_value());
    EXPECT_NEAR(*facts.parameter, 7, 2.5) << one.spec;
    EXPECT_NEAR(facts.fill.value_or(0.5), 0.5, 0.1) << one.spec;
  }
}

TEST(StoredFiltersTest, Ribbon) {
  const TemporaryDirectory directory;
  auto options = SampleOptions({"rocksdb-ribbon:10"});
  const std::string path = directory.Path("db");
  {
    const auto db = OpenSample(options, path);
    // Flushes get Bloom filters, compactions Ribbon.
    AddSampleTable(db.get(), 0, 15000);
    AddSampleTable(db.get(), 0, 20000);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  }
  const auto db = OpenSample(options, path);
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  ASSERT_EQ(files.size(), 1u);
  const auto table = Open(files[0].db_path + files[0].name);
  ASSERT_EQ(table->filters().size(), 1u);
  EXPECT_EQ(table->filters()[0].format, FilterFormat::kRocksdbRibbon);
  const FilterFacts facts = Combine(FactsOf(*table));
  EXPECT_EQ(facts.name, "rocksdb ribbon");
  EXPECT_NEAR(facts.expected_rate, 0.0098, 0.0012);
  EXPECT_NEAR(facts.bits_per_key, RibbonBits(18000, facts.expected_rate), 0.15);
}

TEST(StoredFiltersTest, Partitions) {
  for (const char* spec : {"sstfilter:10", "rocksdb-bloom:10"}) {
    const TemporaryDirectory directory;
    SampleTable sample{spec};
    sample.partitioned = true;
    const auto table = Make(directory, sample);
    EXPECT_GT(table->filters().size(), 3u);
    const FilterFacts facts = Combine(FactsOf(*table));
    EXPECT_EQ(facts.filters, table->filters().size());
    EXPECT_NEAR(facts.keys, kKeys, 1e-6);
    EXPECT_TRUE(facts.usable);
    // In the order of keys: the first key is in the first, the last in the
    // last.
    EXPECT_TRUE(MakeFilterQuestion(table->filters().front())(SampleKey(0)));
    EXPECT_TRUE(
        MakeFilterQuestion(table->filters().back())(SampleKey(kKeys - 1)));
  }
}

TEST(StoredFiltersTest, KeyTransforms) {
  for (const bool partitioned : {false, true}) {
    const TemporaryDirectory directory;
    SampleTable sample;
    sample.partitioned = partitioned;
    const auto options = OwnTransformOptions(sample, "not_registered");
    const auto table =
        Open(MakeSample(options, directory.Path("db"), 0, kKeys));
    ASSERT_FALSE(table->filters().empty());
    EXPECT_EQ(table->lack(), StoredTable::Lack::kNone);
    EXPECT_EQ(table->filters()[0].key_transform, "not_registered");
    EXPECT_EQ(table->kind(), "bloom");
    EXPECT_EQ(MakeFilterQuestion(table->filters()[0]), nullptr);
  }
  // Of a process that knows its own transforms.
  const TemporaryDirectory directory;
  ASSERT_TRUE(
      RegisterKeyTransform(std::make_shared<const KeyTransform>(KeyTransform{
          "registered", [](const rocksdb::Slice& key, std::string* out) {
            *out = key.ToString();
          }})));
  const auto table = Make(directory, {"sstfilter:key_transform=registered"});
  ASSERT_EQ(table->filters().size(), 1u);
  EXPECT_EQ(table->filters()[0].key_transform, "registered");
  const FilterQuestion question = MakeFilterQuestion(table->filters()[0]);
  ASSERT_NE(question, nullptr);
  for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(question(SampleKey(i)));
  EXPECT_EQ(StoredTransformName(rocksdb::Env::Default(), "/does/not/exist"),
            "");
}

TEST(StoredFiltersTest, TablesWithoutFilter) {
  const TemporaryDirectory directory;
  const auto table = Make(directory, {"none"});
  EXPECT_TRUE(table->filters().empty());
  EXPECT_EQ(table->lack(), StoredTable::Lack::kNoPolicy);

  SampleTable nothing_to_hash{"rocksdb-bloom:10"};
  nothing_to_hash.whole_keys = false;  // and no prefixes
  const TemporaryDirectory second;
  EXPECT_EQ(Make(second, nothing_to_hash)->lack(), StoredTable::Lack::kSkipped);
}

TEST(StoredFiltersTest, DamagedBlock) {
  const TemporaryDirectory directory;
  const std::string path = MakeSample(SampleOptions({"sstfilter:10"}),
                                      directory.Path("db"), 0, kKeys);
  const uint64_t data_bytes = Open(path)->properties().data_size;
  Overwrite(path, data_bytes + 100, "????");
  const auto table = Open(path);
  EXPECT_TRUE(table->filters().empty());
  EXPECT_EQ(table->lack(), StoredTable::Lack::kUnreadable);
}

TEST(StoredFiltersTest, DescribesAnyBytes) {
  for (size_t size = 0; size < 50; ++size) {
    for (int fill : {0, 1, 30, 31, 127, 128, 253, 254, 255}) {
      const StoredFilter filter =
          DescribeFilter(std::string(size, static_cast<char>(fill)));
      EXPECT_FALSE(filter.name.empty());
      const FilterQuestion question = MakeFilterQuestion(filter);
      if (question != nullptr) question("key");
    }
  }
  EXPECT_EQ(DescribeFilter(std::string(10, '\0')).name, "always true");
  EXPECT_EQ(DescribeFilter(std::string(6, '\0')).format,
            FilterFormat::kGivenUp);
  EXPECT_EQ(DescribeFilter(std::string(5, '\0')).format, FilterFormat::kNoKeys);
  EXPECT_EQ(DescribeFilter("").format, FilterFormat::kNoKeys);
}

// Answers are RocksDB's own, whatever the policy: "may match" to everything,
// and "absent".
TEST(StoredFiltersTest, BlocksInPlaceOfFilters) {
  const struct {
    std::string block;
    StoredTable::Lack lack;
    const char* kind;
    bool answer;
    double rate;
  } cases[] = {
      {std::string(6, '\0'), StoredTable::Lack::kGivenUp, "none", true, 1},
      {std::string(5, '\0'), StoredTable::Lack::kUnreadable, "other", false, 0},
      {"x", StoredTable::Lack::kUnreadable, "other", false, 0},
  };
  for (const char* spec : {"sstfilter:10", "rocksdb-bloom:10"}) {
    for (const auto& test : cases) {
      SCOPED_TRACE(test.block.size());
      const TemporaryDirectory directory;
      const auto options = SampleOptions({spec});
      PolicyIn(options) = ReplacingPolicy(PolicyIn(options), test.block);
      const auto table =
          Open(MakeSample(options, directory.Path("db"), 0, kKeys));
      EXPECT_EQ(table->lack(), test.lack);
      EXPECT_EQ(table->kind(), test.kind);
      ASSERT_EQ(table->filters().size(), 1u);
      EXPECT_EQ(MakeFilterQuestion(table->filters()[0])("key"), test.answer);
      const FilterFacts facts = Combine(FactsOf(*table));
      EXPECT_FALSE(facts.has_filter());
      EXPECT_EQ(facts.name, "none");
      EXPECT_EQ(facts.keys, 0);
      EXPECT_EQ(facts.bytes, test.block.size());
      EXPECT_EQ(facts.expected_rate, test.rate);
    }
  }
}

TEST(StoredFiltersTest, SomePartitionsGivenUp) {
  const TemporaryDirectory directory;
  SampleTable sample;
  sample.partitioned = true;
  const auto options = SampleOptions(sample);
  PolicyIn(options) =
      ReplacingPolicy(PolicyIn(options), std::string(6, '\0'), 2);
  const auto table = Open(MakeSample(options, directory.Path("db"), 0, kKeys));
  EXPECT_EQ(table->lack(), StoredTable::Lack::kNone);
  EXPECT_EQ(table->kind(), "bloom");
  const FilterFacts facts = Combine(FactsOf(*table));
  EXPECT_TRUE(facts.has_filter());
  EXPECT_TRUE(facts.usable);
  EXPECT_EQ(facts.name, "sstfilter bloom");
  EXPECT_EQ(facts.filters, table->filters().size());
  EXPECT_EQ(facts.given_up, facts.filters / 2);
  EXPECT_NEAR(facts.keys, kKeys / 2.0, kKeys / 4.0);
  // Half of the keys pass.
  EXPECT_NEAR(facts.expected_rate, 1 - facts.keys / kKeys, 0.01);
  EXPECT_NEAR(facts.bits_per_key, 10, 1);
  EXPECT_NEAR(facts.fill.value_or(0), 0.5, 0.1);
}

TEST(TableKeysTest, EveryKeyAlsoDeletedOnes) {
  const TemporaryDirectory directory;
  const auto table = Make(directory, {"none"});
  TableKeys keys(table.get());
  EXPECT_TRUE(keys.has_deleted_keys());
  int i = 0;
  for (; keys.Valid(); keys.Next(), ++i) {
    ASSERT_EQ(keys.key().ToString(), SampleKey(i));
  }
  EXPECT_TRUE(keys.status().ok());
  EXPECT_EQ(i, kKeys);
}

}  // namespace
}  // namespace sstfilter::tools
