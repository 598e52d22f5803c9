// The cache-line Bloom filter, kind "bloom": a key sets and tests bits of one
// 64-byte block, and every block is written with all of its keys in hand.
//
// The payload is an array of blocks. A block is sixteen 32-bit words, stored
// little-endian:
//
//   byte   0        4        8        12             56       60       64
//          +--------+--------+--------+--  ...  --+--------+--------+
//   word   |   0    |   1    |   2    |           |   14   |   15   |
//          | header |  bits  |  bits  |           |  bits  |  bits  |
//          +--------+--------+--------+--  ...  --+--------+--------+
//
// and the header, from its lowest bit, is two bits for each word:
//
//   bit    0            2               4               6   30            32
//          +------------+---------------+---------------+---+-------------+
//          | probe code | try of word 1 | try of word 2 |...| of word 15  |
//          +------------+---------------+---------------+---+-------------+
//
// A key with 64-bit hash h
//
//   * belongs to block SlotOf(h, blocks);
//   * probes k of the words 1..15, one bit in each. Which words: the pattern
//     kBloomPatterns[k], fifteen bits, rotated right by
//     r = (low half of h) * 15 / 2^32; bit i of the result stands for word
//     i + 1;
//   * probes, in word j, bit 31 - f, where f = (x >> (27 - 4 t)) mod 32, t is
//     the try of word j, and x = (a half of Remix(h)) * kBloomMultipliers[j]
//     mod 2^32. Even words take the low half, odd words the high half: together
//     they use all the bits of the hash that the choice of the block leaves
//     fresh, so that many keys (10^8 and more) put no floor under the rate.
//
// It may be in the set if all k bits are set, or if the header is zero: a block
// of zeroed memory answers "may match".
//
// What the builder is free to choose, and how it chooses:
//
//   * the probe code selects k out of the four values of a row of
//     kBloomProbeSets, the row being FilterShape::parameter (1-based). The
//     code is how many of the row's three load limits the number of keys in
//     the block does not exceed: lightly loaded blocks use more probes;
//   * the try of each word is the one, of four, that leaves the fewest bits set
//     in that word; the highest such try if several do.
//
// Neither depends on the order of the keys. (Keys added twice count twice in
// the load.) An empty block has the header 0xffffffff and no bit set: "absent"
// for every key.
//
// Why this shape. Trying several hash functions for a block and keeping the
// best one needs 16 tries to gain what four tries *per word* gain more than
// twice over: the gains of fifteen words add up, and a try costs one shift and
// one OR for all words at once. At 10 bits per key the header's 32 bits cost a
// factor 1.32 in the rate and the tries give back a factor 1.95. Expected rate
// (percent), mean over the Poisson load of a block, best k for each load:
//
//   bits per key                             5     7.5    10     14     20
//   16 words, no header, 1 try               9.22  2.90   0.954  0.181  0.0196
//   15 words of 32 bits, 4 tries (this)      7.52  2.14   0.641  0.108  0.0101
//   14 words of 32 bits, 8 tries             7.70  2.23   0.680  0.116  0.0111
//   30 words of 16 bits, 2 tries             8.28  2.48   0.779  0.139  0.0139
//    7 words of 64 bits, 16 tries            8.18  2.43   0.768  0.156  0.0251
//   textbook filter, unbounded row           9.05  2.72   0.819  0.120  0.0067
//
// More than 15 probes would gain something only above 25 bits per key; with 15
// the rate keeps falling, to 4e-6 at 30 bits, 5e-8 at 50 and 1.5e-10 at 100.
//
// The patterns spread pairs of words as evenly as rotations allow (for k = 7
// and 8 every pair of words is probed equally often: a perfect difference set),
// which is worth 1 to 2 percent of the rate against words chosen at random and
// 8 against adjacent ones. The four bit fields of x overlap by one bit; shifts
// that are multiples of four come straight out of the header. Bits are counted
// from the highest because a shift by the field then leaves the probed bit
// where vector instructions collect one bit per word: the sign.
//
// How fast it is stands in the README. Tried and dropped: for the build, making
// parts that fit the first-level cache and copying each into a buffer (as fast
// for 10^5 keys, 1.6 times slower for 10^6), and preparing eight keys at once
// (no gain); for the batch, no prefetch (as fast in the cache, twice as slow
// out of it); in the scalar kernel, looking at the probed words only (twice as
// slow: how many there are cannot be predicted).
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/algorithm.h"

namespace sstfilter {

inline constexpr int kBloomWords = 16;
inline constexpr int kBloomTries = 4;
inline constexpr int kBloomMaxProbes = 15;
inline constexpr uint32_t kBloomEmptyHeader = 0xffffffff;

// Odd, otherwise arbitrary: upper halves of SplitMix64's outputs for seed 0,
// with bit 0 set. Word 0 holds no bits of keys; its entry is unused.
alignas(64) inline constexpr uint32_t kBloomMultipliers[kBloomWords] = {
    0xE220A839, 0x6E789E6B, 0x06C45D19, 0xF88BB8A9, 0x1B39896B, 0x53CB9F0D,
    0x2C829ABF, 0xC584133B, 0x3EE57891, 0xF3B8488D, 0x657EECDD, 0xC2D326E1,
    0x8621A03F, 0x8E1F7555, 0xB54E0F17, 0x84BB3F97};

// kBloomPatterns[k] has k of the low 15 bits set, with the flattest circular
// autocorrelation there is.
inline constexpr uint32_t kBloomPatterns[kBloomMaxProbes + 1] = {
    0x0000, 0x0001, 0x0003, 0x000b, 0x0053, 0x0097, 0x0167, 0x0537,
    0x09af, 0x06ef, 0x0b7f, 0x177f, 0x17ff, 0x1fff, 0x3fff, 0x7fff};

struct BloomProbeSet {
  uint8_t probes[4];       // by probe code, increasing
  uint16_t load_limit[3];  // keys in the block, decreasing
};

// The limits are the loads up to which the next value gives the lower rate.
inline constexpr BloomProbeSet kBloomProbeSets[] = {
    {{1, 2, 3, 4}, {272, 161, 116}},  //
    {{2, 3, 4, 5}, {161, 116, 87}},   //
    {{3, 4, 5, 6}, {116, 87, 72}},    //
    {{4, 5, 6, 7}, {87, 72, 60}},     //
    {{5, 6, 7, 8}, {72, 60, 51}},     //
    {{6, 7, 8, 9}, {60, 51, 45}},     //
    {{7, 8, 9, 10}, {51, 45, 40}},    //
    {{8, 9, 10, 11}, {45, 40, 36}},   //
    {{7, 9, 11, 13}, {48, 38, 31}},   //
    {{9, 11, 13, 15}, {38, 31, 28}},  //
    {{12, 13, 14, 15}, {30, 28, 27}}};
inline constexpr int kBloomProbeSetCount =
    sizeof(kBloomProbeSets) / sizeof(kBloomProbeSets[0]);

extern const FilterAlgorithm kBloomAlgorithm;

// Expected false positive rate of one block that holds `load` keys and whose
// shape has the given parameter.
double BloomBlockRate(int parameter, size_t load);

// FilterAlgorithm::false_positive_rate of the kind.
double BloomFalsePositiveRate(const FilterShape& shape, uint64_t keys);

}  // namespace sstfilter
