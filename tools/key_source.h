// The keys of a measurement: which are in the database and which are not.
#pragma once

#include <rocksdb/status.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sstfilter::tools {

struct KeySourceOptions {
  // One key per line; "-" is standard input. Every byte but the newline belongs
  // to the key, a carriage return too. Empty lines are skipped.
  std::string keys_path;
  std::string absent_path;

  // Number of generated 16-byte keys, when there is no keys_path.
  uint64_t generated = 0;

  // How many absent keys to generate when there is no absent_path; 0 for as
  // many as there are present ones.
  uint64_t absent_wanted = 0;

  uint64_t seed = 0;
};

struct KeySet {
  KeySet() = default;
  KeySet(const KeySet&) = delete;  // the views point into `storage`
  KeySet& operator=(const KeySet&) = delete;

  // Distinct, in pseudo-random order. No key is in both.
  std::vector<std::string_view> present;
  std::vector<std::string_view> absent;

  uint64_t repeated_keys = 0;   // lines of keys_path that said a key again
  uint64_t dropped_absent = 0;  // keys of absent_path that are present

  // What the views point into; a deque because its strings never move.
  std::deque<std::string> storage;
};

// InvalidArgument with one line that names the file and what is
// wrong.
rocksdb::Status LoadKeys(const KeySourceOptions& options, KeySet* keys);

}  // namespace sstfilter::tools
