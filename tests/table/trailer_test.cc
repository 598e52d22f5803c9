#include "table/trailer.h"

#include <gtest/gtest.h>

#include <string>

namespace sstfilter {
namespace {

Trailer Example() {
  Trailer trailer;
  trailer.seed = 0x0102030405060708;
  trailer.keys = 1000;
  trailer.key_transform = 0xA1B2C3D4;
  trailer.kind = FilterKind::kStandardBloom;
  trailer.shape.payload_bytes = 5;
  trailer.shape.parameter = 7;
  return trailer;
}

std::string BlockOf(const Trailer& trailer) {
  std::string block(trailer.shape.payload_bytes + kTrailerBytes, '\xee');
  trailer.Write(block.data() + trailer.shape.payload_bytes);
  return block;
}

BlockState StateOf(const std::string& block) {
  Trailer trailer;
  return Trailer::Read(block.data(), block.size(), &trailer);
}

TEST(TrailerBytes, AreTheDocumentedOnes) {
  const std::string block = BlockOf(Example());
  const std::string expected(
      "\x08\x07\x06\x05\x04\x03\x02\x01"  // seed
      "\xe8\x03\x00\x00\x00\x00\x00\x00"  // keys
      "\x05\x00\x00\x00"                  // payload bytes
      "\xd4\xc3\xb2\xa1"                  // key transform
      "\x02"                              // kind
      "\x07",                             // parameter
      26);
  EXPECT_EQ(block.substr(5, 26), expected);
  EXPECT_EQ(block.substr(5 + 30), std::string("\x01\x00sstf", 6));
  EXPECT_EQ(block.substr(5 + 26, 4), std::string("\xc0\x82\x94\x60"))
      << "checksum";
}

TEST(TrailerBytes, RoundTrip) {
  const Trailer example = Example();
  const std::string block = BlockOf(example);
  Trailer read;
  ASSERT_EQ(Trailer::Read(block.data(), block.size(), &read),
            BlockState::kUsable);
  EXPECT_EQ(read.seed, example.seed);
  EXPECT_EQ(read.keys, example.keys);
  EXPECT_EQ(read.key_transform, example.key_transform);
  EXPECT_EQ(read.kind, example.kind);
  EXPECT_EQ(read.shape.payload_bytes, example.shape.payload_bytes);
  EXPECT_EQ(read.shape.parameter, example.shape.parameter);
}

// A built-in reader takes the byte at size - 5 for the number of probes, and
// zero for "every key may match".
TEST(TrailerBytes, TellABuiltInReaderThatEverythingMayMatch) {
  const std::string block = BlockOf(Example());
  EXPECT_EQ(block[block.size() - 5], '\0');
}

TEST(DamagedTrailer, EveryTruncationIsRefused) {
  const std::string block = BlockOf(Example());
  for (size_t size = 0; size < block.size(); ++size) {
    EXPECT_NE(StateOf(block.substr(0, size)), BlockState::kUsable) << size;
    EXPECT_NE(StateOf(block.substr(block.size() - size)), BlockState::kUsable)
        << size;
  }
  EXPECT_EQ(StateOf(""), BlockState::kForeign);
}

TEST(DamagedTrailer, AppendedBytesAreRefused) {
  const std::string block = BlockOf(Example());
  for (size_t extra = 1; extra < 100; ++extra) {
    EXPECT_NE(StateOf(block + std::string(extra, '\0')), BlockState::kUsable);
    EXPECT_NE(StateOf(std::string(extra, '\0') + block), BlockState::kUsable)
        << "the payload is longer than the trailer says";
  }
}

TEST(DamagedTrailer, EveryFlippedBitIsRefused) {
  const std::string block = BlockOf(Example());
  for (size_t bit = 5 * 8; bit < block.size() * 8; ++bit) {
    std::string damaged = block;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(StateOf(damaged), BlockState::kUsable) << "bit " << bit;
  }
}

TEST(DamagedTrailer, SaysWhatIsWrong) {
  std::string block = BlockOf(Example());
  const size_t at = block.size() - kTrailerBytes;

  std::string other_version = block;
  other_version[at + 30] = 2;
  EXPECT_EQ(StateOf(other_version), BlockState::kUnknownVersion);

  std::string wrong_checksum = block;
  wrong_checksum[at] ^= 1;
  EXPECT_EQ(StateOf(wrong_checksum), BlockState::kDamaged);

  std::string foreign = block;
  foreign.back() ^= 1;
  EXPECT_EQ(StateOf(foreign), BlockState::kForeign);

  std::string probes_of_a_built_in_filter = block;
  probes_of_a_built_in_filter[block.size() - 5] = 6;
  EXPECT_EQ(StateOf(probes_of_a_built_in_filter), BlockState::kForeign);

  EXPECT_EQ(StateOf(block.substr(block.size() - 5)), BlockState::kDamaged)
      << "ends like ours, too short for a trailer";
}

// Well-checksummed nonsense: what only a bug or an attacker would write.
TEST(NonsenseTrailer, IsRefusedWhateverTheChecksumSays) {
  Trailer no_kind = Example();
  no_kind.kind = FilterKind::kAuto;
  EXPECT_EQ(StateOf(BlockOf(no_kind)), BlockState::kUnknownKind);

  Trailer no_probes = Example();
  no_probes.shape.parameter = 0;
  EXPECT_EQ(StateOf(BlockOf(no_probes)), BlockState::kDamaged);

  Trailer ragged_blocks = Example();
  ragged_blocks.kind = FilterKind::kBloom;
  ragged_blocks.shape.payload_bytes = 65;
  EXPECT_EQ(StateOf(BlockOf(ragged_blocks)), BlockState::kDamaged);

  Trailer no_payload = Example();
  no_payload.shape.payload_bytes = 0;
  EXPECT_EQ(StateOf(BlockOf(no_payload)), BlockState::kDamaged);

  std::string wrong_length = BlockOf(Example());
  wrong_length.insert(0, 1, 'x');
  EXPECT_EQ(StateOf(wrong_length), BlockState::kDamaged);
}

TEST(KeyTransformIdOf, IsZeroForNoneAndDiffersByName) {
  EXPECT_EQ(KeyTransformId("", 0), 0u);
  EXPECT_NE(KeyTransformId("ascii_lower", 11), 0u);
  EXPECT_NE(KeyTransformId("ascii_lower", 11),
            KeyTransformId("ascii_lowes", 11));
}

}  // namespace
}  // namespace sstfilter
