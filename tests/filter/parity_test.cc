// The parity filter against its definition, its kernels against each other, and
// its false positives against the mathematics.
#include "filter/parity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "filter/hash.h"
#include "filter/little_endian.h"
#include "filter/parity_layout.h"

namespace sstfilter {
namespace {

// --- The definition, as directly as it can be written.

using Bits = std::bitset<kParityMaxColumns>;

struct Key {
  uint64_t low;
  uint64_t high;
  uint64_t third;
  uint32_t spread;

  explicit Key(uint64_t hash) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(hash) * kParityFold;
    low = static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
    const uint64_t second = low * kParitySecond;
    high = (second << 32) | (second >> 32);
    spread = static_cast<uint32_t>(second >> 32);
    third = low * kParityThird;
  }
  bool Fingerprint(int row) const { return ((third >> (32 + row)) & 1) != 0; }
  int Share() const { return static_cast<int>((third >> 29) & 7); }
  uint32_t Varied(int vector) const { return spread * kParityVaried[vector]; }
  int Selector(int vector) const {
    return static_cast<int>(Varied(vector) & 255);
  }
  Bits Vector(int split, int vector) const {
    Bits bits;
    for (int i = 0; i < kParityMaxColumns; ++i) {
      if (i >= split && i < split + kParityWindow) {
        bits[static_cast<size_t>(i)] =
            ((Varied(vector) >> (8 + i - split)) & 1) != 0;
      } else {
        bits[static_cast<size_t>(i)] =
            ((i < 63 ? low >> i : high >> (i - 63)) & 1) != 0;
      }
    }
    return bits;
  }
};

int FirstBit(const Bits& bits) {
  for (size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) return static_cast<int>(i);
  }
  return -1;
}

// Equations that are kept fully reduced: the lowest bit of each is in no other.
class System {
 public:
  // Returns false if the equation depends on earlier ones; then *consistent
  // says whether it is true of their solutions.
  bool Add(Bits bits, uint32_t right, bool* consistent) {
    for (const Equation& equation : equations_) {
      if (bits[static_cast<size_t>(equation.pivot)]) {
        bits ^= equation.bits;
        right ^= equation.right;
      }
    }
    const int pivot = FirstBit(bits);
    *consistent = pivot >= 0 || right == 0;
    if (pivot < 0) return false;
    for (Equation& equation : equations_) {
      if (equation.bits[static_cast<size_t>(pivot)]) {
        equation.bits ^= bits;
        equation.right ^= right;
      }
    }
    equations_.push_back({bits, right, pivot});
    return true;
  }

  int Width() const {
    int width = 0;
    for (const Equation& equation : equations_) {
      width = std::max(width, equation.pivot + 1);
    }
    return width;
  }

  // Row `row` of the solution that is zero in all columns but the pivots.
  Bits Solution(int row) const {
    Bits solution;
    for (const Equation& equation : equations_) {
      solution[static_cast<size_t>(equation.pivot)] =
          ((equation.right >> row) & 1) != 0;
    }
    return solution;
  }

 private:
  struct Equation {
    Bits bits;
    uint32_t right;
    int pivot;
  };
  std::vector<Equation> equations_;
};

void SetBit(std::string* block, int bit) {
  char& byte = (*block)[static_cast<size_t>(bit / 8)];
  byte = static_cast<char>(static_cast<uint8_t>(byte) | (1 << (bit % 8)));
}

bool GetBit(const char* block, int bit) {
  return ((static_cast<uint8_t>(block[bit / 8]) >> (bit % 8)) & 1) != 0;
}

// Header bit `i` in a block of `words` words.
int HeaderBit(int words, int i) {
  const int header = 8 / words;
  return i / header * 64 + 64 - header + i % header;
}

std::string ReferenceBlock(const ParityGeometry& geometry,
                           const std::set<uint64_t>& hashes) {
  const int words = geometry.words;
  std::string block(static_cast<size_t>(words) * 8, '\0');
  const auto write_code = [&](int code) {
    for (int i = 0; i < 8; ++i) {
      if ((code >> i) & 1) SetBit(&block, HeaderBit(words, i));
    }
  };
  const auto write_row = [&](const Bits& row, int columns, int at, int count) {
    for (int i = 0; i < count; ++i) {
      if (row[static_cast<size_t>(i)]) {
        SetBit(&block, ParityBit(words, columns, at, i));
      }
    }
  };
  if (hashes.empty()) {
    write_code(kParityCodeEmpty);
    return block;
  }
  for (int share = kParityShares; share >= kParityFirstShare; --share) {
    std::vector<Key> keys;
    for (uint64_t hash : hashes) {
      const Key key(hash);
      if (share == kParityShares || key.Share() < share) keys.push_back(key);
    }
    if (keys.size() > kParityMaxColumns) continue;
    std::vector<System> systems(kParityVectors);
    std::vector<int> widths(kParityVectors, 0);
    bool consistent;
    for (int v = 0; v < kParityVectors; ++v) {
      for (const Key& key : keys) {
        if (!systems[static_cast<size_t>(v)].Add(
                key.Vector(geometry.split, v),
                static_cast<uint32_t>(key.third >> 32), &consistent)) {
          widths[static_cast<size_t>(v)] = 1000;
          break;
        }
      }
      widths[static_cast<size_t>(v)] =
          std::max(widths[static_cast<size_t>(v)],
                   systems[static_cast<size_t>(v)].Width());
    }
    const auto write_rows = [&](int columns, int vector) {
      const ParityPlan& plan = kParityTables.plan[words / 4][columns];
      for (int row = 0; row < plan.rows; ++row) {
        write_row(systems[static_cast<size_t>(vector)].Solution(row), columns,
                  row, columns);
      }
    };
    if (share < kParityShares) {
      if (widths[0] > geometry.max_columns) continue;
      write_rows(geometry.max_columns, 0);
      write_code(share);
      return block;
    }
    for (int code = kParityFirstCode; code < geometry.codes; ++code) {
      const int columns = geometry.columns[code];
      const int vector = geometry.vector[code];
      if (widths[static_cast<size_t>(vector)] > columns) continue;
      const ParityPlan& plan = kParityTables.plan[words / 4][columns];
      if (plan.fraction_bits > 0) {
        System fraction;
        int bound = 0;
        bool solved = true;
        for (const Key& key : keys) {
          if (key.Selector(vector) >= plan.threshold) continue;
          ++bound;
          const Bits mask = ~(~Bits() << plan.fraction_bits);
          fraction.Add(key.Vector(geometry.split, vector) & mask,
                       key.Fingerprint(plan.rows) ? 1 : 0, &consistent);
          solved = solved && consistent;
        }
        if (!solved || bound > plan.fraction_bits) continue;
        write_row(fraction.Solution(0), columns, plan.rows, plan.fraction_bits);
      }
      write_rows(columns, vector);
      write_code(code);
      return block;
    }
  }
  return block;
}

bool ReferenceMayMatch(const ParityGeometry& geometry, const char* block,
                       uint64_t hash) {
  const int words = geometry.words;
  int code = 0;
  for (int i = 0; i < 8; ++i) {
    code |= (GetBit(block, HeaderBit(words, i)) ? 1 : 0) << i;
  }
  const Key key(hash);
  int columns = geometry.columns[code];
  int vector = geometry.vector[code];
  bool fraction = true;
  if (code == kParityCodeEmpty) return false;
  if (code >= kParityFirstShare && code < kParityShares) {
    if (key.Share() >= code) return true;
    columns = geometry.max_columns;
    vector = 0;
    fraction = false;
  } else if (columns == 0) {
    return true;
  }
  const ParityPlan& plan = kParityTables.plan[words / 4][columns];
  const Bits bits = key.Vector(geometry.split, vector);
  const auto fits = [&](int row, int count) {
    bool parity = false;
    for (int i = 0; i < count; ++i) {
      parity ^= bits[static_cast<size_t>(i)] &&
                GetBit(block, ParityBit(words, columns, row, i));
    }
    return parity == key.Fingerprint(row);
  };
  for (int row = 0; row < plan.rows; ++row) {
    if (!fits(row, columns)) return false;
  }
  return !fraction || key.Selector(vector) >= plan.threshold ||
         fits(plan.rows, plan.fraction_bits);
}

// --- Helpers.

std::vector<uint64_t> RandomHashes(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = random();
  return hashes;
}

std::vector<const FilterKernel*> Kernels() {
  std::vector<const FilterKernel*> kernels;
  for (size_t i = 0; i < kParityAlgorithm.kernel_count; ++i) {
    if (kParityAlgorithm.kernels[i].level <= DetectedCpuLevel()) {
      kernels.push_back(&kParityAlgorithm.kernels[i]);
    }
  }
  return kernels;
}

const FilterKernel& Fastest() { return *Kernels().front(); }
const FilterKernel& Scalar() { return *Kernels().back(); }

std::string BuildWith(const FilterKernel& kernel, const FilterShape& shape,
                      std::vector<uint64_t> hashes) {
  std::string payload(shape.payload_bytes, '\0');
  kernel.build(shape, hashes.data(), hashes.size(), payload.data());
  return payload;
}

int CountMatches(const FilterKernel& kernel, const FilterView& view,
                 const std::vector<uint64_t>& hashes) {
  int matches = 0;
  for (uint64_t hash : hashes) matches += kernel.may_match(view, hash) ? 1 : 0;
  return matches;
}

void ExpectAllFound(const FilterKernel& kernel, const FilterView& view,
                    const std::vector<uint64_t>& hashes) {
  ASSERT_EQ(CountMatches(kernel, view, hashes),
            static_cast<int>(hashes.size()));
  const auto results = std::make_unique<bool[]>(hashes.size() + 1);
  kernel.may_match_batch(view, hashes.data(), hashes.size(), results.get());
  for (size_t i = 0; i < hashes.size(); ++i) ASSERT_TRUE(results[i]);
}

FilterShape OneBlock(int parameter) {
  // The smallest payload; hashes with a zero upper half fall into its first
  // block.
  FilterShape shape;
  shape.payload_bytes = kBlockBytes;
  shape.parameter = static_cast<uint8_t>(parameter);
  return shape;
}

// The rate of a filter whose blocks have these codes.
double RateOfCodes(const FilterShape& shape, const std::string& payload) {
  const ParityGeometry& geometry = kParityTables.geometry[shape.parameter];
  const size_t block_bytes = geometry.words * 8U;
  double sum = 0;
  for (size_t at = 0; at < payload.size(); at += block_bytes) {
    int code = 0;
    for (int i = 0; i < 8; ++i) {
      code |=
          (GetBit(payload.data() + at, HeaderBit(geometry.words, i)) ? 1 : 0)
          << i;
    }
    int columns = geometry.columns[code];
    double bound = 1;
    if (code == kParityCodeEmpty) continue;
    if (columns == 0) {
      bound = code < kParityShares ? code / double{kParityShares} : 0;
      columns = geometry.max_columns;
    }
    const ParityPlan& plan = kParityTables.plan[geometry.words / 4][columns];
    const double pass =
        std::ldexp(bound == 1 ? 1 - plan.threshold / 512.0 : 1.0, -plan.rows);
    sum += 1 - bound + bound * pass;
  }
  return sum / static_cast<double>(payload.size() / block_bytes);
}

// --- Tests.

TEST(ParityLayout, EveryPayloadBitIsUsedAtMostOnceAndTheHeaderNever) {
  for (int words : {2, 4, 8}) {
    for (int columns = kParityMinColumns; columns <= kParityMaxColumns;
         ++columns) {
      const ParityPlan& plan = kParityTables.plan[words / 4][columns];
      std::set<int> used;
      for (int i = 0; i < 8; ++i) used.insert(HeaderBit(words, i));
      const auto use = [&](int row, int count) {
        for (int i = 0; i < count; ++i) {
          const int bit = ParityBit(words, columns, row, i);
          ASSERT_GE(bit, 0);
          ASSERT_LT(bit, words * 64);
          ASSERT_TRUE(used.insert(bit).second)
              << words << " " << columns << " " << row << " " << i;
        }
      };
      for (int row = 0; row < plan.rows; ++row) use(row, columns);
      use(plan.rows, plan.fraction_bits);
      EXPECT_LE(plan.rows, kParityMaxRows);
    }
  }
}

TEST(ParityLayout, CodesAreDistinct) {
  for (const ParityGeometry& geometry : kParityTables.geometry) {
    if (geometry.words == 0) continue;
    std::set<int> systems;
    EXPECT_GE(geometry.min_columns, kParityMinColumns);
    EXPECT_LE(geometry.max_columns, kParityMaxColumns);
    for (int code = 0; code < 256; ++code) {
      const int columns = geometry.columns[code];
      if (code < kParityFirstCode || code >= geometry.codes) {
        EXPECT_EQ(columns, 0);
        continue;
      }
      EXPECT_GE(columns, geometry.min_columns);
      EXPECT_LE(columns, geometry.max_columns);
      EXPECT_TRUE(systems.insert(columns * 8 + geometry.vector[code]).second);
    }
  }
}

TEST(ParityBlock, IsTheDefinition) {
  std::mt19937_64 random(1);
  for (int parameter = 0; parameter < kParityGeometries; ++parameter) {
    const ParityGeometry& geometry = kParityTables.geometry[parameter];
    if (geometry.words == 0) continue;
    if (geometry.words < 8 && parameter % 4 != 1) continue;
    const FilterShape shape = OneBlock(parameter);
    for (size_t count = 0; count < 180;
         count += 1 + (parameter % 3 == 1 ? 0 : random() % 8)) {
      std::set<uint64_t> distinct;
      while (distinct.size() < count) {
        distinct.insert(random() >> (geometry.words < 8 ? 2 : 0));
      }
      std::vector<uint64_t> hashes(distinct.begin(), distinct.end());
      std::string block = ReferenceBlock(geometry, distinct);
      for (const FilterKernel* kernel : Kernels()) {
        const std::string payload = BuildWith(*kernel, shape, hashes);
        ASSERT_EQ(payload.substr(0, block.size()), block)
            << "parameter " << parameter << ", " << count << " keys, "
            << CpuLevelName(kernel->level);
        const FilterView view =
            MakeFilterView(kParityAlgorithm, shape, payload.data());
        ExpectAllFound(*kernel, view, hashes);
        // What the other blocks of the payload, which are empty, say too.
        for (int i = 0; i < 20; ++i) {
          const uint64_t hash = random();
          const uint64_t slot = SlotOf(hash, view.slots);
          ASSERT_EQ(
              kernel->may_match(view, hash),
              ReferenceMayMatch(
                  geometry, payload.data() + slot * geometry.words * 8U, hash));
        }
      }
    }
  }
}

TEST(ParityBlock, ArbitraryBytesMeanTheSameToAllKernels) {
  std::mt19937_64 random(2);
  for (int parameter = 0; parameter < kParityGeometries; ++parameter) {
    const ParityGeometry& geometry = kParityTables.geometry[parameter];
    if (geometry.words == 0) continue;
    const FilterShape shape = OneBlock(parameter);
    // Allocated to the byte, for AddressSanitizer, and at an odd address.
    const size_t offset = static_cast<size_t>(parameter) % 8;
    const auto memory = std::make_unique<char[]>(offset + kBlockBytes);
    char* const payload = memory.get() + offset;
    const FilterView view = MakeFilterView(kParityAlgorithm, shape, payload);
    for (int code = 0; code < 256; ++code) {
      for (size_t i = 0; i < kBlockBytes; ++i) {
        payload[i] = static_cast<char>(random());
      }
      for (int block = 0; block < 8 / geometry.words; ++block) {
        char* const at = payload + block * geometry.words * 8;
        for (int i = 0; i < 8; ++i) {
          const int bit = HeaderBit(geometry.words, i);
          at[bit / 8] = static_cast<char>(
              (static_cast<uint8_t>(at[bit / 8]) & ~(1 << (bit % 8))) |
              (((code >> i) & 1) << (bit % 8)));
        }
      }
      // Few of them pass the first rows; IsTheDefinition has keys that do.
      std::vector<uint64_t> hashes(40);
      for (uint64_t& hash : hashes) hash = random();
      for (uint64_t hash : hashes) {
        const uint64_t slot = SlotOf(hash, view.slots);
        const bool expected = ReferenceMayMatch(
            geometry, payload + slot * geometry.words * 8U, hash);
        for (const FilterKernel* kernel : Kernels()) {
          ASSERT_EQ(kernel->may_match(view, hash), expected)
              << "parameter " << parameter << ", code " << code << ", "
              << CpuLevelName(kernel->level);
        }
      }
      for (const FilterKernel* kernel : Kernels()) {
        bool results[40];
        kernel->may_match_batch(view, hashes.data(), hashes.size(), results);
        for (size_t i = 0; i < hashes.size(); ++i) {
          ASSERT_EQ(results[i], Scalar().may_match(view, hashes[i]));
        }
      }
    }
  }
}

TEST(ParityBlock, ZeroBytesMatchEverything) {
  for (int parameter = 0; parameter < kParityGeometries; ++parameter) {
    const FilterShape shape = OneBlock(parameter);
    if (!kParityAlgorithm.is_valid_shape(shape)) continue;
    const std::string payload(kBlockBytes, '\0');
    const FilterView view =
        MakeFilterView(kParityAlgorithm, shape, payload.data());
    for (const FilterKernel* kernel : Kernels()) {
      ExpectAllFound(*kernel, view, RandomHashes(100, 3));
    }
  }
}

TEST(ParityFilter, NoKeyIsLostAtAnySize) {
  const double bits_per_key[] = {10, 1, 40,  5,  7,   14, 2,   20, 3,
                                 8,  6, 4.5, 30, 100, 12, 1.5, 25, 9};
  const std::vector<uint64_t> all = RandomHashes(3001, 4);
  const std::vector<uint64_t> absent = RandomHashes(200, 5);
  for (size_t n = 0; n <= 3000; ++n) {
    const std::vector<uint64_t> hashes(all.begin(),
                                       all.begin() + static_cast<long>(n));
    const FilterShape shape = kParityAlgorithm.shape_for(
        n, bits_per_key[n % (sizeof(bits_per_key) / sizeof(double))]);
    ASSERT_TRUE(kParityAlgorithm.is_valid_shape(shape));
    std::string expected;
    for (const FilterKernel* kernel : Kernels()) {
      // The plain kernel is slow: every size with the others, some with it.
      if (kernel == &Scalar() && n % 8 != 0 && Kernels().size() > 1) continue;
      const std::string payload = BuildWith(*kernel, shape, hashes);
      if (expected.empty()) expected = payload;
      ASSERT_EQ(payload, expected)
          << n << " keys, " << CpuLevelName(kernel->level);
      const FilterView view =
          MakeFilterView(kParityAlgorithm, shape, payload.data());
      ExpectAllFound(*kernel, view, hashes);
      for (uint64_t hash : absent) {
        ASSERT_EQ(kernel->may_match(view, hash),
                  Scalar().may_match(view, hash));
      }
      if (n == 0) {
        EXPECT_EQ(CountMatches(*kernel, view, absent), 0);
      }
    }
  }
}

TEST(ParityFilter, NoKeyIsLostInLargerFilters) {
  for (double bits : {1.0, 1.7, 2.3, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5, 10.0, 13.0,
                      16.0, 20.0, 27.0, 33.0, 40.0, 100.0}) {
    const std::vector<uint64_t> hashes =
        RandomHashes(20000, static_cast<uint64_t>(bits * 10));
    const FilterShape shape = kParityAlgorithm.shape_for(hashes.size(), bits);
    std::string expected;
    for (const FilterKernel* kernel : Kernels()) {
      const std::string payload = BuildWith(*kernel, shape, hashes);
      if (expected.empty()) expected = payload;
      ASSERT_EQ(payload, expected) << bits << CpuLevelName(kernel->level);
      const FilterView view =
          MakeFilterView(kParityAlgorithm, shape, payload.data());
      ExpectAllFound(*kernel, view, hashes);
    }
  }
  const std::vector<uint64_t> hashes = RandomHashes(1500000, 6);
  const FilterShape shape = kParityAlgorithm.shape_for(hashes.size(), 10);
  const std::string payload = BuildWith(Fastest(), shape, hashes);
  ExpectAllFound(Fastest(),
                 MakeFilterView(kParityAlgorithm, shape, payload.data()),
                 hashes);
}

TEST(ParityFilter, BytesDependOnTheSetOfKeysOnly) {
  for (double bits : {1.5, 4.0, 6.0, 10.0, 30.0}) {
    std::vector<uint64_t> hashes = RandomHashes(5000, 7);
    const FilterShape shape = kParityAlgorithm.shape_for(hashes.size(), bits);
    const std::string payload = BuildWith(Fastest(), shape, hashes);
    std::sort(hashes.begin(), hashes.end());
    EXPECT_EQ(BuildWith(Fastest(), shape, hashes), payload);
    std::reverse(hashes.begin(), hashes.end());
    EXPECT_EQ(BuildWith(Fastest(), shape, hashes), payload);
    // Every key up to nine times.
    std::mt19937_64 random(8);
    const size_t distinct = hashes.size();
    for (size_t i = 0; i < distinct; ++i) {
      hashes.insert(hashes.end(), random() % 9, hashes[i]);
    }
    std::shuffle(hashes.begin(), hashes.end(), random);
    EXPECT_EQ(BuildWith(Fastest(), shape, hashes), payload);
    EXPECT_EQ(BuildWith(Scalar(), shape, hashes), payload);
  }
}

TEST(ParityFilter, TooManyKeysInABlockMayMatch) {
  const FilterShape shape = kParityAlgorithm.shape_for(1000000, 10);
  // All in one block, which is then full; equal upper halves; equal lower
  // halves; everything the same.
  std::mt19937_64 random(9);
  for (int kind = 0; kind < 4; ++kind) {
    std::vector<uint64_t> hashes(1000000);
    for (uint64_t& hash : hashes) {
      hash = random();
      if (kind == 0) hash >>= 24;
      if (kind == 1) hash = (hash & 0xffffffff) | (uint64_t{0x12345678} << 32);
      if (kind == 2) hash = (hash << 32) | 0x12345678;
      if (kind == 3) hash = 77;
    }
    const std::string payload = BuildWith(Fastest(), shape, hashes);
    const FilterView view =
        MakeFilterView(kParityAlgorithm, shape, payload.data());
    ExpectAllFound(Fastest(), view, hashes);
    hashes.resize(1000);
    ExpectAllFound(Scalar(), view, hashes);
  }
}

TEST(ParityFilter, SharesAreBoundWhenNotAllKeysFit) {
  // Up to about 400 keys in a block some are still bound.
  std::mt19937_64 random(10);
  const FilterShape shape = OneBlock(ParityParameterFor(10));
  double last = 0;
  for (size_t n : {120, 140, 170, 220, 300, 350, 5000}) {
    std::vector<uint64_t> hashes(n);
    for (uint64_t& hash : hashes) hash = random();
    const std::string payload = BuildWith(Fastest(), shape, hashes);
    EXPECT_EQ(BuildWith(Scalar(), shape, hashes), payload);
    const FilterView view =
        MakeFilterView(kParityAlgorithm, shape, payload.data());
    ExpectAllFound(Fastest(), view, hashes);
    const double rate =
        CountMatches(Fastest(), view, RandomHashes(20000, 11)) / 20000.0;
    EXPECT_GE(rate, last - 0.02);
    last = rate;
    if (n <= 350) {
      EXPECT_LT(rate, 0.85) << n;
    }
    EXPECT_NEAR(rate, RateOfCodes(shape, payload), 0.02);
  }
  EXPECT_EQ(last, 1);
}

TEST(ParityShape, IsValidAndMonotone) {
  for (uint64_t keys : {uint64_t{0}, uint64_t{1}, uint64_t{51}, uint64_t{1000},
                        uint64_t{1} << 20, uint64_t{1} << 33, ~uint64_t{0}}) {
    uint64_t last = 0;
    for (double bits = kMinBitsPerKey; bits <= kMaxBitsPerKey; bits += 0.25) {
      const FilterShape shape = kParityAlgorithm.shape_for(keys, bits);
      EXPECT_TRUE(kParityAlgorithm.is_valid_shape(shape));
      EXPECT_GE(shape.payload_bytes, last);
      last = shape.payload_bytes;
    }
  }
  FilterShape shape = kParityAlgorithm.shape_for(100, 10);
  shape.payload_bytes += 1;
  EXPECT_FALSE(kParityAlgorithm.is_valid_shape(shape));
  shape.payload_bytes = 0;
  EXPECT_FALSE(kParityAlgorithm.is_valid_shape(shape));
  int valid = 0;
  for (int parameter = 0; parameter < 256; ++parameter) {
    valid += kParityAlgorithm.is_valid_shape(OneBlock(parameter)) ? 1 : 0;
  }
  EXPECT_EQ(valid, 2 * kParitySplits + 1);
}

TEST(ParityRate, FallsSteadilyWithBitsPerKey) {
  double last = 1;
  for (double bits = 1; bits <= 45; bits += 0.25) {
    const uint64_t keys = 1000000;
    const double rate = kParityAlgorithm.false_positive_rate(
        kParityAlgorithm.shape_for(keys, bits), keys);
    EXPECT_LT(rate, last) << bits;
    if (bits > 1) {
      EXPECT_GT(rate, last * 0.7) << bits;
    }
    // Never worse than the bound of any Bloom filter, 0.6185^c; above 2^-c.
    EXPECT_LT(rate, std::pow(0.6185, bits) * (bits > 28 ? 1e9 : 1.0)) << bits;
    EXPECT_GT(rate, std::ldexp(1.0, -static_cast<int>(bits + 1))) << bits;
    last = rate;
  }
  EXPECT_EQ(kParityAlgorithm.false_positive_rate(
                kParityAlgorithm.shape_for(0, 10), 0),
            0);
  // The figures the filter is known by.
  const auto at = [](double bits) {
    const uint64_t keys = 10000000;
    return kParityAlgorithm.false_positive_rate(
        kParityAlgorithm.shape_for(keys, bits), keys);
  };
  EXPECT_LT(at(10), 0.0016);
  EXPECT_LT(at(7.1), 0.0095);
}

TEST(ParityRate, IsWhatIsObserved) {
  struct Case {
    double bits;
    size_t queries;
  };
  for (const Case& c : {Case{5, 400000}, Case{7.5, 2000000}, Case{10, 8000000},
                        Case{14, 70000000}}) {
    const std::vector<uint64_t> hashes =
        RandomHashes(200000, static_cast<uint64_t>(c.bits * 2));
    const FilterShape shape = kParityAlgorithm.shape_for(hashes.size(), c.bits);
    const std::string payload = BuildWith(Fastest(), shape, hashes);
    const FilterView view =
        MakeFilterView(kParityAlgorithm, shape, payload.data());
    const double expected =
        kParityAlgorithm.false_positive_rate(shape, hashes.size());
    EXPECT_NEAR(RateOfCodes(shape, payload) / expected, 1, 0.03) << c.bits;
    // Without vector instructions this takes too long.
    const size_t queries = Kernels().size() > 1 ? c.queries : c.queries / 20;
    uint64_t state = 12;
    size_t matches = 0;
    uint64_t batch[64];
    bool results[64];
    for (size_t i = 0; i < queries; i += 64) {
      for (uint64_t& hash : batch) {
        state += 0x9E3779B97F4A7C15;
        hash = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
        hash ^= hash >> 27;
      }
      Fastest().may_match_batch(view, batch, 64, results);
      for (bool result : results) matches += result ? 1 : 0;
    }
    const double observed =
        static_cast<double>(matches) / static_cast<double>(queries);
    const double deviation =
        1 / std::sqrt(expected * static_cast<double>(queries));
    EXPECT_NEAR(observed / expected, 1, std::max(0.03, 3 * deviation))
        << c.bits;
  }
  // Rates so low that only the blocks' codes tell.
  for (double bits : {20.0, 27.0}) {
    const std::vector<uint64_t> hashes = RandomHashes(1000000, 13);
    const FilterShape shape = kParityAlgorithm.shape_for(hashes.size(), bits);
    const std::string payload = BuildWith(Fastest(), shape, hashes);
    EXPECT_NEAR(RateOfCodes(shape, payload) /
                    kParityAlgorithm.false_positive_rate(shape, hashes.size()),
                1, 0.03)
        << bits;
  }
}

TEST(ParityRate, HoldsForOrderlyKeys) {
  // Numbers of all kinds, hashed as keys are.
  const uint64_t keys = 100000;
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<uint64_t> hashes;
    std::vector<uint64_t> absent;
    for (uint64_t i = 0; i < 20 * keys; ++i) {
      char bytes[8];
      StoreLittle64(bytes, kind == 0 ? i : kind == 1 ? i << 40 : i * 1000);
      (i < keys ? hashes : absent).push_back(HashKey(bytes, 8, 14));
    }
    const FilterShape shape = kParityAlgorithm.shape_for(keys, 10);
    const std::string payload = BuildWith(Fastest(), shape, hashes);
    const FilterView view =
        MakeFilterView(kParityAlgorithm, shape, payload.data());
    ExpectAllFound(Fastest(), view, hashes);
    const double observed = CountMatches(Fastest(), view, absent) /
                            static_cast<double>(absent.size());
    EXPECT_NEAR(observed / kParityAlgorithm.false_positive_rate(shape, keys), 1,
                0.08);
  }
}

TEST(ParityGolden, BytesNeverChange) {
  struct Case {
    double bits;
    uint64_t hash;
  };
  const Case cases[] = {{1, 0xd6687e7803eab0f2},  {3, 0x0f83390fc29b5895},
                        {5, 0x781e8c81b843b3e3},  {7, 0x429bbf4a40e48859},
                        {10, 0x73837e5f0eec00ff}, {20, 0x7d2d3b60f475c8d6},
                        {40, 0xf242406669071c02}};
  for (const Case& c : cases) {
    std::vector<uint64_t> hashes;
    for (uint64_t i = 0; i < 10000; ++i) {
      char bytes[8];
      StoreLittle64(bytes, i);
      hashes.push_back(HashKey(bytes, sizeof(bytes), 1));
    }
    const FilterShape shape = kParityAlgorithm.shape_for(hashes.size(), c.bits);
    const std::string payload = BuildWith(Scalar(), shape, hashes);
    EXPECT_EQ(HashKey(payload.data(), payload.size(), shape.parameter), c.hash)
        << c.bits << std::hex << " 0x"
        << HashKey(payload.data(), payload.size(), shape.parameter);
  }
}

}  // namespace
}  // namespace sstfilter
