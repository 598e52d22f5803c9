// Bringing the hashes of each block together: what every kind whose keys live
// in one block each begins its build with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sstfilter {

// Receives `blocks` consecutive blocks, the first of which is `first`. Their
// hashes follow each other: loads[0] of the first block, then loads[1] of the
// next, and so on.
using GroupedBlocksVisitor = void (*)(const void* context, uint64_t first,
                                      size_t blocks, const uint64_t* hashes,
                                      const size_t* loads);

// Orders the hashes, in place, by the block they belong to, of `slots` blocks
// (SlotOf in filter/hash.h; the order within a block is not specified), and
// hands all blocks to `visit`, in order and including those without hashes, up
// to 2048 at a time. Needs some tens of KiB of stack, whatever the arguments
// are, and no other memory.
void GroupByBlock(uint64_t* hashes, size_t count, uint64_t slots,
                  GroupedBlocksVisitor visit, const void* context);

}  // namespace sstfilter
