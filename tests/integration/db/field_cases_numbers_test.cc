// Troubles real users met with accuracy, damage, and numbers that mislead.
// tests/README.md tells each story; the number is the case's there.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/statistics.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "integration/rocksdb_internals.h"
#include "lookups.h"
#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"
#include "table/trailer.h"

namespace sstfilter::dbtest {
namespace {

using KindParamInfo = testing::TestParamInfo<FilterKind>;

std::vector<FilterKind> ConcreteKinds() {
  std::vector<FilterKind> kinds = BuiltKinds();
  kinds.erase(std::remove(kinds.begin(), kinds.end(), FilterKind::kAuto),
              kinds.end());
  return kinds;
}

std::string KindName(const KindParamInfo& test) {
  return FilterKindName(test.param);
}

class FieldCaseOfKinds : public testing::TestWithParam<FilterKind> {
 protected:
  static rocksdb::Slice Bytes(const uint64_t& key) {
    return {reinterpret_cast<const char*>(&key), sizeof(key)};
  }

  static FilterBlock Build(const FilterBlockOptions& options, uint64_t keys) {
    FilterBlockBuilder builder(options);
    for (uint64_t key = 0; key < keys; ++key) {
      builder.AddKey(Bytes(key).data(), sizeof(key));
    }
    return builder.Finish();
  }

  static uint64_t Passed(const FilterBlockReader& reader, uint64_t first,
                         uint64_t count) {
    uint64_t passed = 0;
    for (uint64_t key = first; key < first + count; ++key) {
      passed += reader.MayMatch(reader.Hash(Bytes(key).data(), sizeof(key)));
    }
    return passed;
  }
};

// More bits buy fewer false positives, at every step, as many as the model
// says.
TEST_P(FieldCaseOfKinds, Case27MoreBitsAreBetter) {
  constexpr uint64_t kKeys = 200000;
  constexpr uint64_t kAbsent = 2000000;
  uint64_t last = kAbsent;
  for (double bits : {5, 10, 16, 24, 50, 100}) {
    FilterBlockOptions options;
    options.kind = GetParam();
    options.bits_per_key = bits;
    options.fixed_seed = 27;
    const FilterBlock block = Build(options, kKeys);
    FilterBlockReader reader;
    ASSERT_EQ(FilterBlockReader::Open(block.bytes.get(), block.size, &reader),
              BlockState::kUsable);
    const uint64_t passed = Passed(reader, kKeys, kAbsent);
    const double expected = reader.ExpectedFalsePositiveRate() * kAbsent;
    // Beyond 24 bits hardly any are left to count.
    EXPECT_LE(passed, last) << bits;
    if (bits <= 24) {
      EXPECT_LT(passed, last) << bits;
    }
    EXPECT_LE(static_cast<double>(passed),
              1.3 * expected + 6 * std::sqrt(expected) + 3)
        << bits;
    last = passed;
  }
}

// Keys that fooled one table do not fool another of the same data: each filter
// has its own seed.
TEST_P(FieldCaseOfKinds, Case32FalsePositivesDoNotCarryOver) {
  FilterBlockOptions options;
  options.kind = GetParam();  // and a random seed
  FilterBlockReader first;
  FilterBlockReader second;
  const FilterBlock block1 = Build(options, 50000);
  const FilterBlock block2 = Build(options, 50000);
  FilterBlockReader::Open(block1.bytes.get(), block1.size, &first);
  FilterBlockReader::Open(block2.bytes.get(), block2.size, &second);
  uint64_t fooled_first = 0;
  uint64_t fooled_both = 0;
  for (uint64_t key = 50000; fooled_first < 1000; ++key) {
    if (Passed(first, key, 1) == 0) continue;
    ++fooled_first;
    fooled_both += Passed(second, key, 1);
  }
  const double expected = 1000 * second.ExpectedFalsePositiveRate();
  EXPECT_LE(static_cast<double>(fooled_both),
            expected + 7 * std::sqrt(expected) + 2);
}

// Any bytes may stand where a filter is read from. Whatever is not understood
// lets every key pass.
TEST_P(FieldCaseOfKinds, Case42WellChecksummedNonsense) {
  const PolicyPtr policy = NewPolicy(OptionsOf(GetParam()));
  FilterBlockOptions options;
  options.kind = GetParam();
  options.fixed_seed = 42;
  const FilterBlock block = Build(options, 300);
  const std::string good(block.bytes.get(), block.size);
  const auto lost = [&](const std::string& bytes) {
    // An allocation of exactly this size: reads beyond it show in sanitizers.
    const std::unique_ptr<char[]> copy(new char[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), copy.get());
    const std::unique_ptr<rocksdb::FilterBitsReader> reader(
        policy->GetFilterBitsReader({copy.get(), bytes.size()}));
    uint64_t absent = 0;
    for (uint64_t key = 0; reader != nullptr && key < 300; ++key) {
      absent += !reader->MayMatch(Bytes(key));
    }
    return absent;
  };
  EXPECT_EQ(lost(good), 0u);
  for (size_t length = 0; length < good.size(); ++length) {
    // What ends in the middle of the payload may look like a built-in filter;
    // RocksDB then answers as its own reader does. It must not crash.
    lost(good.substr(0, length));
  }
  for (size_t i = good.size() - kTrailerBytes; i < good.size(); ++i) {
    for (int change = 1; change < 256; change += i + 8 < good.size() ? 1 : 7) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      const bool still_ours =
          i < good.size() - 4 && i != good.size() - 5;  // magic and zero byte
      if (still_ours) {
        ASSERT_EQ(lost(bytes), 0u) << i << " " << change;
      } else {
        lost(bytes);
      }
    }
  }
  std::mt19937 random(42);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    lost(bytes);
    // With our magic and zero byte at the end.
    if (bytes.size() < kTrailerBytes) continue;
    std::copy(good.end() - 5, good.end(), bytes.end() - 5);
    EXPECT_EQ(lost(bytes), 0u);
  }
  for (size_t length = 0; length <= 64; ++length) {
    lost(std::string(length, '\0'));
    lost(std::string(length, '\xff'));
  }
}

INSTANTIATE_TEST_SUITE_P(All, FieldCaseOfKinds,
                         testing::ValuesIn(ConcreteKinds()), KindName);

class FieldCase : public testing::TestWithParam<PolicyUnderTest> {};

// Filters in a cache that cannot hold them cost more reads than they save; as
// partitions they cost far fewer bytes. What a measurement must count.
TEST_P(FieldCase, Case36BigFiltersInASmallCache) {
  uint64_t filter_bytes[2];
  for (bool partitioned : {false, true}) {
    Database database(GetParam().make());
    if (partitioned) MakePartitioned(&database.table);
    database.table.no_block_cache = false;
    database.table.cache_index_and_filter_blocks = true;
    database.table.block_cache = rocksdb::NewLRUCache(12 << 10, 0);
    database.Open();
    const auto keys = PresentKeys(16000);
    for (uint64_t file = 0; file < 4; ++file) {
      for (uint64_t i = file; i < keys.size(); i += 4) {
        database.Put(keys[i], ValueOf(keys[i]));
      }
      database.Flush();
    }
    const uint64_t before =
        database.Ticker(rocksdb::BLOCK_CACHE_FILTER_BYTES_INSERT);
    std::mt19937 random(36);
    std::vector<std::string> absent;
    for (int i = 0; i < 1000; ++i)
      absent.push_back(Key(random() % 15000 * 2 + 1));
    const Activity activity = GetAbsent(database, absent);
    ExpectSkipped(GetParam(), activity.skipped,
                  activity.skipped + activity.passed);
    EXPECT_GT(activity.disk_reads, activity.passed) << "filters are read, too";
    filter_bytes[partitioned] =
        database.Ticker(rocksdb::BLOCK_CACHE_FILTER_BYTES_INSERT) - before;
    ExpectAllFound(database, PresentKeys(500));
  }
  EXPECT_LT(filter_bytes[1], filter_bytes[0] / 2);
}

// A bit flipped in a stored filter. RocksDB verifies the block's checksum: the
// filter is not used, and no key is lost.
TEST_P(FieldCase, Case41BitFlipsOnDisk) {
  for (bool in_cache : {false, true}) {
    auto observations = std::make_shared<Observations>();
    std::string filter;
    Database database(
        Observe(GetParam().make(), observations,
                [&](char* bytes, size_t size) { filter.assign(bytes, size); }));
    database.table.no_block_cache = !in_cache;
    database.table.cache_index_and_filter_blocks = in_cache;
    database.options.paranoid_file_checks = false;
    database.Open();
    const auto keys = PresentKeys(1000);
    PutAll(database, keys);
    database.Flush();
    const std::string name = database.LiveFiles()[0].name;
    database.Close();

    std::fstream file(database.path() + name,
                      std::ios::in | std::ios::out | std::ios::binary);
    std::string contents((std::istreambuf_iterator<char>(file)), {});
    const size_t position = contents.find(filter);
    ASSERT_NE(position, std::string::npos);
    const size_t victim = position + filter.size() / 2;
    file.clear();
    file.seekp(static_cast<std::streamoff>(victim));
    file.put(static_cast<char>(contents[victim] ^ 4));
    file.close();

    database.Open();
    size_t lost = 0;
    for (const std::string& key : keys) {
      std::string value;
      const rocksdb::Status status = database->Get({}, key, &value);
      lost += status.IsNotFound();
    }
    EXPECT_EQ(lost, 0u);
    EXPECT_EQ(database.activity().skipped, 0u) << "the filter is not used";
    EXPECT_TRUE(database->VerifyChecksum().IsCorruption());
  }
}

// Ten overlapping files: what filters skipped is not what disks were spared.
TEST_P(FieldCase, Case46UsefulIsNotReadsAvoided) {
  const auto run = [](const PolicyPtr& policy, bool warm) {
    Database database(policy);
    database.table.no_block_cache = false;
    database.table.block_cache = rocksdb::NewLRUCache(64 << 20);
    database.Open();
    const auto keys = PresentKeys(5000);
    for (uint64_t file = 0; file < 10; ++file) {
      for (uint64_t i = file; i < keys.size(); i += 10) {
        database.Put(keys[i], ValueOf(keys[i]));
      }
      database.Flush();
    }
    if (warm) ExpectAllFound(database, keys);
    return GetAbsent(database, AbsentKeys(1000, 1000));
  };
  for (bool warm : {false, true}) {
    const Activity with = run(GetParam().make(), warm);
    const Activity without = run(nullptr, warm);
    ExpectSkipped(GetParam(), with.skipped, 10 * 1000);
    const uint64_t saved = without.disk_reads - with.disk_reads;
    if (warm) {
      EXPECT_EQ(saved, 0u) << "everything is in the cache";
    } else {
      EXPECT_GT(saved, 0u);
      EXPECT_LT(saved, with.skipped / 10) << "neighbours share a block";
    }
  }
}

// The same filter under loads of 1 % and 99 % absent keys has one false
// positive rate: false positives over all checks of absent keys.
TEST_P(FieldCase, Case47RateDoesNotDependOnTheLoad) {
  Database database(GetParam().make());
  database.Open();
  const auto keys = PresentKeys(20000);
  PutAll(database, keys);
  database.Flush();
  const auto absent = AbsentKeys(19999);
  const auto rate = [&](size_t absent_percent) {
    const Activity before = database.activity();
    for (size_t i = 0; i < absent.size(); ++i) {
      // A constant number of absent keys, diluted by present ones.
      if (absent_percent == 99 || i % 10 == 0) database.Get(absent[i]);
      if (absent_percent == 1 || i % 99 == 0) database.Get(keys[i]);
    }
    const Activity activity = database.activity() - before;
    const auto false_positives =
        static_cast<double>(activity.passed - activity.passed_rightly);
    return false_positives /
           (false_positives + static_cast<double>(activity.skipped));
  };
  const double few = rate(1);
  const double many = rate(99);
  EXPECT_LE(many, GetParam().rate);
  EXPECT_NEAR(few, many, 6 * std::sqrt(GetParam().rate / 2000));
}

INSTANTIATE_TEST_SUITE_P(Ours, FieldCase, testing::ValuesIn(OurPolicies()),
                         PolicyName<testing::TestParamInfo<PolicyUnderTest>>);

// With shortened separators a false positive past a block's last key opens two
// blocks; without, one.
TEST(FieldCaseOfTheHost, Case49OneFalsePositiveTwoReads) {
  double reads[2];
  for (bool shortened : {false, true}) {
    Database database(AlwaysMayMatch().make());
    database.table.block_size = 100;  // two or three keys
    database.table.index_shortening =
        shortened ? rocksdb::BlockBasedTableOptions::IndexShorteningMode::
                        kShortenSeparators
                  : rocksdb::BlockBasedTableOptions::IndexShorteningMode::
                        kNoShortening;
    database.Open();
    // Steps of 7, so that separators can be shortened to something in between.
    for (uint64_t i = 0; i < 3000; ++i) {
      database.Put(Key(7 * i), ValueOf(Key(7 * i)));
    }
    database.Flush();
    std::vector<std::string> absent;
    for (uint64_t i = 0; i < 2990; ++i) absent.push_back(Key(7 * i + 1));
    const Activity activity = GetAbsent(database, absent);
    EXPECT_EQ(activity.passed, absent.size());
    reads[shortened] = static_cast<double>(activity.disk_reads) /
                       static_cast<double>(activity.passed);
  }
  EXPECT_EQ(reads[0], 1.0);
  EXPECT_GT(reads[1], 1.1);
  EXPECT_LE(reads[1], 2.0);
}

}  // namespace
}  // namespace sstfilter::dbtest
