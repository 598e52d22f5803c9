#include "crash_database.h"

#include "database.h"
#include "policies.h"

namespace sstfilter::dbtest {

rocksdb::Options CrashOptions(FilterKind kind, bool partitioned) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.allow_fallocate = false;
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = 64 << 10;
  options.arena_block_size = 4 << 10;
  options.target_file_size_base = 64 << 10;
  options.max_bytes_for_level_base = 256 << 10;
  options.level0_file_num_compaction_trigger = 2;
  options.max_background_jobs = 4;
  options.keep_log_file_num = 2;
  rocksdb::BlockBasedTableOptions table;
  if (partitioned) MakePartitioned(&table);
  table.filter_policy = NewPolicy(OptionsOf(kind));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace sstfilter::dbtest
