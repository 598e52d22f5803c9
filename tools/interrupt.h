// Ctrl-C: long work stops at a safe place, tidies up and says so.
#pragma once

#include <rocksdb/status.h>

namespace sstfilter::tools {

// From now on the first SIGINT or SIGTERM only sets a flag; a second one ends
// the process. Called by main, not by tests.
void InstallInterruptHandler();

// Aborted once the flag is set. Cheap: may be asked for every key.
rocksdb::Status CheckInterrupt();

}  // namespace sstfilter::tools
