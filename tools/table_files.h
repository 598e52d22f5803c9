// From paths on the command line to table files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/read_only_database.h"

namespace sstfilter::tools {

struct TableFile {
  std::string path;
  uint64_t bytes = 0;
  // Of tables of a database that could be opened; otherwise empty and -1.
  std::string database;
  std::string column_family;
  int level = -1;
};

struct TableFiles {
  std::vector<TableFile> tables;
  // One line each, with the path: what is wrong with the input.
  std::vector<std::string> problems;
  // What the reader should know.
  std::vector<std::string> notes;
  // Kept open, so that the tables stay while another process has deleted them:
  // the files that RocksDB has open.
  std::vector<std::unique_ptr<ReadOnlyDatabase>> databases;
};

// `paths` are table files, database directories or directories of table files.
// Goes on after whatever is wrong. Tables of a database come by column family
// and level, newest level first.
TableFiles FindTables(const std::vector<std::string>& paths);

}  // namespace sstfilter::tools
