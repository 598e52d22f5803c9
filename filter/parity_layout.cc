#include "filter/parity_layout.h"

namespace sstfilter {

namespace {

// The square root, rounded down, of a value below 2^20.
constexpr int Root(int value) {
  int root = 0;
  for (int bit = 1 << 9; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= value) root += bit;
  }
  return root;
}

// The selectors below the threshold are as many as to leave a quarter of a
// standard deviation, and a third of a bit, of the fraction's bits unused. More
// room wastes bits, less makes more systems unsolvable.
constexpr int Threshold(int bits, int columns) {
  const int room16 = Root(bits * (columns - bits) * 256 / columns) / 4 + 5;
  const int used16 = bits * 16 - room16;
  if (used16 <= 0) return 0;
  const int threshold = used16 * 16 / columns;
  return threshold < 256 ? threshold : 255;
}

constexpr void FillPlans(ParityTables& tables) {
  for (int size = 0; size < 3; ++size) {
    const int bits = ParityPayloadBits(2 << size);
    for (int columns = kParityMinColumns; columns <= kParityMaxColumns;
         ++columns) {
      ParityPlan& plan = tables.plan[size][columns];
      int rows = bits / columns;
      if (rows > kParityMaxRows) rows = kParityMaxRows;
      const int fraction = rows == 0 ? 0 : bits - rows * columns;
      plan.rows = static_cast<uint8_t>(rows);
      plan.threshold = static_cast<uint8_t>(Threshold(fraction, columns));
      plan.fraction_bits =
          static_cast<uint8_t>(plan.threshold == 0 ? 0 : fraction);
    }
  }
}

constexpr void FillGeometry(ParityGeometry& geometry, int words, int split) {
  geometry.words = static_cast<uint8_t>(words);
  geometry.split = static_cast<uint8_t>(split);
  // Multiples of the payload: the widest system also serves where not all keys
  // can be bound, and has no fraction then.
  const int top = words == 2 ? 120 : words == 4 ? 124 : kParityMaxColumns;
  // The codes left to the columns outside of the window.
  const int below = 20;
  int min = split + 1 - below;
  if (min < kParityMinColumns) min = kParityMinColumns;
  geometry.min_columns = static_cast<uint8_t>(min);
  int code = kParityFirstCode;
  int columns = min;
  for (; columns <= top; ++columns) {
    const bool within = columns > split && columns <= split + kParityWindow;
    const int vectors = within ? kParityVectors : 1;
    if (code + vectors > 256) break;
    for (int vector = 0; vector < vectors; ++vector, ++code) {
      geometry.columns[code] = static_cast<uint8_t>(columns);
      geometry.vector[code] = static_cast<uint8_t>(vector);
    }
  }
  geometry.max_columns = static_cast<uint8_t>(columns - 1);
  geometry.codes = static_cast<uint16_t>(code);

  const uint64_t word = (uint64_t{1} << kParityWordColumns) - 1;
  const uint64_t window = (uint64_t{1} << kParityWindow) - 1;
  const int into_high = split - kParityWordColumns;
  geometry.low_rotation = static_cast<uint8_t>(split & 63);
  geometry.low_mask = split < kParityWordColumns ? (window << split) & word : 0;
  geometry.high_rotation = static_cast<uint8_t>(into_high & 63);
  if (into_high >= 0) {
    geometry.high_mask = (window << into_high) & word;
  } else if (into_high > -kParityWindow) {
    geometry.high_mask = window >> -into_high;
  }
}

constexpr void FillGeometries(ParityTables& tables) {
  for (int i = 0; i < kParitySplits; ++i) {
    FillGeometry(tables.geometry[kParityLarge + i], 8, 4 * (i + 2));
    FillGeometry(tables.geometry[kParityHalf + i], 4, 4 * (i + 2));
  }
  FillGeometry(tables.geometry[kParityQuarter], 2, 84);
}

constexpr uint8_t Shift(int count) {
  return static_cast<uint8_t>(count >= 0 && count < 64 ? count : 255);
}

constexpr void FillStrings(ParityTables& tables) {
  for (int columns = kParityMinColumns; columns <= kParityMaxColumns;
       ++columns) {
    ParityString& string = tables.string[columns];
    const ParityPlan& plan = tables.plan[2][columns];
    const bool wide = columns > kParityWordColumns;
    const int layers = wide ? 0 : kParityWordColumns / columns;
    const int first_bit =
        wide ? columns - kParityWordColumns : layers * columns;
    const int bits = kParityWordColumns - first_bit;
    const int first_word = wide ? 4 : 0;
    const int first_row = wide ? 4 : 8 * layers;
    string.layers = static_cast<uint8_t>(layers);
    string.first_row = static_cast<uint8_t>(first_row);
    string.full_rows = static_cast<uint8_t>(plan.rows - first_row);
    string.bound_rows = static_cast<uint8_t>(plan.rows - first_row +
                                             (plan.fraction_bits > 0 ? 1 : 0));
    string.threshold = plan.threshold;
    string.first_bit = static_cast<uint8_t>(first_bit);
    string.mask = ((uint64_t{1} << bits) - 1) << first_bit;
    for (int word = 0; word < 8; ++word) {
      string.direct[word] = string.wrapped[word] = 255;
      string.low_right[word] = 255;
      string.high_left[word] = string.high_right[word] = 255;
      string.boundary[word] = 255;
      if (word < first_word || bits == 0) continue;
      const int begin = (word - first_word) * bits;
      const int column = begin % columns;
      string.direct[word] = Shift(first_bit - column);
      string.wrapped[word] = Shift(first_bit + columns - column);
      if (wide) {
        if (first_bit < column) {
          string.low_right[word] = Shift(column - first_bit);
        }
        const int high = first_bit + kParityWordColumns - column;
        string.high_left[word] = Shift(high);
        if (high < 0) string.high_right[word] = Shift(-high);
      }
      const int row = begin / columns;
      const int boundary = (row + 1) * columns - begin;
      if (row < 8) {
        string.parts[row] =
            static_cast<uint16_t>(string.parts[row] | (1 << word));
      }
      if (boundary < bits) {
        string.boundary[word] = static_cast<uint8_t>(first_bit + boundary);
        if (row + 1 < 8) {
          string.parts[row + 1] =
              static_cast<uint16_t>(string.parts[row + 1] | (256 << word));
        }
      }
    }
  }
}

constexpr ParityTables MakeTables() {
  ParityTables tables{};
  FillPlans(tables);
  FillGeometries(tables);
  FillStrings(tables);
  return tables;
}

}  // namespace

constexpr ParityTables kParityTables = MakeTables();

// Odd, and far apart in their lower bytes, from which the selectors come.
const uint32_t kParityVaried[kParityVectors] = {
    0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F,
    0x165667C5, 0xD3A2646B, 0xFD7046E9, 0xB55A4F8D};

int ParityBit(int words, int columns, int row, int column) {
  if (words < 8) {
    const int width = ParityPayloadBits(words) / words;
    const int position = row * columns + column;
    return position / width * 64 + position % width;
  }
  const bool wide = columns > kParityWordColumns;
  const int layers = wide ? 0 : kParityWordColumns / columns;
  const int aligned_rows = wide ? 4 : 8 * layers;
  if (row < aligned_rows) {
    if (!wide) return (row % 8) * 64 + (row / 8) * columns + column;
    return column < kParityWordColumns
               ? row * 64 + column
               : (row + 4) * 64 + column - kParityWordColumns;
  }
  const int first_bit = wide ? columns - kParityWordColumns : layers * columns;
  const int width = kParityWordColumns - first_bit;
  const int position = (row - aligned_rows) * columns + column;
  return ((wide ? 4 : 0) + position / width) * 64 + first_bit +
         position % width;
}

}  // namespace sstfilter
