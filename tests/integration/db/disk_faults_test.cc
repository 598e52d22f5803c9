// A disk that is full while a table is written, and one that changes bits of
// stored filters: an error where RocksDB expects one, and no key lost.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "faulty_file_system.h"
#include "lookups.h"
#include "tests/filter/sampling.h"

namespace sstfilter::dbtest {
namespace {

using Param = std::tuple<PolicyUnderTest, bool>;

// RocksDB waits for room and goes on by itself, at a time of its own choosing.
class NoRecoveryByItself : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/,
                            rocksdb::Status /*error*/,
                            bool* automatic) override {
    *automatic = false;
  }
};

class DiskFaultsTest : public testing::TestWithParam<Param> {
 protected:
  DiskFaultsTest() {
    const auto& [policy, partitioned] = GetParam();
    database_.options.env = env_.get();
    // Many small writes, for the disk to be full between any two of them.
    database_.options.writable_file_max_buffer_size = 512;
    database_.options.listeners = {std::make_shared<NoRecoveryByItself>()};
    if (partitioned) MakePartitioned(&database_.table);
  }
  ~DiskFaultsTest() override { database_.Close(); }

  const std::shared_ptr<DiskFaults> faults_ = std::make_shared<DiskFaults>();
  const std::unique_ptr<rocksdb::Env> env_{
      rocksdb::NewCompositeEnv(NewFaultyFileSystem(faults_))};
  // Its filters, for the places where they lie in files.
  std::vector<std::string> filters_;
  Database database_{Observe(std::get<0>(GetParam()).make(),
                             std::make_shared<Observations>(),
                             [this](char* bytes, size_t size) {
                               filters_.emplace_back(bytes, size);
                             })};
};

class FullDisk : public DiskFaultsTest {
 protected:
  // Runs `work` with a disk that is full after a random part of `needed` bytes.
  // Gives room again, and goes on in this process or after opening anew.
  template <typename Work>
  void FillUpDuring(const char* what, uint64_t needed, Random* random,
                    const Work& work) {
    // In half of the cases in the last tenth of the file: filter, index,
    // properties, footer.
    const uint64_t start = random->Below(2) == 0 ? 0 : needed * 9 / 10;
    const uint64_t room = start + random->Below(needed - start);
    const bool reopen = random->Below(2) == 0;
    SCOPED_TRACE(std::string(what) + ", full after " + std::to_string(room) +
                 " of " + std::to_string(needed) + " bytes" +
                 (reopen ? ", opened anew" : ""));
    const uint64_t refused = faults_->refused;
    faults_->room = static_cast<int64_t>(room);
    const rocksdb::Status status = work();
    EXPECT_TRUE(status.IsNoSpace()) << status.ToString();
    EXPECT_GT(faults_->refused, refused);
    // What was written before is there, on a full disk too.
    ExpectAllFound(database_, PresentKeys(keys_));

    faults_->room = DiskFaults::kMuchRoom;
    if (reopen) {
      database_.Open();
    } else {
      Check(database_->Resume());
    }
    ExpectAllFound(database_, PresentKeys(keys_));
  }

  void PutMore() {
    for (const std::string& key : PresentKeys(kKeysOfATable, keys_)) {
      database_.Put(key, ValueOf(key));
    }
    keys_ += kKeysOfATable;
  }

  static constexpr uint64_t kKeysOfATable = 2000;
  uint64_t keys_ = 0;
};

TEST_P(FullDisk, FlushesAndCompactionsFailAndNoKeyIsLost) {
  Random random(603);
  database_.Open();
  PutMore();
  database_.Flush();
  // Numbers in a table's properties differ in length.
  const uint64_t needed = faults_->written - 64;
  // After an error RocksDB waits for a second: few rounds.
  for (size_t round = 0; round < Scaled(2); ++round) {
    // After a Resume, Flush may return OK before it has failed; not so in a
    // database just opened.
    database_.Open();
    PutMore();
    FillUpDuring("flush", needed, &random,
                 [this] { return database_->Flush({}); });
    database_.Flush();

    database_.Open();
    // Merged, the tables are a little smaller.
    uint64_t all = 0;
    for (const auto& file : database_.LiveFiles()) all += file.size;
    FillUpDuring("compaction", all * 9 / 10, &random, [this] {
      rocksdb::CompactRangeOptions compact;
      compact.bottommost_level_compaction =
          rocksdb::BottommostLevelCompaction::kForce;
      return database_->CompactRange(compact, nullptr, nullptr);
    });
    if (HasFailure()) return;
  }
  database_.Flush();
  database_.Compact();
  ExpectAllFound(database_, PresentKeys(keys_));
  const Activity activity = GetAbsent(database_, AbsentKeys(keys_));
  ExpectSkipped(std::get<0>(GetParam()), activity.skipped,
                activity.skipped + activity.passed);
}

// ReadOptions::verify_checksums is on by default: a filter with a bit that
// changed is not used. Any bit, of the filter or of the checksum behind it.
class BitRot : public DiskFaultsTest {
 protected:
  static constexpr uint64_t kKeys = 1000;
  // What RocksDB appends to a block: type of compression and checksum.
  static constexpr size_t kBlockTail = 5;

  static void ExpectNotMissed(const rocksdb::Status& status,
                              const std::string& key) {
    // An error is right where the read of a partition reports it.
    EXPECT_TRUE(status.ok() || status.IsCorruption())
        << key << ": " << status.ToString();
  }
};

TEST_P(BitRot, NeverHidesAKey) {
  constexpr uint64_t kSeed = 604;
  Random random(kSeed);
  for (bool in_cache : {false, true}) {
    filters_.clear();
    const auto& [policy, partitioned] = GetParam();
    database_.table.no_block_cache = !in_cache;
    database_.table.cache_index_and_filter_blocks = in_cache;
    // Without a cache they stay in memory from the opening on.
    if (partitioned && !in_cache) continue;
    faults_->flipped_bits = 0;
    database_.Open();
    const auto keys = PresentKeys(kKeys);
    PutAll(database_, keys);
    database_.Flush();
    const std::string name = database_.LiveFiles().front().name;
    std::string contents;
    Check(rocksdb::ReadFileToString(rocksdb::Env::Default(),
                                    database_.path() + name, &contents));
    uint64_t flips = 0;
    const size_t rounds = Scaled(30, 10);
    for (size_t round = 0; round < rounds; ++round) {
      const std::string& filter = filters_[random.Below(filters_.size())];
      const size_t position = contents.find(filter);
      ASSERT_NE(position, std::string::npos);
      faults_->flipped_bits = 0;
      const auto cache = rocksdb::NewLRUCache(1 << 20);
      database_.table.block_cache = cache;
      faults_->flips = 0;
      faults_->flipped_byte =
          position + random.Below(filter.size() + kBlockTail);
      const auto bit = static_cast<uint8_t>(1 << random.Below(8));
      if (!partitioned) faults_->flipped_bits = bit;
      database_.Open();
      // Opening reads all partitions, and damage is an error there: here they
      // are read again, by lookups.
      cache->EraseUnRefEntries();
      faults_->flipped_bits = bit;
      std::vector<rocksdb::Slice> asked(keys.begin(), keys.end());
      std::vector<rocksdb::PinnableSlice> values(keys.size());
      std::vector<rocksdb::Status> statuses(keys.size());
      database_->MultiGet({}, database_->DefaultColumnFamily(), keys.size(),
                          asked.data(), values.data(), statuses.data());
      for (size_t i = 0; i < keys.size(); ++i) {
        ExpectNotMissed(statuses[i], keys[i]);
        std::string value;
        ExpectNotMissed(database_->Get({}, keys[i], &value), keys[i]);
      }
      flips += faults_->flips;
      if (HasFailure()) {
        FAIL() << "seed " << kSeed << ", round " << round << ", byte "
               << faults_->flipped_byte - position << " of a filter of "
               << filter.size();
      }
    }
    EXPECT_GE(flips, rounds) << "the damaged bytes were not read";
    faults_->flipped_bits = 0;
    database_.Open();
    database_.Compact();
  }
}

std::vector<PolicyUnderTest> OursAndBuiltin() {
  std::vector<PolicyUnderTest> policies = OurPolicies();
  policies.push_back(Builtin());
  return policies;
}

std::string Name(const testing::TestParamInfo<Param>& test) {
  return std::get<0>(test.param).name +
         (std::get<1>(test.param) ? "_partitioned" : "_full");
}

INSTANTIATE_TEST_SUITE_P(All, FullDisk,
                         testing::Combine(testing::ValuesIn(OursAndBuiltin()),
                                          testing::Bool()),
                         Name);
INSTANTIATE_TEST_SUITE_P(All, BitRot,
                         testing::Combine(testing::ValuesIn(OursAndBuiltin()),
                                          testing::Bool()),
                         Name);

}  // namespace
}  // namespace sstfilter::dbtest
