// The database that crash_writer writes and crash_test reads.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "sstfilter/options.h"

namespace sstfilter::dbtest {

// Tables of a few hundred keys, so that a flush or a compaction is always under
// way.
rocksdb::Options CrashOptions(FilterKind kind, bool partitioned);

}  // namespace sstfilter::dbtest
