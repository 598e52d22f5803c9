// Filters in the memory of NewFilterMemoryAllocator: where RocksDB puts them.
#include "sstfilter/memory_allocator.h"

#include <gtest/gtest.h>
#include <rocksdb/cache.h>

#include <memory>
#include <string>

#include "lookups.h"
#include "tests/sanitizers.h"

namespace sstfilter::dbtest {
namespace {

struct Place {
  const char* name;
  bool filters_in_cache;
  bool partitioned;
};

std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << place.name;
}

class MemoryAllocatorTest : public testing::TestWithParam<Place> {
 protected:
  // Readers made, and those whose block does not begin at a cache line, while
  // all keys of a database are looked up.
  void Run(const std::shared_ptr<rocksdb::MemoryAllocator>& allocator,
           uint64_t* readers, uint64_t* across_lines) {
    auto observations = std::make_shared<Observations>();
    Database database(
        Observe(NewPolicy(OptionsOf(FilterKind::kBloom, 10)), observations));
    // Partitions of 4 KiB, as RocksDB makes them by default.
    if (GetParam().partitioned) {
      MakePartitioned(&database.table);
      database.table.metadata_block_size = 4096;
    }
    rocksdb::LRUCacheOptions cache_options;
    cache_options.capacity = 64 << 20;
    cache_options.memory_allocator = allocator;
    database.table.no_block_cache = false;
    database.table.block_cache = rocksdb::NewLRUCache(cache_options);
    database.table.cache_index_and_filter_blocks = GetParam().filters_in_cache;
    database.Open();
    const auto keys = PresentKeys(20000);
    const size_t tables = 5;
    for (size_t table = 0; table < tables; ++table) {
      for (size_t i = table; i < keys.size(); i += tables) {
        database.Put(keys[i], ValueOf(keys[i]));
      }
      database.Flush();
    }
    database.Open();
    ExpectAllFound(database, keys);
    EXPECT_GT(GetAbsent(database, AbsentKeys(2000)).skipped, 0u);
    *readers = observations->readers;
    *across_lines = observations->blocks_across_lines;
  }
};

TEST_P(MemoryAllocatorTest, FiltersBeginAtACacheLine) {
  uint64_t readers = 0;
  uint64_t across_lines = 0;
  Run(NewFilterMemoryAllocator(), &readers, &across_lines);
  EXPECT_GE(readers, 5u);
  EXPECT_EQ(across_lines, 0u);
  if (kSanitized) return;
  // Without the allocator they do not, but for the sanitizers' malloc: or this
  // test could not fail.
  Run(nullptr, &readers, &across_lines);
  EXPECT_GT(across_lines, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Places, MemoryAllocatorTest,
    testing::Values(Place{"beside_cache", false, false},
                    Place{"in_cache", true, false},
                    Place{"partitioned_beside_cache", false, true},
                    Place{"partitioned_in_cache", true, true}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace sstfilter::dbtest
