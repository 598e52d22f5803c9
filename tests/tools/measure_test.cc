#include "tools/measure.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "full_disk_file_system.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

class MeasureTest : public testing::Test {
 protected:
  MeasureTest() {
    options_.generated = 20000;
    options_.lookups = 4000;
    options_.present_lookups = 1000;
    options_.rounds = 2;
    options_.directory = directory_.Path("work");
  }

  rocksdb::Status Run() {
    Progress silent(nullptr);
    return Measure(options_, &silent, &report_);
  }

  TemporaryDirectory directory_;
  MeasureOptions options_;
  MeasureReport report_;
};

// What was seen over what was to be expected.
double RateRatio(const FilterResult& result) {
  return *result.observed_fpr / *result.expected_fpr;
}

TEST_F(MeasureTest, FiltersAvoidReads) {
  const rocksdb::Status status = Run();
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(report_.results.size(), 4u);
  const FilterResult& none = report_.results[0];
  EXPECT_EQ(none.filter, "none");
  EXPECT_EQ(none.filter_bytes, 0u);
  EXPECT_EQ(none.reads_avoided, 0);
  EXPECT_FALSE(none.observed_fpr.has_value());
  EXPECT_FALSE(none.expected_fpr.has_value());
  EXPECT_FALSE(none.build_us_per_table.has_value());
  EXPECT_FALSE(none.build_ns_per_key.has_value());
  // Three levels, of which the cache holds the topmost now and then.
  EXPECT_GT(none.disk_reads_absent, 3 * options_.lookups / 2);

  for (size_t i = 1; i < report_.results.size(); ++i) {
    const FilterResult& result = report_.results[i];
    SCOPED_TRACE(result.filter);
    EXPECT_EQ(result.keys, 20000u);
    EXPECT_EQ(result.absent_lookups, 4000u);
    EXPECT_EQ(result.present_lookups, 1000u);
    EXPECT_EQ(result.false_negatives, 0u);
    EXPECT_NEAR(result.bits_per_key, 10, 4);
    EXPECT_EQ(result.filter_reads, 0u);
    EXPECT_LT(result.disk_reads_absent, none.disk_reads_absent / 20);
    EXPECT_EQ(
        result.reads_avoided,
        static_cast<int64_t>(none.disk_reads_absent + none.disk_reads_present) -
            static_cast<int64_t>(result.disk_reads_absent +
                                 result.disk_reads_present));
    EXPECT_DOUBLE_EQ(*result.observed_fpr,
                     static_cast<double>(result.false_positives) /
                         static_cast<double>(result.false_positives +
                                             result.tables_skipped));
    EXPECT_NEAR(RateRatio(result), 1, 0.5);  // the tables are tiny
    ASSERT_TRUE(result.build_us_per_table.has_value());
    EXPECT_GT(*result.build_us_per_table, 0);
    // All of the bottom level's tables but the last are alike.
    const LevelResult& bottom = result.levels.back();
    EXPECT_NEAR(1000 * *result.build_us_per_table / *result.build_ns_per_key,
                static_cast<double>(bottom.keys / bottom.files), 1e-6);
  }
}

TEST_F(MeasureTest, RatesAreTheExpectedOnes) {
  options_.filters = {"rocksdb-bloom:10", "rocksdb-ribbon:10", "sstfilter:7",
                      "sstfilter:10"};
  options_.generated = 60000;
  options_.shape = TreeShape{2, 3, 0};  // no tiny tables
  options_.lookups = 50000;
  ASSERT_TRUE(Run().ok());
  for (const FilterResult& result : report_.results) {
    // Three standard deviations of some six hundred false positives.
    EXPECT_NEAR(RateRatio(result), 1, 0.15) << result.filter;
    EXPECT_EQ(result.false_negatives, 0u) << result.filter;
  }
}

TEST_F(MeasureTest, LevelsAddUp) {
  options_.shape.young_files = 3;
  options_.filters = {"rocksdb-bloom:6", "sstfilter:6"};
  ASSERT_TRUE(Run().ok());
  for (const FilterResult& result : report_.results) {
    SCOPED_TRACE(result.filter);
    EXPECT_FALSE(result.reads_avoided.has_value()) << "none was not run";
    ASSERT_EQ(result.levels.size(), 4u);
    EXPECT_EQ(result.levels[0].level, 0);
    EXPECT_EQ(result.levels[0].files, 3u);
    LevelResult sum;
    for (const LevelResult& level : result.levels) {
      sum.keys += level.keys;
      sum.filter_bytes += level.filter_bytes;
      sum.checks += level.checks;
      sum.false_positives += level.false_positives;
    }
    EXPECT_EQ(sum.keys, result.keys);
    EXPECT_EQ(sum.filter_bytes, result.filter_bytes);
    EXPECT_EQ(sum.checks, result.tables_skipped + result.false_positives);
    EXPECT_EQ(sum.false_positives, result.false_positives);
    EXPECT_NEAR(RateRatio(result), 1, 0.5);  // the tables are tiny
  }
}

TEST_F(MeasureTest, TheRateDoesNotDependOnTheShareOfPresentLookups) {
  options_.filters = {"rocksdb-bloom:5"};
  ASSERT_TRUE(Run().ok());
  const FilterResult& result = report_.results[0];
  EXPECT_LT(*result.observed_fpr, 0.2) << "positives alone would say 1";
  EXPECT_NEAR(RateRatio(result), 1, 0.5);  // the tables are tiny
}

TEST_F(MeasureTest, CachedFiltersCostReads) {
  options_.filters = {"none", "rocksdb-bloom:10"};
  options_.cache_filters = true;
  options_.cache_bytes = 4096;
  options_.lookups = 1000;
  ASSERT_TRUE(Run().ok());
  const FilterResult& bloom = report_.results[1];
  EXPECT_GT(bloom.filter_reads, 1000u);
  EXPECT_LE(bloom.filter_reads,
            bloom.disk_reads_absent + bloom.disk_reads_present);
  EXPECT_GT(bloom.filter_read_bytes, bloom.filter_reads);
  EXPECT_EQ(bloom.false_negatives, 0u);
}

TEST_F(MeasureTest, TheSeedDecidesTheRun) {
  options_.filters = {"rocksdb-bloom:8"};
  ASSERT_TRUE(Run().ok());
  ASSERT_TRUE(Run().ok());  // over the first one's directory
  ASSERT_EQ(report_.results.size(), 2u);
  EXPECT_EQ(report_.results[0].false_positives,
            report_.results[1].false_positives);
  EXPECT_EQ(report_.results[0].disk_reads_present,
            report_.results[1].disk_reads_present);
}

TEST_F(MeasureTest, AFullDiskIsSaid) {
  for (const uint64_t room :
       {uint64_t{10}, uint64_t{10000}, uint64_t{500000}, uint64_t{2500000}}) {
    options_.file_system = NewFullDiskFileSystem(room);
    const rocksdb::Status status = Run();
    EXPECT_TRUE(status.IsNoSpace()) << room << ": " << status.ToString();
  }
}

TEST_F(MeasureTest, BadRequestsLeaveNothingBehind) {
  options_.filters = {"none", "rocksdb-bloom:0"};
  EXPECT_TRUE(Run().IsInvalidArgument());
  options_.filters = {"none"};
  options_.keys_path = directory_.Path("missing");
  EXPECT_TRUE(Run().IsInvalidArgument());
  EXPECT_EQ(directory_.Entries(), 0u);
}

TEST_F(MeasureTest, AFilterThatIsNotAskedIsNoted) {
  options_.generated = 0;
  options_.keys_path = directory_.Write("keys", "k1\nk2\nk3\nk4\n");
  options_.absent_path = directory_.Write("absent", "z1\nz2\n");
  options_.filters = {"rocksdb-bloom:10"};
  ASSERT_TRUE(Run().ok());
  EXPECT_FALSE(report_.results[0].observed_fpr.has_value());
  EXPECT_TRUE(report_.results[0].expected_fpr.has_value());
  const std::string notes = std::accumulate(report_.notes.begin(),
                                            report_.notes.end(), std::string());
  EXPECT_NE(notes.find("no absent lookup asked a filter"), std::string::npos);
}

}  // namespace
}  // namespace sstfilter::tools
