#include "tools/count_option.h"

#include <gtest/gtest.h>

#include <string>

namespace sstfilter::tools {
namespace {

// What the text becomes; "refused" when it is.
std::string Read(const CLI::Validator& validator, std::string text) {
  const std::string error = validator(text);
  return error.empty() ? text : "refused";
}

TEST(CountOptionTest, WholeNumbersInAnyNotation) {
  const CLI::Validator count = Count(1, uint64_t{1} << 60);
  EXPECT_EQ(Read(count, "1"), "1");
  EXPECT_EQ(Read(count, "007"), "7");
  EXPECT_EQ(Read(count, "1e9"), "1000000000");
  EXPECT_EQ(Read(count, "1.5e6"), "1500000");
  EXPECT_EQ(Read(count, "2E3"), "2000");
  EXPECT_EQ(Read(count, "9e15"), "9000000000000000");
  // Where doubles skip numbers, digits do not.
  EXPECT_EQ(Read(count, "9007199254740993"), "9007199254740993");
  EXPECT_EQ(Read(count, "1152921504606846976"), "1152921504606846976");
}

TEST(CountOptionTest, NothingElse) {
  const CLI::Validator count = Count(1, uint64_t{1} << 60);
  for (const char* text :
       {"", "0", "-1", "-1e3", "1.5", "1e-3", "1.23e1", "nan", "inf", "1e17",
        "1e999", "ten", "5 ", "0x10", "1e9x", "1152921504606846977",
        "18446744073709551616"}) {
    EXPECT_EQ(Read(count, text), "refused") << text;
  }
  EXPECT_EQ(Read(Count(0, 10), "0"), "0");
  EXPECT_EQ(Read(Count(0, 10), "1.1e1"), "refused");
}

TEST(CountOptionTest, TheRefusalSaysWhatIsAccepted) {
  std::string text = "1e-3";
  const std::string error = Count(2, 70)(text);
  EXPECT_EQ(error,
            "\"1e-3\": accepted are whole numbers from 2 to 70, in digits or "
            "as in 1e3");
  EXPECT_EQ(text, "1e-3");
}

TEST(CountOptionTest, BytesWithUnits) {
  const CLI::Validator bytes = ByteCount(1, uint64_t{1} << 40);
  EXPECT_EQ(Read(bytes, "4096"), "4096");
  EXPECT_EQ(Read(bytes, "1e9"), "1000000000");
  EXPECT_EQ(Read(bytes, "8MiB"), "8388608");
  EXPECT_EQ(Read(bytes, "2kb"), "2048");
  for (const char* text :
       {"", "0", "-1", "5zz", "2TiB", "1.5", "1e3KiB", "99999999999EiB"}) {
    EXPECT_EQ(Read(bytes, text), "refused") << text;
  }
  std::string text = "5zz";
  EXPECT_NE(bytes(text).find("\"5zz\": accepted are whole numbers from 1 to "),
            std::string::npos);
}

}  // namespace
}  // namespace sstfilter::tools
