// `sstfilter size` as a user meets it, and its arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "run_tool.h"
#include "tools/filter_sizes.h"

namespace sstfilter::tools {
namespace {

using Json = nlohmann::json;

TEST(SizeCommandTest, BadCommandLines) {
  ExpectRefused({"size"}, "--keys");
  ExpectRefused({"size", "--keys", "5"}, "no size");
  ExpectRefused({"size", "--keys", "0", "--bits", "10"}, "--keys");
  ExpectRefused({"size", "--keys", "5", "--bits", "0"}, "--bits");
  ExpectRefused({"size", "--keys", "5", "--bits", "nan"}, "--bits");
  ExpectRefused({"size", "--keys", "5", "--fpr", "1"}, "--fpr");
  ExpectRefused({"size", "--keys", "5", "--fpr", "nan"}, "--fpr");
  ExpectRefused({"size", "--keys", "5", "--bits", "5", "--fpr", "0.1"},
                "excludes");
  ExpectRefused({"size", "--keys", "1000", "--memory", "10"}, "bits per key");
  ExpectRefused({"size", "--keys", "5", "--memory", "5zz"}, "zz");
}

TEST(SizeCommandTest, HelpHasAnExample) {
  const Outcome outcome = RunTool({"size", "--help"});
  EXPECT_EQ(outcome.code, 0);
  ExpectSays(outcome.out, "Examples:");
}

TEST(SizeCommandTest, Bits) {
  const Outcome outcome = RunTool(
      {"size", "--keys", "1000000", "--bits", "10", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json sizes = Json::parse(outcome.out).at("sizes");
  ASSERT_EQ(sizes.size(), 5u);
  const struct {
    const char* kind;
    double rate;
  } expected[] = {{"textbook bloom", 0.00819},
                  {"bloom", 0.0064},
                  {"parity", 0.0016},
                  {"rocksdb bloom", 0.0095},
                  {"rocksdb ribbon", 0.0014}};
  for (size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(sizes[i].at("kind"), expected[i].kind);
    EXPECT_NEAR(sizes[i].at("expected_fpr"), expected[i].rate,
                expected[i].rate * 0.15)
        << expected[i].kind;
    EXPECT_EQ(sizes[i].at("bytes"), 1250000);
    EXPECT_NEAR(sizes[i].at("wasted_reads_per_million"),
                1e6 * sizes[i].at("expected_fpr").get<double>(), 1e-6);
  }
}

TEST(SizeCommandTest, MemoryIsBits) {
  const Outcome memory = RunTool(
      {"size", "--keys", "1048576", "--memory", "1MiB", "--format", "csv"});
  const Outcome bits =
      RunTool({"size", "--keys", "1048576", "--bits", "8", "--format", "csv"});
  EXPECT_EQ(memory.code, 0) << memory.err;
  EXPECT_EQ(memory.out, bits.out);
}

TEST(SizeCommandTest, RateIsTheInverse) {
  for (const FilterSize& size : SizesForRate(1000000, 0.01)) {
    EXPECT_LE(size.rate, 0.01 * 1.0001) << size.kind;
    EXPECT_GT(size.rate, 0.0085) << size.kind;
    EXPECT_GT(size.bits_per_key, 6.5) << size.kind;
    EXPECT_LT(size.bits_per_key, 10.5) << size.kind;
  }
  const Outcome table =
      RunTool({"size", "--keys", "1000000", "--fpr", "1e-12"});
  EXPECT_EQ(table.code, 0) << table.err;
  ExpectSays(table.out, "out of reach");
}

TEST(SizeCommandTest, RibbonColumnsAndRates) {
  for (double rate : {0.3, 0.1, 0.01, 0.003, 1e-5}) {
    EXPECT_NEAR(RibbonRateForBits(1000000, RibbonBits(1000000, rate)) / rate, 1,
                1e-9);
  }
}

TEST(SizeCommandTest, Curve) {
  const Outcome outcome =
      RunTool({"size", "--keys", "1000000", "--curve", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json curve = Json::parse(outcome.out).at("curve");
  ASSERT_EQ(curve.size(), 23u);
  for (size_t i = 1; i < curve.size(); ++i) {
    for (const char* kind : {"textbook bloom", "bloom", "parity",
                             "rocksdb bloom", "rocksdb ribbon"}) {
      EXPECT_LT(curve[i].at(kind), curve[i - 1].at(kind)) << kind << i;
    }
  }
}

}  // namespace
}  // namespace sstfilter::tools
