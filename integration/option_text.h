// Options as text, for the code that connects them with RocksDB.
#pragma once

#include <rocksdb/status.h>

#include <string>
#include <vector>

#include "sstfilter/options.h"

namespace sstfilter {

// The shortest text that reads back to the same double.
std::string ToText(double value);

// Like ParseFilterOptions, but fields that `text` does not name keep the value
// they have in `*options`. A budget that it names takes the place of whichever
// was there.
rocksdb::Status ApplyFilterOptions(const std::string& text,
                                   FilterOptions* options);

// The names of all fields, in the order they are printed.
std::vector<std::string> FilterFieldNames();

// The value of one field as FilterOptionsToString prints it; empty when it
// prints nothing for it.
std::string FilterFieldText(const FilterOptions& options,
                            const std::string& name);

}  // namespace sstfilter
