#include "sstfilter/check.h"

#include <rocksdb/comparator.h>
#include <rocksdb/table.h>

#include <string>

#include "integration/policy.h"

namespace sstfilter {

using rocksdb::Status;

namespace {

Status Refuse(const std::string& reason, const std::string& detail = "") {
  return detail.empty()
             ? Status::InvalidArgument("sstfilter: " + reason)
             : Status::InvalidArgument("sstfilter: " + reason, detail);
}

Status FindPolicy(const rocksdb::ColumnFamilyOptions& options,
                  const Policy** policy) {
  if (options.table_factory == nullptr) return Refuse("no table factory");
  const auto* table_options =
      options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table_options == nullptr) {
    return Refuse("tables of this format have no filter policy",
                  options.table_factory->Name());
  }
  const rocksdb::FilterPolicy* found = table_options->filter_policy.get();
  if (found == nullptr) {
    return Refuse(
        "no filter policy is set",
        "an option string that RocksDB could not resolve also ends here: call "
        "sstfilter::RegisterFilterPolicy before loading options");
  }
  *policy = AsPolicy(found);
  if (*policy == nullptr) {
    return Refuse("the filter policy is another one", found->Name());
  }
  return (*policy)->error();
}

// RocksDB's comparators with timestamps keep the cautious default although they
// compare the bytes before the timestamp, which is all that filters see.
bool IsBytewiseWithTimestamp(const rocksdb::Comparator& comparator) {
  const std::string name = comparator.Name();
  return name == "leveldb.BytewiseComparator.u64ts" ||
         name == "rocksdb.ReverseBytewiseComparator.u64ts";
}

Status CheckComparator(const rocksdb::Comparator* comparator,
                       const FilterOptions& options) {
  if (comparator == nullptr || options.key_transform != nullptr ||
      !comparator->CanKeysWithDifferentByteContentsBeEqual() ||
      IsBytewiseWithTimestamp(*comparator)) {
    return Status::OK();
  }
  return Refuse(
      std::string("comparator ") + comparator->Name() +
          " may call different bytes equal, and a filter would lose such keys",
      "set key_transform; or, if the comparator tells all different keys "
      "apart, "
      "override CanKeysWithDifferentByteContentsBeEqual or set "
      "comparator_tells_bytes_apart");
}

}  // namespace

Status CheckFilterPolicy(const rocksdb::ColumnFamilyOptions& options,
                         const FilterExpectation& expectation) {
  const Policy* policy = nullptr;
  Status status = FindPolicy(options, &policy);
  if (!status.ok()) return status;
  const FilterOptions actual = policy->CurrentOptions();
  if (expectation.options.has_value() && *expectation.options != actual) {
    return Refuse("the filter policy has other options than expected",
                  "expected " + FilterOptionsToString(*expectation.options) +
                      ", found " + FilterOptionsToString(actual));
  }
  if (expectation.comparator_tells_bytes_apart) return status;
  return CheckComparator(options.comparator, actual);
}

Status CheckFilterPolicy(
    const std::vector<rocksdb::ColumnFamilyDescriptor>& column_families,
    const FilterExpectation& expectation) {
  for (const auto& family : column_families) {
    const Status status = CheckFilterPolicy(family.options, expectation);
    if (!status.ok()) {
      return Status::InvalidArgument("column family " + family.name,
                                     status.getState());
    }
  }
  return Status::OK();
}

}  // namespace sstfilter
