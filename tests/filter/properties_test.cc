// What must hold for every kind, every kernel and every set of hashes: no key
// is lost, kernels agree to the byte, and false positives come as often as
// expected.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "filter/algorithm.h"
#include "filter/hash.h"
#include "sstfilter/sizing.h"
#include "tests/filter/sampling.h"

namespace sstfilter {
namespace {

// Of hashes that are not added. No other seed is as large.
constexpr uint64_t kAbsentSeed = uint64_t{1} << 60;

std::vector<uint64_t> RandomHashes(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = random.Next();
  return hashes;
}

// A built payload, in memory of exactly its size.
class Built {
 public:
  Built(const KindAndKernel& tested, const FilterShape& shape,
        std::vector<uint64_t> hashes)
      : tested_(tested),
        shape_(shape),
        payload_(new char[shape.payload_bytes]) {
    // What was there before must not matter: something else for each kernel.
    std::memset(payload_.get(), 0x5a + static_cast<int>(tested.level),
                shape.payload_bytes);
    tested.kernel().build(shape, hashes.data(), hashes.size(), payload_.get());
  }
  Built(const KindAndKernel& tested, double bits_per_key,
        const std::vector<uint64_t>& hashes)
      : Built(tested, tested.algorithm().shape_for(hashes.size(), bits_per_key),
              hashes) {}

  FilterView view() const {
    return MakeFilterView(tested_.algorithm(), shape_, payload_.get());
  }
  const FilterShape& shape() const { return shape_; }

  bool MayMatch(uint64_t hash) const {
    return tested_.kernel().may_match(view(), hash);
  }

  // Those of `hashes` that may match, by way of batches.
  size_t CountMatches(const std::vector<uint64_t>& hashes) const {
    constexpr size_t kBatch = 1000;
    bool results[kBatch];
    size_t matches = 0;
    for (size_t i = 0; i < hashes.size(); i += kBatch) {
      const size_t count = std::min(kBatch, hashes.size() - i);
      tested_.kernel().may_match_batch(view(), hashes.data() + i, count,
                                       results);
      matches +=
          static_cast<size_t>(std::count(results, results + count, true));
    }
    return matches;
  }

  bool SameBytes(const Built& other) const {
    return shape_.payload_bytes == other.shape_.payload_bytes &&
           std::equal(payload_.get(), payload_.get() + shape_.payload_bytes,
                      other.payload_.get());
  }

 private:
  KindAndKernel tested_;
  FilterShape shape_;
  std::unique_ptr<char[]> payload_;
};

class EveryKernel : public testing::TestWithParam<KindAndKernel> {
 protected:
  // The kernel that is the specification.
  KindAndKernel Scalar() const { return {GetParam().kind, CpuLevel::kScalar}; }

  // Builds, and expects every hash to be found by both ways of asking, and the
  // bytes to be those the scalar kernel writes.
  void ExpectNothingLost(const FilterShape& shape,
                         const std::vector<uint64_t>& hashes,
                         const std::string& what) const {
    const Built built(GetParam(), shape, hashes);
    for (uint64_t hash : hashes) {
      ASSERT_TRUE(built.MayMatch(hash)) << what << ": lost " << hash;
    }
    ASSERT_EQ(built.CountMatches(hashes), hashes.size()) << what;
    if (GetParam().level != CpuLevel::kScalar) {
      ASSERT_TRUE(built.SameBytes(Built(Scalar(), shape, hashes)))
          << what << ": bytes differ from the scalar kernel's";
    }
  }
  void ExpectNothingLost(double bits_per_key,
                         const std::vector<uint64_t>& hashes,
                         const std::string& what) const {
    ExpectNothingLost(
        GetParam().algorithm().shape_for(hashes.size(), bits_per_key), hashes,
        what + ", " + std::to_string(hashes.size()) + " hashes at " +
            std::to_string(bits_per_key) + " bits");
  }
};

INSTANTIATE_TEST_SUITE_P(All, EveryKernel, testing::ValuesIn(AllKernels()),
                         testing::PrintToStringParamName());

// --- Nothing lost.

TEST_P(EveryKernel, NothingIsLostAtRandomSizesAndBitsPerKey) {
  constexpr uint64_t kSeed = 101;
  Random random(kSeed);
  const size_t wanted = Scaled(400'000, 5'000);
  for (size_t added = 0; added < wanted;) {
    // Sizes spread evenly over their logarithm.
    const auto count = static_cast<size_t>(std::exp2(
                           static_cast<double>(random.Below(1600)) / 100)) -
                       1;
    const double bits = random.Below(20) == 0
                            ? 100
                            : 1 + static_cast<double>(random.Below(3901)) / 100;
    const uint64_t seed = random.Next() >> 8;
    ExpectNothingLost(bits, RandomHashes(count, seed),
                      "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
    added += count + 1;
  }
}

// Keys of every length are asked by their hash, whatever the seed, and read no
// further than they go.
TEST_P(EveryKernel, AsksKeysByTheirHash) {
  for (const uint64_t seed :
       {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{0x8000000180000001}}) {
    for (size_t length = 0; length <= 300; length += length < 40 ? 1 : 37) {
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << ", " << length << " bytes");
      constexpr size_t kKeys = 200;
      Random random(seed + length);
      std::vector<std::unique_ptr<char[]>> keys;
      std::vector<uint64_t> hashes;
      for (size_t i = 0; i < 2 * kKeys; ++i) {
        keys.emplace_back(new char[length]);
        for (size_t j = 0; j < length; ++j) {
          keys.back()[j] = static_cast<char>(random.Next());
        }
        hashes.push_back(HashKey(keys.back().get(), length, seed));
      }
      const Built built(GetParam(), 5,
                        {hashes.begin(), hashes.begin() + kKeys});
      FilterView view = built.view();
      view.seed = HashSeed(seed);
      for (size_t i = 0; i < 2 * kKeys; ++i) {
        const bool found =
            GetParam().kernel().may_match_key(view, keys[i].get(), length);
        ASSERT_EQ(found, built.MayMatch(hashes[i]));
        ASSERT_TRUE(found || i >= kKeys);
      }
    }
  }
}

// Batches of keys of all lengths together, of every size around that of a
// group, and nothing is written beyond the last answer.
TEST_P(EveryKernel, AsksBatchesOfKeysByTheirHashes) {
  const HashSeed seed(104);
  constexpr size_t kKeys = 100;
  Random random(105);
  std::vector<std::unique_ptr<char[]>> bytes;
  std::vector<KeyBytes> keys;
  std::vector<uint64_t> hashes;
  for (size_t i = 0; i < 2 * kKeys; ++i) {
    const size_t length = random.Next() % (i % 8 == 0 ? 70 : 20);
    bytes.emplace_back(new char[length]);
    for (size_t j = 0; j < length; ++j) {
      bytes.back()[j] = static_cast<char>(random.Next());
    }
    keys.push_back({bytes.back().get(), length});
    hashes.push_back(HashKey(bytes.back().get(), length, seed.seed));
  }
  const Built built(GetParam(), 8, {hashes.begin(), hashes.begin() + kKeys});
  FilterView view = built.view();
  view.seed = seed;
  for (size_t count = 0; count <= kKeys; ++count) {
    std::vector<const KeyBytes*> asked;
    for (size_t i = 0; i < count; ++i) {
      asked.push_back(&keys[(i * 61 + count) % keys.size()]);
    }
    for (const bool initial : {false, true}) {
      bool results[kKeys + 1];
      std::fill_n(results, kKeys + 1, initial);
      GetParam().kernel().may_match_keys(view, asked.data(), count, results);
      for (size_t i = 0; i < count; ++i) {
        const auto key = static_cast<size_t>(asked[i] - keys.data());
        ASSERT_EQ(results[i], built.MayMatch(hashes[key])) << count;
        ASSERT_TRUE(results[i] || key >= kKeys) << count;
      }
      ASSERT_EQ(results[count], initial) << "wrote past the end";
    }
  }
}

TEST_P(EveryKernel, NothingIsLostAmongAMillion) {
  const size_t count = Scaled(1'000'000, 20'000);
  ExpectNothingLost(10, RandomHashes(count, 102), "seed 102");
}

TEST_P(EveryKernel, NothingIsLostInAnyOrderOrWithDuplicates) {
  std::vector<uint64_t> hashes = RandomHashes(Scaled(30'000, 3'000), 103);
  const FilterShape shape = GetParam().algorithm().shape_for(hashes.size(), 10);
  const Built random(GetParam(), shape, hashes);
  std::sort(hashes.begin(), hashes.end());
  ExpectNothingLost(shape, hashes, "sorted");
  EXPECT_TRUE(random.SameBytes(Built(GetParam(), shape, hashes)));
  std::reverse(hashes.begin(), hashes.end());
  ExpectNothingLost(shape, hashes, "reversed");
  EXPECT_TRUE(random.SameBytes(Built(GetParam(), shape, hashes)));

  // Each again, far from its first appearance; some many times.
  const size_t distinct = hashes.size();
  for (size_t i = 0; i < distinct; ++i) hashes.push_back(hashes[i]);
  ExpectNothingLost(shape, hashes, "all twice");
  for (size_t i = 0; i < 1000; ++i) hashes.push_back(hashes[7]);
  ExpectNothingLost(shape, hashes, "one a thousand times");
  ExpectNothingLost(10, hashes, "sized with duplicates");
}

// Hashes as no seeded hash function gives them: nothing may be lost all the
// same. Sizes are such that work which grows with the square of the number of
// keys in a block would not end in this test's time limit.
TEST_P(EveryKernel, NothingIsLostWhenHashesPileUp) {
  const size_t count = Scaled(200'000, 2'000);
  struct Shaping {
    const char* name;
    std::function<uint64_t(uint64_t hash, size_t i)> shape;
  };
  const std::vector<Shaping> shapings = {
      {"all in the first block", [](uint64_t h, size_t) { return h >> 40; }},
      {"all in the last block", [](uint64_t h, size_t) { return ~(h >> 40); }},
      {"in two blocks",
       [](uint64_t h, size_t) { return (h & 1) != 0 ? h >> 40 : ~(h >> 40); }},
      {"equal upper halves",
       [](uint64_t h, size_t) {
         return (uint64_t{0x9ABCDEF0} << 32) | (h >> 32);
       }},
      {"equal lower halves",
       [](uint64_t h, size_t) { return (h << 32) | 0x9ABCDEF0; }},
      {"counting", [](uint64_t, size_t i) { return uint64_t{i}; }},
      {"counting from the top",
       [](uint64_t, size_t i) { return uint64_t{i} << 32; }},
      {"all equal",
       [](uint64_t, size_t) { return uint64_t{0x123456789ABCDEF0}; }},
      {"zeros and ones",
       [](uint64_t, size_t i) { return i % 2 == 0 ? 0 : ~uint64_t{0}; }},
      {"half in one block",
       [](uint64_t h, size_t i) { return i % 2 == 0 ? h : h >> 40; }},
      {"single bits",
       [](uint64_t, size_t i) { return uint64_t{1} << (i % 64); }},
  };
  for (const Shaping& shaping : shapings) {
    std::vector<uint64_t> hashes = RandomHashes(count, 104);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = shaping.shape(hashes[i], i);
    }
    for (double bits : {1.0, 10.0, 40.0}) {
      ExpectNothingLost(bits, hashes, shaping.name);
      if (HasFatalFailure()) return;
    }
    // And few of them, so that a block is difficult but not hopeless.
    for (size_t few : {2, 30, 60, 90, 120, 127, 200, 500}) {
      const std::vector<uint64_t> first(
          hashes.begin(), hashes.begin() + static_cast<ptrdiff_t>(few));
      ExpectNothingLost(GetParam().algorithm().shape_for(1000, 10), first,
                        shaping.name);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(EveryKernel, NothingIsLostWhenSizedForAnotherNumber) {
  for (size_t sized_for : {0, 1, 100, 10'000, 100'000}) {
    for (size_t count : {0, 1, 100, 10'000}) {
      for (double bits : {1.0, 10.0, 100.0}) {
        ExpectNothingLost(GetParam().algorithm().shape_for(sized_for, bits),
                          RandomHashes(count, 105),
                          std::to_string(count) + " hashes, sized for " +
                              std::to_string(sized_for));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// --- Rates.

// Expects `probes` absent hashes to pass as often as the algorithm says.
// `passed` is out of a single filter when its blocks are many, else the sum of
// several.
void ExpectRate(double passed, double expected, double model,
                const std::string& what) {
  const CountBounds bounds = BoundsOfCount(expected, model);
  EXPECT_GE(passed, bounds.low) << what << ", expected " << expected;
  EXPECT_LE(passed, bounds.high) << what << ", expected " << expected;
}

TEST_P(EveryKernel, TheRateIsTheExpectedOneAtEveryBitsPerKey) {
  // Answers do not depend on the kernel (above); the fastest does the work, the
  // others a part of it.
  const bool fastest = &GetParam().kernel() ==
                       &KernelFor(GetParam().algorithm(), DetectedCpuLevel());
  const size_t keys = Scaled(fastest ? 60'000 : 10'000, 5'000);
  const size_t probes = Scaled(fastest ? 500'000 : 50'000, 5'000);
  const std::vector<uint64_t> absent = RandomHashes(probes, kAbsentSeed);
  std::vector<double> all_bits = {1, 1.5, 2, 3, 4.5, 6.25, 100};
  for (double bits = 5; bits <= 40; bits += fastest ? 1 : 5) {
    all_bits.push_back(bits);
  }
  for (double bits : all_bits) {
    const Built built(GetParam(), bits,
                      RandomHashes(keys, static_cast<uint64_t>(bits * 1000)));
    const double rate =
        GetParam().algorithm().false_positive_rate(built.shape(), keys);
    EXPECT_GE(rate, 0);
    EXPECT_LE(rate, 1);
    ExpectRate(static_cast<double>(built.CountMatches(absent)),
               rate * static_cast<double>(probes), 0.04,
               std::to_string(bits) + " bits per key");
  }
}

// Rounding to blocks, few blocks, few keys in a block: no number of keys may
// stand out by more than half.
TEST_P(EveryKernel, NoSmallNumberOfKeysStandsOut) {
  const bool fastest = &GetParam().kernel() ==
                       &KernelFor(GetParam().algorithm(), DetectedCpuLevel());
  constexpr uint64_t kFilters = 6;
  const size_t probes = Scaled(fastest ? 4'000 : 400, 400);
  const size_t step = fastest && TestScale() >= 1 ? 1 : 37;
  const std::vector<uint64_t> absent = RandomHashes(probes, kAbsentSeed);
  for (double bits : {5.0, 10.0}) {
    // Eight neighbouring numbers judged together see what one alone hides; a
    // single number is judged by wider bounds.
    double passed8 = 0;
    double expected8 = 0;
    for (size_t keys = 1; keys <= 3000; keys += step) {
      double passed = 0;
      double expected = 0;
      for (uint64_t i = 0; i < kFilters; ++i) {
        const std::vector<uint64_t> hashes =
            RandomHashes(keys, keys * kFilters + i);
        const Built built(GetParam(), bits, hashes);
        ASSERT_EQ(built.CountMatches(hashes), keys);
        passed += static_cast<double>(built.CountMatches(absent));
        expected +=
            static_cast<double>(probes) *
            GetParam().algorithm().false_positive_rate(built.shape(), keys);
      }
      // Few blocks: their loads make the rate of one filter vary.
      const double blocks =
          kFilters * (1 + static_cast<double>(keys) * bits / 512);
      ExpectRate(passed, expected, 0.5 + 1.5 / std::sqrt(blocks),
                 std::to_string(keys) + " keys at " + std::to_string(bits));
      passed8 += passed;
      expected8 += expected;
      if (keys % 8 == 0) {
        ExpectRate(passed8, expected8, 0.2 + 0.75 / std::sqrt(blocks),
                   "about " + std::to_string(keys) + " keys at " +
                       std::to_string(bits));
        passed8 = expected8 = 0;
      }
    }
  }
}

class EveryKind : public testing::TestWithParam<FilterKind> {
 protected:
  KindAndKernel Fastest() const { return {GetParam(), DetectedCpuLevel()}; }
};

INSTANTIATE_TEST_SUITE_P(All, EveryKind, testing::ValuesIn(kStoredKinds),
                         [](const auto& param) {
                           return std::string(FilterKindName(param.param));
                         });

TEST_P(EveryKind, NoRandomNumberOfKeysStandsOut) {
  constexpr uint64_t kSeed = 108;
  Random random(kSeed);
  const size_t probes = std::min<size_t>(1'000'000, Scaled(100'000, 5'000));
  const std::vector<uint64_t> absent = RandomHashes(probes, kAbsentSeed);
  const size_t wanted = Scaled(1'000'000, 20'000);
  // Up to 2^18 keys, in long runs up to 10^7.
  const double range =
      std::min(15.25, 10 + std::log2(std::max(1.0, TestScale())));
  for (size_t added = 0; added < wanted;) {
    const auto keys = static_cast<size_t>(
        std::exp2(8 + range * static_cast<double>(random.Below(1000)) / 1000));
    const double bits = 4 + static_cast<double>(random.Below(80)) / 10;
    // What a block lets pass differs from block to block by its mean and more,
    // because loads do: where a filter has few, several are one sample.
    const double blocks_of_one = 1 + static_cast<double>(keys) * bits / 512;
    const double filters = std::ceil(64 / blocks_of_one);
    double passed = 0;
    double expected = 0;
    for (int i = 0; i < static_cast<int>(filters); ++i) {
      const std::vector<uint64_t> hashes =
          RandomHashes(keys, random.Next() >> 8);
      const Built built(Fastest(), bits, hashes);
      ASSERT_EQ(built.CountMatches(hashes), keys);
      passed += static_cast<double>(built.CountMatches(absent));
      expected +=
          static_cast<double>(probes) *
          Fastest().algorithm().false_positive_rate(built.shape(), keys);
      added += keys;
    }
    ExpectRate(passed, expected, 0.04 + 4 / std::sqrt(filters * blocks_of_one),
               std::to_string(keys) + " keys at " + std::to_string(bits));
  }
}

// More bits must always help: no floor under the rate from too few hash bits.
TEST_P(EveryKind, MoreBitsAreFewerFalsePositives) {
  const size_t keys = Scaled(200'000, 10'000);
  const size_t probes = Scaled(2'000'000, 50'000);
  const std::vector<uint64_t> absent = RandomHashes(probes, kAbsentSeed);
  size_t last = probes + 1;
  for (double bits : {2.0, 5.0, 10.0, 16.0, 24.0, 50.0, 100.0}) {
    const Built built(Fastest(), bits, RandomHashes(keys, 109));
    const size_t passed = built.CountMatches(absent);
    EXPECT_LE(passed, last) << bits;
    if (last > 100) {
      EXPECT_LT(passed, last) << bits;
    }
    last = passed;
  }
  EXPECT_LE(last, 3u) << "at 100 bits per key";
}

// --- Loads.

// The rate is derived from Poisson loads of the blocks: this is what the hash
// and the choice of the block must give, for random and for orderly keys.
TEST(BlockLoads, ArePoisson) {
  const size_t blocks = Scaled(4096, 512);
  constexpr size_t kMean = 50;
  const size_t keys = blocks * kMean;
  constexpr uint64_t kSeeds[] = {1, 2, 0xDEADBEEF};
  struct Family {
    const char* name;
    std::function<std::string(uint64_t)> key;
  };
  const Family families[] = {
      {"decimal", [](uint64_t i) { return "user" + std::to_string(i); }},
      {"big-endian",
       [](uint64_t i) {
         std::string key(8, '\0');
         for (size_t b = 0; b < 8; ++b) {
           key[7 - b] = static_cast<char>(i >> (8 * b));
         }
         return key;
       }},
      {"little-endian",
       [](uint64_t i) {
         std::string key(8, '\0');
         for (size_t b = 0; b < 8; ++b) {
           key[b] = static_cast<char>(i >> (8 * b));
         }
         return key;
       }},
      {"long prefix",
       [](uint64_t i) { return std::string(300, 'p') + std::to_string(i); }},
  };
  for (const Family& family : families) {
    for (uint64_t seed : kSeeds) {
      std::vector<uint32_t> loads(blocks);
      std::vector<uint32_t> halves(blocks);
      for (uint64_t i = 0; i < keys; ++i) {
        const std::string key = family.key(i);
        const uint64_t hash = HashKey(key.data(), key.size(), seed);
        ++loads[SlotOf(hash, blocks)];
        // What is left for use within a block must be as even.
        ++halves[(hash & 0xffffffff) * blocks >> 32];
      }
      const std::string what =
          std::string(family.name) + ", seed " + std::to_string(seed);
      EXPECT_LT(std::abs(ChiSquareDeviation(loads)), 5) << what;
      EXPECT_LT(std::abs(ChiSquareDeviation(halves)), 5) << what;

      // How many blocks have how many keys, against the distribution itself.
      // Loads with few blocks are taken together.
      double chi_square = 0;
      int classes = 0;
      double expected = 0;
      double observed = 0;
      std::vector<uint32_t> histogram(1000);
      for (uint32_t load : loads) ++histogram[std::min(load, 999U)];
      for (size_t load = 0; load < histogram.size(); ++load) {
        const auto x = static_cast<double>(load);
        expected +=
            static_cast<double>(blocks) *
            std::exp(x * std::log(double{kMean}) - kMean - std::lgamma(x + 1));
        observed += histogram[load];
        if (expected < 20 && load + 1 < histogram.size()) continue;
        if (expected > 0) {
          chi_square += (observed - expected) * (observed - expected) /
                        std::max(expected, 5.0);
        }
        ++classes;
        expected = observed = 0;
      }
      const double freedom = classes - 1;
      EXPECT_LT((chi_square - freedom) / std::sqrt(2 * freedom), 5) << what;
    }
  }
}

}  // namespace
}  // namespace sstfilter
