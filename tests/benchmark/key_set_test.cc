#include "tools/benchmark/key_set.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace sstfilter::benchmarks {
namespace {

KeyUniverse Universe(uint64_t id, size_t key_length) {
  KeyUniverse universe;
  universe.id = id;
  universe.count = 1000;
  universe.key_length = key_length;
  return universe;
}

std::set<std::string> KeysOf(const KeySet& keys) {
  std::set<std::string> all;
  for (size_t i = 0; i < keys.size(); ++i) {
    all.emplace(keys.key(i), keys.key_length());
  }
  return all;
}

TEST(KeySetTest, QueriesAreWhatTheySay) {
  for (const size_t length : {8, 11, 16, 17, 32, 300}) {
    SCOPED_TRACE(length);
    const KeyUniverse universe = Universe(3, length);
    KeySet keys;
    keys.FillInOrder(universe, 0, 1000);
    const std::set<std::string> present = KeysOf(keys);
    EXPECT_EQ(present.size(), 1000u);

    tools::Random random(1);
    for (const QueryMix mix :
         {QueryMix::kAbsent, QueryMix::kPresent, QueryMix::kHalf}) {
      keys.FillAtRandom(universe, mix, 640, &random);
      size_t found = 0;
      for (size_t i = 0; i < keys.size(); ++i) {
        const bool is_present =
            present.count(std::string(keys.key(i), length)) != 0;
        EXPECT_EQ(is_present, keys.is_present(i));
        found += is_present ? 1 : 0;
        EXPECT_EQ(keys.pointers(i)[0]->data(), keys.key(i));
        EXPECT_EQ(keys.hashes()[i], HashKey(keys.key(i), length, 0));
      }
      EXPECT_EQ(keys.present(), found);
      if (mix == QueryMix::kAbsent) {
        EXPECT_EQ(found, 0u);
      }
      if (mix == QueryMix::kPresent) {
        EXPECT_EQ(found, 640u);
      }
      if (mix == QueryMix::kHalf) {
        EXPECT_GT(found, 200u);
        EXPECT_LT(found, 440u);
      }
    }
  }
}

TEST(KeySetTest, UniversesAreDisjoint) {
  KeySet keys;
  keys.FillInOrder(Universe(1, 8), 0, 1000);
  std::set<std::string> all = KeysOf(keys);
  keys.FillInOrder(Universe(2, 8), 0, 1000);
  for (const std::string& key : KeysOf(keys)) all.insert(key);
  EXPECT_EQ(all.size(), 2000u);
}

}  // namespace
}  // namespace sstfilter::benchmarks
