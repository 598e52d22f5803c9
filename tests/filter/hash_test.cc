#include <gtest/gtest.h>

#include <random>
#include <string>

#include "filter/hash-inl.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "filter/hash.h"
#include "filter/little_endian.h"

namespace sstfilter {
namespace {

// Values of XXH3's own specification: the hash is part of the file format.
TEST(HashKeyOf, IsXxh3) {
  EXPECT_EQ(HashKey("", 0, 0), uint64_t{0x2D06800538D394C2});
  EXPECT_EQ(HashKey("sstfilter", 9, 1),
            XXH3_64bits_withSeed("sstfilter", 9, 1));
}

// Every length that has code of its own and some around, at odd addresses, and
// bytes from 0x80 up.
TEST(HashKeyInlineOf, IsHashKey) {
  std::mt19937_64 random(7);
  std::string bytes(64, '\0');
  for (int round = 0; round < 2000; ++round) {
    for (char& byte : bytes) byte = static_cast<char>(random());
    const uint64_t value = round == 0 ? 0 : random();
    const HashSeed seed(value);
    for (size_t length = 0; length <= 40; ++length) {
      const char* const key = bytes.data() + round % 8;
      ASSERT_EQ(HashKeyInline(seed, key, length), HashKey(key, length, value))
          << length << ' ' << value;
    }
  }
}

TEST(HashKeyOf, DependsOnSeedLengthAndEveryByte) {
  std::string key(300, '\xff');
  for (size_t length = 0; length <= key.size(); ++length) {
    const uint64_t hash = HashKey(key.data(), length, 5);
    EXPECT_NE(hash, HashKey(key.data(), length, 6)) << length;
    if (length > 0) {
      EXPECT_NE(hash, HashKey(key.data(), length - 1, 5)) << length;
      std::string changed = key;
      changed[length - 1] = '\x7f';
      EXPECT_NE(hash, HashKey(changed.data(), length, 5)) << length;
    }
  }
}

TEST(SlotOfHash, CoversExactlyTheRangeAndKeepsOrder) {
  const uint64_t largest = ~uint64_t{0};
  for (uint64_t slots :
       {uint64_t{1}, uint64_t{3}, uint64_t{64}, uint64_t{1} << 32,
        (uint64_t{1} << 32) + 1, uint64_t{5} << 33, uint64_t{1} << 63}) {
    EXPECT_EQ(SlotOf(0, slots), 0u);
    EXPECT_EQ(SlotOf(largest, slots), slots - 1);
    uint64_t last = 0;
    for (uint64_t hash = 0; hash < largest - largest / 1000;
         hash += largest / 1000) {
      EXPECT_GE(SlotOf(hash, slots), last);
      last = SlotOf(hash, slots);
    }
  }
}

TEST(LittleEndian, BytesAreInOrderOnEveryCpu) {
  char bytes[9] = {};
  StoreLittle32(bytes + 1, 0x84030201);
  EXPECT_EQ(std::string(bytes + 1, 4), "\x01\x02\x03\x84");
  EXPECT_EQ(LoadLittle32(bytes + 1), 0x84030201u);
  StoreLittle64(bytes + 1, 0xF807060504030281);
  EXPECT_EQ(std::string(bytes + 1, 8), "\x81\x02\x03\x04\x05\x06\x07\xf8");
  EXPECT_EQ(LoadLittle64(bytes + 1), 0xF807060504030281u);
}

}  // namespace
}  // namespace sstfilter
