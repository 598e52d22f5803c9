// The process that crash_test kills: writes numbered keys into a database that
// flushes and compacts all the time, and says on standard output which of them
// the database has taken.
//
//   db_crash_writer DIRECTORY KIND FIRST_KEY sync|nosync full|partitioned
//
// Each acknowledgement is the number of a key, eight bytes in the order of this
// machine. Runs until it is killed.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "crash_database.h"
#include "lookups.h"

int main(int argc, char** argv) {
  using namespace sstfilter;
  using namespace sstfilter::dbtest;
  FilterKind kind;
  if (argc != 6 || !ParseFilterKind(argv[2], &kind)) return 2;
  const bool sync = std::strcmp(argv[4], "sync") == 0;
  const bool partitioned = std::strcmp(argv[5], "partitioned") == 0;

  rocksdb::DB* db = nullptr;
  rocksdb::Status status =
      rocksdb::DB::Open(CrashOptions(kind, partitioned), argv[1], &db);
  rocksdb::WriteOptions write;
  write.sync = sync;
  for (uint64_t number = std::strtoull(argv[3], nullptr, 10); status.ok();
       ++number) {
    status = db->Put(write, Key(number), ValueOf(Key(number)));
    if (status.ok() && ::write(STDOUT_FILENO, &number, sizeof(number)) !=
                           static_cast<ssize_t>(sizeof(number))) {
      return 3;
    }
  }
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
