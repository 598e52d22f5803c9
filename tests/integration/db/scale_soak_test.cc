// Very large tables. Minutes, and gigabytes of memory.
#include <gtest/gtest.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>

#include <cmath>
#include <memory>
#include <string>

#include "lookups.h"
#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"

namespace sstfilter::dbtest {
namespace {

std::string BigEndian(uint64_t number) {
  std::string key(8, '\0');
  for (int i = 7; i >= 0; --i, number >>= 8) {
    key[static_cast<size_t>(i)] = static_cast<char>(number);
  }
  return key;
}

class ScaleSoak : public testing::TestWithParam<PolicyUnderTest> {};

TEST_P(ScaleSoak, TenMillionKeysInOneTable) {
  constexpr uint64_t kKeys = 10000000;
  for (bool partitioned : {false, true}) {
    Database database(GetParam().make());
    if (partitioned) MakePartitioned(&database.table);
    database.table.metadata_block_size = 4096;
    const std::string file = database.directory() / "large.sst";
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), database.AllOptions());
    Check(writer.Open(file));
    for (uint64_t key = 0; key < kKeys; ++key) {
      Check(writer.Put(BigEndian(2 * key), ""));
    }
    Check(writer.Finish());
    database.Open();
    Check(database->IngestExternalFile({file}, {}));
    rocksdb::PinnableSlice value;
    for (uint64_t key = 0; key < kKeys; key += 10) {
      value.Reset();
      ASSERT_TRUE(database
                      ->Get({}, database->DefaultColumnFamily(),
                            BigEndian(2 * key), &value)
                      .ok());
    }
    const Activity before = database.activity();
    constexpr uint64_t kAbsent = 200000;
    for (uint64_t key = 0; key < kAbsent; ++key) {
      value.Reset();
      ASSERT_TRUE(database
                      ->Get({}, database->DefaultColumnFamily(),
                            BigEndian(2 * (key * 49) + 1), &value)
                      .IsNotFound());
    }
    ExpectSkipped(GetParam(), (database.activity() - before).skipped, kAbsent);
  }
}

INSTANTIATE_TEST_SUITE_P(Ours, ScaleSoak, testing::ValuesIn(OurPolicies()),
                         PolicyName<testing::TestParamInfo<PolicyUnderTest>>);

// Effects of a hash too narrow, or of 32-bit arithmetic, show only here: the
// rate must not rise with the number of keys. The last filter is larger than 4
// Gbit.
TEST(RateSoak, FieldCase29And10MillionsOfKeysInOneFilter) {
  for (FilterKind kind : BuiltKinds()) {
    if (kind == FilterKind::kAuto) continue;
    for (double bits : {10.0, 20.0}) {
      for (uint64_t millions : {1, 4, 16, 64, 220}) {
        if (millions == 220 && bits != 20.0) continue;
        FilterBlockOptions options;
        options.kind = kind;
        options.bits_per_key = bits;
        options.fixed_seed = 29;
        FilterBlockBuilder builder(options);
        const uint64_t keys = millions * 1000000;
        for (uint64_t key = 0; key < keys; ++key) {
          builder.AddKey(reinterpret_cast<const char*>(&key), sizeof(key));
        }
        const FilterBlock block = builder.Finish();
        FilterBlockReader reader;
        ASSERT_EQ(
            FilterBlockReader::Open(block.bytes.get(), block.size, &reader),
            BlockState::kUsable);
        const auto passed = [&](uint64_t first, uint64_t count) {
          uint64_t may_match = 0;
          for (uint64_t key = first; key < first + count; ++key) {
            may_match += reader.MayMatch(
                reader.Hash(reinterpret_cast<const char*>(&key), sizeof(key)));
          }
          return may_match;
        };
        ASSERT_EQ(passed(0, keys), keys);
        constexpr uint64_t kAbsent = 20000000;
        const double expected = reader.ExpectedFalsePositiveRate() * kAbsent;
        EXPECT_LE(static_cast<double>(passed(keys, kAbsent)),
                  1.03 * expected + 6 * std::sqrt(expected))
            << FilterKindName(kind) << ", " << millions << " million keys, "
            << bits << " bits per key";
      }
    }
  }
}

}  // namespace
}  // namespace sstfilter::dbtest
