// Keys as programs make them: counters, dates, long common prefixes. The rate
// must be that of random keys, and nothing may be lost, at any length and any
// byte.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "filter/hash.h"
#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"
#include "tests/filter/sampling.h"

namespace sstfilter {
namespace {

// The i-th key of an endless row of different ones.
struct Family {
  const char* name;
  std::function<std::string(uint64_t i)> key;
};

std::string BigEndian(uint64_t value, size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) {
    text[bytes - 1 - i] = static_cast<char>(value >> (8 * i));
  }
  return text;
}

std::string Date(uint64_t seconds) {
  char text[40];
  std::snprintf(text, sizeof(text), "2026-%02u-%02uT%02u:%02u:%02uZ%u",
                static_cast<unsigned>(1 + seconds / 2678400 % 12),
                static_cast<unsigned>(1 + seconds / 86400 % 31),
                static_cast<unsigned>(seconds / 3600 % 24),
                static_cast<unsigned>(seconds / 60 % 60),
                static_cast<unsigned>(seconds % 60),
                static_cast<unsigned>(seconds / 32140800));
  return text;
}

// 40 bytes, all equal but three at `position`.
Family DifferingAt(const char* name, size_t position, char rest) {
  return {name, [=](uint64_t i) {
            std::string key(40, rest);
            return key.replace(position, 3, BigEndian(i, 3));
          }};
}

const std::vector<Family>& Families() {
  static const auto* families = new std::vector<Family>{
      {"big_endian_counter", [](uint64_t i) { return BigEndian(i, 8); }},
      {"little_endian_counter",
       [](uint64_t i) {
         const std::string key = BigEndian(i, 8);
         return std::string(key.rbegin(), key.rend());
       }},
      {"three_byte_counter", [](uint64_t i) { return BigEndian(i, 3); }},
      {"counter_of_thousands",
       [](uint64_t i) { return BigEndian(i * 1000, 8); }},
      {"counter_of_pages", [](uint64_t i) { return BigEndian(i << 12, 8); }},
      {"high_bits_only", [](uint64_t i) { return BigEndian(i << 40, 8); }},
      {"negative_counter", [](uint64_t i) { return BigEndian(~i, 8); }},
      {"decimal", [](uint64_t i) { return std::to_string(i); }},
      {"padded_decimal",
       [](uint64_t i) {
         const std::string digits = std::to_string(i);
         return std::string(16 - digits.size(), '0') + digits;
       }},
      {"dates", Date},
      {"long_prefix",
       [](uint64_t i) { return std::string(500, 'p') + BigEndian(i, 4); }},
      {"long_suffix",
       [](uint64_t i) { return BigEndian(i, 4) + std::string(500, 's'); }},
      {"two_counters",
       [](uint64_t i) {
         return BigEndian(i / 1000, 4) + BigEndian(i % 1000, 4);
       }},
      {"growing",
       [](uint64_t i) {
         return std::string(i % 41, 'x') + BigEndian(i / 41, 3);
       }},
      {"bytes_above_7f",
       [](uint64_t i) {
         std::string key(12, '\x80');
         for (size_t at = 0; at < 4; ++at) {
           key[at] = static_cast<char>(0x80 | ((i >> (7 * at)) & 0x7f));
         }
         return key;
       }},
      DifferingAt("differing_at_0_of_zeros", 0, '\0'),
      DifferingAt("differing_at_7_of_zeros", 7, '\0'),
      DifferingAt("differing_at_17_of_zeros", 17, '\0'),
      DifferingAt("differing_at_31_of_ff", 31, '\xff'),
      DifferingAt("differing_at_37_of_ff", 37, '\xff'),
  };
  return *families;
}

struct Tested {
  FilterKind kind;
  Family family;
};

void PrintTo(const Tested& tested, std::ostream* out) {
  *out << FilterKindName(tested.kind) << '_' << tested.family.name;
}

class OrderlyKeys : public testing::TestWithParam<Tested> {
 protected:
  std::string Key(uint64_t i) const { return GetParam().family.key(i); }

  bool MayMatch(const FilterBlockReader& reader, uint64_t i) const {
    const std::string key = Key(i);
    return reader.MayMatch(reader.Hash(key.data(), key.size()));
  }
};

std::vector<Tested> AllTested() {
  std::vector<Tested> all;
  for (FilterKind kind : kStoredKinds) {
    for (const Family& family : Families()) all.push_back({kind, family});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, OrderlyKeys, testing::ValuesIn(AllTested()),
                         testing::PrintToStringParamName());

TEST_P(OrderlyKeys, HaveTheRateOfRandomKeys) {
  const uint64_t keys = Scaled(50'000, 2'000);
  const uint64_t probes = Scaled(300'000, 4'000);
  for (double bits : {4.0, 10.0}) {
    FilterBlockOptions options;
    options.kind = GetParam().kind;
    options.bits_per_key = bits;
    options.fixed_seed = 301;
    FilterBlockBuilder builder(options);
    // Every other of the row, so that absent keys lie between present ones.
    for (uint64_t i = 0; i < keys; ++i) {
      const std::string key = Key(2 * i);
      builder.AddKey(key.data(), key.size());
    }
    ASSERT_EQ(builder.keys_added(), keys);
    const FilterBlock block = builder.Finish();
    FilterBlockReader reader;
    ASSERT_EQ(FilterBlockReader::Open(block.bytes.get(), block.size, &reader),
              BlockState::kUsable);
    for (uint64_t i = 0; i < keys; ++i) {
      ASSERT_TRUE(MayMatch(reader, 2 * i)) << "lost " << 2 * i;
    }
    // Between them, and after the last.
    uint64_t passed = 0;
    for (uint64_t i = 0; i < keys; ++i) passed += MayMatch(reader, 2 * i + 1);
    for (uint64_t i = keys; i < probes; ++i) {
      passed += MayMatch(reader, keys + i);
    }
    const double expected =
        reader.ExpectedFalsePositiveRate() * static_cast<double>(probes);
    const CountBounds bounds = BoundsOfCount(expected, 0.06);
    EXPECT_GE(static_cast<double>(passed), bounds.low)
        << bits << " bits, expected " << expected;
    EXPECT_LE(static_cast<double>(passed), bounds.high)
        << bits << " bits, expected " << expected;
  }
}

class EveryKind : public testing::TestWithParam<FilterKind> {};

INSTANTIATE_TEST_SUITE_P(All, EveryKind, testing::ValuesIn(kStoredKinds),
                         [](const auto& param) {
                           return std::string(FilterKindName(param.param));
                         });

// Builds from `keys` and expects them to be found and `absent` keys, as a
// whole, to be kept out.
void ExpectFilter(FilterKind kind, const std::vector<std::string>& keys,
                  const std::vector<std::string>& absent) {
  FilterBlockOptions options;
  options.kind = kind;
  options.fixed_seed = 302;
  FilterBlockBuilder builder(options);
  for (const std::string& key : keys) builder.AddKey(key.data(), key.size());
  ASSERT_EQ(builder.keys_added(), keys.size());
  const FilterBlock block = builder.Finish();
  FilterBlockReader reader;
  ASSERT_EQ(FilterBlockReader::Open(block.bytes.get(), block.size, &reader),
            BlockState::kUsable);
  for (const std::string& key : keys) {
    ASSERT_TRUE(reader.MayMatch(reader.Hash(key.data(), key.size())));
  }
  size_t passed = 0;
  for (const std::string& key : absent) {
    passed += reader.MayMatch(reader.Hash(key.data(), key.size()));
  }
  EXPECT_LE(
      static_cast<double>(passed),
      BoundsOfCount(0.012 * static_cast<double>(absent.size()), 0.1).high);
}

TEST_P(EveryKind, EveryLengthUpToFortyOfEveryByte) {
  std::vector<std::string> keys;
  std::vector<std::string> absent;
  for (size_t length = 1; length <= 40; ++length) {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string key(length, static_cast<char>(byte));
      ((static_cast<size_t>(byte) + length) % 2 == 0 ? keys : absent)
          .push_back(key);
    }
  }
  keys.emplace_back();
  ExpectFilter(GetParam(), keys, absent);
}

TEST_P(EveryKind, OneByteDiffersAtEachPosition) {
  std::vector<std::string> keys;
  std::vector<std::string> absent;
  for (size_t length : {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 40}) {
    for (size_t at = 0; at < length; ++at) {
      for (int byte = 1; byte < 256; ++byte) {
        std::string key(length, '\0');
        key[at] = static_cast<char>(byte);
        ((static_cast<size_t>(byte) + at) % 2 == 0 ? keys : absent)
            .push_back(key);
      }
    }
  }
  ExpectFilter(GetParam(), keys, absent);
}

// The number of keys, not their names, decides the size.
TEST_P(EveryKind, SizesDoNotDependOnTheKeys) {
  FilterBlockOptions options;
  options.kind = GetParam();
  for (uint64_t keys : {1, 7, 100, 3000}) {
    for (const Family& family : Families()) {
      FilterBlockBuilder builder(options);
      for (uint64_t i = 0; i < keys; ++i) {
        const std::string key = family.key(i);
        builder.AddKey(key.data(), key.size());
      }
      EXPECT_EQ(builder.Finish().size,
                FilterBlockBuilder::BlockBytes(options, keys))
          << family.name;
    }
  }
}

}  // namespace
}  // namespace sstfilter
