// The options file of a database, as far as this process knows what it names.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/status.h>

#include <string>
#include <vector>

namespace sstfilter::tools {

// An option that RocksDB, as it is linked here, does not know or cannot make
// anything of: of a newer version, or a class of the service.
struct UnknownOption {
  enum class Of { kDatabase, kColumnFamily, kTable };
  Of of = Of::kDatabase;
  std::string column_family;  // empty for kDatabase
  std::string name;
  std::string value;

  // "comparator=their.Comparator (column family default)".
  std::string ToString() const;
};

struct OptionsFile {
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> column_families;
  std::vector<UnknownOption> unknown;
};

// Reads the latest options file of the database in `path`. RocksDB's own loader
// gives up at the first option it does not know, or drops them all without a
// word; this one keeps what it can. Not OK when there is no such file or it
// names no column family.
rocksdb::Status ReadOptionsFile(const std::string& path, OptionsFile* options);

}  // namespace sstfilter::tools
