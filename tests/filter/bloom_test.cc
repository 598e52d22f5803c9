// The cache-line Bloom filter: no key is ever lost, every kernel is the scalar
// one bit for bit, and the rate is the one the mathematics says.
#include "filter/bloom.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "filter/hash.h"
#include "filter/little_endian.h"
#include "tests/sanitizers.h"

namespace sstfilter {
namespace {

using Hashes = std::vector<uint64_t>;

// Sanitizers look for other faults than a wrong rate: under them rates are
// measured with fewer queries and a wider tolerance.
constexpr uint64_t kFewer = kSanitized ? 10 : 1;

// SplitMix64: good hashes, and the same ones everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += uint64_t{0x9E3779B97F4A7C15};
    uint64_t x = state_;
    x = (x ^ (x >> 30)) * uint64_t{0xBF58476D1CE4E5B9};
    x = (x ^ (x >> 27)) * uint64_t{0x94D049BB133111EB};
    return x ^ (x >> 31);
  }

 private:
  uint64_t state_;
};

Hashes RandomHashes(size_t count, uint64_t seed) {
  Random random(seed);
  Hashes hashes(count);
  for (uint64_t& hash : hashes) hash = random.Next();
  return hashes;
}

// The kernels this CPU runs, the scalar one last.
std::vector<const FilterKernel*> UsableKernels() {
  std::vector<const FilterKernel*> kernels;
  for (size_t i = 0; i < kBloomAlgorithm.kernel_count; ++i) {
    if (kBloomAlgorithm.kernels[i].level <= DetectedCpuLevel()) {
      kernels.push_back(&kBloomAlgorithm.kernels[i]);
    }
  }
  return kernels;
}

const FilterKernel& ScalarKernel() { return *UsableKernels().back(); }

const FilterKernel& FastKernel() {
  const CpuLevel level = ActiveCpuLevel();
  for (const FilterKernel* kernel : UsableKernels()) {
    if (kernel->level <= level) return *kernel;
  }
  return ScalarKernel();
}

// A payload in a heap block of exactly its size and the byte before it, so that
// it is misaligned and AddressSanitizer sees the first byte read past its end.
class Payload {
 public:
  explicit Payload(const FilterShape& shape)
      : shape_(shape), bytes_(new char[1 + shape.payload_bytes]()) {}

  Payload(const FilterShape& shape, const FilterKernel& kernel, Hashes hashes)
      : Payload(shape) {
    kernel.build(shape, hashes.data(), hashes.size(), data());
  }

  char* data() { return bytes_.get() + 1; }
  size_t size() const { return shape_.payload_bytes; }
  FilterView view() { return MakeFilterView(kBloomAlgorithm, shape_, data()); }
  std::string str() { return std::string(data(), size()); }

 private:
  FilterShape shape_;
  std::unique_ptr<char[]> bytes_;
};

std::vector<char> Ask(const FilterKernel& kernel, const FilterView& view,
                      const Hashes& hashes) {
  std::vector<char> answers;
  for (uint64_t hash : hashes) answers.push_back(kernel.may_match(view, hash));
  return answers;
}

std::vector<char> AskBatch(const FilterKernel& kernel, const FilterView& view,
                           const Hashes& hashes) {
  const std::unique_ptr<bool[]> results(new bool[hashes.size() + 1]);
  // Wrong until written.
  std::fill_n(reinterpret_cast<char*>(results.get()), hashes.size() + 1, 2);
  kernel.may_match_batch(view, hashes.data(), hashes.size(), results.get());
  const char* const bytes = reinterpret_cast<const char*>(results.get());
  EXPECT_EQ(bytes[hashes.size()], 2) << "wrote past the results";
  return std::vector<char>(bytes, bytes + hashes.size());
}

// Builds with every kernel and checks that nothing is lost and that all agree.
void CheckBuild(const FilterShape& shape, const Hashes& hashes,
                const Hashes& others) {
  Payload expected(shape, ScalarKernel(), hashes);
  const std::vector<char> all(hashes.size(), 1);
  const std::vector<char> other_answers =
      Ask(ScalarKernel(), expected.view(), others);
  for (const FilterKernel* kernel : UsableKernels()) {
    SCOPED_TRACE(CpuLevelName(kernel->level));
    Payload payload(shape, *kernel, hashes);
    ASSERT_EQ(std::memcmp(payload.data(), expected.data(), payload.size()), 0);
    ASSERT_TRUE(Ask(*kernel, payload.view(), hashes) == all);
    ASSERT_TRUE(AskBatch(*kernel, payload.view(), hashes) == all);
    ASSERT_TRUE(Ask(*kernel, payload.view(), others) == other_answers);
    ASSERT_TRUE(AskBatch(*kernel, payload.view(), others) == other_answers);
  }
}

FilterShape ShapeFor(uint64_t keys, double bits_per_key) {
  return kBloomAlgorithm.shape_for(keys, bits_per_key);
}

double MeasuredRate(Payload* payload, uint64_t queries, uint64_t seed) {
  constexpr size_t kBatch = 1024;
  Random random(seed);
  uint64_t hashes[kBatch];
  bool results[kBatch];
  uint64_t passed = 0;
  for (uint64_t done = 0; done < queries; done += kBatch) {
    for (uint64_t& hash : hashes) hash = random.Next();
    FastKernel().may_match_batch(payload->view(), hashes, kBatch, results);
    passed +=
        static_cast<uint64_t>(std::count(results, results + kBatch, true));
  }
  const uint64_t asked = (queries + kBatch - 1) / kBatch * kBatch;
  return static_cast<double>(passed) / static_cast<double>(asked);
}

TEST(BloomTest, NothingLostAndKernelsAgreeForEverySmallCount) {
  const Hashes others = RandomHashes(100, 1);
  for (size_t count = 0; count <= 3000; count += count < 600 ? 1 : 53) {
    for (double bits : {1.0, 4.9, 10.0, 20.0, 100.0}) {
      SCOPED_TRACE(testing::Message() << count << " keys, " << bits << " bits");
      ASSERT_NO_FATAL_FAILURE(CheckBuild(
          ShapeFor(count, bits), RandomHashes(count, count + 1000), others));
    }
  }
}

TEST(BloomTest, NothingLostAndKernelsAgreeAtEveryBitsPerKey) {
  const Hashes others = RandomHashes(1000, 2);
  for (double bits = kMinBitsPerKey; bits <= kMaxBitsPerKey; bits += 0.5) {
    SCOPED_TRACE(bits);
    ASSERT_NO_FATAL_FAILURE(
        CheckBuild(ShapeFor(2500, bits), RandomHashes(2500, 3), others));
  }
}

TEST(BloomTest, NothingLostAndKernelsAgreeForManyKeys) {
  const Hashes others = RandomHashes(10000, 4);
  for (size_t count : {100000, 1000000}) {
    for (double bits : {1.0, 10.0, 50.0}) {
      SCOPED_TRACE(testing::Message() << count << " keys, " << bits << " bits");
      ASSERT_NO_FATAL_FAILURE(
          CheckBuild(ShapeFor(count, bits), RandomHashes(count, 5), others));
    }
  }
}

TEST(BloomTest, NothingLostWhenSizedForAnotherCount) {
  const Hashes others = RandomHashes(1000, 6);
  for (size_t planned : {0, 1, 100, 200000}) {
    for (size_t count : {1, 100, 50000}) {
      SCOPED_TRACE(testing::Message() << planned << " planned, " << count);
      ASSERT_NO_FATAL_FAILURE(
          CheckBuild(ShapeFor(planned, 10), RandomHashes(count, 7), others));
    }
  }
}

TEST(BloomTest, Duplicates) {
  const Hashes once = RandomHashes(20000, 8);
  Hashes thrice;
  for (int i = 0; i < 3; ++i)
    thrice.insert(thrice.end(), once.begin(), once.end());
  const Hashes others = RandomHashes(1000, 9);
  CheckBuild(ShapeFor(20000, 10), thrice, others);
  CheckBuild(ShapeFor(60000, 10), thrice, others);
  CheckBuild(ShapeFor(60000, 10), Hashes(60000, once[0]), others);
}

// The work per key is bounded by the number of partitioning levels. No clock is
// looked at here, but a quadratic build would not come back.
TEST(BloomTest, AllKeysInOneBlock) {
  const Hashes others = RandomHashes(1000, 10);
  for (size_t count : {60, 4096, 4097, 1000000}) {
    SCOPED_TRACE(count);
    const FilterShape shape = ShapeFor(count, 10);
    // The first block, the last one, and one between.
    const uint64_t width = ~uint64_t{0} / kBloomAlgorithm.slots(shape);
    for (uint64_t start : {uint64_t{0}, ~uint64_t{0} - width + 1,
                           width * (kBloomAlgorithm.slots(shape) / 2) + 1000}) {
      Hashes hashes = RandomHashes(count, 11);
      for (uint64_t& hash : hashes) hash = start + hash % (width - 1000);
      ASSERT_NO_FATAL_FAILURE(CheckBuild(shape, hashes, others));
    }
  }
  // A block too full to say no does no harm to the others.
  Hashes hashes = RandomHashes(100000, 12);
  for (size_t i = 0; i < hashes.size(); i += 2) hashes[i] >>= 20;
  CheckBuild(ShapeFor(100000, 10), hashes, others);
}

TEST(BloomTest, HashesWithEqualHalves) {
  const Hashes others = RandomHashes(1000, 13);
  Hashes upper = RandomHashes(30000, 14);
  Hashes lower = upper;
  Hashes few_bits = upper;
  for (uint64_t& hash : upper)
    hash = (hash & 0xffffffff) | (uint64_t{77} << 32);
  for (uint64_t& hash : lower) hash = (hash & ~uint64_t{0xffffffff}) | 99;
  for (uint64_t& hash : few_bits) hash &= 0x8080808080808080;
  for (const Hashes& hashes : {upper, lower, few_bits}) {
    CheckBuild(ShapeFor(30000, 10), hashes, others);
  }
  CheckBuild(ShapeFor(2, 10), {0, ~uint64_t{0}}, others);
}

TEST(BloomTest, BytesDoNotDependOnTheOrderOfTheKeys) {
  for (size_t count : {100, 5000, 200000}) {
    Hashes hashes = RandomHashes(count, 15);
    const FilterShape shape = ShapeFor(count, 10);
    Payload expected(shape, FastKernel(), hashes);
    std::sort(hashes.begin(), hashes.end());
    EXPECT_TRUE(Payload(shape, FastKernel(), hashes).str() == expected.str());
    std::reverse(hashes.begin(), hashes.end());
    EXPECT_TRUE(Payload(shape, FastKernel(), hashes).str() == expected.str());
  }
}

// The layout, written down a second time and without the partitioning.
TEST(BloomTest, BlocksAreWhatTheSpecificationSays) {
  for (double bits : {1.0, 3.0, 7.0, 10.0, 16.0, 20.0, 40.0, 100.0}) {
    SCOPED_TRACE(bits);
    constexpr size_t kCount = 20000;
    const Hashes hashes = RandomHashes(kCount, 16);
    const FilterShape shape = ShapeFor(kCount, bits);
    Payload payload(shape, FastKernel(), hashes);
    const uint64_t slots = kBloomAlgorithm.slots(shape);
    std::vector<Hashes> by_block(slots);
    for (uint64_t hash : hashes) by_block[SlotOf(hash, slots)].push_back(hash);

    const BloomProbeSet& probe_set = kBloomProbeSets[shape.parameter - 1];
    for (uint64_t block = 0; block < slots; ++block) {
      const char* const bytes = payload.data() + block * kBlockBytes;
      const uint32_t header = LoadLittle32(bytes);
      uint32_t code = 0;
      for (uint16_t limit : probe_set.load_limit) {
        if (by_block[block].size() <= limit) ++code;
      }
      ASSERT_EQ(header & 3, code);
      const uint32_t pattern = kBloomPatterns[probe_set.probes[code]];
      for (uint32_t word = 1; word < 16; ++word) {
        uint32_t tries[4] = {};
        for (uint64_t hash : by_block[block]) {
          const uint64_t rotation = ((hash & 0xffffffff) * 15) >> 32;
          if (((pattern >> ((word - 1 + rotation) % 15)) & 1) == 0) continue;
          const uint64_t mixed = Remix(hash) >> (32 * (word % 2));
          const uint32_t product =
              static_cast<uint32_t>(mixed) * kBloomMultipliers[word];
          for (int t = 0; t < 4; ++t) {
            tries[t] |= uint32_t{1} << (31 - ((product >> (27 - 4 * t)) & 31));
          }
        }
        const uint32_t chosen = (header >> (2 * word)) & 3;
        ASSERT_EQ(LoadLittle32(bytes + 4 * word), tries[chosen]);
        for (uint32_t t = 0; t < 4; ++t) {
          const int more =
              __builtin_popcount(tries[t]) - __builtin_popcount(tries[chosen]);
          ASSERT_TRUE(more > 0 || (more == 0 && t <= chosen));
        }
      }
    }
  }
}

TEST(BloomTest, EmptyFilterMatchesNothing) {
  const Hashes others = RandomHashes(10000, 17);
  for (size_t planned : {0, 100, 100000}) {
    for (const FilterKernel* kernel : UsableKernels()) {
      Payload payload(ShapeFor(planned, 10), *kernel, {});
      EXPECT_EQ(LoadLittle32(payload.data()), kBloomEmptyHeader);
      EXPECT_TRUE(Ask(*kernel, payload.view(), others) ==
                  std::vector<char>(others.size(), 0));
    }
  }
}

// A page that was never written must not lose a key.
TEST(BloomTest, ZeroHeaderMatchesEverything) {
  const Hashes others = RandomHashes(10000, 18);
  Payload payload(ShapeFor(1000, 10));
  for (int fill : {0, 0x5a}) {
    std::memset(payload.data(), fill, payload.size());
    for (size_t i = 0; i < payload.size(); i += kBlockBytes) {
      StoreLittle32(payload.data() + i, 0);
    }
    for (const FilterKernel* kernel : UsableKernels()) {
      const std::vector<char> all(others.size(), 1);
      EXPECT_TRUE(Ask(*kernel, payload.view(), others) == all);
      EXPECT_TRUE(AskBatch(*kernel, payload.view(), others) == all);
    }
  }
}

TEST(BloomTest, ArbitraryBytesGiveTheSameAnswersInEveryKernel) {
  Hashes hashes = RandomHashes(3000, 19);
  hashes.push_back(0);
  hashes.push_back(~uint64_t{0});
  Random random(20);
  for (int parameter = 1; parameter <= kBloomProbeSetCount; ++parameter) {
    for (uint64_t blocks : {1, 2, 3, 1000}) {
      // Mostly ones, half, mostly zeros.
      for (int density = 0; density < 3; ++density) {
        Payload payload(
            FilterShape{blocks * kBlockBytes, static_cast<uint8_t>(parameter)});
        for (size_t i = 0; i < payload.size(); i += 8) {
          uint64_t bits = random.Next();
          if (density == 0) bits |= random.Next() | random.Next();
          if (density == 2) bits &= random.Next() & random.Next();
          StoreLittle64(payload.data() + i, bits);
        }
        const std::vector<char> expected =
            Ask(ScalarKernel(), payload.view(), hashes);
        for (const FilterKernel* kernel : UsableKernels()) {
          SCOPED_TRACE(CpuLevelName(kernel->level));
          ASSERT_TRUE(Ask(*kernel, payload.view(), hashes) == expected);
          ASSERT_TRUE(AskBatch(*kernel, payload.view(), hashes) == expected);
        }
      }
    }
  }
}

// Between two pages that nobody may touch.
TEST(BloomTest, NothingOutsideThePayloadIsTouched) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const mapping =
      mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  char* const payload = static_cast<char*>(mapping) + page;
  ASSERT_EQ(mprotect(payload, page, PROT_READ | PROT_WRITE), 0);
  const FilterShape shape{page, 6};
  ASSERT_TRUE(kBloomAlgorithm.is_valid_shape(shape));
  Hashes hashes = RandomHashes(page * 8 / 10, 21);
  hashes.push_back(0);
  hashes.push_back(~uint64_t{0});
  for (const FilterKernel* kernel : UsableKernels()) {
    std::memset(payload, 0, page);
    Hashes copy = hashes;
    kernel->build(shape, copy.data(), copy.size(), payload);
    const FilterView view = MakeFilterView(kBloomAlgorithm, shape, payload);
    const std::vector<char> all(hashes.size(), 1);
    EXPECT_TRUE(Ask(*kernel, view, hashes) == all);
    EXPECT_TRUE(AskBatch(*kernel, view, hashes) == all);
  }
  munmap(mapping, 3 * page);
}

TEST(BloomTest, Shape) {
  EXPECT_EQ(ShapeFor(0, 10).payload_bytes, kBlockBytes);
  EXPECT_EQ(ShapeFor(1, 10).payload_bytes, kBlockBytes);
  EXPECT_EQ(ShapeFor(51, 10).payload_bytes, kBlockBytes);
  EXPECT_EQ(ShapeFor(52, 10).payload_bytes, 2 * kBlockBytes);
  EXPECT_EQ(ShapeFor(1000000, 10).payload_bytes, 1250048u);
  EXPECT_EQ(ShapeFor(uint64_t{1} << 60, 100).payload_bytes,
            kMaxPayloadBytes / kBlockBytes * kBlockBytes);
  for (uint64_t keys : {uint64_t{0}, uint64_t{1}, uint64_t{1000},
                        uint64_t{10000000000}, ~uint64_t{0}}) {
    uint64_t last_bytes = 0;
    for (double bits = 1; bits <= 100; bits += 0.25) {
      const FilterShape shape = ShapeFor(keys, bits);
      ASSERT_TRUE(kBloomAlgorithm.is_valid_shape(shape)) << keys << ' ' << bits;
      ASSERT_GE(shape.payload_bytes, last_bytes);
      last_bytes = shape.payload_bytes;
    }
  }
  for (const FilterShape& shape :
       {FilterShape{0, 5}, FilterShape{63, 5}, FilterShape{65, 5},
        FilterShape{64, 0}, FilterShape{64, kBloomProbeSetCount + 1},
        FilterShape{64, 255}, FilterShape{uint64_t{1} << 32, 5},
        FilterShape{~uint64_t{0} - 63, 5}}) {
    EXPECT_FALSE(kBloomAlgorithm.is_valid_shape(shape));
  }
}

TEST(BloomTest, PatternsAndProbeSets) {
  for (int k = 1; k <= kBloomMaxProbes; ++k) {
    EXPECT_EQ(__builtin_popcount(kBloomPatterns[k]), k);
    EXPECT_LT(kBloomPatterns[k], 1u << 15);
  }
  for (const BloomProbeSet& probe_set : kBloomProbeSets) {
    EXPECT_TRUE(std::is_sorted(probe_set.probes, probe_set.probes + 4));
    EXPECT_TRUE(std::is_sorted(probe_set.load_limit, probe_set.load_limit + 3,
                               std::greater<>()));
    EXPECT_GE(probe_set.probes[0], 1);
    EXPECT_LE(probe_set.probes[3], kBloomMaxProbes);
  }
  for (uint32_t multiplier : kBloomMultipliers) EXPECT_EQ(multiplier % 2, 1u);
}

TEST(BloomTest, ExpectedRate) {
  const auto rate = [](double bits, uint64_t keys) {
    return kBloomAlgorithm.false_positive_rate(ShapeFor(keys, bits), keys);
  };
  EXPECT_EQ(rate(10, 0), 0);
  // Below the textbook bound of an unbounded row, 0.819 % at 10 bits.
  EXPECT_LT(rate(10, 1000000), 0.0066);
  EXPECT_LT(rate(20, 1000000), 0.000103);
  EXPECT_GT(rate(1, 1000000), 0.5);
  double last = 1;
  for (double bits = 1; bits <= 100; bits *= 1.1) {
    EXPECT_LT(rate(bits, 1000000), last) << bits;
    last = rate(bits, 1000000);
  }
  // Few blocks, many keys and overfull filters have a rate, too.
  for (uint64_t keys : {1, 10, 50, 100, 1000}) {
    EXPECT_GT(rate(10, keys), 0);
    EXPECT_LT(rate(10, keys), 0.02);
  }
  EXPECT_GT(rate(10, uint64_t{10000000000}), 0.04);  // capped: 3.4 bits
  EXPECT_DOUBLE_EQ(
      kBloomAlgorithm.false_positive_rate(ShapeFor(1, 10), 1000000), 1);
  EXPECT_GT(kBloomAlgorithm.false_positive_rate(ShapeFor(1000, 10), 1000000),
            0.99);
}

TEST(BloomTest, MeasuredRateIsTheExpectedOne) {
  constexpr uint64_t kKeys = 1000000;
  const struct {
    double bits;
    uint64_t queries;
  } cases[] = {{5, 10000000},
               {7.5, 10000000},
               {10, 20000000},
               {14, 50000000},
               {20, 100000000}};
  for (const auto& c : cases) {
    const FilterShape shape = ShapeFor(kKeys, c.bits);
    Payload payload(shape, FastKernel(), RandomHashes(kKeys, 22));
    const double expected = kBloomAlgorithm.false_positive_rate(shape, kKeys);
    const double measured = MeasuredRate(&payload, c.queries / kFewer, 23);
    RecordProperty("rate_at_" + std::to_string(c.bits),
                   std::to_string(measured));
    EXPECT_NEAR(measured / expected, 1, kFewer > 1 ? 0.1 : 0.03)
        << c.bits << " bits: measured " << measured << ", expected "
        << expected;
    if (c.bits == 10) {
      EXPECT_LE(measured, 0.00967);
    }
  }
}

TEST(BloomTest, MeasuredRateOfOneBlockIsTheExpectedOne) {
  for (size_t load : {10, 30, 50, 70}) {
    double measured = 0;
    constexpr int kBlocks = 300;
    const FilterShape shape = ShapeFor(51, 10);
    for (int i = 0; i < kBlocks; ++i) {
      Payload payload(shape, FastKernel(), RandomHashes(load, 1000 * load + i));
      measured += MeasuredRate(&payload, 20000, 24 + i) / kBlocks;
    }
    const double expected = BloomBlockRate(shape.parameter, load);
    EXPECT_NEAR(measured, expected, 0.1 * expected + 3e-6) << load;
    EXPECT_DOUBLE_EQ(kBloomAlgorithm.false_positive_rate(shape, load),
                     expected);
  }
}

// More bits, fewer false positives, down to a floor of 1e-9: what 15 probes
// leave at 50 bits per key and more is too little to be measured here.
TEST(BloomTest, MeasuredRateFallsWithBitsPerKey) {
  constexpr uint64_t kKeys = 300000;
  double last = 1;
  for (double bits : {5, 10, 16, 24, 50, 100}) {
    Payload payload(ShapeFor(kKeys, bits), FastKernel(),
                    RandomHashes(kKeys, 25));
    const double measured = MeasuredRate(&payload, 20000000 / kFewer, 26);
    if (last > 1e-9) {
      EXPECT_LT(measured, last) << bits;
    }
    last = measured;
  }
  EXPECT_LE(last, 5e-8 * kFewer);
}

// In the largest filter 26 bits of the hash go into the choice of the block.
// The remaining 38 must be enough: here 20 of the bits below the block's are
// fixed.
TEST(BloomTest, RateHoldsWithFewFreshBits) {
  const uint64_t kFixed = uint64_t{0x25A5A} << 38;
  const uint64_t kMask = ~(uint64_t{0x7FFFF} << 38);
  Hashes hashes = RandomHashes(64 * 51, 27);
  for (uint64_t& hash : hashes) hash = (hash & kMask) | kFixed;
  for (double bits : {10.04, 20.08}) {
    const FilterShape shape{
        static_cast<uint64_t>(64 * 51 * bits / kBlockBits) * kBlockBytes,
        ShapeFor(1000000, bits).parameter};
    double measured = 0;
    double expected = 0;
    constexpr int kRepeats = 40;
    for (int i = 0; i < kRepeats; ++i) {
      Random random(28 + static_cast<uint64_t>(i));
      for (uint64_t& hash : hashes) hash = (random.Next() & kMask) | kFixed;
      Payload payload(shape, FastKernel(), hashes);
      expected +=
          kBloomAlgorithm.false_positive_rate(shape, hashes.size()) / kRepeats;
      Hashes queries(1000);
      int passed = 0;
      constexpr int kRounds = 500;
      bool results[1000];
      for (int round = 0; round < kRounds; ++round) {
        for (uint64_t& hash : queries) hash = (random.Next() & kMask) | kFixed;
        FastKernel().may_match_batch(payload.view(), queries.data(), 1000,
                                     results);
        passed += static_cast<int>(std::count(results, results + 1000, true));
      }
      measured += passed / (1000.0 * kRounds * kRepeats);
    }
    EXPECT_NEAR(measured / expected, 1, 0.06) << bits;
  }
}

// What is stored must be readable for ever.
TEST(BloomTest, GoldenBytes) {
  const struct {
    size_t keys;
    double bits;
    uint64_t digest;
  } golden[] = {
      {0, 10, 6310313027240673554u},       {1, 10, 18013462301828931153u},
      {1000, 10, 9068140431938928402u},    {20000, 1, 15748220529787644150u},
      {20000, 5, 16400936693844633610u},   {20000, 10, 3309212135406061236u},
      {20000, 14, 8287714824440069566u},   {20000, 20, 809325543253284352u},
      {20000, 50, 157725732885859781u},    {3000, 100, 18040509708128580244u},
      {100000, 10, 15850972999425251727u},
  };
  for (const auto& g : golden) {
    Hashes hashes(g.keys);
    for (size_t i = 0; i < g.keys; ++i) {
      const std::string key = "key" + std::to_string(i);
      hashes[i] = HashKey(key.data(), key.size(), 42);
    }
    for (const FilterKernel* kernel : UsableKernels()) {
      Payload payload(ShapeFor(g.keys, g.bits), *kernel, hashes);
      EXPECT_EQ(HashKey(payload.data(), payload.size(), 0), g.digest)
          << g.keys << " keys, " << g.bits << " bits, "
          << CpuLevelName(kernel->level);
    }
  }
}

}  // namespace
}  // namespace sstfilter
