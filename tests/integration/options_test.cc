#include "sstfilter/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "integration/option_text.h"

namespace sstfilter {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

FilterOptions Parsed(const std::string& text) {
  FilterOptions options;
  const rocksdb::Status status = ParseFilterOptions(text, &options);
  EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
  return options;
}

// Refused, with every one of `parts` in the message and `options` untouched.
void ExpectRefused(const std::string& text,
                   const std::vector<std::string>& parts) {
  FilterOptions options;
  options.bits_per_key = 77;
  const rocksdb::Status status = ParseFilterOptions(text, &options);
  EXPECT_TRUE(status.IsInvalidArgument()) << text << ": " << status.ToString();
  for (const std::string& part : parts) {
    EXPECT_NE(status.ToString().find(part), std::string::npos)
        << text << ": " << status.ToString() << " lacks " << part;
  }
  EXPECT_EQ(options.bits_per_key, 77) << text;
}

TEST(ParseFilterOptionsTest, EveryForm) {
  for (const char* text : {
           "12.5;kind=parity",
       }) {
    ExpectRefused(text, {"12.5", "name=value"});
  }
  for (const char* text :
       {"bits_per_key=12.5;kind=parity", "kind=parity;bits_per_key=12.5",
        "bits_per_key=12.5,kind=parity", " bits_per_key = 12.5 ; kind=parity ;",
        "sstfilter:bits_per_key=12.5;kind=parity",
        "id=sstfilter;bits_per_key=12.5;kind=parity",
        "{id=sstfilter;bits_per_key=12.5;kind=parity}",
        "{ id=sstfilter; bits_per_key=12.5; kind=parity; }"}) {
    EXPECT_EQ(Parsed(text).bits_per_key, 12.5) << text;
    EXPECT_EQ(Parsed(text).kind, FilterKind::kParity) << text;
  }
  for (const char* text : {"12.5", " 12.5 ", "sstfilter:12.5", "{12.5}"}) {
    FilterOptions expected;
    expected.bits_per_key = 12.5;
    EXPECT_EQ(Parsed(text), expected) << text;
  }
  for (const char* text :
       {"", " ", "{}", "sstfilter", "sstfilter:", "id=sstfilter"}) {
    EXPECT_EQ(Parsed(text), FilterOptions()) << text;
  }
}

TEST(ParseFilterOptionsTest, EveryField) {
  EXPECT_EQ(Parsed("kind=standard").kind, FilterKind::kStandardBloom);
  EXPECT_EQ(Parsed("kind=auto").kind, FilterKind::kAuto);
  EXPECT_EQ(Parsed("level_allocation=optimal").level_allocation,
            LevelAllocation::kOptimal);
  EXPECT_EQ(Parsed("level_size_ratio=8").level_size_ratio, 8);
  EXPECT_EQ(Parsed("max_bits_per_key=30").max_bits_per_key, 30);
  EXPECT_EQ(Parsed("level_bits_per_key=24:20:0:9.5").level_bits_per_key,
            (std::vector<double>{24, 20, 0, 9.5}));
  EXPECT_EQ(Parsed("false_positive_rate=0.01").false_positive_rate, 0.01);
  EXPECT_EQ(Parsed("level_allocation=optimal;wasted_reads_per_lookup=0.5")
                .wasted_reads_per_lookup,
            0.5);
  EXPECT_EQ(Parsed("seed=18446744073709551615").seed, 18446744073709551615u);
  EXPECT_EQ(Parsed("key_transform=ascii_lower").key_transform,
            AsciiLowerTransform());
}

// Field case 31: accepted settings that are fatal later.
TEST(ParseFilterOptionsTest, BadNumbersAreRefusedByName) {
  struct Case {
    const char* value;
    const char* shown;
  };
  for (const Case& bad :
       {Case{"nan", "nan"}, Case{"-nan", "-nan"}, Case{"-10", "-10"},
        Case{"0", "0"}, Case{"0.3", "0.3"}, Case{"0.5", "0.5"},
        Case{"1e-12", "1e-12"}, Case{"100.1", "100.1"}, Case{"1e9", "1e+09"},
        Case{"inf", "inf"}, Case{"-inf", "-inf"}}) {
    const std::string value = bad.value;
    const std::vector<std::string> parts = {
        std::string("bits_per_key=") + bad.shown, "from 1 to 100"};
    ExpectRefused(value, parts);
    ExpectRefused("sstfilter:" + value, parts);
    ExpectRefused("bits_per_key=" + value, parts);
    ExpectRefused("max_bits_per_key=" + value, {"max_bits_per_key", bad.shown});
    if (value != "0") {
      ExpectRefused("level_bits_per_key=10:" + value,
                    {"level_bits_per_key", bad.shown, "separated by colons"});
    }
  }
  for (const char* text : {"ten", "10x", "10 11", "0x10", "+10", "1e999", "10%",
                           "10:true", "--1", "."}) {
    ExpectRefused(text, {"bits_per_key", text, "a number"});
    ExpectRefused(std::string("bits_per_key=") + text,
                  {"bits_per_key", text, "a number"});
  }
  ExpectRefused("bits_per_key=", {"bits_per_key", "a number"});
  for (const char* rate : {"-0.1", "0.51", "1", "nan", "inf", "1e-300"}) {
    ExpectRefused(std::string("false_positive_rate=") + rate,
                  {"false_positive_rate", rate});
  }
  for (const char* ratio : {"1", "0", "-1", "101", "nan", "inf"}) {
    ExpectRefused(std::string("level_size_ratio=") + ratio,
                  {"level_size_ratio", ratio, "from 2 to 100"});
  }
  for (const char* reads : {"-1", "11", "nan", "inf"}) {
    ExpectRefused(
        std::string("level_allocation=optimal;wasted_reads_per_lookup=") +
            reads,
        {"wasted_reads_per_lookup", reads, "from 0 to 10"});
  }
  for (const char* seed : {"-1", "1.5", "18446744073709551616", "seed", ""}) {
    ExpectRefused(std::string("seed=") + seed, {"seed", seed, "whole number"});
  }
}

TEST(ParseFilterOptionsTest, BadNamesAreRefusedByName) {
  ExpectRefused("kind=blom", {"kind=blom", "bloom, standard, parity, auto"});
  ExpectRefused("kind=", {"kind", "bloom, standard, parity, auto"});
  ExpectRefused("level_allocation=best",
                {"level_allocation=best", "uniform, optimal"});
  ExpectRefused("key_transform=upper", {"key_transform=upper", "ascii_lower"});
  ExpectRefused("level_bits_per_key=", {"level_bits_per_key"});
  ExpectRefused("level_bits_per_key=10:", {"level_bits_per_key"});
  ExpectRefused("level_bits_per_key=:10", {"level_bits_per_key"});
  ExpectRefused("bits=10", {"unknown option bits", "bits_per_key"});
  ExpectRefused("Bits_per_key=10", {"unknown option Bits_per_key"});
  ExpectRefused("=10", {"unknown option"});
  ExpectRefused("bits_per_key=10;;kind", {"\"kind\"", "name=value"});
  ExpectRefused("id=bloomfilter;bits_per_key=10", {"unknown option id"});
  ExpectRefused("bits_per_key=10;bits_per_key=10",
                {"bits_per_key is given twice"});
  ExpectRefused("sstfilters:10", {"sstfilters:10"});
  ExpectRefused("sstfilter10", {"sstfilter10"});
  ExpectRefused("sstfilter=10", {"unknown option sstfilter"});
}

TEST(ParseFilterOptionsTest, OneBudgetOnly) {
  const std::vector<std::string> budgets = {
      "bits_per_key=10", "bits_per_key=12", "level_bits_per_key=10:12",
      "false_positive_rate=0.01"};
  for (const std::string& a : budgets) {
    for (const std::string& b : budgets) {
      if (a == b) continue;
      ExpectRefused(a + ";" + b, {a.substr(0, a.find('='))});
    }
  }
  ExpectRefused(
      "bits_per_key=10;level_allocation=optimal;wasted_reads_per_lookup=1",
      {"bits_per_key and wasted_reads_per_lookup are both set"});
  ExpectRefused("wasted_reads_per_lookup=1",
                {"needs level_allocation=optimal"});
  ExpectRefused("level_bits_per_key=10;level_allocation=optimal",
                {"level_bits_per_key", "level_allocation=optimal"});
}

TEST(ApplyFilterOptionsTest, KeepsWhatIsNotNamed) {
  FilterOptions options;
  options.bits_per_key = 14;
  options.kind = FilterKind::kParity;
  options.seed = 5;
  ASSERT_TRUE(ApplyFilterOptions("", &options).ok());
  EXPECT_EQ(options.bits_per_key, 14);
  ASSERT_TRUE(ApplyFilterOptions("kind=bloom", &options).ok());
  EXPECT_EQ(options.bits_per_key, 14);
  EXPECT_EQ(options.kind, FilterKind::kBloom);
  EXPECT_EQ(options.seed, 5u);
  // A budget takes the place of another one.
  ASSERT_TRUE(ApplyFilterOptions("false_positive_rate=0.01", &options).ok());
  EXPECT_EQ(options.bits_per_key, 10);
  ASSERT_TRUE(ApplyFilterOptions("12", &options).ok());
  EXPECT_EQ(options.false_positive_rate, 0);
  EXPECT_EQ(options.bits_per_key, 12);
  EXPECT_FALSE(ApplyFilterOptions("bits_per_key=0", &options).ok());
  EXPECT_EQ(options.bits_per_key, 12);
}

TEST(ValidateFilterOptionsTest, RefusesWhatTextRefuses) {
  const auto refused = [](auto change) {
    FilterOptions options;
    change(&options);
    return ValidateFilterOptions(options).IsInvalidArgument();
  };
  EXPECT_TRUE(ValidateFilterOptions(FilterOptions()).ok());
  for (double bad : {kNaN, -kNaN, -1.0, 0.0, 0.3, 0.5, 1e-12, 0.9999, 100.001,
                     1e9, kInfinity, -kInfinity}) {
    EXPECT_TRUE(refused([bad](auto* o) { o->bits_per_key = bad; })) << bad;
    EXPECT_TRUE(refused([bad](auto* o) { o->max_bits_per_key = bad; })) << bad;
    EXPECT_TRUE(refused([bad](auto* o) { o->level_size_ratio = bad; })) << bad;
    if (bad != 0) {
      EXPECT_TRUE(refused([bad](auto* o) {
        o->level_bits_per_key = {5, bad};
      })) << bad;
    }
  }
  for (double bad : {kNaN, -0.01, 0.500001, 1.0, kInfinity, 5e-324}) {
    EXPECT_TRUE(refused([bad](auto* o) { o->false_positive_rate = bad; }))
        << bad;
  }
  for (double good : {1.0, 1.5, 99.99, 100.0}) {
    EXPECT_FALSE(refused([good](auto* o) { o->bits_per_key = good; })) << good;
  }
  EXPECT_TRUE(refused(
      [](auto* o) { o->key_transform = std::make_shared<KeyTransform>(); }));
  EXPECT_TRUE(refused([](auto* o) {
    KeyTransform transform = *AsciiLowerTransform();
    transform.name = "a;b";
    o->key_transform = std::make_shared<KeyTransform>(transform);
  }));
  EXPECT_TRUE(refused([](auto* o) {
    o->bits_per_key = 12;
    o->false_positive_rate = 0.01;
  }));
  EXPECT_TRUE(refused([](auto* o) { o->kind = static_cast<FilterKind>(17); }));
  EXPECT_TRUE(refused(
      [](auto* o) { o->level_allocation = static_cast<LevelAllocation>(17); }));
}

TEST(FilterOptionsToStringTest, Examples) {
  EXPECT_EQ(FilterOptionsToString(FilterOptions()),
            "bits_per_key=10;kind=bloom");
  FilterOptions options;
  options.false_positive_rate = 0.01;
  options.kind = FilterKind::kParity;
  options.key_transform = AsciiLowerTransform();
  EXPECT_EQ(FilterOptionsToString(options),
            "kind=parity;false_positive_rate=0.01;key_transform=ascii_lower");
}

TEST(FilterOptionsToStringTest, MinusZeroIsZero) {
  FilterOptions options;
  ASSERT_TRUE(ParseFilterOptions("false_positive_rate=-00", &options).ok());
  EXPECT_EQ(options, FilterOptions());
  EXPECT_EQ(FilterOptionsToString(options),
            FilterOptionsToString(FilterOptions()));
}

TEST(FilterOptionsToStringTest, ReadsBackToTheLastBit) {
  std::mt19937_64 random(1);
  const auto real = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const std::vector<FilterKind> kinds = {
      FilterKind::kBloom, FilterKind::kStandardBloom, FilterKind::kParity,
      FilterKind::kAuto};
  int valid = 0;
  for (int i = 0; i < 400; ++i) {
    FilterOptions options;
    options.kind = kinds[random() % kinds.size()];
    options.level_size_ratio = real(2, 100);
    options.max_bits_per_key = real(1, 100);
    options.seed = random() % 3 == 0 ? 0 : random();
    if (random() % 2 == 0) options.key_transform = AsciiLowerTransform();
    if (random() % 2 == 0) options.level_allocation = LevelAllocation::kOptimal;
    const bool optimal = options.level_allocation == LevelAllocation::kOptimal;
    switch (random() % 4) {
      case 0:
        options.bits_per_key = real(1, 100);
        break;
      case 1:
        options.false_positive_rate = real(0.001, 0.5);
        break;
      case 2:
        if (optimal) {
          options.wasted_reads_per_lookup = real(0.001, 10);
        } else {
          for (size_t n = 1 + random() % 9; n > 0; --n) {
            options.level_bits_per_key.push_back(n % 4 == 0 ? 0 : real(1, 100));
          }
        }
        break;
    }
    // Some fields do not go with others.
    if (!ValidateFilterOptions(options).ok()) continue;
    ++valid;
    const std::string text = FilterOptionsToString(options);
    const FilterOptions back = Parsed(text);
    ASSERT_EQ(back, options) << text;
    ASSERT_EQ(back.bits_per_key, options.bits_per_key) << text;
    ASSERT_EQ(back.false_positive_rate, options.false_positive_rate) << text;
    ASSERT_EQ(back.level_bits_per_key, options.level_bits_per_key) << text;
    ASSERT_EQ(back.seed, options.seed) << text;
  }
  EXPECT_GT(valid, 200);
}

TEST(FilterOptionsEqualTest, EveryFieldCounts) {
  const FilterOptions defaults;
  EXPECT_EQ(defaults, FilterOptions());
  for (const char* text :
       {"bits_per_key=10.000000000000002", "kind=parity",
        "level_allocation=optimal", "level_size_ratio=9", "max_bits_per_key=23",
        "level_bits_per_key=10", "false_positive_rate=0.01", "seed=1",
        "key_transform=ascii_lower"}) {
    EXPECT_NE(Parsed(text), defaults) << text;
  }
}

}  // namespace
}  // namespace sstfilter
