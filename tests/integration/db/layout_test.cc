// Full and partitioned filters, inside and outside the block cache.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>

#include <string>
#include <tuple>
#include <vector>

#include "lookups.h"

namespace sstfilter::dbtest {
namespace {

struct Layout {
  const char* name;
  bool partitioned;
  // 0: no block cache.
  size_t cache_bytes;
  bool filters_in_cache;
  bool pinned;
};

std::ostream& operator<<(std::ostream& out, const Layout& layout) {
  return out << layout.name;
}

constexpr size_t kTooSmall = 2000;
constexpr size_t kLarge = 64 << 20;

constexpr Layout kLayouts[] = {
    {"full", false, 0, false, false},
    {"full_beside_cache", false, kLarge, false, false},
    {"full_in_cache", false, kLarge, true, false},
    {"full_pinned", false, kLarge, true, true},
    {"full_cache_too_small", false, kTooSmall, true, false},
    {"partitioned", true, 0, false, false},
    {"partitioned_beside_cache", true, kLarge, false, false},
    {"partitioned_in_cache", true, kLarge, true, false},
    {"partitioned_pinned", true, kLarge, true, true},
    {"partitioned_cache_too_small", true, kTooSmall, true, false},
};

using Param = std::tuple<PolicyUnderTest, Layout>;

class LayoutTest : public testing::TestWithParam<Param> {};

void Apply(const Layout& layout, rocksdb::BlockBasedTableOptions* table) {
  if (layout.partitioned) MakePartitioned(table);
  table->no_block_cache = layout.cache_bytes == 0;
  table->block_cache = nullptr;
  if (layout.cache_bytes != 0) {
    table->block_cache = rocksdb::NewLRUCache(layout.cache_bytes, 0);
  }
  table->cache_index_and_filter_blocks = layout.filters_in_cache;
  table->pin_l0_filter_and_index_blocks_in_cache = layout.pinned;
  table->pin_top_level_index_and_filter = layout.pinned;
}

TEST_P(LayoutTest, NothingIsLostAndReadsAreSkipped) {
  const auto& [policy, layout] = GetParam();
  auto observations = std::make_shared<Observations>();
  Database database(Observe(policy.make(), observations));
  Apply(layout, &database.table);
  database.Open();
  const auto present = PresentKeys(4000);
  const auto in_order = AbsentKeys(3000);
  // Hardly two neighbours in the same partition.
  std::vector<std::string> absent;
  for (size_t i = 0; i < in_order.size(); ++i) {
    absent.push_back(in_order[i * 1009 % in_order.size()]);
  }
  PutAll(database, present);
  database.Flush();
  if (layout.partitioned) {
    EXPECT_GT(observations->filters_finished, 8u);
  } else {
    EXPECT_EQ(observations->filters_finished, 1u);
  }

  for (bool reopened : {false, true}) {
    SCOPED_TRACE(reopened ? "reopened" : "as flushed");
    if (reopened) database.Open();
    ExpectAllFound(database, present);
    // By now everything is in the cache that fits.
    const Activity activity = GetAbsent(database, absent);
    ExpectSkipped(policy, activity.skipped, absent.size());
    EXPECT_EQ(activity.skipped + activity.passed, absent.size());
    if (layout.cache_bytes == 0) {
      // Without a cache each check reads a partition, and each key that passes
      // an index partition and data.
      const uint64_t reads_per_check = layout.partitioned ? 1 : 0;
      const uint64_t reads_per_pass = layout.partitioned ? 3 : 2;
      EXPECT_LE(activity.disk_reads, reads_per_check * absent.size() +
                                         reads_per_pass * activity.passed);
      EXPECT_GE(activity.disk_reads,
                reads_per_check * absent.size() + activity.passed);
    } else {
      EXPECT_LE(activity.data_misses, 2 * activity.passed);
    }
    if (layout.cache_bytes == kLarge) {
      EXPECT_EQ(activity.disk_reads, 0u);
    }
    if (layout.cache_bytes == kTooSmall) {
      // The filter costs a read about as often as it saves one: what a cache
      // too small means.
      EXPECT_GE(activity.disk_reads, absent.size() * 3 / 4);
    }
  }
}

TEST_P(LayoutTest, CompactedTablesToo) {
  const auto& [policy, layout] = GetParam();
  Database database(policy.make());
  Apply(layout, &database.table);
  database.options.num_levels = 4;
  database.Open();
  for (uint64_t part = 0; part < 3; ++part) {
    PutAll(database, PresentKeys(1000, part * 1000));
    database.Flush();
  }
  database.Compact();
  EXPECT_EQ(database.Tables(0), 0);
  const auto absent = AbsentKeys(2990);
  ExpectAllFound(database, PresentKeys(3000));
  const Activity activity = MultiGetAbsent(database, absent, 100);
  ExpectSkipped(policy, activity.skipped, absent.size());
  EXPECT_EQ(activity.skipped + activity.passed, absent.size());
}

INSTANTIATE_TEST_SUITE_P(All, LayoutTest,
                         testing::Combine(testing::ValuesIn(AllPolicies()),
                                          testing::ValuesIn(kLayouts)),
                         [](const testing::TestParamInfo<Param>& test) {
                           return std::get<0>(test.param).name + "_" +
                                  std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace sstfilter::dbtest
