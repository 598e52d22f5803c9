// The shape of the tree a measurement builds: which keys go to which level.
#pragma once

#include <cstdint>
#include <vector>

namespace sstfilter::tools {

struct TreeShape {
  int levels = 3;          // sorted levels below level 0, all of them filled
  double size_ratio = 10;  // keys of a level over keys of the one above
  int young_files = 0;     // files left in level 0
};

// One sorted run: keys [first, first + count) of the load order.
struct PlannedRun {
  int level = 0;
  uint64_t first = 0;
  uint64_t count = 0;
};

// Splits `keys` keys as a full levelled tree would: every level holds
// size_ratio times the one above, and a young file a quarter of level 1
// (RocksDB compacts level 0 at four files into a level 1 of the same size). In
// the order to write them: the bottom level first, young files last. Runs left
// without a key are left out.
std::vector<PlannedRun> PlanTree(uint64_t keys, const TreeShape& shape);

}  // namespace sstfilter::tools
