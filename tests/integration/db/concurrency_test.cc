// Readers, writers, flushes, compactions and changes of the filter options, all
// at the same time. The one thing that must hold: a key that was written before
// it is asked for is found.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lookups.h"
#include "sstfilter/filter_policy.h"
#include "tests/filter/sampling.h"

namespace sstfilter::dbtest {
namespace {

constexpr uint64_t kWriters = 2;
constexpr uint64_t kReaders = 8;
constexpr uint64_t kKeysOfAGroup = 20;
constexpr size_t kPrefixBytes = 8;
// Each writer starts again with its first key after so many, so that a long run
// fits the disk.
constexpr uint64_t kMostKeys = 400'000;

// How long to go on, from the environment variable SSTFILTER_SOAK_SECONDS; 0,
// for a fixed number of keys, if unset.
std::chrono::seconds SoakTime() {
  const char* text = std::getenv("SSTFILTER_SOAK_SECONDS");
  return std::chrono::seconds(
      text == nullptr ? 0 : std::strtoull(text, nullptr, 10));
}

// "w1gggggg" and two digits: twenty keys to a prefix.
std::string KeyOf(uint64_t writer, uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), "w%u%06u%02u",
                static_cast<unsigned>(writer),
                static_cast<unsigned>(number / kKeysOfAGroup),
                static_cast<unsigned>(number % kKeysOfAGroup));
  return text;
}

class Concurrency : public testing::TestWithParam<bool> {
 protected:
  Concurrency() : policy_(NewPolicy(OptionsOf(FilterKind::kBloom))) {}

  static bool Partitioned() { return GetParam(); }

  // Keys of the writer below this number are in the database.
  uint64_t Written(uint64_t writer) const {
    return watermarks_[writer].load(std::memory_order_acquire);
  }

  void Write(uint64_t writer, const std::function<bool(uint64_t)>& more) {
    for (uint64_t count = 0; more(count); ++count) {
      const uint64_t number = count % kMostKeys;
      database_.Put(KeyOf(writer, number), ValueOf(KeyOf(writer, number)));
      if (count < kMostKeys) {
        watermarks_[writer].store(number + 1, std::memory_order_release);
      }
    }
  }

  // Until the writers are done, and once more then.
  void Read(uint64_t seed) {
    Random random(seed);
    while (!done_) ReadSome(&random);
    ReadSome(&random);
  }

  void ReadSome(Random* random) {
    const uint64_t writer = random->Below(kWriters);
    const uint64_t written = Written(writer);
    if (written == 0) return;
    // Old keys and those that were just written.
    const auto any = [&] {
      const uint64_t from =
          random->Below(2) == 0 && written > 2000 ? written - 2000 : 0;
      return from + random->Below(written - from);
    };
    switch (random->Below(3)) {
      case 0: {
        const std::string key = KeyOf(writer, any());
        Expect(database_.Get(key) == ValueOf(key), "Get", key);
        break;
      }
      case 1: {
        std::vector<std::string> keys;
        for (int i = 0; i < 32; ++i) keys.push_back(KeyOf(writer, any()));
        const auto found = database_.MultiGet(keys, keys.size());
        for (size_t i = 0; i < keys.size(); ++i) {
          Expect(found[i] == ValueOf(keys[i]), "MultiGet", keys[i]);
        }
        break;
      }
      default: {
        const uint64_t number = any();
        const uint64_t group = number - number % kKeysOfAGroup;
        rocksdb::ReadOptions read;
        read.prefix_same_as_start = true;
        const std::unique_ptr<rocksdb::Iterator> iterator(
            database_->NewIterator(read));
        const std::string start = KeyOf(writer, group);
        const auto keys = Scan(iterator.get(), start);
        const uint64_t wanted = std::min(kKeysOfAGroup, written - group);
        Expect(keys.size() >= wanted, "an iterator", start);
      }
    }
    asked_.fetch_add(1, std::memory_order_relaxed);
    // What no one wrote.
    const std::string absent = KeyOf(writer, any()) + "x";
    Expect(!database_.Get(absent).has_value(), "Get", absent);
  }

  void ChangeOptions() {
    constexpr FilterKind kKinds[] = {FilterKind::kBloom,
                                     FilterKind::kStandardBloom,
                                     FilterKind::kParity, FilterKind::kAuto};
    Random random(5);
    while (!done_) {
      FilterOptions options =
          OptionsOf(kKinds[random.Below(4)],
                    1 + static_cast<double>(random.Below(200)) / 10);
      options.level_allocation = random.Below(2) == 0
                                     ? LevelAllocation::kUniform
                                     : LevelAllocation::kOptimal;
      Check(SetFilterOptions(*policy_, options));
      ++changes_;
      std::this_thread::yield();
    }
  }

  // RocksDB does these by itself too; by hand they come when nothing is due.
  void FlushAndCompact() {
    Random random(6);
    while (!done_) {
      database_.Flush();
      if (random.Below(4) == 0) database_.Compact();
      std::this_thread::sleep_for(std::chrono::milliseconds(random.Below(200)));
    }
  }

  void Expect(bool right, const char* how, const std::string& key) {
    if (right) return;
    if (wrong_++ < 10) ADD_FAILURE() << how << " is wrong for " << key;
  }

  const PolicyPtr policy_;
  Database database_{policy_};
  std::atomic<uint64_t> watermarks_[kWriters] = {};
  std::atomic<bool> done_{false};
  std::atomic<uint64_t> wrong_{0};
  std::atomic<uint64_t> asked_{0};
  std::atomic<uint64_t> changes_{0};
};

TEST_P(Concurrency, NoKeyIsMissed) {
  if (Partitioned()) MakePartitioned(&database_.table);
  database_.table.no_block_cache = false;
  database_.table.block_cache = rocksdb::NewLRUCache(4 << 20);
  database_.table.cache_index_and_filter_blocks = Partitioned();
  database_.options.prefix_extractor.reset(
      rocksdb::NewFixedPrefixTransform(kPrefixBytes));
  database_.options.disable_auto_compactions = false;
  database_.options.level0_file_num_compaction_trigger = 2;
  database_.options.write_buffer_size = 256 << 10;
  database_.options.target_file_size_base = 256 << 10;
  database_.options.max_bytes_for_level_base = 1 << 20;
  database_.options.max_background_jobs = 4;
  database_.Open();

  const uint64_t keys = Scaled(20'000, 2'000);
  const auto end = std::chrono::steady_clock::now() + SoakTime();
  const auto more = [&](uint64_t count) {
    return SoakTime().count() == 0 ? count < keys
                                   : std::chrono::steady_clock::now() < end;
  };
  std::vector<std::thread> writers;
  std::vector<std::thread> others;
  for (uint64_t i = 0; i < kWriters; ++i) {
    writers.emplace_back([this, i, &more] { Write(i, more); });
  }
  for (uint64_t i = 0; i < kReaders; ++i) {
    others.emplace_back([this, i] { Read(100 + i); });
  }
  others.emplace_back([this] { ChangeOptions(); });
  others.emplace_back([this] { FlushAndCompact(); });
  for (std::thread& thread : writers) thread.join();
  done_ = true;
  for (std::thread& thread : others) thread.join();

  EXPECT_EQ(wrong_, 0u) << "of " << asked_;
  EXPECT_GT(asked_, 0u);
  EXPECT_GT(changes_, 0u);
  for (uint64_t writer = 0; writer < kWriters; ++writer) {
    for (uint64_t number = 0; number < Written(writer); ++number) {
      const std::string key = KeyOf(writer, number);
      ASSERT_EQ(database_.Get(key), ValueOf(key)) << key;
    }
  }
  RecordProperty("lookups", std::to_string(asked_));
  RecordProperty("changes", std::to_string(changes_));
  RecordProperty("keys", std::to_string(Written(0) + Written(1)));
}

INSTANTIATE_TEST_SUITE_P(All, Concurrency, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& test) {
                           return test.param ? "partitioned" : "full";
                         });

}  // namespace
}  // namespace sstfilter::dbtest
