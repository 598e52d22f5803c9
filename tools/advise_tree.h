// The trees of a database as they are today, for `sstfilter advise`.
#pragma once

#include <rocksdb/status.h>

#include <optional>
#include <string>
#include <vector>

#include "sstfilter/filter_kind.h"
#include "tools/filter_facts.h"

namespace sstfilter::tools {

struct TreeFile {
  std::string path;
  int level = 0;
  // What a filter of this file has to hold: the keys of the filter that is
  // there, otherwise the entries of the table.
  double keys = 0;
  FilterFacts filter;  // all partitions together
};

// One column family.
struct FamilyTree {
  std::string column_family;
  double size_ratio = 10;  // max_bytes_for_level_multiplier
  std::vector<TreeFile> files;
  std::vector<std::string> notes;  // what the reader should know
};

struct DatabaseTrees {
  std::vector<FamilyTree> families;  // those that have files
  std::vector<std::string> notes;
  std::vector<std::string> problems;  // files that cannot be read, a line each
};

// Opens the database in `path` read-only and reads the properties and filters
// of all its tables. InvalidArgument with one line when there is no database;
// goes on after tables that cannot be read. Corruption when none of its tables
// can. Aborted after an interrupt.
rocksdb::Status ReadTrees(const std::string& path, DatabaseTrees* trees);

// Bloom or parity, whichever of our kinds that can be advised holds most keys;
// not set when neither holds any.
std::optional<FilterKind> KindOfToday(const DatabaseTrees& trees);

}  // namespace sstfilter::tools
