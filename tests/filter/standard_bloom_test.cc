#include "filter/standard_bloom.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <random>
#include <vector>

#include "sstfilter/sizing.h"

namespace sstfilter {
namespace {

// The walk-through on a row of 16 bits with three given positions per key.
class SixteenBitRow : public testing::Test {
 protected:
  void Add(std::initializer_list<uint64_t> positions) {
    BitRow row(bytes_);
    for (uint64_t position : positions) row.Set(position);
  }
  bool MayContain(std::initializer_list<uint64_t> positions) const {
    for (uint64_t position : positions) {
      if (!BitRow::IsSet(bytes_, position)) return false;
    }
    return true;
  }
  int Ones() const {
    return __builtin_popcount(static_cast<uint8_t>(bytes_[0])) +
           __builtin_popcount(static_cast<uint8_t>(bytes_[1]));
  }
  char bytes_[2] = {0, 0};
};

TEST_F(SixteenBitRow, WalkThrough) {
  const auto x = {uint64_t{2}, uint64_t{7}, uint64_t{11}};
  const auto y = {uint64_t{4}, uint64_t{7}, uint64_t{13}};
  const auto z = {uint64_t{1}, uint64_t{9}, uint64_t{14}};
  Add(x);
  Add(y);
  Add(z);
  EXPECT_EQ(Ones(), 8);  // x and y share bit 7
  EXPECT_TRUE(MayContain(x));
  EXPECT_TRUE(MayContain(y)) << "probably present";
  EXPECT_TRUE(MayContain(z));
  EXPECT_FALSE(MayContain({0, 9, 14})) << "definitely absent: bit 0 is clear";
  EXPECT_TRUE(MayContain({2, 4, 9})) << "v, a false positive";
}

TEST_F(SixteenBitRow, ClearingOneKeysBitsWouldLoseAnother) {
  const auto y = {uint64_t{4}, uint64_t{7}, uint64_t{13}};
  Add({2, 7, 11});
  Add(y);
  // What a "delete x" would do to the bytes; the interface offers no such
  // thing.
  for (uint64_t position : {2, 7, 11}) {
    bytes_[position / 8] =
        static_cast<char>(bytes_[position / 8] & ~(1 << (position % 8)));
  }
  EXPECT_FALSE(MayContain(y)) << "y was never removed";
}

class StandardBloom : public testing::Test {
 protected:
  void Build(std::vector<uint64_t> hashes, double bits_per_key) {
    shape_ = kStandardBloomAlgorithm.shape_for(hashes.size(), bits_per_key);
    payload_ = std::make_unique<char[]>(shape_.payload_bytes);
    kernel_ = &KernelFor(kStandardBloomAlgorithm, CpuLevel::kScalar);
    kernel_->build(shape_, hashes.data(), hashes.size(), payload_.get());
    view_ = MakeFilterView(kStandardBloomAlgorithm, shape_, payload_.get());
  }
  std::vector<uint64_t> RandomHashes(size_t count) {
    std::vector<uint64_t> hashes(count);
    for (uint64_t& hash : hashes) hash = random_();
    return hashes;
  }
  std::mt19937_64 random_{1};
  FilterShape shape_;
  std::unique_ptr<char[]> payload_;
  const FilterKernel* kernel_ = nullptr;
  FilterView view_;
};

TEST_F(StandardBloom, FindsEveryKey) {
  for (size_t count : {0, 1, 2, 7, 100, 1000, 30000}) {
    for (double bits : {1.0, 2.5, 10.0, 40.0, 100.0}) {
      const std::vector<uint64_t> hashes = RandomHashes(count);
      Build(hashes, bits);
      std::unique_ptr<bool[]> batch(new bool[count]());
      kernel_->may_match_batch(view_, hashes.data(), count, batch.get());
      for (size_t i = 0; i < count; ++i) {
        ASSERT_TRUE(kernel_->may_match(view_, hashes[i]))
            << count << " keys, " << bits << " bits, key " << i;
        ASSERT_TRUE(batch[i]);
      }
    }
  }
}

TEST_F(StandardBloom, FillAndRateAreTheTextbooks) {
  const size_t count = 200000;
  for (double bits : {5.0, 8.0, 10.0, 14.0}) {
    Build(RandomHashes(count), bits);
    uint64_t ones = 0;
    for (size_t i = 0; i < shape_.payload_bytes; ++i) {
      ones += static_cast<uint64_t>(
          __builtin_popcount(static_cast<uint8_t>(payload_[i])));
    }
    EXPECT_NEAR(static_cast<double>(ones) /
                    static_cast<double>(shape_.payload_bytes * 8),
                StandardBloomFill(bits, shape_.parameter), 0.003);
    const int asked = 2'000'000;
    int passed = 0;
    for (int i = 0; i < asked; ++i)
      passed += kernel_->may_match(view_, random_());
    const double expected =
        kStandardBloomAlgorithm.false_positive_rate(shape_, count);
    EXPECT_NEAR(static_cast<double>(passed) / asked / expected, 1, 0.06)
        << bits << " bits per key";
    EXPECT_NEAR(expected / BestStandardBloomRate(bits), 1, 0.03);
  }
}

TEST_F(StandardBloom, TheRateKeepsFallingUpToAHundredBits) {
  double last = 1;
  for (double bits : {5.0, 10.0, 16.0, 24.0, 50.0, 100.0}) {
    const FilterShape shape = kStandardBloomAlgorithm.shape_for(1000000, bits);
    EXPECT_EQ(shape.parameter, BestWholeProbes(bits));
    const double rate =
        kStandardBloomAlgorithm.false_positive_rate(shape, 1000000);
    EXPECT_LT(rate, last);
    last = rate;
  }
  EXPECT_LT(last, 2e-21);
}

TEST_F(StandardBloom, AnEmptyFilterHoldsNothing) {
  Build({}, 10);
  EXPECT_EQ(shape_.payload_bytes, 1u);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(kernel_->may_match(view_, random_()));
  }
  EXPECT_EQ(kStandardBloomAlgorithm.false_positive_rate(shape_, 0), 0);
}

TEST_F(StandardBloom, PositionsReachTheWholeOfAVeryLargeRow) {
  // Nothing is allocated: positions are arithmetic.
  const uint64_t row_bits = uint64_t{5} << 33;  // 5 GiB
  uint64_t lowest = row_bits;
  uint64_t highest = 0;
  for (int i = 0; i < 100000; ++i) {
    StandardBloomPositions positions(random_(), row_bits);
    for (int probe = 0; probe < 7; ++probe) {
      const uint64_t position = positions.Next();
      ASSERT_LT(position, row_bits);
      lowest = std::min(lowest, position);
      highest = std::max(highest, position);
    }
  }
  EXPECT_LT(lowest, row_bits / 10000);
  EXPECT_GT(highest, row_bits - row_bits / 10000);
}

}  // namespace
}  // namespace sstfilter
