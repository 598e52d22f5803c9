#include "tools/filter_fields.h"

namespace sstfilter::tools {

const std::vector<FilterFieldFacts>& FilterFields() {
  static const std::vector<FilterFieldFacts> fields = {
      {"bits_per_key", "10",
       "Memory: bits per distinct key of a table, 1 to 100; on average over "
       "the tree with level_allocation=optimal."},
      {"kind", "bloom",
       "bloom is the fastest to build and to ask. parity has fewer false "
       "positives in the same memory and takes longer to build. auto is bloom "
       "for flushes and level 0, parity below. standard is the textbook "
       "filter, for reference."},
      {"level_allocation", "uniform",
       "uniform: the same bits per key in every table. optimal: more where a "
       "level is small, fewer at the bottom, the same in total."},
      {"level_size_ratio", "10",
       "For optimal: how many times larger each level is than the one above, "
       "2 to 100; max_bytes_for_level_multiplier of RocksDB."},
      {"max_bits_per_key", "24",
       "For optimal: no level gets more bits per key, 1 to 100."},
      {"level_bits_per_key", "",
       "Instead of an allocation: bits per key of level 0, 1, ... as in "
       "24:20:16:12:9.5; deeper levels take the last, 0 means no filter."},
      {"false_positive_rate", "",
       "Instead of bits per key: the rate of each table, above 0 to 0.5."},
      {"wasted_reads_per_lookup", "",
       "Instead of bits per key, with optimal: tables read in vain by one "
       "lookup of an absent key, over the whole tree, above 0 to 10."},
      {"seed", "0",
       "Of the key hash. 0: random for every filter; else fixed, which makes "
       "equal tables equal to the byte."},
      {"key_transform", "",
       "For comparators that call different bytes equal: ascii_lower, "
       "strip_trailing_spaces, or one that the service has registered."},
  };
  return fields;
}

}  // namespace sstfilter::tools
