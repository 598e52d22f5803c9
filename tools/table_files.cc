#include "tools/table_files.h"

#include <fmt/format.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

namespace sstfilter::tools {

namespace {

namespace fs = std::filesystem;

bool StartsWith(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

bool IsTable(const fs::path& path) {
  return path.extension() == ".sst" || path.extension() == ".ldb";
}

// Whether RocksDB gives files such names.
bool IsOfDatabase(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const char* whole : {"CURRENT", "IDENTITY", "LOCK", "LOG"}) {
    if (name == whole) return true;
  }
  for (const char* start : {"MANIFEST-", "OPTIONS-", "LOG.old."}) {
    if (StartsWith(name, start)) return true;
  }
  static const std::set<std::string> endings = {".sst", ".ldb", ".log", ".blob",
                                                ".dbtmp"};
  return endings.count(path.extension().string()) != 0 &&
         IsNumber(path.stem().string());
}

uint64_t FileSize(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : static_cast<uint64_t>(size);
}

// Files in `directory`, in order; adds a problem when it cannot be read.
std::vector<fs::path> FilesIn(const std::string& directory, TableFiles* found) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::directory_iterator entries(directory, error);
  for (; !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    std::error_code ignored;
    if (!entries->is_directory(ignored)) files.push_back(entries->path());
  }
  if (error) {
    found->problems.push_back(
        fmt::format("{}: {}", directory, error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Every table file by itself, for directories that are no database or cannot be
// opened as one. Returns how many there are.
size_t AddLooseTables(const std::vector<fs::path>& files, TableFiles* found) {
  size_t tables = 0;
  for (const fs::path& file : files) {
    if (!IsTable(file)) continue;
    ++tables;
    TableFile table;
    table.path = file.string();
    table.bytes = FileSize(table.path);
    found->tables.push_back(table);
  }
  return tables;
}

void NameForeignFiles(const std::string& directory,
                      const std::vector<fs::path>& files, TableFiles* found) {
  for (const fs::path& file : files) {
    if (IsOfDatabase(file)) continue;
    found->problems.push_back(fmt::format(
        "{}: not a file of the database in {}", file.string(), directory));
  }
}

// The comparator that the manifest names, if it is what kept a database from
// being opened; else empty.
std::string UnknownComparator(const rocksdb::Status& status) {
  static const std::string before = "does not match existing comparator ";
  const std::string message = status.ToString();
  const size_t at = message.find(before);
  return at == std::string::npos ? "" : message.substr(at + before.size());
}

void AddDatabase(const std::string& directory,
                 const std::vector<fs::path>& files, TableFiles* found) {
  NameForeignFiles(directory, files, found);
  std::unique_ptr<ReadOnlyDatabase> database;
  std::vector<std::string> notes;
  const rocksdb::Status status =
      ReadOnlyDatabase::Open(directory, &database, &notes);
  found->notes.insert(found->notes.end(), notes.begin(), notes.end());
  if (!status.ok()) {
    const std::string comparator = UnknownComparator(status);
    if (comparator.empty()) {
      found->problems.push_back(
          fmt::format("{}: cannot be opened as a database, so its tables are "
                      "looked at without their levels: {}",
                      directory, status.ToString()));
    } else {
      found->notes.push_back(
          fmt::format("{}: comparator {} is not known here: all table files "
                      "are looked at, without their levels, and keys are read "
                      "in the order of the files",
                      directory, comparator));
    }
    AddLooseTables(files, found);
    return;
  }
  std::vector<rocksdb::LiveFileMetaData> live;
  database->db()->GetLiveFilesMetaData(&live);
  std::sort(live.begin(), live.end(), [](const auto& a, const auto& b) {
    return std::tie(a.column_family_name, a.level, a.name) <
           std::tie(b.column_family_name, b.level, b.name);
  });
  for (const rocksdb::LiveFileMetaData& file : live) {
    TableFile table;
    table.path = file.db_path + file.name;
    table.bytes = file.size;
    table.database = directory;
    table.column_family = file.column_family_name;
    table.level = file.level;
    found->tables.push_back(table);
  }
  if (live.empty()) {
    found->notes.push_back(fmt::format(
        "{}: no tables; keys that were not flushed yet have no filter",
        directory));
  }
  found->databases.push_back(std::move(database));
}

void AddDirectory(const std::string& directory, TableFiles* found) {
  const size_t problems = found->problems.size();
  const std::vector<fs::path> files = FilesIn(directory, found);
  if (found->problems.size() > problems) return;
  const bool is_database = std::any_of(
      files.begin(), files.end(),
      [](const fs::path& file) { return file.filename() == "CURRENT"; });
  if (is_database) {
    AddDatabase(directory, files, found);
    return;
  }
  if (AddLooseTables(files, found) == 0) {
    found->problems.push_back(
        fmt::format("{}: neither a database nor table files in it", directory));
    return;
  }
  for (const fs::path& file : files) {
    if (!IsTable(file)) {
      found->problems.push_back(
          fmt::format("{}: not a table file", file.string()));
    }
  }
}

}  // namespace

TableFiles FindTables(const std::vector<std::string>& paths) {
  TableFiles found;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      found.problems.push_back(fmt::format(
          "{}: {}", path, error ? error.message() : "no such file"));
    } else if (fs::is_directory(status)) {
      AddDirectory(path, &found);
    } else {
      TableFile table;
      table.path = path;
      table.bytes = FileSize(path);
      found.tables.push_back(table);
    }
  }
  return found;
}

}  // namespace sstfilter::tools
