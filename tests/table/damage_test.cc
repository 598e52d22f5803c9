// Blocks that were damaged, cut, lengthened or made up: the reader never
// crashes or reads outside them, never says "absent" about an added key unless
// bits of the payload changed, and then only about keys of the place that
// changed.
//
// Every block lies in heap memory of exactly its size, so that AddressSanitizer
// and valgrind see any read outside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "filter/hash.h"
#include "filter/little_endian.h"
#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"
#include "tests/filter/sampling.h"

namespace sstfilter {
namespace {

class ExactBytes {
 public:
  explicit ExactBytes(const std::string& bytes)
      : data_(new char[bytes.size()]), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data_.get());
  }
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  std::unique_ptr<char[]> data_;
  size_t size_;
};

BlockState Open(const std::string& bytes) {
  const ExactBytes exact(bytes);
  FilterBlockReader reader;
  return FilterBlockReader::Open(exact.data(), exact.size(), &reader);
}

// An intact block with the hashes that were added to it.
struct Sample {
  std::string name;
  std::string bytes;
  std::vector<uint64_t> hashes;

  size_t payload_bytes() const { return bytes.size() - kTrailerBytes; }
};

Sample MakeSample(FilterKind kind, size_t keys, double bits_per_key) {
  FilterBlockOptions options;
  options.kind = kind;
  options.bits_per_key = bits_per_key;
  options.fixed_seed = keys * 1000 + static_cast<uint64_t>(bits_per_key);
  FilterBlockBuilder builder(options);
  Sample sample;
  for (size_t i = 0; i < keys; ++i) {
    const std::string key = "key" + std::to_string(i);
    builder.AddKey(key.data(), key.size());
    sample.hashes.push_back(
        HashKey(key.data(), key.size(), options.fixed_seed));
  }
  const FilterBlock block = builder.Finish();
  sample.bytes.assign(block.bytes.get(), block.size);
  sample.name = std::string(FilterKindName(kind)) + ", " +
                std::to_string(keys) + " keys at " +
                std::to_string(bits_per_key) + " bits";
  return sample;
}

std::vector<Sample> Samples(FilterKind kind) {
  std::vector<Sample> samples;
  for (size_t keys : {1, 40, 2000}) {
    for (double bits : {2.0, 10.0, 24.0}) {
      samples.push_back(MakeSample(kind, keys, bits));
    }
  }
  return samples;
}

// The checksum of a trailer as table/FORMAT.md defines it.
void SealTrailer(std::string* bytes) {
  char* const trailer = bytes->data() + bytes->size() - kTrailerBytes;
  StoreLittle32(trailer + 26, 0);
  StoreLittle32(trailer + 26,
                static_cast<uint32_t>(HashKey(trailer, kTrailerBytes, 0)));
}

// Asks every kernel, one by one and in a batch, and expects one answer to each
// question. Returns the answers.
std::vector<bool> AnswersOf(const char* data, size_t size,
                            const std::vector<uint64_t>& hashes) {
  FilterBlockReader reader;
  std::vector<bool> answers(hashes.size(), true);
  if (FilterBlockReader::Open(data, size, &reader) != BlockState::kUsable) {
    return answers;
  }
  const FilterKind kind = reader.trailer().kind;
  const FilterAlgorithm& algorithm = *AlgorithmFor(kind);
  const FilterView view =
      MakeFilterView(algorithm, reader.trailer().shape, data);
  const std::unique_ptr<bool[]> batch(new bool[hashes.size()]);
  bool first = true;
  for (const KindAndKernel& tested : AllKernels()) {
    if (tested.kind != kind) continue;
    const FilterKernel& kernel = tested.kernel();
    kernel.may_match_batch(view, hashes.data(), hashes.size(), batch.get());
    for (size_t i = 0; i < hashes.size(); ++i) {
      const bool single = kernel.may_match(view, hashes[i]);
      EXPECT_EQ(single, batch[i]) << CpuLevelName(kernel.level);
      if (first) {
        answers[i] = single;
      } else {
        EXPECT_EQ(single, answers[i]) << CpuLevelName(kernel.level);
      }
    }
    first = false;
  }
  return answers;
}

class DamagedBlock : public testing::TestWithParam<FilterKind> {};

INSTANTIATE_TEST_SUITE_P(All, DamagedBlock, testing::ValuesIn(kStoredKinds),
                         [](const auto& param) {
                           return std::string(FilterKindName(param.param));
                         });

TEST_P(DamagedBlock, IntactItIsUsable) {
  for (const Sample& sample : Samples(GetParam())) {
    ASSERT_EQ(Open(sample.bytes), BlockState::kUsable) << sample.name;
  }
}

TEST_P(DamagedBlock, NoBitOfTheTrailerMayChange) {
  for (const Sample& sample : Samples(GetParam())) {
    for (size_t bit = 0; bit < kTrailerBytes * 8; ++bit) {
      std::string bytes = sample.bytes;
      bytes[sample.payload_bytes() + bit / 8] ^=
          static_cast<char>(1 << (bit % 8));
      ASSERT_NE(Open(bytes), BlockState::kUsable)
          << sample.name << ", bit " << bit;
    }
  }
}

TEST_P(DamagedBlock, NoByteOfTheTrailerMayChange) {
  const Sample sample = MakeSample(GetParam(), 40, 10);
  for (size_t at = sample.payload_bytes(); at < sample.bytes.size(); ++at) {
    for (int change = 1; change < 256; ++change) {
      std::string bytes = sample.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      ASSERT_NE(Open(bytes), BlockState::kUsable) << at << ' ' << change;
    }
  }
}

TEST_P(DamagedBlock, NoPartOfTheTrailerMayBeOverwritten) {
  constexpr uint64_t kSeed = 201;
  Random random(kSeed);
  const Sample sample = MakeSample(GetParam(), 40, 10);
  for (size_t i = 0; i < Scaled(20'000, 500); ++i) {
    std::string bytes = sample.bytes;
    const size_t at = random.Below(kTrailerBytes);
    const size_t length = 1 + random.Below(kTrailerBytes - at);
    for (size_t j = at; j < at + length; ++j) {
      bytes[sample.payload_bytes() + j] = static_cast<char>(random.Next());
    }
    if (bytes == sample.bytes) continue;
    ASSERT_NE(Open(bytes), BlockState::kUsable) << "round " << i;
  }
}

TEST_P(DamagedBlock, NoLengthButItsOwnIsUsable) {
  constexpr uint64_t kSeed = 202;
  Random random(kSeed);
  for (const Sample& sample : Samples(GetParam())) {
    const std::string& bytes = sample.bytes;
    for (size_t size = 0; size < bytes.size(); ++size) {
      // All of the small blocks; of the large ones, both ends.
      if (size == 300 && bytes.size() > 600) size = bytes.size() - 300;
      ASSERT_NE(Open(bytes.substr(0, size)), BlockState::kUsable)
          << sample.name << ", first " << size;
      ASSERT_NE(Open(bytes.substr(bytes.size() - size)), BlockState::kUsable)
          << sample.name << ", last " << size;
    }
    for (size_t more = 1; more <= 130; ++more) {
      std::string noise(more, '\0');
      ASSERT_NE(Open(bytes + noise), BlockState::kUsable) << sample.name;
      ASSERT_NE(Open(noise + bytes), BlockState::kUsable) << sample.name;
      for (char& c : noise) c = static_cast<char>(random.Next());
      ASSERT_NE(Open(bytes + noise), BlockState::kUsable) << sample.name;
      ASSERT_NE(Open(noise + bytes), BlockState::kUsable) << sample.name;
    }
    ASSERT_NE(Open(bytes + bytes), BlockState::kUsable);
    ASSERT_NE(Open(bytes + bytes.substr(sample.payload_bytes())),
              BlockState::kUsable);
  }
}

// Of the payload the reader checks nothing: RocksDB's checksum covers the
// block. Damage that gets past it changes answers for keys of the damaged place
// alone.
TEST_P(DamagedBlock, DamageToThePayloadStaysWhereItIs) {
  constexpr uint64_t kSeed = 203;
  Random random(kSeed);
  const std::vector<Sample> samples = Samples(GetParam());
  const size_t rounds = Scaled(100'000, 1'000) / samples.size();
  for (const Sample& sample : samples) {
    ExactBytes block(sample.bytes);
    FilterBlockReader reader;
    ASSERT_EQ(FilterBlockReader::Open(block.data(), block.size(), &reader),
              BlockState::kUsable);
    const FilterAlgorithm& algorithm = *AlgorithmFor(GetParam());
    const FilterView view =
        MakeFilterView(algorithm, reader.trailer().shape, block.data());
    const size_t slot_bytes =
        GetParam() == FilterKind::kStandardBloom
            ? sample.payload_bytes()
            : sample.payload_bytes() / static_cast<size_t>(view.slots);
    for (size_t round = 0; round < rounds; ++round) {
      const size_t at = random.Below(sample.payload_bytes());
      const char intact = block.data()[at];
      // A bit, a byte, or a byte cleared or filled, as a torn write leaves it.
      const uint64_t how = random.Below(4);
      block.data()[at] =
          how == 0   ? static_cast<char>(intact ^ (1 << random.Below(8)))
          : how == 1 ? static_cast<char>(random.Next())
          : how == 2 ? '\0'
                     : '\xff';
      for (int question = 0; question < 64; ++question) {
        const uint64_t hash = sample.hashes[random.Below(sample.hashes.size())];
        const bool found = reader.MayMatch(hash);
        if (GetParam() == FilterKind::kStandardBloom) continue;
        const size_t slot = SlotOf(hash, view.slots);
        if (slot != at / slot_bytes) {
          ASSERT_TRUE(found) << sample.name << ", round " << round << ", byte "
                             << at << " of another block damaged";
        }
      }
      if (round % 50 == 0) {
        AnswersOf(block.data(), block.size(), sample.hashes);
        ASSERT_FALSE(HasFailure()) << sample.name << ", round " << round;
      }
      block.data()[at] = intact;
    }
    for (uint64_t hash : sample.hashes) ASSERT_TRUE(reader.MayMatch(hash));
  }
}

TEST_P(DamagedBlock, AnyPayloadMeansTheSameToAllKernels) {
  constexpr uint64_t kSeed = 204;
  Random random(kSeed);
  for (const Sample& sample : Samples(GetParam())) {
    const size_t rounds = Scaled(20'000, 400) / (100 + sample.bytes.size());
    for (size_t round = 0; round <= rounds; ++round) {
      std::string bytes = sample.bytes;
      for (size_t i = 0; i < sample.payload_bytes(); ++i) {
        bytes[i] = static_cast<char>(round == 0   ? 0
                                     : round == 1 ? 0xff
                                                  : random.Next());
      }
      const ExactBytes exact(bytes);
      std::vector<uint64_t> hashes(200);
      for (uint64_t& hash : hashes) hash = random.Next();
      AnswersOf(exact.data(), exact.size(), hashes);
      ASSERT_FALSE(HasFailure()) << sample.name << ", round " << round;
    }
  }
}

// Memory that was never written, or lost to a hole in a file, is zero.
TEST_P(DamagedBlock, AZeroedPlaceLosesNoKeyOfABlockKind) {
  if (GetParam() == FilterKind::kStandardBloom) {
    GTEST_SKIP() << "a bit that is not set says absent";
  }
  const Sample sample = MakeSample(GetParam(), 2000, 10);
  for (size_t at = 0; at < sample.payload_bytes(); at += kBlockBytes) {
    std::string bytes = sample.bytes;
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at), kBlockBytes, '\0');
    const ExactBytes exact(bytes);
    for (bool answer : AnswersOf(exact.data(), exact.size(), sample.hashes)) {
      ASSERT_TRUE(answer) << at;
    }
  }
}

// --- Trailers whose checksum is right and whose content makes no sense.

TEST(MadeUpBlock, EveryKindParameterAndLength) {
  constexpr uint64_t kSeed = 205;
  Random random(kSeed);
  std::vector<uint64_t> hashes = {0, ~uint64_t{0}, 0xffffffff};
  while (hashes.size() < 24) hashes.push_back(random.Next());
  int usable = 0;
  for (int kind = 0; kind < 256; kind += kind < 8 ? 1 : 37) {
    for (int parameter = 0; parameter < 256; ++parameter) {
      for (size_t length : {0, 1, 8, 16, 32, 63, 64, 65, 128, 192}) {
        std::string bytes(length + kTrailerBytes, '\0');
        for (size_t i = 0; i < length; ++i) {
          bytes[i] = static_cast<char>(random.Next());
        }
        Trailer trailer;
        trailer.keys = 5;
        trailer.shape.payload_bytes = length;
        trailer.shape.parameter = static_cast<uint8_t>(parameter);
        trailer.Write(bytes.data() + length);
        bytes[length + 24] = static_cast<char>(kind);
        SealTrailer(&bytes);
        const ExactBytes exact(bytes);
        FilterBlockReader reader;
        const BlockState state =
            FilterBlockReader::Open(exact.data(), exact.size(), &reader);
        if (kind < 1 || kind > 3) {
          ASSERT_EQ(state, BlockState::kUnknownKind) << kind;
          continue;
        }
        if (state != BlockState::kUsable) continue;
        ++usable;
        AnswersOf(exact.data(), exact.size(), hashes);
        // Some of them: it takes a while on emulated CPUs.
        if (usable % 16 == 1) {
          const double rate = reader.ExpectedFalsePositiveRate();
          ASSERT_TRUE(rate >= 0 && rate <= 1) << rate;
        }
        ASSERT_FALSE(testing::Test::HasFailure())
            << "kind " << kind << ", parameter " << parameter << ", length "
            << length;
      }
    }
  }
  EXPECT_GT(usable, 1000);
}

TEST(MadeUpBlock, LengthsThatDoNotAddUp) {
  for (FilterKind kind : kStoredKinds) {
    const Sample sample = MakeSample(kind, 40, 10);
    for (uint32_t length :
         {uint32_t{0}, uint32_t{1}, uint32_t{36},
          static_cast<uint32_t>(sample.payload_bytes() - 1),
          static_cast<uint32_t>(sample.payload_bytes() + 1),
          static_cast<uint32_t>(sample.payload_bytes() + 64),
          static_cast<uint32_t>(sample.bytes.size()), uint32_t{0x80000000},
          uint32_t{0xfffff000}, uint32_t{0xffffffdc}, uint32_t{0xffffffff}}) {
      std::string bytes = sample.bytes;
      StoreLittle32(bytes.data() + sample.payload_bytes() + 16, length);
      SealTrailer(&bytes);
      EXPECT_EQ(Open(bytes), BlockState::kDamaged) << length;
    }
  }
}

TEST(MadeUpBlock, OtherVersionsAreNotRead) {
  for (FilterKind kind : kStoredKinds) {
    const Sample sample = MakeSample(kind, 40, 10);
    for (int version = 0; version < 256; ++version) {
      if (version == kFormatVersion) continue;
      std::string bytes = sample.bytes;
      bytes[bytes.size() - 6] = static_cast<char>(version);
      SealTrailer(&bytes);
      EXPECT_EQ(Open(bytes), BlockState::kUnknownVersion) << version;
    }
  }
}

// The number of keys is a number like any other until someone computes with it.
TEST(MadeUpBlock, NoNumberOfKeysIsTooLargeForTheRate) {
  for (FilterKind kind : kStoredKinds) {
    for (size_t keys : {40, 400}) {
      const Sample sample = MakeSample(kind, keys, 10);
      for (uint64_t claimed :
           {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32, uint64_t{1} << 53,
            uint64_t{1} << 63, ~uint64_t{0}}) {
        std::string bytes = sample.bytes;
        StoreLittle64(bytes.data() + sample.payload_bytes() + 8, claimed);
        SealTrailer(&bytes);
        const ExactBytes exact(bytes);
        FilterBlockReader reader;
        if (FilterBlockReader::Open(exact.data(), exact.size(), &reader) !=
            BlockState::kUsable) {
          continue;
        }
        const double rate = reader.ExpectedFalsePositiveRate();
        EXPECT_GE(rate, 0) << claimed;
        EXPECT_LE(rate, 1) << claimed;
        if (claimed > 1000) {
          EXPECT_GT(rate, 0.99) << FilterKindName(kind) << ' ' << claimed;
        }
        // What is asked of the block does not depend on it.
        for (uint64_t hash : sample.hashes) ASSERT_TRUE(reader.MayMatch(hash));
      }
    }
  }
}

TEST(MadeUpBlock, AnyBytesOfAnyLength) {
  constexpr uint64_t kSeed = 206;
  Random random(kSeed);
  for (size_t i = 0; i < Scaled(100'000, 2'000); ++i) {
    std::string bytes(random.Below(200), '\0');
    for (char& c : bytes) c = static_cast<char>(random.Next());
    // Now and then with an end that looks like ours.
    if (i % 2 == 0 && bytes.size() >= 6) {
      bytes.replace(bytes.size() - 6, 6, std::string("\x01\0sstf", 6));
    }
    ASSERT_NE(Open(bytes), BlockState::kUsable) << i;
  }
}

// --- The blocks that are kept.

TEST(GoldenBlocks, NoBitOfTheirTrailersMayChange) {
  int blocks = 0;
  for (const char* name :
       {"bloom-1", "bloom-300", "bloom-100-at-20", "bloom-400-at-2",
        "standard-1", "standard-300", "parity-1", "parity-300",
        "parity-100-at-20", "parity-400-at-2"}) {
    std::ifstream file(std::string(SSTFILTER_GOLDEN_DIR "/") + name + ".hex");
    std::string bytes;
    char high = 0;
    char low = 0;
    while (file >> high >> low) {
      bytes +=
          static_cast<char>(std::stoi(std::string{high, low}, nullptr, 16));
    }
    if (bytes.empty()) continue;
    ++blocks;
    EXPECT_EQ(Open(bytes), BlockState::kUsable) << name;
    for (size_t bit = 0; bit < kTrailerBytes * 8; ++bit) {
      std::string damaged = bytes;
      damaged[bytes.size() - 1 - bit / 8] ^= static_cast<char>(1 << (bit % 8));
      EXPECT_NE(Open(damaged), BlockState::kUsable) << name << ' ' << bit;
    }
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_NE(Open(bytes.substr(0, size)), BlockState::kUsable) << name;
    }
  }
  EXPECT_GT(blocks, 0) << "no golden blocks";
}

}  // namespace
}  // namespace sstfilter
