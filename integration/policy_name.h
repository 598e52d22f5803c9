// The names the policy goes by.
#pragma once

#include <string>

namespace sstfilter {

// Its own, in option strings.
inline constexpr char kPolicyName[] = "sstfilter";

// The one in tables: that of RocksDB's built-in family (BloomFilterPolicy,
// RibbonFilterPolicy). Tables are found by it, so switching to sstfilter keeps
// every built-in filter working, and switching back is safe because built-in
// readers take our blocks for "may match" (table/trailer.h).
inline constexpr char kCompatibilityName[] = "rocksdb.BuiltinBloomFilter";

// With a key transform the tables are a family of their own: neither RocksDB's
// filters nor ours of another transform may be asked with transformed keys. The
// trailer alone cannot keep them apart: a reader that a shared block cache
// still holds from an earlier policy is used without asking the new one.
// `transform` is the transform's name; empty for none.
inline std::string CompatibilityNameFor(const std::string& transform) {
  return transform.empty() ? kCompatibilityName
                           : std::string(kPolicyName) + "." + transform;
}

}  // namespace sstfilter
