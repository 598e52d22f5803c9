// Filters for comparators that call different bytes equal.
//
// A filter hashes bytes. When a comparator says that "Key1" and "KEY1" are the
// same key, a filter built from one answers "absent" for the other, and RocksDB
// loses it. A key transform brings every key to one spelling before it is
// hashed, when tables are built and when they are asked.
#pragma once

#include <rocksdb/slice.h>

#include <functional>
#include <memory>
#include <string>

namespace sstfilter {

struct KeyTransform {
  // Says what the function does; stored (hashed) with every filter. A filter
  // written under another name is not used. Change the name whenever the
  // function changes. Not empty; letters, digits, '_', '-' and '.' only.
  std::string name;

  // Writes the canonical spelling of `key` to `*canonical`, which may hold
  // anything before. Keys the comparator calls equal must come out equal; keys
  // it tells apart may. Must also hold for prefixes when a prefix extractor is
  // used: the transform of a prefix must depend on that prefix alone. Called
  // from many threads at once; must not throw.
  std::function<void(const rocksdb::Slice& key, std::string* canonical)>
      function;
};

// A to Z become a to z; all other bytes stay.
std::shared_ptr<const KeyTransform> AsciiLowerTransform();

// Drops spaces (0x20) at the end.
std::shared_ptr<const KeyTransform> StripTrailingSpacesTransform();

// The ready-made transform of that name ("ascii_lower",
// "strip_trailing_spaces"), or one announced by RegisterKeyTransform; null if
// there is none. Thread-safe.
std::shared_ptr<const KeyTransform> FindKeyTransform(const std::string& name);

// Makes a transform known to option strings ("key_transform=NAME") of this
// process. False if the name is malformed or taken by another transform.
// Thread-safe.
bool RegisterKeyTransform(std::shared_ptr<const KeyTransform> transform);

}  // namespace sstfilter
