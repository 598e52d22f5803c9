// What a user can choose about sstfilter's filters.
#pragma once

#include <rocksdb/status.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sstfilter/filter_kind.h"
#include "sstfilter/key_transform.h"

namespace sstfilter {

enum class LevelAllocation {
  // The same bits per key in every table. Option name "uniform".
  kUniform,
  // More bits per key where the level is small, fewer at the bottom, at the
  // same total (Dayan, Athanassoulis, Idreos, "Monkey", SIGMOD 2017). FIFO
  // compaction and tables for ingestion: as kUniform. Tables get more than 1.3
  // times bits_per_key only while compactions rewrite tables below them, so a
  // load in key order, whose tables are never rewritten, takes at most 30 %
  // more filter memory than kUniform. Option name "optimal".
  kOptimal,
};

// Every field can be given by its name in an option string.
struct FilterOptions {
  // Average budget over the whole tree, in bits per distinct key of a table, in
  // [1, 100].
  double bits_per_key = 10.0;

  // What stands in the tables built from now on. Tables of any kind are read
  // whatever this says.
  FilterKind kind = FilterKind::kBloom;

  LevelAllocation level_allocation = LevelAllocation::kUniform;

  // For kOptimal: how many times larger each level is than the one above,
  // RocksDB's max_bytes_for_level_multiplier. In [2, 100].
  double level_size_ratio = 10.0;

  // For kOptimal: no level gets more bits per key than this. In [1, 100].
  double max_bits_per_key = 24.0;

  // Bits per key of level 0, 1, ... in place of an allocation; levels past the
  // end take the last value, 0 means no filter. Empty: not used. Each 0 or in
  // [1, 100]. In option strings separated by colons: "24:20:16:12:9.5". Not
  // together with kOptimal.
  std::vector<double> level_bits_per_key;

  // Instead of bits per key: the false positive rate of each table, in
  // (0, 0.5]. 0: not used. Refused when the kind cannot reach it.
  double false_positive_rate = 0;

  // Instead of bits per key: the expected number of tables read in vain by one
  // lookup of an absent key in a settled tree, with kOptimal; in (0, 10]. 0:
  // not used.
  double wasted_reads_per_lookup = 0;

  // Seed of the key hash. 0: a fresh random one for every filter, so that
  // nobody can prepare keys that collide. Anything else makes equal tables
  // byte-identical.
  uint64_t seed = 0;

  // Brings keys that the comparator calls equal to one spelling. Null: keys are
  // equal only if their bytes are. Filters written under another transform,
  // RocksDB's own among them, are not used.
  std::shared_ptr<const KeyTransform> key_transform;
};

// Field by field; key transforms by name.
bool operator==(const FilterOptions& a, const FilterOptions& b);
inline bool operator!=(const FilterOptions& a, const FilterOptions& b) {
  return !(a == b);
}

// Whether every field is in its range and they fit together. The message of
// InvalidArgument names the field, the value and what is accepted. Of
// bits_per_key, false_positive_rate, wasted_reads_per_lookup and
// level_bits_per_key only one may be set; bits_per_key counts as set when it
// differs from its default.
rocksdb::Status ValidateFilterOptions(const FilterOptions& options);

// Reads an option string in any of the forms
//
//   10                                      bits per key alone
//   bits_per_key=10;kind=parity             fields by name
//   sstfilter                               the defaults
//   sstfilter:10                            the same with the policy's name
//   sstfilter:bits_per_key=10;kind=parity
//   {id=sstfilter;bits_per_key=10;kind=parity}
//
// on top of the defaults. Commas may stand for semicolons. Unknown fields,
// repeated fields and values out of range give InvalidArgument with the field's
// name; `*options` is then unchanged.
rocksdb::Status ParseFilterOptions(const std::string& text,
                                   FilterOptions* options);

// "bits_per_key=10;kind=bloom": the budget, the kind and every field that
// differs from its default. ParseFilterOptions of it gives `options` back, to
// the last bit.
std::string FilterOptionsToString(const FilterOptions& options);

}  // namespace sstfilter
