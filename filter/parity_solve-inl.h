// Solving a block of the parity filter. Like filter/kernel-inl.h, for files
// that are compiled for different instruction sets.
//
// The matrix of a block, one row of bits per key, is kept in planes: a plane is
// eight columns, one byte per key, in one or two "halves" of 64 keys each.
// Planes are eliminated in order:
//
//   1. the columns that all vectors share and that come before the window;
//   2. what is left of the rows of the keys not yet solved, in the windows of
//      all vectors at once, to learn how many columns each vector needs;
//   3. for the vector chosen, the window and, if need be, the columns after it.
//
// The elimination is complete (Gauss-Jordan): a step adds the pivot's row to
// all other rows that have the column's bit, so that in the end the columns of
// the fingerprints, treated alike, hold the solution. Columns without a pivot
// get zeros in the solution. So neither pivots nor solution depend on the order
// of the keys.
//
// The steps of a plane's eight columns are worked out on these columns alone
// and put into one matrix, by which all other planes are then multiplied: a
// byte of a plane changes by the product of its key's factors, 8 bits, and the
// 8 x 8 bits that are the pivots' bytes in the plane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "filter/parity-inl.h"
#include "filter/parity_layout.h"

namespace sstfilter {
namespace {

// Eight columns. Byte i, bit j: whether the row of key i has column j.
template <int kHalves>
struct alignas(64) ParityPlane {
  uint8_t rows[64 * kHalves];
};

// The steps of the eight columns from `column` on.
template <int kHalves>
struct alignas(64) ParitySteps {
  // Byte i, bit j: whether the steps add, to the row of key i, the row that the
  // pivot of step j had before them.
  ParityPlane<kHalves> factors;
  // Byte 7 - j: the key solved for the j-th column, if there is one.
  uint64_t pivots;
  // Bit j: whether there is.
  uint32_t valid;
  int column;
};

inline uint8_t ParityPivot(uint64_t pivots, int j) {
  return static_cast<uint8_t>(pivots >> (8 * (7 - j)));
}

// Bit j of byte i becomes bit i of byte j.
inline uint64_t ParityTranspose(uint64_t x) {
  uint64_t swap = (x ^ (x >> 7)) & 0x00aa00aa00aa00aa;
  x ^= swap ^ (swap << 7);
  swap = (x ^ (x >> 14)) & 0x0000cccc0000cccc;
  x ^= swap ^ (swap << 14);
  swap = (x ^ (x >> 28)) & 0x00000000f0f0f0f0;
  return x ^ swap ^ (swap << 28);
}

// Rows of Ops, below, for kernels that have nothing better.
template <int kHalves>
uint64_t ParityPivotRows(const ParityPlane<kHalves>& plane,
                         const ParitySteps<kHalves>& steps) {
  uint64_t bytes = 0;
  for (int j = 0; j < 8; ++j) {
    bytes |= uint64_t{plane.rows[ParityPivot(steps.pivots, j)]} << (8 * j);
  }
  return ParityTranspose(bytes) & (uint64_t{0x0101010101010101} * steps.valid);
}

constexpr int kParityUnsolvable = 1000;

// Ops is a kernel's way to do the heavy work:
//   Split(rows, count, planes, stride)
//                                  byte i of planes[j * stride] is byte j of
//                                  rows[i], for i < 64 and j < count
//   Columns(plane, columns)        bit i of columns[j] is bit j of plane[i],
//                                  for i < 64 and j < 8
//   Join(columns, plane)           the inverse
//   Apply(planes, count, steps, groups)
//                                  applies the steps of groups, in turn
//   Rows(plane, steps)             byte i, bit j: bit i of the row of the j-th
//                                  pivot; 0 if there is none
//   Place(rows, column, words)     adds byte i of `rows`, shifted left by
//                                  `column` (or right, if that is negative), to
//                                  the 63-bit words[i], for i < 8
//   Window(spread, vector, planes, stride)
//                                  Split of 64 numbers spread[i] *
//                                  kParityVaried[vector]
//   Below(selectors, limit)        bit j: selectors[j] < limit, for j < 64
//   Vary(spread, out)              out[i] = spread * kParityVaried[i], i < 8
//   Sum(rows, i, terms, pivots, out)
//                                  out[0..7] = rows[i] + the rows[pivots[j]]
//                                  for all bits j of `terms`
//   Widths(rows, count, widths)    eliminates, for each i < 8 apart, the rows
//                                  rows[..][i] of 24 bits; widths[i] is the
//                                  highest pivot's column plus one, or
//                                  kParityUnsolvable if the rows are dependent.
//                                  May overwrite rows.
template <typename Ops, int kHalves>
class ParitySolver {
 public:
  using Plane = ParityPlane<kHalves>;
  using Steps = ParitySteps<kHalves>;

  ParitySolver(const ParityGeometry& geometry, const uint64_t* hashes,
               size_t count)
      : geometry_(geometry), count_(static_cast<int>(count)) {
    for (int half = 0; half < kHalves; ++half) {
      const int keys = count_ - 64 * half;
      absent_[half] = ~ParityLowBits(keys > 0 ? keys : 0);
    }
    Load(hashes);
  }

  // As ParitySolveBlock.
  bool Solve(int share, char* block) {
    // With fewer keys than that, none are left for the window, nearly always.
    if (!Head(count_ + 8 > geometry_.split) && !inverted_) Head(true);
    if (share < kParityShares) {
      if (Width(0) > geometry_.max_columns) return false;
      Write(geometry_.max_columns, 0, static_cast<unsigned>(share), nullptr,
            block);
      return true;
    }
    const int window_end = geometry_.split + kParityWindow;
    int widths[kParityVectors];
    int least = head_width_;
    if (!head_done_) {
      WindowWidths(widths);
      least = kParityUnsolvable;
      for (int width : widths) least = width < least ? width : least;
    }
    if (least < geometry_.min_columns) least = geometry_.min_columns;
    for (int columns = least;
         columns <= window_end && columns <= geometry_.max_columns; ++columns) {
      const int vectors = columns > geometry_.split ? kParityVectors : 1;
      for (int vector = 0; vector < vectors; ++vector) {
        if (!head_done_ && widths[vector] > columns) continue;
        if (TryWrite(columns, vector, block)) return true;
      }
    }
    for (int columns = window_end + 1; columns <= geometry_.max_columns;
         ++columns) {
      if (Width(0) > columns) continue;
      if (TryWrite(columns, 0, block)) return true;
    }
    return false;
  }

 private:
  static constexpr int kKeys = 64 * kHalves;
  static constexpr int kLast = kHalves - 1;
  static constexpr int kPlanes = 128 / 8;
  static constexpr int kWindowPlanes = kParityWindow / 8;

  // --- Loading.

  void Load(const uint64_t* hashes) {
    uint64_t third[kKeys];
    for (int i = 0; i < count_; ++i) {
      const ParityKey key = ParityExpand(hashes[i]);
      low_[i] = (key.low & kParityWordMask) | (key.high << 63);
      high_[i] = (key.high & kParityWordMask) >> 1;
      third[i] = key.Fingerprint();
      spread_[i] = key.spread;
    }
    for (int i = count_; i < kKeys; ++i) {
      low_[i] = high_[i] = third[i] = spread_[i] = 0;
    }
    // Rows that a block with so many keys can have, and the fraction.
    int rows = ParityPayloadBits(geometry_.words) /
                   (count_ > kParityMinColumns ? count_ : kParityMinColumns) +
               1;
    row_planes_ = rows > 32 ? 4 : (rows + 7) / 8;
    Split(low_, 8, shared_);
    Split(third, row_planes_, fingerprints_);
    if (geometry_.split > 64) LoadHigh();
  }

  static void Split(const uint64_t* rows, int count, Plane* planes) {
    for (int half = 0; half < kHalves; ++half) {
      Ops::Split(rows + 64 * half, count,
                 reinterpret_cast<uint8_t*>(planes) + 64 * half, sizeof(Plane));
    }
  }

  // Columns from 64 on are not always needed.
  void LoadHigh() {
    if (high_loaded_) return;
    high_loaded_ = true;
    Split(high_, 8, shared_ + 8);
    std::memset(&shared_[kPlanes], 0, sizeof(Plane));
  }

  void LoadWindow(int vector) {
    if (window_loaded_ == vector) return;
    window_loaded_ = vector;
    for (int half = 0; half < kHalves; ++half) {
      Ops::Window(spread_ + 64 * half, vector,
                  reinterpret_cast<uint8_t*>(varied_) + 64 * half,
                  sizeof(Plane));
    }
  }

  // --- Planes of a system. Those before the window, those of the window (of
  // the vector loaded), and those after it; each part begins with a new plane.

  int HeadPlanes() const { return (geometry_.split + 7) / 8; }

  // The first column of plane `i`.
  int ColumnOf(int i) const {
    return i < HeadPlanes() ? 8 * i : geometry_.split + 8 * (i - HeadPlanes());
  }

  // The columns of plane `i` of `columns` in all.
  void GetPlane(int i, int columns, Plane* plane) {
    const int first = ColumnOf(i);
    const int window = i - HeadPlanes();
    int used = columns - first;
    if (window < 0) {
      *plane = shared_[i];
      const int before = geometry_.split - first;
      used = used < before ? used : before;
    } else if (window < kWindowPlanes) {
      *plane = varied_[1 + window];
    } else {
      if (first + 8 > 64) LoadHigh();
      const int shift = first % 8;
      const Plane& low = shared_[first / 8];
      *plane = low;
      if (shift != 0) {
        const Plane& high = shared_[first / 8 + 1];
        for (int k = 0; k < kKeys; ++k) {
          plane->rows[k] = static_cast<uint8_t>((low.rows[k] >> shift) |
                                                (high.rows[k] << (8 - shift)));
        }
      }
    }
    if (used < 8) {
      const auto mask = static_cast<uint8_t>((1 << used) - 1);
      for (uint8_t& row : plane->rows) row &= mask;
    }
  }

  // --- Eliminating.

  static bool Done(const uint64_t (&used)[kHalves]) {
    return (~used[0] | ~used[kLast]) == 0;
  }

  // All ones unless `bits` is zero.
  static uint64_t AllIf(uint64_t bits) {
    return uint64_t{0} - static_cast<uint64_t>(bits != 0);
  }

  // Chooses pivots for eight columns among the keys that are not used. Without
  // branches: they would be coin tosses.
  //
  // The matrix is inverted in place: a column that is done is no longer needed,
  // and its place is taken by a column of the inverse, to which all further
  // steps apply as well. `inverse` may be null.
  static void Eliminate(const Plane& plane, int column,
                        uint64_t (&used)[kHalves], Steps* steps,
                        Plane* inverse) {
    uint64_t a[8];
    uint64_t b[8];
    uint64_t pivots_a[8];
    uint64_t pivots_b[8];
    Ops::Columns(plane.rows, a);
    if (kHalves == 2) Ops::Columns(plane.rows + 64 * kLast, b);
    steps->column = column;
    steps->pivots = 0;
    steps->valid = 0;
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) {
      const uint64_t free_a = a[j] & ~used[0];
      const uint64_t pivot_a = free_a & -free_a;
      const uint64_t others_a = a[j] ^ pivot_a;
      pivots_a[j] = pivot_a;
      used[0] |= pivot_a;
      if (kHalves == 1) {
#pragma GCC unroll 8
        for (int q = 0; q < 8; ++q) {
          if (q == j) continue;
          // To be a conditional move: two steps fewer for the next pivot to
          // wait for than a mask.
          const uint64_t added = a[q] ^ others_a;
          a[q] = (a[q] & pivot_a) != 0 ? added : a[q];
        }
        a[j] &= AllIf(pivot_a);
        steps->valid |= static_cast<uint32_t>(pivot_a != 0) << j;
        steps->pivots = (steps->pivots << 8) | (LowestBit(pivot_a) & 63);
        continue;
      }
      const uint64_t free_b = free_a != 0 ? 0 : b[j] & ~used[kLast];
      const uint64_t pivot_b = free_b & -free_b;
      const uint64_t others_b = b[j] ^ pivot_b;
      pivots_b[j] = pivot_b;
      used[kLast] |= pivot_b;
#pragma GCC unroll 8
      for (int q = 0; q < 8; ++q) {
        if (q == j) continue;
        const uint64_t meet = AllIf((a[q] & pivot_a) | (b[q] & pivot_b));
        a[q] ^= others_a & meet;
        b[q] ^= others_b & meet;
      }
      const uint64_t any = AllIf(pivot_a | pivot_b);
      a[j] &= any;
      b[j] &= any;
      steps->valid |= static_cast<uint32_t>(any & 1) << j;
      steps->pivots =
          (steps->pivots << 8) |
          ((pivot_a != 0 ? LowestBit(pivot_a) : 64 + LowestBit(pivot_b)) & 127);
    }
    if (inverse != nullptr) {
      Ops::Join(a, inverse->rows);
      if (kHalves == 2) Ops::Join(b, inverse->rows + 64 * kLast);
    }
    // What is added to a row: not the row itself.
    for (int j = 0; j < 8; ++j) a[j] ^= pivots_a[j];
    Ops::Join(a, steps->factors.rows);
    if (kHalves == 2) {
      for (int j = 0; j < 8; ++j) b[j] ^= pivots_b[j];
      Ops::Join(b, steps->factors.rows + 64 * kLast);
    }
  }

  // 64 if there is none.
  static uint64_t LowestBit(uint64_t bits) {
#if defined(__BMI__)
    return __builtin_ia32_tzcnt_u64(bits);
#else
    return bits == 0 ? 64 : static_cast<uint64_t>(__builtin_ctzll(bits));
#endif
  }

  // The last column that has a pivot, plus one.
  static int End(const Steps& steps) {
    return steps.valid == 0 ? 0
                            : steps.column + 32 - __builtin_clz(steps.valid);
  }

  // Eliminates the columns before the window. Returns whether that solves all
  // keys.
  //
  // With `invert`, work_ is afterwards such that the row of a key that is left
  // is the sum of itself and of the pivots of those columns of work_ that have
  // its bit.
  bool Head(bool invert) {
    const int planes = HeadPlanes();
    for (int i = 0; i < planes; ++i) GetPlane(i, geometry_.split, &work_[i]);
    for (int i = 0; i < row_planes_; ++i) solution_[i] = fingerprints_[i];
    for (int half = 0; half < kHalves; ++half) used_[half] = absent_[half];
    inverted_ = invert;
    head_done_ = count_ == 0;
    head_width_ = 0;
    head_planes_ = 0;
    while (!head_done_ && head_planes_ < planes) {
      const int i = head_planes_++;
      Steps& steps = head_[i];
      Eliminate(work_[i], 8 * i, used_, &steps, invert ? &work_[i] : nullptr);
      // First what the next plane waits for.
      Ops::Apply(work_ + i + 1, planes - i - 1, &steps, 1);
      Ops::Apply(solution_, row_planes_, &steps, 1);
      head_done_ = Done(used_);
      if (head_done_) {
        head_width_ = End(steps);
        break;
      }
      if (invert) Ops::Apply(work_, i, &steps, 1);
    }
    return head_done_;
  }

  // How many columns each vector needs, if no more than up to the window's end.
  void WindowWidths(int* widths) {
    int left[kParityWindow];
    int count = 0;
    for (int half = 0; half < kHalves; ++half) {
      for (uint64_t bits = ~used_[half]; bits != 0; bits &= bits - 1) {
        if (count == kParityWindow) {
          for (int v = 0; v < kParityVectors; ++v) {
            widths[v] = kParityUnsolvable;
          }
          return;
        }
        left[count++] = 64 * half + __builtin_ctzll(bits);
      }
    }
    alignas(64) uint32_t varied[kKeys][kParityVectors];
    for (int i = 0; i < count_; ++i) Ops::Vary(spread_[i], varied[i]);
    // By column, the key it was solved for.
    uint8_t pivots[128];
    for (int i = 0; i < head_planes_; ++i) {
      for (int j = 0; j < 8; ++j) {
        pivots[8 * i + j] = ParityPivot(head_[i].pivots, j);
      }
    }
    alignas(64) uint32_t rows[kParityWindow][kParityVectors];
    for (int i = 0; i < count; ++i) {
      const int key = left[i];
      // The columns whose pivots are in its sum.
      uint64_t terms[2] = {};
      for (int p = 0; p < head_planes_; ++p) {
        terms[p / 8] |= uint64_t{work_[p].rows[key]} << (8 * (p % 8));
      }
      Ops::Sum(varied, key, terms[0], pivots, rows[i]);
      if (head_planes_ > 8) {
        alignas(64) uint32_t more[kParityVectors];
        Ops::Sum(varied, key, terms[1], pivots + 64, more);
        // The key itself was added twice.
        for (int v = 0; v < kParityVectors; ++v) {
          rows[i][v] ^= more[v] ^ varied[key][v];
        }
      }
      for (uint32_t& row : rows[i]) row >>= 8;
    }
    Ops::Widths(rows, count, widths);
    for (int v = 0; v < kParityVectors; ++v) widths[v] += geometry_.split;
  }

  // How many columns `vector` needs; for others than 0, kParityUnsolvable if
  // they are more than up to the window's end. head_ and tail_ hold the steps.
  int Width(int vector) {
    if (tail_vector_ != vector) {
      tail_vector_ = vector;
      tail_width_ = Tail(vector);
    }
    return tail_width_;
  }

  int Tail(int vector) {
    tail_planes_ = 0;
    if (head_done_) return head_width_;
    LoadWindow(vector);
    uint64_t used[kHalves];
    for (int half = 0; half < kHalves; ++half) used[half] = used_[half];
    Plane planes[kPlanes];
    const auto eliminate = [&](int first, int count) {
      for (int i = 0; i < count; ++i) {
        GetPlane(first + i, kParityMaxColumns, &planes[i]);
      }
      Ops::Apply(planes, count, head_, head_planes_);
      Ops::Apply(planes, count, tail_, tail_planes_);
      for (int i = 0; i < count; ++i) {
        Steps& steps = tail_[tail_planes_++];
        Eliminate(planes[i], ColumnOf(first + i), used, &steps, nullptr);
        if (Done(used)) return End(steps);
        Ops::Apply(planes + i + 1, count - i - 1, &steps, 1);
      }
      return kParityUnsolvable;
    };
    const int width = eliminate(HeadPlanes(), kWindowPlanes);
    if (width != kParityUnsolvable || vector != 0) return width;
    const int rest = kParityMaxColumns - geometry_.split - kParityWindow;
    return eliminate(HeadPlanes() + kWindowPlanes, (rest + 7) / 8);
  }

  // Solves the fraction: the keys of `vector` whose selector is below the
  // threshold, for one row of plan.fraction_bits columns.
  bool Fraction(const ParityPlan& plan, int vector, uint64_t row[2]) {
    LoadWindow(vector);
    uint64_t used[kHalves];
    int bound = 0;
    for (int half = 0; half < kHalves; ++half) {
      // Keys that are not bound take part, but are never pivots.
      used[half] = absent_[half] |
                   ~Ops::Below(varied_->rows + 64 * half, plan.threshold);
      bound += __builtin_popcountll(~used[half]);
    }
    const int bits = plan.fraction_bits;
    if (bound > bits) return false;
    Plane planes[kPlanes + 1];
    int count = 0;
    for (; ColumnOf(count) < bits; ++count) {
      GetPlane(count, bits, &planes[count]);
    }
    Plane sum = fingerprints_[plan.rows / 8];
    int done = 0;
    while (done < count) {
      Steps& steps = fraction_[done];
      Eliminate(planes[done], ColumnOf(done), used, &steps, nullptr);
      ++done;
      Ops::Apply(&sum, 1, &steps, 1);
      if (Done(used)) break;
      Ops::Apply(planes + done, count - done, &steps, 1);
    }
    if (!Done(used)) {
      // Rows without a pivot are zero; so must be their sums.
      uint64_t columns[8];
      for (int half = 0; half < kHalves; ++half) {
        Ops::Columns(sum.rows + 64 * half, columns);
        if ((columns[plan.rows % 8] & ~used[half]) != 0) return false;
      }
    }
    row[0] = row[1] = 0;
    for (int i = 0; i < done; ++i) {
      const uint64_t found =
          (Ops::Rows(sum, fraction_[i]) >> (8 * (plan.rows % 8))) & 255;
      const int column = fraction_[i].column;
      if (column < kParityWordColumns) row[0] |= found << column;
      const int above = column - kParityWordColumns;
      if (above > -8) {
        row[1] |= above >= 0 ? found << above : found >> -above;
      }
    }
    row[0] &= kParityWordMask;
    return true;
  }

  // --- Writing.

  // The code of a system that binds all keys; ParityGeometry has the inverse.
  unsigned CodeOf(int columns, int vector) const {
    const int min = geometry_.min_columns;
    const int window_begin = geometry_.split >= min ? geometry_.split + 1 : min;
    const int window_end = geometry_.split + kParityWindow + 1;
    int code = kParityFirstCode;
    if (columns < window_begin) {
      code += columns - min;
    } else if (columns < window_end) {
      code += window_begin - min + (columns - window_begin) * kParityVectors +
              vector;
    } else {
      code += window_begin - min +
              (window_end - window_begin) * kParityVectors + columns -
              window_end;
    }
    return static_cast<unsigned>(code);
  }

  bool TryWrite(int columns, int vector, char* block) {
    const ParityPlan& plan = kParityTables.plan[geometry_.words / 4][columns];
    uint64_t fraction[2];
    if (plan.fraction_bits > 0 && !Fraction(plan, vector, fraction)) {
      return false;
    }
    Write(columns, vector, CodeOf(columns, vector),
          plan.fraction_bits > 0 ? fraction : nullptr, block);
    return true;
  }

  void Write(int columns, int vector, unsigned code, const uint64_t* fraction,
             char* block) {
    Width(vector);
    const int words = geometry_.words;
    const ParityPlan& plan = kParityTables.plan[words / 4][columns];
    const int planes = (plan.rows + 7) / 8;
    alignas(64) uint64_t low[32] = {};
    alignas(64) uint64_t high[32] = {};
    Ops::Apply(solution_, planes, tail_, tail_planes_);
    for (int i = 0; i < planes; ++i) {
      const auto collect = [&](const Steps& steps) {
        const uint64_t rows = Ops::Rows(solution_[i], steps);
        // The eight columns may begin in one word and end in the other.
        if (steps.column < kParityWordColumns) {
          Ops::Place(rows, steps.column, low + 8 * i);
        }
        if (steps.column + 8 > kParityWordColumns) {
          Ops::Place(rows, steps.column - kParityWordColumns, high + 8 * i);
        }
      };
      for (int k = 0; k < head_planes_; ++k) collect(head_[k]);
      for (int k = 0; k < tail_planes_; ++k) collect(tail_[k]);
    }

    uint64_t out[8 + 1] = {};
    String string = {out, 0, 0, 0, 64 - 8 / words};
    int row = 0;
    if (words == 8) {
      const ParityString& layout = kParityTables.string[columns];
      string.bit = string.first_bit = layout.first_bit;
      if (columns <= kParityWordColumns) {
        for (int layer = 0; layer < layout.layers; ++layer) {
          for (int i = 0; i < 8; ++i, ++row) {
            out[i] |= low[row] << (layer * columns);
          }
        }
      } else {
        string.word = 4;
        for (; row < 4; ++row) {
          out[row] = low[row];
          out[row + 4] = high[row];
        }
      }
    }
    for (; row < plan.rows; ++row) string.Append(low[row], high[row], columns);
    if (fraction != nullptr) {
      string.Append(fraction[0], fraction[1], plan.fraction_bits);
    }
    const int header = 8 / words;
    for (int i = 0; i < words; ++i) {
      const uint64_t part = (code >> (i * header)) & ((1U << header) - 1);
      ParityStore(block + 8 * i, out[i] | (part << (64 - header)));
    }
  }

  // A string of bits that runs through bits [first_bit, end_bit) of the words.
  struct String {
    uint64_t* words;
    int word;
    int first_bit;
    int bit;
    int end_bit;

    void Append(uint64_t low, uint64_t high, int count) {
      if (count <= kParityWordColumns) {
        AppendWord(low, count);
      } else {
        AppendWord(low, kParityWordColumns);
        AppendWord(high, count - kParityWordColumns);
      }
    }

    void AppendWord(uint64_t bits, int count) {
      while (count > 0) {
        const int room = end_bit - bit;
        words[word] |= (bits & ParityLowBits(room)) << bit;
        if (count < room) {
          bit += count;
          return;
        }
        bits >>= room;
        count -= room;
        ++word;
        bit = first_bit;
      }
    }
  };

  const ParityGeometry& geometry_;
  const int count_;
  bool high_loaded_ = false;
  bool inverted_ = false;
  bool head_done_ = false;
  int window_loaded_ = -1;
  int tail_vector_ = -1;
  int tail_width_ = 0;
  int head_width_ = 0;
  int row_planes_ = 0;
  int head_planes_ = 0;
  int tail_planes_ = 0;
  uint64_t absent_[kHalves];
  uint64_t used_[kHalves];

  // By key.
  alignas(64) uint64_t low_[kKeys];
  alignas(64) uint64_t high_[kKeys];
  alignas(64) uint32_t spread_[kKeys];

  Plane shared_[kPlanes + 1];
  Plane work_[kPlanes];
  // Of the vector loaded, the selectors and the window.
  Plane varied_[1 + kWindowPlanes];
  Plane fingerprints_[4];
  Plane solution_[4];

  Steps head_[kPlanes];
  // The window, and the columns after it.
  Steps tail_[kWindowPlanes + kPlanes];
  // The window need not begin with a plane of the columns in all.
  Steps fraction_[kPlanes + 1];
};

// ParitySolveBlock.
template <typename Ops>
bool ParitySolve(const ParityGeometry& geometry, const uint64_t* hashes,
                 size_t count, int share, char* block) {
  if (count <= 64) {
    return ParitySolver<Ops, 1>(geometry, hashes, count).Solve(share, block);
  }
  return ParitySolver<Ops, 2>(geometry, hashes, count).Solve(share, block);
}

}  // namespace
}  // namespace sstfilter
