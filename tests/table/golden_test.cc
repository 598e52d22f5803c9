// Blocks written once and kept: today's code must write the same bytes and read
// the old ones.
//
// A golden block is a file of hexadecimal digits under tests/golden. To add
// one, run this test with SSTFILTER_WRITE_GOLDEN=1 in the environment: it
// writes the files that are missing and fails, so that a run never passes by
// writing. It never changes a file that exists.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"

namespace sstfilter {
namespace {

struct Golden {
  const char* name;
  FilterKind kind;
  double bits_per_key;
  int keys;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

constexpr Golden kGolden[] = {
    {"bloom-1", FilterKind::kBloom, 10, 1},
    {"bloom-300", FilterKind::kBloom, 10, 300},
    {"bloom-100-at-20", FilterKind::kBloom, 20, 100},
    {"bloom-400-at-2", FilterKind::kBloom, 2, 400},
    {"standard-1", FilterKind::kStandardBloom, 10, 1},
    {"standard-300", FilterKind::kStandardBloom, 10, 300},
    {"parity-1", FilterKind::kParity, 10, 1},
    {"parity-300", FilterKind::kParity, 10, 300},
    {"parity-100-at-20", FilterKind::kParity, 20, 100},
    {"parity-400-at-2", FilterKind::kParity, 2, 400},
};

constexpr uint64_t kSeed = 0x5EED;

std::string Path(const Golden& golden) {
  return std::string(SSTFILTER_GOLDEN_DIR "/") + golden.name + ".hex";
}

// Bytes above 0x7f, where signed and unsigned char part ways.
std::string Key(int i) {
  return std::string(1, static_cast<char>(0x80 + i % 128)) + "key" +
         std::to_string(i);
}

std::string Build(const Golden& golden) {
  FilterBlockOptions options;
  options.kind = golden.kind;
  options.bits_per_key = golden.bits_per_key;
  options.fixed_seed = kSeed;
  FilterBlockBuilder builder(options);
  for (int i = 0; i < golden.keys; ++i) {
    const std::string key = Key(i);
    builder.AddKey(key.data(), key.size());
  }
  const FilterBlock block = builder.Finish();
  return std::string(block.bytes.get(), block.size);
}

std::string ToHex(const std::string& bytes) {
  std::string hex;
  for (size_t i = 0; i < bytes.size(); ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(bytes[i]);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
    if (i % 32 == 31 || i + 1 == bytes.size()) hex += '\n';
  }
  return hex;
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  std::string digits;
  for (char c : hex) {
    if (c == '\n') continue;
    digits += c;
    if (digits.size() == 2) {
      bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
      digits.clear();
    }
  }
  return bytes;
}

bool ReadFile(const std::string& path, std::string* content) {
  std::ifstream file(path);
  std::stringstream stream;
  stream << file.rdbuf();
  *content = stream.str();
  return file.good();
}

class GoldenBlock : public testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    if (ReadFile(Path(GetParam()), &hex_)) return;
    if (std::getenv("SSTFILTER_WRITE_GOLDEN") != nullptr) {
      std::ofstream(Path(GetParam())) << ToHex(Build(GetParam()));
    }
    FAIL() << "no " << Path(GetParam());
  }
  std::string hex_;
};

TEST_P(GoldenBlock, IsStillWritten) {
  EXPECT_EQ(ToHex(Build(GetParam())), hex_);
}

TEST_P(GoldenBlock, IsStillRead) {
  const std::string block = FromHex(hex_);
  FilterBlockReader reader;
  ASSERT_EQ(FilterBlockReader::Open(block.data(), block.size(), &reader),
            BlockState::kUsable);
  EXPECT_EQ(reader.trailer().kind, GetParam().kind);
  EXPECT_EQ(reader.trailer().seed, kSeed);
  EXPECT_EQ(reader.trailer().keys, static_cast<uint64_t>(GetParam().keys));
  for (int i = 0; i < GetParam().keys; ++i) {
    const std::string key = Key(i);
    EXPECT_TRUE(reader.MayMatch(reader.Hash(key.data(), key.size()))) << i;
  }
  // Not "may match" for want of understanding.
  int absent = 0;
  for (int i = 1000; i < 2000; ++i) {
    const std::string key = Key(i);
    absent += !reader.MayMatch(reader.Hash(key.data(), key.size()));
  }
  EXPECT_GT(absent, GetParam().bits_per_key > 5 ? 980 : 400);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenBlock, testing::ValuesIn(kGolden),
                         [](const auto& param) {
                           std::string name = param.param.name;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace sstfilter
