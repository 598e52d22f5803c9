// RocksDB's reader interface on top of a filter block reader.
#pragma once

#include <memory>

#include "integration/rocksdb_internals.h"
#include "sstfilter/key_transform.h"
#include "table/filter_block_reader.h"

namespace sstfilter {

// A reader for a usable block. It refers to the block's bytes and, if given, to
// the key transform, and to nothing else: it may outlive policy and database in
// a shared block cache.
std::unique_ptr<rocksdb::FilterBitsReader> NewBitsReader(
    const FilterBlockReader& block,
    std::shared_ptr<const KeyTransform> transform);

}  // namespace sstfilter
