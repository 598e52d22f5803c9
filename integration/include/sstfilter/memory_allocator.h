// Memory in which filters are asked faster.
#pragma once

#include <rocksdb/memory_allocator.h>

#include <memory>

namespace sstfilter {

// An allocator for RocksDB's block cache that puts filters where a lookup costs
// least:
//
//   rocksdb::LRUCacheOptions cache_options;
//   cache_options.capacity = 1 << 30;
//   cache_options.memory_allocator = sstfilter::NewFilterMemoryAllocator();
//   table_options.block_cache = rocksdb::NewLRUCache(cache_options);
//
// A lookup looks at one piece of 64 bytes of the filter. malloc gives addresses
// that are multiples of 16, and large ones at 16 modulo 64, so that nearly
// every piece lies in two cache lines, and each costs a wait for memory when
// the filter is larger than the CPU's caches. Here
//
//   from 1 KiB   memory begins at a multiple of 64: each piece is one line;
//   from 4 MiB   it begins at a multiple of 2 MiB, and the system is asked to
//                use huge pages for it (transparent_hugepage `always` or
//                `madvise`): fewer waits for the page tables as well.
//
// Smaller memory is malloc's. RocksDB takes all memory of blocks from the
// allocator of the block cache, also that of filters which stand beside the
// cache (cache_index_and_filter_blocks=false), and of data blocks; it takes
// none for tables that are read by mmap. Aligning costs up to 63 bytes, from
// 4 MiB on up to 2 MiB of address space but no memory.
// Useful with any filter; tools/bench shows what it gives on a machine
// (--filters bloom,bloom@0,bloom@0huge).
//
// Thread-safe. Allocate throws std::bad_alloc when memory runs out, as the
// operator new that RocksDB uses without an allocator does.
std::shared_ptr<rocksdb::MemoryAllocator> NewFilterMemoryAllocator();

}  // namespace sstfilter
