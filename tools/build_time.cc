#include "tools/build_time.h"

#include <chrono>
#include <memory>

#include "integration/rocksdb_internals.h"

namespace sstfilter::tools {

namespace {

using Clock = std::chrono::steady_clock;

std::optional<double> TimeOnce(const rocksdb::FilterPolicy& policy,
                               const rocksdb::FilterBuildingContext& context,
                               const std::vector<std::string_view>& keys) {
  const Clock::time_point start = Clock::now();
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder == nullptr) return std::nullopt;
  for (const std::string_view key : keys) {
    builder->AddKey(rocksdb::Slice(key.data(), key.size()));
  }
  std::unique_ptr<const char[]> block;
  rocksdb::Status status;
  builder->Finish(&block, &status);
  const std::chrono::duration<double, std::micro> time = Clock::now() - start;
  // Memory ran out, or worse.
  if (!status.ok() || block == nullptr) return std::nullopt;
  return time.count();
}

}  // namespace

std::optional<double> TimeFilterBuild(
    const rocksdb::FilterPolicy* policy,
    const rocksdb::BlockBasedTableOptions& table_options, int level,
    const std::vector<std::string_view>& keys) {
  if (policy == nullptr || keys.empty()) return std::nullopt;
  rocksdb::FilterBuildingContext context(table_options);
  context.num_levels = level + 1;
  context.level_at_creation = level;
  context.is_bottommost = true;
  context.reason = rocksdb::TableFileCreationReason::kCompaction;
  TimeOnce(*policy, context, keys);
  return TimeOnce(*policy, context, keys);
}

}  // namespace sstfilter::tools
