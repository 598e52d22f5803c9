#include "lookups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace sstfilter::dbtest {

namespace {

std::vector<std::string> EverySecondKey(uint64_t start, uint64_t count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (uint64_t i = 0; i < count; ++i) keys.push_back(Key(start + 2 * i));
  return keys;
}

// The most checks of absent keys that may pass, six deviations out.
uint64_t MostThatPass(const PolicyUnderTest& policy, uint64_t checks) {
  const double expected = policy.rate * static_cast<double>(checks);
  return static_cast<uint64_t>(expected +
                               6 * std::sqrt(expected * (1 - policy.rate)) +
                               (policy.rate > 0 ? 3 : 0));
}

}  // namespace

std::string Key(uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), "key%08llu",
                static_cast<unsigned long long>(number));
  return text;
}

std::string ValueOf(const std::string& key) { return "value of " + key; }

std::vector<std::string> PresentKeys(uint64_t count, uint64_t first) {
  return EverySecondKey(2 * first, count);
}

std::vector<std::string> AbsentKeys(uint64_t count, uint64_t first) {
  return EverySecondKey(2 * first + 1, count);
}

void PutAll(Database& database, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) database.Put(key, ValueOf(key));
}

void ExpectAllFound(const Database& database,
                    const std::vector<std::string>& keys,
                    const rocksdb::ReadOptions& read) {
  const auto found = database.MultiGet(keys, 50, read);
  size_t lost_by_get = 0;
  size_t lost_by_multi_get = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    lost_by_get += database.Get(keys[i], read) != ValueOf(keys[i]);
    lost_by_multi_get += found[i] != ValueOf(keys[i]);
  }
  EXPECT_EQ(lost_by_get, 0u) << "of " << keys.size();
  EXPECT_EQ(lost_by_multi_get, 0u) << "of " << keys.size();
}

Activity GetAbsent(const Database& database,
                   const std::vector<std::string>& keys) {
  const Activity before = database.activity();
  size_t found = 0;
  for (const std::string& key : keys) found += database.Get(key).has_value();
  EXPECT_EQ(found, 0u);
  return database.activity() - before;
}

Activity MultiGetAbsent(const Database& database,
                        const std::vector<std::string>& keys, size_t batch) {
  const Activity before = database.activity();
  size_t found = 0;
  for (const auto& value : database.MultiGet(keys, batch)) {
    found += value.has_value();
  }
  EXPECT_EQ(found, 0u);
  return database.activity() - before;
}

void ExpectSkipped(const PolicyUnderTest& policy, uint64_t skipped,
                   uint64_t checks) {
  EXPECT_LE(skipped, checks);
  EXPECT_GE(skipped + MostThatPass(policy, checks), checks);
  if (policy.rate == 1) {
    EXPECT_EQ(skipped, 0u);
  }
}

void ExpectUseful(const PolicyUnderTest& policy, const Database& database,
                  const std::vector<std::string>& present,
                  const std::vector<std::string>& absent, uint64_t tables) {
  ExpectAllFound(database, present);
  const uint64_t checks = tables * absent.size();
  for (size_t batch : {0, 50}) {
    SCOPED_TRACE(batch == 0 ? "Get" : "MultiGet");
    const Activity activity = batch == 0
                                  ? GetAbsent(database, absent)
                                  : MultiGetAbsent(database, absent, batch);
    ExpectSkipped(policy, activity.skipped, checks);
    EXPECT_EQ(activity.skipped + activity.passed, checks);
    EXPECT_EQ(activity.passed_rightly, 0u);
    // A key that passes costs a data block, and one more when the index does
    // not say where a block ends. MultiGet reads each block once for all keys.
    const bool cached = !database.table.no_block_cache;
    EXPECT_LE(cached ? activity.data_misses : activity.disk_reads,
              2 * activity.passed);
    if (batch == 0 && !cached) {
      EXPECT_GE(activity.disk_reads, activity.passed);
    }
  }
}

std::vector<std::string> Scan(rocksdb::Iterator* iterator,
                              const std::string& start) {
  std::vector<std::string> keys;
  start.empty() ? iterator->SeekToFirst() : iterator->Seek(start);
  for (; iterator->Valid(); iterator->Next()) {
    keys.push_back(iterator->key().ToString());
  }
  Check(iterator->status());
  return keys;
}

}  // namespace sstfilter::dbtest
