#include "sstfilter/filter_policy.h"

#include <rocksdb/utilities/object_registry.h>

#include <mutex>

#include "filter/cpu.h"
#include "integration/policy.h"
#include "integration/policy_name.h"
#include "integration/process.h"
#include "integration/rocksdb_version.h"

namespace sstfilter {

using rocksdb::Status;

namespace {

// From an option string's id: "sstfilter", "sstfilter:10", or anything else
// that starts with the name.
Policy* PolicyFromId(const std::string& id, std::string* message) {
  Status status = CheckRocksDBVersion();
  if (!status.ok()) {
    // No object at all: its layout might not be what the caller expects.
    *message = status.ToString();
    return nullptr;
  }
  FilterOptions options;
  status = CheckProcess();
  if (status.ok()) status = ParseFilterOptions(id, &options);
  return status.ok() ? new Policy(options) : new Policy(status);
}

Status NotOurs(const rocksdb::FilterPolicy& policy) {
  return Status::InvalidArgument("sstfilter: not an sstfilter policy",
                                 policy.Name());
}

}  // namespace

Status CheckProcess() {
  Status status = CheckRocksDBVersion();
  std::string message;
  if (status.ok() && !CheckCpuOverride(&message)) {
    status = Status::InvalidArgument("sstfilter: " + message);
  }
  return status;
}

void RegisterByDefault() {
  static std::once_flag once;
  std::call_once(once, [] {
    RegisterFilterPolicy(*rocksdb::ObjectLibrary::Default(), "");
  });
}

Status NewFilterPolicy(const FilterOptions& options,
                       std::shared_ptr<const rocksdb::FilterPolicy>* policy) {
  Status status = CheckProcess();
  if (status.ok()) status = ValidateFilterOptions(options);
  if (!status.ok()) return status;
  RegisterByDefault();
  *policy = std::make_shared<const Policy>(options);
  return status;
}

Status SetFilterOptions(const rocksdb::FilterPolicy& policy,
                        const FilterOptions& options) {
  const Policy* ours = AsPolicy(&policy);
  if (ours == nullptr) return NotOurs(policy);
  Status status = ours->error();
  if (status.ok()) status = ValidateFilterOptions(options);
  if (status.ok()) status = ours->ChangeOptions(options);
  return status;
}

Status GetFilterOptions(const rocksdb::FilterPolicy& policy,
                        FilterOptions* options) {
  const Policy* ours = AsPolicy(&policy);
  if (ours == nullptr) return NotOurs(policy);
  Status status = ours->error();
  if (status.ok()) *options = ours->CurrentOptions();
  return status;
}

int RegisterFilterPolicy(rocksdb::ObjectLibrary& library,
                         const std::string& /*arg*/) {
  using Guard = std::unique_ptr<const rocksdb::FilterPolicy>;
  // The whole prefix is ours, so that a mistyped tail is an error here and not
  // a name RocksDB does not know and silently replaces by "no filter".
  library.AddFactory<const rocksdb::FilterPolicy>(
      rocksdb::ObjectLibrary::PatternEntry(kPolicyName, true)
          .AddSeparator("", false)
          .AnotherName(std::string("{") + kPolicyName),
      [](const std::string& id, Guard* guard, std::string* message) {
        guard->reset(PolicyFromId(id, message));
        return guard->get();
      });
  return 1;
}

}  // namespace sstfilter
