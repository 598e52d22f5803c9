#include "filter/bloom_build.h"

#include "filter/block_grouping.h"

namespace sstfilter {

namespace {

struct Target {
  const BloomProbeSet& probe_set;
  char* payload;
  BloomWriteBlocks write_blocks;
};

void Write(const void* context, uint64_t first, size_t blocks,
           const uint64_t* hashes, const size_t* loads) {
  const Target& target = *static_cast<const Target*>(context);
  target.write_blocks(target.probe_set, hashes, loads, blocks,
                      target.payload + first * kBlockBytes);
}

}  // namespace

void BuildBloomBlocks(const FilterShape& shape, uint64_t* hashes, size_t count,
                      char* payload, BloomWriteBlocks write_blocks) {
  const Target target = {kBloomProbeSets[shape.parameter - 1], payload,
                         write_blocks};
  GroupByBlock(hashes, count, shape.payload_bytes / kBlockBytes, Write,
               &target);
}

}  // namespace sstfilter
