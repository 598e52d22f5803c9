// What holds for the whole process, shared by every way to make a policy.
#pragma once

#include <rocksdb/status.h>

namespace sstfilter {

// What stands in the way of any policy in this process: another RocksDB than
// the one compiled against, a CPU override that names no level.
rocksdb::Status CheckProcess();

// Registers with RocksDB's default library, once. RocksDB reads its own OPTIONS
// file back right after it wrote it, so the name must be known wherever there
// is a policy.
void RegisterByDefault();

}  // namespace sstfilter
