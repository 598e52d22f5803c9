// Readers that outlive policy and database, that are made again and again, that
// stand at odd addresses; builders on many threads.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "integration/bits_builder.h"
#include "lookups.h"

namespace {

// Heap memory taken by this thread since it was last set to 0.
thread_local size_t allocations = 0;
thread_local size_t allocated_bytes = 0;

}  // namespace

[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  allocated_bytes += size;
  void* memory = malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  free(memory);
}

namespace sstfilter::dbtest {
namespace {

class Lifetime : public testing::TestWithParam<PolicyUnderTest> {
 protected:
  static bool Compressed() {
    const auto supported = rocksdb::GetSupportedCompressions();
    return std::count(supported.begin(), supported.end(),
                      rocksdb::kSnappyCompression) != 0;
  }
};

TEST_P(Lifetime, BlockCacheOutlivesPolicyAndDatabase) {
  const auto cache = rocksdb::NewLRUCache(64 << 20);
  TempDir elsewhere;
  for (bool partitioned : {false, true}) {
    auto database = std::make_unique<Database>(GetParam().make());
    if (partitioned) MakePartitioned(&database->table);
    database->table.no_block_cache = false;
    database->table.block_cache = cache;
    database->table.cache_index_and_filter_blocks = true;
    database->Open();
    PutAll(*database, PresentKeys(2000));
    database->Flush();
    ExpectUseful(GetParam(), *database, PresentKeys(2000), AbsentKeys(1500));
    // Another policy object, the same database and cache: its readers serve on.
    database->table.filter_policy = nullptr;
    database->Close();
    database->table.filter_policy = GetParam().make();
    database->Open();
    ExpectUseful(GetParam(), *database, PresentKeys(2000), AbsentKeys(1500));
    database.reset();
  }
  EXPECT_GT(cache->GetUsage(), 0u);
  // Here the readers go, with no policy left.
  cache->EraseUnRefEntries();
}

TEST_P(Lifetime, FewOpenFiles) {
  auto observations = std::make_shared<Observations>();
  Database database(Observe(GetParam().make(), observations));
  database.options.max_open_files = 10;
  database.Open();
  for (uint64_t file = 0; file < 40; ++file) {
    for (uint64_t i = file; i < 2000; i += 40) {
      database.Put(PresentKeys(1, i)[0], ValueOf(PresentKeys(1, i)[0]));
    }
    database.Flush();
  }
  database.Open();
  ExpectAllFound(database, PresentKeys(2000));
  const Activity activity = GetAbsent(database, AbsentKeys(100, 500));
  ExpectSkipped(GetParam(), activity.skipped, 100 * 40);
  EXPECT_GT(observations->readers, 1000u) << "readers are made often";
}

TEST_P(Lifetime, MappedFilesAndFiltersInTheCache) {
  for (bool partitioned : {false, true}) {
    auto observations = std::make_shared<Observations>();
    Database database(Observe(GetParam().make(), observations));
    if (partitioned) MakePartitioned(&database.table);
    database.table.no_block_cache = false;
    database.table.block_cache = rocksdb::NewLRUCache(64 << 20);
    database.table.cache_index_and_filter_blocks = true;
    database.options.allow_mmap_reads = true;
    database.Open();
    // Values of odd lengths, so that blocks begin anywhere.
    const auto keys = PresentKeys(3000);
    for (int part = 0; part < 5; ++part) {
      for (size_t i = part; i < keys.size(); i += 5) {
        database.Put(keys[i], std::string(1 + (i * 7 + part) % 23, 'v'));
      }
      database.Flush();
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(database.Get(keys[i]).has_value()) << keys[i];
    }
    const auto found = database.MultiGet(keys, 64);
    EXPECT_EQ(std::count(found.begin(), found.end(), std::nullopt), 0);
    const Activity activity = GetAbsent(database, AbsentKeys(2000, 100));
    ExpectSkipped(GetParam(), activity.skipped,
                  activity.skipped + activity.passed);
    EXPECT_EQ(activity.skipped + activity.passed, 5 * 2000u);
    EXPECT_GT(observations->unaligned_blocks, 0u);
  }
}

TEST_P(Lifetime, FieldCase44ParallelCompression) {
  if (!Compressed()) GTEST_SKIP() << "RocksDB was built without Snappy";
  for (bool partitioned : {false, true}) {
    Database database(GetParam().make());
    if (partitioned) MakePartitioned(&database.table);
    database.options.compression = rocksdb::kSnappyCompression;
    database.options.compression_opts.parallel_threads = 4;
    database.Open();
    const auto keys = PresentKeys(6000);
    PutAll(database, keys);
    database.Flush();
    database.Compact();
    ExpectUseful(GetParam(), database, keys, AbsentKeys(2000));
  }
}

TEST_P(Lifetime, FieldCase45CacheWarmedAtFlush) {
  for (bool partitioned : {false, true}) {
    Database database(GetParam().make());
    if (partitioned) MakePartitioned(&database.table);
    database.table.no_block_cache = false;
    database.table.block_cache = rocksdb::NewLRUCache(64 << 20);
    database.table.cache_index_and_filter_blocks = true;
    database.table.prepopulate_block_cache =
        rocksdb::BlockBasedTableOptions::PrepopulateBlockCache::kFlushOnly;
    database.Open();
    PutAll(database, PresentKeys(2000));
    database.Flush();
    const Activity before = database.activity();
    ExpectAllFound(database, PresentKeys(2000));
    const Activity activity = GetAbsent(database, AbsentKeys(1500));
    ExpectSkipped(GetParam(), activity.skipped, 1500);
    EXPECT_EQ(database.Ticker(rocksdb::BLOCK_CACHE_FILTER_MISS), 0u);
    EXPECT_LE((database.activity() - before).disk_reads, 3u)
        << "the table's footer and properties at most";
  }
}

TEST_P(Lifetime, ManyThreadsAskAndBuild) {
  Database database(GetParam().make());
  MakePartitioned(&database.table);
  database.options.max_background_jobs = 4;
  database.Open();
  const auto keys = PresentKeys(4000);
  std::atomic<size_t> written{0};
  std::atomic<bool> done{false};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&, reader] {
      for (size_t i = reader; !done; i += 7) {
        const size_t limit = written;
        if (limit == 0) continue;
        const std::string& key = keys[i % limit];
        if (database.Get(key) != ValueOf(key)) ++wrong;
        if (database.Get(key + "x").has_value()) ++wrong;
      }
    });
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    database.Put(keys[i], ValueOf(keys[i]));
    written = i + 1;
    if (i % 500 == 499) database.Flush();
    if (i % 2000 == 1999) database.Compact();
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u);
  ExpectUseful(GetParam(), database, keys, AbsentKeys(1000));
}

INSTANTIATE_TEST_SUITE_P(All, Lifetime, testing::ValuesIn(AllPolicies()),
                         PolicyName<testing::TestParamInfo<PolicyUnderTest>>);

class Memory : public testing::TestWithParam<FilterKind> {};

// A reader is one small object whatever the size of its filter: nothing that a
// block cache would not be charged for.
TEST_P(Memory, FieldCase37ReadersOwnNothingElse) {
  const PolicyPtr policy = NewPolicy(OptionsOf(GetParam()));
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.level_at_creation = 6;
  for (size_t keys : {1, 1000, 100000}) {
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(context));
    for (size_t i = 0; i < keys; ++i) builder->AddKey(Key(i));
    std::unique_ptr<const char[]> bytes;
    const rocksdb::Slice block = builder->Finish(&bytes);
    // Odd addresses too.
    std::vector<char> shifted(block.size() + 9);
    for (size_t offset : {0, 1, 7, 9}) {
      std::memcpy(shifted.data() + offset, block.data(), block.size());
      allocations = allocated_bytes = 0;
      const std::unique_ptr<rocksdb::FilterBitsReader> reader(
          policy->GetFilterBitsReader({shifted.data() + offset, block.size()}));
      EXPECT_EQ(allocations, 1u);
      // Three cache lines.
      EXPECT_LE(allocated_bytes, 192u);
      EXPECT_TRUE(reader->MayMatch("key00000000"));
      EXPECT_EQ(allocations, 1u) << "asking takes no memory";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Memory, testing::ValuesIn(BuiltKinds()),
                         [](const testing::TestParamInfo<FilterKind>& test) {
                           return std::string(FilterKindName(test.param));
                         });

}  // namespace
}  // namespace sstfilter::dbtest
