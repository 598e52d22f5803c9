// The FilterPolicy itself.
#pragma once

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "integration/filter_counters.h"
#include "integration/table_plan.h"
#include "sstfilter/options.h"

namespace sstfilter {

class Policy final : public rocksdb::FilterPolicy {
 public:
  // With valid options.
  explicit Policy(const FilterOptions& options);

  // A policy that stands for an option string that could not be read. It builds
  // no filters and ValidateOptions fails with `error`, so that DB::Open refuses
  // it: RocksDB drops the error of the string itself on several ways.
  explicit Policy(const rocksdb::Status& error);

  ~Policy() override;

  const char* Name() const override;
  const char* CompatibilityName() const override;

  // Null when the plan for the table says: no filter.
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override;

  // Our own blocks, and those of the built-in family through RocksDB's own
  // reader. Null, "may match", for everything else, and for
  // blocks too short to be a filter.
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& contents) const override;

  // What RocksDB knows the class by. With the version: a process may hold two
  // copies of this library, and a policy of another release is not ours to
  // cast to.
  static const char* kClassName();
  bool IsInstanceOf(const std::string& name) const override;

  // What the policy was made from or last changed to. Thread-safe, as are all
  // members below.
  FilterOptions CurrentOptions() const;
  // For tables built from now on. With valid options; InvalidArgument if the
  // key transform would change.
  rocksdb::Status ChangeOptions(const FilterOptions& options) const;
  // Takes over the fields that `text` names. For policies that are not yet
  // shared. If that fails, the policy stands for an unreadable option string
  // from then on.
  rocksdb::Status ApplyText(const std::string& text);
  // OK, or why the option string could not be read.
  rocksdb::Status error() const;
  const FilterCounters& counters() const { return *counters_; }
  // Tells the policies of this process apart; from 1.
  uint64_t number() const { return number_; }

  // --- rocksdb::Customizable ---
  std::string GetPrintableOptions() const override;
  rocksdb::Status ValidateOptions(
      const rocksdb::DBOptions& db_options,
      const rocksdb::ColumnFamilyOptions& cf_options) const override;
  bool AreEquivalent(const rocksdb::ConfigOptions& config_options,
                     const rocksdb::Configurable* other,
                     std::string* mismatch) const override;

 protected:
  rocksdb::Status ConfigureOptions(
      const rocksdb::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& fields,
      std::unordered_map<std::string, std::string>* unused) override;
  std::string SerializeOptions(const rocksdb::ConfigOptions& config_options,
                               const std::string& header) const override;

 private:
  void Configure(const FilterOptions& options);

  // RocksDB hands the policy around as const; options change under the mutex.
  mutable std::mutex mutex_;
  mutable FilterOptions options_;
  rocksdb::Status error_;
  // Of the trees, not of the options: stays when those change. Has its own
  // lock.
  mutable TreeHistory history_;
  // Of options_, set before the policy is shared and never changed after: what
  // making a reader needs, without a lock.
  std::shared_ptr<const KeyTransform> key_transform_;
  uint32_t key_transform_id_ = 0;
  std::string compatibility_name_;
  const uint64_t number_;
  const std::shared_ptr<FilterCounters> counters_;
  const std::shared_ptr<const rocksdb::FilterPolicy> builtin_;
};

// `policy` as one of ours, or null.
const Policy* AsPolicy(const rocksdb::FilterPolicy* policy);

}  // namespace sstfilter
