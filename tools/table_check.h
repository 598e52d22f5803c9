// The verification of one table.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/verify.h"

namespace sstfilter::tools {

// Sums over the tables under verification, for the progress line.
struct VerifyTally {
  std::atomic<uint64_t> keys{0};
  std::atomic<uint64_t> bytes{
      0};  // of table files, in proportion to their keys
};

// Reads the table and fills in the verdict, whose `table` is set. Any thread.
void CheckTable(const VerifyOptions& options, VerifyTally* tally,
                TableVerdict* verdict);

}  // namespace sstfilter::tools
