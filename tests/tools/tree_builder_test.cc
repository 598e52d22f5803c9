// Builds small trees and checks their shape, and that the reads counted at the
// file system are the ones RocksDB's own statistics know of.
#include "tools/tree_builder.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "temporary_directory.h"
#include "tools/counting_file_system.h"
#include "tools/filter_spec.h"
#include "tools/key_source.h"
#include "tools/lookups.h"
#include "tools/tree_summary.h"

namespace sstfilter::tools {
namespace {

constexpr uint64_t kKeys = 20000;
constexpr uint64_t kAbsent = 4000;
constexpr size_t kValueBytes = 100;

// One database that was built and opened again.
class Built {
 public:
  Built(const std::string& filter, const std::string& path, const KeySet& keys,
        const TreeShape& shape, bool cache_filters) {
    EXPECT_TRUE(ParseFilterSpec(filter, &spec_).ok());
    environment_ = rocksdb::NewCompositeEnv(
        NewCountingFileSystem(rocksdb::FileSystem::Default(), counter_));
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = spec_.policy;
    table.no_block_cache = !cache_filters;
    table.cache_index_and_filter_blocks = cache_filters;
    if (cache_filters) table.block_cache = rocksdb::NewLRUCache(1024, 0);
    rocksdb::Options options;
    PrepareTreeOptions(kKeys * (16 + kValueBytes), shape.levels, &options);
    options.env = environment_.get();
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.statistics = statistics_;
    Progress silent(nullptr);
    rocksdb::Status status =
        BuildTree(options, path, keys.present, kValueBytes,
                  PlanTree(keys.present.size(), shape), &silent);
    EXPECT_TRUE(status.ok()) << status.ToString();
    rocksdb::DB* opened = nullptr;
    status = rocksdb::DB::Open(options, path, &opened);
    EXPECT_TRUE(status.ok()) << status.ToString();
    database_.reset(opened);
    EXPECT_TRUE(
        SummarizeTree(database(), spec_, counter_.get(), &levels_).ok());
    EXPECT_TRUE(statistics_->Reset().ok());
  }

  LookupCounts LookUpAll(const std::vector<std::string_view>& keys,
                         size_t batch = 1) {
    LookupCounts counts;
    const rocksdb::Status status =
        LookUp(database(), *counter_, keys, batch, &counts);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return counts;
  }

  uint64_t Ticker(rocksdb::Tickers ticker) const {
    return statistics_->getTickerCount(ticker);
  }

  rocksdb::DB* database() const { return database_.get(); }
  const std::map<int, LevelSummary>& levels() const { return levels_; }

 private:
  FilterSpec spec_;
  std::shared_ptr<TableReadCounter> counter_ =
      std::make_shared<TableReadCounter>();
  std::shared_ptr<rocksdb::Statistics> statistics_ =
      rocksdb::CreateDBStatistics();
  std::unique_ptr<rocksdb::Env> environment_;
  std::unique_ptr<rocksdb::DB> database_;
  std::map<int, LevelSummary> levels_;
};

class TreeBuilderTest : public testing::Test {
 protected:
  void SetUp() override {
    KeySourceOptions source;
    source.generated = kKeys;
    source.absent_wanted = kAbsent;
    ASSERT_TRUE(LoadKeys(source, &keys_).ok());
  }

  std::unique_ptr<Built> Build(const std::string& filter,
                               const TreeShape& shape = TreeShape(),
                               bool cache_filters = false) {
    return std::make_unique<Built>(
        filter, directory_.Path("db" + std::to_string(built_++)), keys_, shape,
        cache_filters);
  }

  TemporaryDirectory directory_;
  KeySet keys_;
  int built_ = 0;
};

uint64_t Sum(const LookupCounts& counts, uint64_t LevelChecks::*field) {
  uint64_t sum = 0;
  for (const auto& [level, checks] : counts.levels) sum += checks.*field;
  return sum;
}

TEST_F(TreeBuilderTest, LevelsHoldWhatWasPlanned) {
  const TreeShape shape{3, 10, 4};
  const auto built = Build("rocksdb-bloom:10", shape);
  std::map<int, uint64_t> planned;
  for (const PlannedRun& run : PlanTree(kKeys, shape)) {
    planned[run.level] += run.count;
  }
  ASSERT_EQ(built->levels().size(), 4u);
  for (const auto& [level, summary] : built->levels()) {
    EXPECT_EQ(summary.keys, planned[level]) << level;
    EXPECT_GT(summary.filter_bytes, summary.keys) << "10 bits are over a byte";
  }
  EXPECT_EQ(built->levels().at(0).files, 4u);
  EXPECT_GT(built->levels().at(3).files, 4u);
}

TEST_F(TreeBuilderTest, TheTreeIsTheSameWhateverTheFilter) {
  using Table = std::tuple<int, std::string, std::string, uint64_t>;
  std::vector<Table> first;
  for (const char* filter :
       {"none", "rocksdb-bloom:10", "rocksdb-ribbon:20", "sstfilter:14"}) {
    const auto built = Build(filter);
    std::vector<rocksdb::LiveFileMetaData> files;
    built->database()->GetLiveFilesMetaData(&files);
    std::vector<Table> tables;
    for (const auto& file : files) {
      tables.emplace_back(file.level, file.smallestkey, file.largestkey,
                          file.num_entries);
    }
    if (first.empty()) first = tables;
    EXPECT_EQ(tables, first) << filter;
  }
}

TEST_F(TreeBuilderTest, EveryKeyIsThere) {
  const auto built = Build("sstfilter:10", TreeShape{4, 3, 3});
  EXPECT_EQ(built->LookUpAll(keys_.present).found, kKeys);
  EXPECT_EQ(built->LookUpAll(keys_.absent).found, 0u);
}

TEST_F(TreeBuilderTest, CountedReadsAreTheBlocksRocksdbRead) {
  for (const char* filter : {"none", "rocksdb-bloom:10", "sstfilter:10"}) {
    const auto built = Build(filter);
    for (const auto* keys : {&keys_.absent, &keys_.present}) {
      const LookupCounts counts = built->LookUpAll(*keys);
      const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
      EXPECT_EQ(counts.disk.reads, perf.block_read_count) << filter;
      EXPECT_EQ(counts.disk.filter_reads, 0u) << filter;
      EXPECT_EQ(counts.lookups, keys->size());
    }
  }
}

TEST_F(TreeBuilderTest, CountedChecksAreRocksdbsTickers) {
  const auto built = Build("rocksdb-bloom:8", TreeShape{3, 10, 4});
  const LookupCounts absent = built->LookUpAll(keys_.absent);
  EXPECT_EQ(Sum(absent, &LevelChecks::skipped),
            built->Ticker(rocksdb::BLOOM_FILTER_USEFUL));
  EXPECT_EQ(Sum(absent, &LevelChecks::false_positives),
            built->Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE));
  EXPECT_EQ(Sum(absent, &LevelChecks::true_positives), 0u);
  EXPECT_GT(absent.levels.at(0).checks(), 3 * kAbsent);

  // Without a cache, a false positive is a read; with shortened index keys it
  // may be two.
  EXPECT_GE(absent.disk.reads, Sum(absent, &LevelChecks::false_positives) / 2);
  EXPECT_LE(absent.disk.reads, 2 * Sum(absent, &LevelChecks::false_positives));
}

TEST_F(TreeBuilderTest, TruePositivesAreNotFalseOnes) {
  const auto built = Build("rocksdb-bloom:16");
  const LookupCounts present = built->LookUpAll(keys_.present);
  EXPECT_EQ(Sum(present, &LevelChecks::true_positives), kKeys);
  EXPECT_LT(Sum(present, &LevelChecks::false_positives), kKeys / 100);
}

TEST_F(TreeBuilderTest, ReadsOfFilterBlocksAreToldApart) {
  for (const char* filter :
       {"rocksdb-bloom:10", "rocksdb-ribbon:10", "sstfilter:10"}) {
    // A cache in which nothing stays.
    const auto built = Build(filter, TreeShape(), /*cache_filters=*/true);
    const LookupCounts counts = built->LookUpAll(keys_.absent);
    const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
    EXPECT_GT(counts.disk.filter_reads, kAbsent) << filter;
    EXPECT_EQ(counts.disk.filter_reads, perf.filter_block_read_count) << filter;
    EXPECT_EQ(counts.disk.reads, perf.block_read_count) << filter;
  }
}

TEST_F(TreeBuilderTest, MultiGetFindsTheSame) {
  const auto built = Build("sstfilter:10");
  const LookupCounts one_by_one = built->LookUpAll(keys_.absent);
  for (const size_t batch : {2, 7, 32, 100000}) {
    const LookupCounts counts = built->LookUpAll(keys_.absent, batch);
    EXPECT_EQ(counts.found, 0u);
    EXPECT_EQ(Sum(counts, &LevelChecks::skipped),
              Sum(one_by_one, &LevelChecks::skipped))
        << batch;
    EXPECT_EQ(Sum(counts, &LevelChecks::false_positives),
              Sum(one_by_one, &LevelChecks::false_positives))
        << batch;
    EXPECT_EQ(built->LookUpAll(keys_.present, batch).found, kKeys) << batch;
  }
}

TEST_F(TreeBuilderTest, FiltersHideNoKeyAndNearlyEveryAbsentOne) {
  const auto built = Build("sstfilter:10");
  uint64_t hidden = 0;
  ASSERT_TRUE(CountHiddenKeys(built->database(), keys_.present, &hidden).ok());
  EXPECT_EQ(hidden, 0u);
  // What the check would say of keys that filters answer "absent".
  ASSERT_TRUE(CountHiddenKeys(built->database(), keys_.absent, &hidden).ok());
  EXPECT_GT(hidden, kAbsent * 9 / 10);
}

}  // namespace
}  // namespace sstfilter::tools
