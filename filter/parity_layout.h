// Where things lie in a block of the parity filter, as tables made at compile
// time. filter/PARITY.md explains the layout; this header is its definition.
//
// A block is 8, 4 or 2 little-endian 64-bit words. The top 8, 16 or 32 bits of
// it, spread evenly over the words, are the header, one byte called the code;
// all other bits are the payload, 504, 248 or 120 of them.
//
//         bit 63                                                   bit 0
//         +-+---------------------------+-------------------------------+
//  word 0 |h|  further rows, one string |  row 0, `columns` bits wide   |
//         +-+---------------------------+-------------------------------+
//  word 1 |h|  of bits through all the  |  row 1                        |
//         +-+---------------------------+-------------------------------+
//   ...   |h|  words                    |   ...                         |
//         +-+---------------------------+-------------------------------+
//  word 7 |h|                           |  row 7                        |
//         +-+---------------------------+-------------------------------+
//
// The code says how many columns there are and which of a key's vectors was
// used. All else follows from these two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sstfilter {

// --- Keys.

// What a hash gives, all of it mod 2^64 or 2^32:
//
//   product     = hash * kParityFold, 128 bits
//   mixed       = upper half XOR lower half of product
//   second      = mixed * kParitySecond
//   low         = mixed, columns 0..62 (bit 63 is not used)
//   high        = second rotated left by 32, columns 63..125 (the same)
//   spread      = upper 32 bits of second
//   third       = mixed * kParityThird
//   fingerprint = upper 32 bits of third; bit j belongs to row j
//   share       = bits 29..31 of third
//
// and, for each of the vectors 0..7,
//
//   varied(i)   = spread * kParityVaried[i], 32 bits
//   window(i)   = upper 24 bits of varied(i)
//   selector(i) = lower 8 bits of varied(i)
//
// Vector i has the bits of window(i) in columns split..split+23, lowest bit
// first, and those of low and high elsewhere.
inline constexpr uint64_t kParityFold = 0x9E3779B97F4A7C15;
inline constexpr uint64_t kParitySecond = 0xD6E8FEB86659FD93;
inline constexpr uint64_t kParityThird = 0xA0761D6478BD642F;
inline constexpr int kParityVectors = 8;
extern const uint32_t kParityVaried[kParityVectors];

inline constexpr int kParityWordColumns = 63;
inline constexpr int kParityMaxColumns = 2 * kParityWordColumns;
inline constexpr int kParityMinColumns = 16;
inline constexpr int kParityWindow = 24;
inline constexpr int kParityMaxRows = 31;

// --- Codes.

// 0: nothing is known of this block, every key may match.
inline constexpr int kParityCodeAny = 0;
// 1: the block holds no key.
inline constexpr int kParityCodeEmpty = 1;
// 2..7: too many keys for one system. Those whose share is below the code are
// bound, in the widest system of vector 0; the others may match.
inline constexpr int kParityFirstShare = 2;
inline constexpr int kParityShares = 8;
// 8..: a system that binds all keys.
inline constexpr int kParityFirstCode = 8;

// --- Geometries.

// FilterShape::parameter chooses one of these. They differ in the size of a
// block and in the range of columns whose codes choose among all vectors.
struct ParityGeometry {
  uint8_t words;        // of 64 bits in a block; 0: not a valid parameter
  uint8_t split;        // first column of the window
  uint8_t min_columns;  // of any system
  uint8_t max_columns;
  uint16_t codes;  // the first code that is not used, up to 256
  // The window within the two words of a vector: what `window`, rotated left,
  // is masked by.
  uint8_t low_rotation;
  uint8_t high_rotation;
  uint64_t low_mask;
  uint64_t high_mask;
  // Per code: columns (0 for a code not used, and for 0..7) and vector.
  uint8_t columns[256];
  uint8_t vector[256];
};

inline constexpr int kParityGeometries = 66;

// The parameters of large, half and quarter blocks; `split` is 4 * (i + 2) for
// parameters kParityLarge + i and kParityHalf + i.
inline constexpr int kParityLarge = 1;
inline constexpr int kParityHalf = 33;
inline constexpr int kParityQuarter = 65;
inline constexpr int kParitySplits = 24;

// --- Plans.

// What the number of columns c implies. A block of P payload bits holds
// rows = min(31, P / c) rows of c bits and a fraction: one more row, of
// fraction_bits bits, that binds only the keys whose selector is below
// `threshold`. It is the row that the bits left over pay for; threshold / 256
// is about fraction_bits / c less some room, because the number of keys it
// binds is random.
struct ParityPlan {
  uint8_t rows;
  uint8_t fraction_bits;  // 0 when there is no fraction
  uint8_t threshold;      // 0 when there is no fraction
};

static constexpr int ParityPayloadBits(int words) { return words * 64 - 8; }

// Where bit `column` of row `row` is: bit position / 64 is the word. In blocks
// of 4 and 2 words the rows follow each other, through the payload bits of all
// words. In blocks of 8 words the first rows are aligned:
//
//   c <= 63       row 8 l + i is at bits l c.. of word i, for all l with
//                 (l + 1) c <= 63; the string of the others runs through the
//                 bits that remain in words 0..7
//   c >= 64       row i is in word i (columns 0..62) and in word i + 4 (the
//                 others), i < 4; the string of the others runs through the
//                 bits that remain in words 4..7
int ParityBit(int words, int columns, int row, int column);

// The tables by which the kernels find the rows of the string in blocks of 8
// words, all at once. The bits of word w are those of at most two rows; bits
// below boundary[w] belong to the first of them.
//
// Column x of the vector meets its bit in word w after shifts: low << direct[w]
// and low << wrapped[w] together, and with 64 or more columns also
// low >> low_right[w], high << high_left[w] and high >> high_right[w]. A shift
// of 64 or more gives zero.
struct alignas(128) ParityString {
  uint8_t direct[8];
  uint8_t wrapped[8];
  uint8_t boundary[8];
  // For the i-th row of the string (the last may be the fraction): in which
  // words it lies, bit w for the part below the boundary and bit 8 + w for that
  // above.
  uint16_t parts[8];
  uint8_t layers;      // how many times 8 rows (c <= 63) are aligned
  uint8_t first_row;   // of the string
  uint8_t full_rows;   // in the string
  uint8_t bound_rows;  // full_rows and the fraction, if any
  uint8_t threshold;
  uint8_t first_bit;  // of the string, in each word
  uint8_t reserved[2];
  uint64_t mask;  // bits first_bit..62
  uint8_t low_right[8];
  uint8_t high_left[8];
  uint8_t high_right[8];
};

struct ParityTables {
  ParityString string[kParityMaxColumns + 1];
  // By FilterShape::parameter.
  ParityGeometry geometry[kParityGeometries];
  // By the binary logarithm of the words, less one, and by columns.
  ParityPlan plan[3][kParityMaxColumns + 1];
};

extern const ParityTables kParityTables;

}  // namespace sstfilter
