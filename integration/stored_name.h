// Under which name a table file stores its filter.
#pragma once

#include <rocksdb/env.h>

#include <string>

namespace sstfilter {

// The key transform whose filter the table file `path` carries, as its name
// stands there; empty when there is none, or none is found. Looks for the name
// at the end of the file, where RocksDB lists what a table has: good for a
// message or a trial, which then shows whether it is right.
std::string StoredTransformName(rocksdb::Env* env, const std::string& path);

}  // namespace sstfilter
