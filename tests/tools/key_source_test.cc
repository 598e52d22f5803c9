#include "tools/key_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

using Strings = std::set<std::string>;

Strings AsSet(const std::vector<std::string_view>& keys) {
  Strings set(keys.begin(), keys.end());
  EXPECT_EQ(set.size(), keys.size()) << "keys repeat";
  return set;
}

class KeySourceTest : public testing::Test {
 protected:
  rocksdb::Status Load() { return LoadKeys(options_, &keys_); }

  TemporaryDirectory directory_;
  KeySourceOptions options_;
  KeySet keys_;
};

TEST_F(KeySourceTest, LinesAreKeysByteForByte) {
  const std::string with_nul("n\0l", 3);
  options_.keys_path =
      directory_.Write("keys", "b\na\n\nc\r\n  d \n" + with_nul + "\nlast");
  options_.absent_path = directory_.Write("absent", "x\nc\ny");
  ASSERT_TRUE(Load().ok());
  EXPECT_EQ(AsSet(keys_.present),
            (Strings{"a", "b", "c\r", "  d ", with_nul, "last"}));
  EXPECT_EQ(AsSet(keys_.absent), (Strings{"c", "x", "y"}));
  EXPECT_EQ(keys_.repeated_keys, 0u);
  EXPECT_EQ(keys_.dropped_absent, 0u);
}

TEST_F(KeySourceTest, RepeatedAndPresentOnesAreDropped) {
  options_.keys_path = directory_.Write("keys", "a\nb\na\na\n");
  options_.absent_path = directory_.Write("absent", "b\nx\nx\na\n");
  ASSERT_TRUE(Load().ok());
  EXPECT_EQ(AsSet(keys_.present), (Strings{"a", "b"}));
  EXPECT_EQ(AsSet(keys_.absent), (Strings{"x"}));
  EXPECT_EQ(keys_.repeated_keys, 2u);
  EXPECT_EQ(keys_.dropped_absent, 2u);
}

TEST_F(KeySourceTest, GeneratedKeysAreDistinctAndDisjoint) {
  options_.generated = 20000;
  options_.absent_wanted = 30000;
  ASSERT_TRUE(Load().ok());
  ASSERT_EQ(keys_.present.size(), 20000u);
  ASSERT_EQ(keys_.absent.size(), 30000u);
  Strings all = AsSet(keys_.present);
  for (const std::string& key : AsSet(keys_.absent)) {
    EXPECT_EQ(key.size(), 16u);
    EXPECT_TRUE(all.insert(key).second);
  }
}

TEST_F(KeySourceTest, TheSeedDecidesEverything) {
  options_.generated = 1000;
  options_.absent_wanted = 1000;
  options_.seed = 7;
  ASSERT_TRUE(Load().ok());
  KeySet again;
  ASSERT_TRUE(LoadKeys(options_, &again).ok());
  EXPECT_EQ(keys_.present, again.present);
  EXPECT_EQ(keys_.absent, again.absent);
  KeySet other;
  options_.seed = 8;
  ASSERT_TRUE(LoadKeys(options_, &other).ok());
  EXPECT_NE(keys_.present, other.present);
}

TEST_F(KeySourceTest, PresentKeysComeInNoOrder) {
  std::string text;
  for (int i = 1000; i < 2000; ++i) text += std::to_string(i) + "\n";
  options_.keys_path = directory_.Write("keys", text);
  options_.absent_wanted = 10;
  ASSERT_TRUE(Load().ok());
  EXPECT_EQ(keys_.present.size(), 1000u);
  EXPECT_FALSE(std::is_sorted(keys_.present.begin(), keys_.present.end()));
}

TEST_F(KeySourceTest, AbsentKeysAreMadeFromThePresentOnes) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "user/" + std::to_string(i * 7919) + "\n";
  }
  options_.keys_path = directory_.Write("keys", text);
  options_.absent_wanted = 3000;
  ASSERT_TRUE(Load().ok());
  const Strings present = AsSet(keys_.present);
  const Strings absent = AsSet(keys_.absent);
  EXPECT_GT(absent.size(), 2900u);
  EXPECT_LE(absent.size(), 3000u);
  for (const std::string& key : absent) EXPECT_EQ(present.count(key), 0u);
}

TEST_F(KeySourceTest, AsManyAbsentKeysAsPresentOnes) {
  options_.generated = 1234;
  ASSERT_TRUE(Load().ok());
  EXPECT_EQ(keys_.absent.size(), 1234u);
}

TEST_F(KeySourceTest, GivenAbsentKeysBesideGeneratedOnes) {
  options_.generated = 100;
  options_.absent_path = directory_.Write("absent", "x\ny\n");
  ASSERT_TRUE(Load().ok());
  EXPECT_EQ(keys_.present.size(), 100u);
  EXPECT_EQ(AsSet(keys_.absent), (Strings{"x", "y"}));
}

TEST_F(KeySourceTest, OneShortKeyStillGivesAnAbsentOne) {
  options_.keys_path = directory_.Write("keys", "a\n");
  options_.absent_wanted = 100;
  ASSERT_TRUE(Load().ok());
  EXPECT_EQ(AsSet(keys_.absent), (Strings{"aa"}));
}

struct BadInput {
  std::string keys;
  std::string absent;
  std::string message;
};

TEST_F(KeySourceTest, BadInputIsNamed) {
  const std::string good = directory_.Write("good", "a\nb\n");
  const std::string empty = directory_.Write("empty", "");
  const std::string blank = directory_.Write("blank", "\n\n\n");
  const std::string missing = directory_.Path("missing");
  const BadInput cases[] = {
      {"", "", "no keys"},
      {empty, "", "empty holds no keys"},
      {blank, "", "blank holds no keys"},
      {missing, "", "missing: No such file"},
      {directory_.path(), "", "Is a directory"},
      {good, empty, "empty holds no keys"},
      {good, missing, "missing: No such file"},
      {good, good, "every key of"},
      {"-", "-", "cannot both be standard input"},
  };
  for (const BadInput& bad : cases) {
    KeySourceOptions options;
    options.keys_path = bad.keys;
    options.absent_path = bad.absent;
    KeySet keys;
    const rocksdb::Status status = LoadKeys(options, &keys);
    EXPECT_TRUE(status.IsInvalidArgument()) << bad.message;
    EXPECT_NE(status.ToString().find(bad.message), std::string::npos)
        << status.ToString();
  }
}

}  // namespace
}  // namespace sstfilter::tools
