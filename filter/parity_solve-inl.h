// Solving a block of the parity filter. Like filter/parity-inl.h, for files
// that are compiled for different instruction sets.
//
// The matrix of a block, one row per key, is kept by columns: a column is one
// bit per key, in one or two words ("halves") of 64 keys each. Columns are
// eliminated in order, eight at a time:
//
//   1. the columns that all vectors share and that come before the window;
//   2. what is left of the rows of the keys not yet solved, in the windows of
//   all
//      vectors at once, to learn how many columns each vector needs;
//   3. for the vector chosen, the window and, if need be, the columns after it.
//
// The elimination is complete (Gauss-Jordan): a step adds the pivot's row to
// all other rows that have the column's bit, so that in the end the columns of
// the fingerprints, treated alike, hold the solution. Columns without a pivot
// get zeros in the solution. So neither pivots nor solution depend on the order
// of the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "filter/parity-inl.h"
#include "filter/parity_layout.h"

namespace sstfilter {
namespace {

// The steps of eight columns. Step i: the key of pivot[.][i], a single bit, is
// solved for column `column` + i, and is added to the keys others[.][i]. No
// bit, no step.
template <int kHalves>
struct alignas(64) ParityBatch {
  uint64_t pivot[kHalves][8];
  uint64_t others[kHalves][8];
  int column;
};

// Columns of the halves of a matrix.
template <int kHalves>
struct ParityColumns {
  uint64_t* half[kHalves];

  ParityColumns From(int column) const {
    ParityColumns result = *this;
    for (uint64_t*& columns : result.half) columns += column;
    return result;
  }
};

constexpr int kParityUnsolvable = 1000;

// Ops is a kernel's way to do the heavy work:
//   Transpose(rows, columns)       bit j of rows[i] becomes bit i of
//   columns[j],
//                                  for i and j < 64
//   Apply(columns, groups, batch)  applies the steps, in turn, to 8 * groups
//                                  columns: where a column has the pivot's bit,
//                                  it gets `others` added
//   Collect(columns, groups, batch, low, high)
//                                  sets the bit of a step's column in low[j]
//                                  or, from column 63 on, high[j] when column j
//                                  has the pivot's bit
//   Vary(spread, out, selectors)   out[i] = spread * kParityVaried[i], i < 8,
//   and
//                                  the lowest bytes thereof
//   Below(selectors, i, limit)     bit j: selectors[j][i] < limit, for j < 64
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
  using Batch = ParityBatch<kHalves>;
  using Columns = ParityColumns<kHalves>;

  ParitySolver(const ParityGeometry& geometry, const uint64_t* hashes,
               size_t count)
      : geometry_(geometry), count_(static_cast<int>(count)) {
    for (int half = 0; half < kHalves; ++half) {
      const int keys = count_ - 64 * half;
      all_[half] = ParityLowBits(keys > 0 ? keys : 0);
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
  static constexpr int kGroups = 128 / 8;
  static constexpr int kWindowGroups = kParityWindow / 8;

  // --- Loading.

  void Load(const uint64_t* hashes) {
    for (int i = 0; i < count_; ++i) {
      const ParityKey key = ParityExpand(hashes[i]);
      low_[i] = (key.low & kParityWordMask) | (key.high << 63);
      high_[i] = (key.high & kParityWordMask) >> 1;
      fingerprint_[i] = key.Fingerprint();
      Ops::Vary(key.spread, varied_[i], selectors_[i]);
    }
    for (int i = count_; i < kKeys; ++i) {
      low_[i] = high_[i] = fingerprint_[i] = 0;
      for (uint32_t& varied : varied_[i]) varied = 0;
      for (uint8_t& selector : selectors_[i]) selector = 0;
    }
    // Rows that a block with so many keys can have, and the fraction.
    int rows = ParityPayloadBits(geometry_.words) /
                   (count_ > kParityMinColumns ? count_ : kParityMinColumns) +
               1;
    row_groups_ = rows > 32 ? 4 : (rows + 7) / 8;
    for (int half = 0; half < kHalves; ++half) {
      Ops::Transpose(low_ + 64 * half, shared_[half], 8);
      Ops::Transpose(fingerprint_ + 64 * half, fingerprints_[half],
                     row_groups_);
    }
    if (geometry_.split > 64) LoadHigh();
  }

  // Columns from 64 on are not always needed.
  void LoadHigh() {
    if (high_loaded_) return;
    high_loaded_ = true;
    for (int half = 0; half < kHalves; ++half) {
      Ops::Transpose(high_ + 64 * half, shared_[half] + 64, 8);
    }
  }

  void LoadWindow(int vector) {
    if (window_loaded_ == vector) return;
    window_loaded_ = vector;
    for (int half = 0; half < kHalves; ++half) {
      alignas(64) uint64_t rows[64];
      for (int i = 0; i < 64; ++i) {
        rows[i] = varied_[64 * half + i][vector] >> 8;
      }
      Ops::Transpose(rows, window_[half], kWindowGroups);
    }
  }

  // --- Eliminating.

  template <size_t kSize>
  static Columns Of(uint64_t (&columns)[kHalves][kSize]) {
    Columns result;
    for (int half = 0; half < kHalves; ++half) {
      result.half[half] = columns[half];
    }
    return result;
  }

  bool Done(const uint64_t (&used)[kHalves]) const {
    return (all_[0] & ~used[0]) == 0 && (all_[kLast] & ~used[kLast]) == 0;
  }

  // All ones unless `bits` is zero.
  static uint64_t AllIf(uint64_t bits) {
    return uint64_t{0} - static_cast<uint64_t>(bits != 0);
  }

  // Chooses pivots for eight columns among the keys that are not used. Without
  // branches: they would be coin tosses.
  static void Eliminate(const Columns& from, int column,
                        uint64_t (&used)[kHalves], Batch* batch) {
    uint64_t a[8];
    uint64_t b[8];
    for (int j = 0; j < 8; ++j) {
      a[j] = from.half[0][j];
      b[j] = from.half[kLast][j];
    }
    batch->column = column;
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) {
      const uint64_t free_a = a[j] & ~used[0];
      const uint64_t pivot_a = free_a & -free_a;
      const uint64_t others_a = a[j] ^ pivot_a;
      used[0] |= pivot_a;
      batch->pivot[0][j] = pivot_a;
      batch->others[0][j] = others_a;
      if (kHalves == 1) {
#pragma GCC unroll 8
        for (int q = j + 1; q < 8; ++q) {
          a[q] ^= others_a & AllIf(a[q] & pivot_a);
        }
        continue;
      }
      const uint64_t free_b = free_a != 0 ? 0 : b[j] & ~used[kLast];
      const uint64_t pivot_b = free_b & -free_b;
      const uint64_t others_b = b[j] ^ pivot_b;
      used[kLast] |= pivot_b;
      batch->pivot[kLast][j] = pivot_b;
      batch->others[kLast][j] = others_b;
#pragma GCC unroll 8
      for (int q = j + 1; q < 8; ++q) {
        const uint64_t meet = AllIf((a[q] & pivot_a) | (b[q] & pivot_b));
        a[q] ^= others_a & meet;
        b[q] ^= others_b & meet;
      }
    }
  }

  static bool HasStep(const Batch& batch, int j) {
    return (batch.pivot[0][j] | batch.pivot[kLast][j]) != 0;
  }

  // The last column of a batch that has a pivot, plus one.
  static int End(const Batch& batch) {
    int end = 0;
    for (int j = 0; j < 8; ++j) {
      if (HasStep(batch, j)) end = batch.column + j + 1;
    }
    return end;
  }

  // Eliminates the columns before the window. Returns whether that solves all
  // keys.
  //
  // With `invert`, work_ is afterwards such that the row of a key that is left
  // is the sum of itself and of the pivots of those columns of work_ that have
  // its bit. (The matrix is inverted in place: a column that is done is no
  // longer needed, and its place is taken by a column of the inverse.)
  bool Head(bool invert) {
    const int split = geometry_.split;
    const int groups = (split + 7) / 8;
    for (int half = 0; half < kHalves; ++half) {
      std::memcpy(work_[half], shared_[half],
                  static_cast<size_t>(split) * sizeof(uint64_t));
      for (int i = split; i < 8 * groups; ++i) work_[half][i] = 0;
      used_[half] = 0;
    }
    inverted_ = invert;
    head_done_ = count_ == 0;
    head_width_ = 0;
    head_groups_ = 0;
    for (int half = 0; half < kHalves; ++half) {
      std::memcpy(solution_[half], fingerprints_[half],
                  static_cast<size_t>(8 * row_groups_) * sizeof(uint64_t));
    }
    const Columns work = Of(work_);
    while (!head_done_ && head_groups_ < groups) {
      const int group = head_groups_++;
      Batch& batch = head_[group];
      Eliminate(work.From(8 * group), 8 * group, used_, &batch);
      Ops::Apply(Of(solution_), row_groups_, batch);
      head_done_ = Done(used_);
      if (head_done_) {
        head_width_ = End(batch);
        break;
      }
      Ops::Apply(work.From(8 * group + 8), groups - group - 1, batch);
      if (!invert) continue;
      Ops::Apply(work, group, batch);
      for (int j = 0; j < 8; ++j) {
        const bool step = HasStep(batch, j);
        for (int half = 0; half < kHalves; ++half) {
          work_[half][8 * group + j] =
              step ? batch.pivot[half][j] | batch.others[half][j] : 0;
        }
      }
      // The columns of the inverse owe each other the steps after their own.
      uint64_t* const a = work_[0] + 8 * group;
      uint64_t* const b = work_[kLast] + 8 * group;
#pragma GCC unroll 8
      for (int s = 1; s < 8; ++s) {
        const uint64_t pivot_a = batch.pivot[0][s];
        const uint64_t others_a = batch.others[0][s];
        const uint64_t pivot_b = kHalves == 2 ? batch.pivot[kLast][s] : 0;
        const uint64_t others_b = batch.others[kLast][s];
#pragma GCC unroll 8
        for (int j = 0; j < s; ++j) {
          const uint64_t meet = AllIf((a[j] & pivot_a) | (b[j] & pivot_b));
          a[j] ^= others_a & meet;
          if (kHalves == 2) b[j] ^= others_b & meet;
        }
      }
    }
    return head_done_;
  }

  // How many columns each vector needs, if no more than up to the window's end.
  void WindowWidths(int* widths) {
    int left[kParityWindow];
    int count = 0;
    for (int half = 0; half < kHalves; ++half) {
      uint64_t bits = all_[half] & ~used_[half];
      for (; bits != 0; bits &= bits - 1) {
        if (count == kParityWindow) {
          for (int v = 0; v < kParityVectors; ++v) {
            widths[v] = kParityUnsolvable;
          }
          return;
        }
        left[count++] = 64 * half + __builtin_ctzll(bits);
      }
    }
    // By column, the key it was solved for.
    uint8_t pivots[128];
    for (int group = 0; group < head_groups_; ++group) {
      const Batch& batch = head_[group];
      for (int j = 0; j < 8; ++j) {
        int key = 0;
        if (batch.pivot[0][j] != 0) {
          key = __builtin_ctzll(batch.pivot[0][j]);
        } else if (kHalves == 2 && batch.pivot[kLast][j] != 0) {
          key = 64 + __builtin_ctzll(batch.pivot[kLast][j]);
        }
        pivots[8 * group + j] = static_cast<uint8_t>(key);
      }
    }
    // Of each key, the columns whose pivots are in its sum.
    alignas(64) uint64_t sums[2][kKeys];
    for (int half = 0; half < kHalves; ++half) {
      for (int i = 8 * head_groups_; i < 128; ++i) work_[half][i] = 0;
      Ops::Transpose(work_[half], sums[0] + 64 * half, 8);
      if (head_groups_ > 8) {
        Ops::Transpose(work_[half] + 64, sums[1] + 64 * half, 8);
      }
    }
    alignas(64) uint32_t rows[kParityWindow][kParityVectors];
    for (int i = 0; i < count; ++i) {
      Ops::Sum(varied_, left[i], sums[0][left[i]], pivots, rows[i]);
      if (head_groups_ > 8) {
        alignas(64) uint32_t more[kParityVectors];
        Ops::Sum(varied_, left[i], sums[1][left[i]], pivots + 64, more);
        // The key itself was added twice.
        for (int v = 0; v < kParityVectors; ++v) {
          rows[i][v] ^= more[v] ^ varied_[left[i]][v];
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
    tail_groups_ = 0;
    if (head_done_) return head_width_;
    LoadWindow(vector);
    uint64_t used[kHalves];
    alignas(64) uint64_t columns[kHalves][128];
    const Columns work = Of(columns);
    for (int half = 0; half < kHalves; ++half) {
      used[half] = used_[half];
      std::memcpy(columns[half], window_[half],
                  kParityWindow * sizeof(uint64_t));
    }
    for (int group = 0; group < head_groups_; ++group) {
      Ops::Apply(work, kWindowGroups, head_[group]);
    }
    for (int group = 0; group < kWindowGroups; ++group) {
      Batch& batch = tail_[tail_groups_++];
      Eliminate(work.From(8 * group), geometry_.split + 8 * group, used,
                &batch);
      if (Done(used)) return End(batch);
      Ops::Apply(work.From(8 * group + 8), kWindowGroups - group - 1, batch);
    }
    if (vector != 0) return kParityUnsolvable;
    LoadHigh();
    const int begin = geometry_.split + kParityWindow;
    const int rest = kParityMaxColumns - begin;
    const int groups = (rest + 7) / 8;
    for (int half = 0; half < kHalves; ++half) {
      std::memcpy(columns[half], shared_[half] + begin,
                  static_cast<size_t>(rest) * sizeof(uint64_t));
      for (int i = rest; i < 8 * groups; ++i) columns[half][i] = 0;
    }
    for (int group = 0; group < head_groups_; ++group) {
      Ops::Apply(work, groups, head_[group]);
    }
    for (int group = 0; group < kWindowGroups; ++group) {
      Ops::Apply(work, groups, tail_[group]);
    }
    for (int group = 0; group < groups; ++group) {
      Batch& batch = tail_[tail_groups_++];
      Eliminate(work.From(8 * group), begin + 8 * group, used, &batch);
      if (Done(used)) return End(batch);
      Ops::Apply(work.From(8 * group + 8), groups - group - 1, batch);
    }
    return kParityUnsolvable;
  }

  // Solves the fraction: the keys of `vector` whose selector is below the
  // threshold, for one row of plan.fraction_bits columns.
  bool Fraction(const ParityPlan& plan, int vector, uint64_t row[2]) {
    uint64_t bound[kHalves];
    int bound_count = 0;
    for (int half = 0; half < kHalves; ++half) {
      bound[half] = all_[half] &
                    Ops::Below(selectors_ + 64 * half, vector, plan.threshold);
      bound_count += __builtin_popcountll(bound[half]);
    }
    const int bits = plan.fraction_bits;
    if (bound_count > bits) return false;
    const int split = geometry_.split;
    if (bits > split) LoadWindow(vector);
    if (bits > 64) LoadHigh();
    const int groups = (bits + 7) / 8;
    // The fingerprint is one more column, in a group of its own.
    alignas(64) uint64_t columns[kHalves][128 + kParityWindow];
    alignas(64) uint64_t sum[kHalves][8];
    const Columns work = Of(columns);
    const Columns sums = Of(sum);
    uint64_t used[kHalves];
    for (int half = 0; half < kHalves; ++half) {
      // Keys that are not bound take part, but are never pivots.
      used[half] = ~bound[half];
      sum[half][0] = fingerprints_[half][plan.rows];
      for (int i = 1; i < 8; ++i) sum[half][i] = 0;
      std::memcpy(columns[half], shared_[half],
                  static_cast<size_t>(8 * groups) * sizeof(uint64_t));
      if (bits > split) {
        std::memcpy(columns[half] + split, window_[half],
                    kParityWindow * sizeof(uint64_t));
        const int after = split + kParityWindow;
        if (bits > after) {
          std::memcpy(columns[half] + after, shared_[half] + after,
                      static_cast<size_t>(bits - after) * sizeof(uint64_t));
        }
      }
      for (int i = bits; i < 8 * groups; ++i) columns[half][i] = 0;
    }
    int done = 0;
    while (done < groups) {
      Batch& batch = fraction_[done];
      Eliminate(work.From(8 * done), 8 * done, used, &batch);
      ++done;
      Ops::Apply(sums, 1, batch);
      if ((~used[0] | ~used[kLast]) == 0) break;
      Ops::Apply(work.From(8 * done), groups - done, batch);
    }
    if (((sum[0][0] & ~used[0]) | (sum[kLast][0] & ~used[kLast])) != 0) {
      return false;
    }
    row[0] = row[1] = 0;
    for (int group = 0; group < done; ++group) {
      const Batch& batch = fraction_[group];
      for (int j = 0; j < 8; ++j) {
        const uint64_t meet = (batch.pivot[0][j] & sum[0][0]) |
                              (batch.pivot[kLast][j] & sum[kLast][0]);
        const int column = 8 * group + j;
        const int word = column < kParityWordColumns ? 0 : 1;
        row[word] |= (meet != 0 ? uint64_t{1} : 0)
                     << (column - word * kParityWordColumns);
      }
    }
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
    const int groups = (plan.rows + 7) / 8;
    alignas(64) uint64_t low[32] = {};
    alignas(64) uint64_t high[32] = {};
    const Columns sums = Of(solution_);
    for (int i = 0; i < tail_groups_; ++i) {
      Ops::Apply(sums, groups, tail_[i]);
    }
    for (int i = 0; i < head_groups_; ++i) {
      Ops::Collect(sums, groups, head_[i], low, high);
    }
    for (int i = 0; i < tail_groups_; ++i) {
      Ops::Collect(sums, groups, tail_[i], low, high);
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
  int row_groups_ = 0;
  int head_groups_ = 0;
  int tail_groups_ = 0;
  uint64_t all_[kHalves];
  uint64_t used_[kHalves];

  // By key.
  alignas(64) uint64_t low_[kKeys];
  alignas(64) uint64_t high_[kKeys];
  alignas(64) uint64_t fingerprint_[kKeys];
  alignas(64) uint32_t varied_[kKeys][kParityVectors];
  alignas(64) uint8_t selectors_[kKeys][kParityVectors];

  // By column.
  alignas(64) uint64_t shared_[kHalves][128];
  alignas(64) uint64_t work_[kHalves][128];
  alignas(64) uint64_t window_[kHalves][64];
  alignas(64) uint64_t fingerprints_[kHalves][64];
  alignas(64) uint64_t solution_[kHalves][64];

  Batch head_[kGroups];
  // The window, and the columns after it.
  Batch tail_[kWindowGroups + kGroups];
  Batch fraction_[kGroups];
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
