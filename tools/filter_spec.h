// A filter configuration as it is named on the command line.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/table_properties.h>

#include <memory>
#include <string>

#include "sstfilter/options.h"

namespace sstfilter::tools {

enum class FilterFamily { kNone, kRocksdbBloom, kRocksdbRibbon, kSstfilter };

struct FilterSpec {
  std::string text;  // as given
  FilterFamily family = FilterFamily::kNone;
  double bits_per_key = 0;                              // built-in families
  FilterOptions options;                                // kSstfilter
  std::shared_ptr<const rocksdb::FilterPolicy> policy;  // null for kNone
};

// What ParseFilterSpec accepts, for help texts.
inline constexpr char kFilterSpecHelp[] =
    "none, rocksdb-bloom:BITS, rocksdb-ribbon:BITS or sstfilter:OPTIONS, where "
    "OPTIONS is bits per key or fields such as bits_per_key=10,kind=bloom";

// InvalidArgument with one line that names the text and what is wrong with it.
rocksdb::Status ParseFilterSpec(const std::string& text, FilterSpec* spec);

// Expected false positive rate of the filter in a table with these properties
// that was built under `spec`. `filter_block` is what the table stores
// (kSstfilter alone looks at it). 1 without a filter or with one that cannot be
// used.
double ExpectedRate(const FilterSpec& spec,
                    const rocksdb::TableProperties& properties,
                    const rocksdb::Slice& filter_block);

}  // namespace sstfilter::tools
