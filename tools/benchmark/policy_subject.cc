#include "tools/benchmark/policy_subject.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <utility>

#include "integration/rocksdb_internals.h"
#include "sstfilter/filter_policy.h"
#include "table/filter_block_reader.h"
#include "tools/benchmark/fence.h"

namespace sstfilter::benchmarks {

using rocksdb::Slice;

namespace {

// As little as can be around what is measured: local variables, because members
// would be read again after each call.
template <typename Visit>
void ForEach(const KeySet& keys, Visit visit) {
  const size_t length = keys.key_length();
  const char* const end = keys.key(keys.size());
  for (const char* key = keys.key(0); key != end; key += length) {
    visit(Slice(key, length));
  }
}

class PolicySubject final : public Subject {
 public:
  PolicySubject(const SubjectSpec& spec,
                std::shared_ptr<const rocksdb::FilterPolicy> policy)
      : Subject(spec.name, spec.placement), policy_(std::move(policy)) {}

  void Begin(uint64_t /*count*/) override {
    Discard();
    const rocksdb::BlockBasedTableOptions table_options;
    const rocksdb::FilterBuildingContext context(table_options);
    builder_.reset(policy_->GetBuilderWithContext(context));
  }

  void Add(const KeySet& keys) override {
    ForEach(keys, [builder = builder_.get()](const Slice& key) {
      builder->AddKey(key);
    });
  }

  uint64_t DryAdd(const KeySet& keys) const override {
    return keys.Fetch([] {});
  }

  Slice Finish() override {
    if (buffer_ == nullptr) finished_ = builder_->Finish(&buffer_);
    return finished_;
  }

  void Discard() override {
    builder_.reset();
    buffer_.reset();
  }

  size_t Ask(KeySet* keys, QueryForm form) const override {
    switch (form) {
      case QueryForm::kSingle:
        return AskSingly(*keys, [] {});
      case QueryForm::kFenced:
        return AskSingly(*keys, Fence);
      case QueryForm::kBatch:
        return AskInBatches(keys);
    }
    return 0;
  }

  uint64_t DryAsk(const KeySet& keys, QueryForm form) const override {
    switch (form) {
      case QueryForm::kSingle:
        return keys.Fetch([] {});
      case QueryForm::kFenced:
        return keys.Fetch(Fence);
      case QueryForm::kBatch:
        return keys.FetchPointers();
    }
    return 0;
  }

  void Answer(KeySet* keys, QueryForm form, bool* results) const override {
    if (form == QueryForm::kBatch) {
      for (size_t i = 0; i < keys->size(); i += kBatchKeys) {
        reader_->MayMatch(static_cast<int>(kBatchKeys), keys->pointers(i),
                          results + i);
      }
      return;
    }
    for (size_t i = 0; i < keys->size(); ++i) {
      results[i] = reader_->MayMatch(Slice(keys->key(i), keys->key_length()));
    }
  }

 protected:
  bool Open(const Slice& block) override {
    reader_.reset(policy_->GetFilterBitsReader(block));
    return reader_ != nullptr;
  }

 private:
  template <typename Between>
  size_t AskSingly(const KeySet& keys, const Between& between) const {
    size_t hits = 0;
    ForEach(keys, [&hits, &between, reader = reader_.get()](const Slice& key) {
      hits += static_cast<size_t>(reader->MayMatch(key));
      between();
    });
    return hits;
  }

  size_t AskInBatches(KeySet* keys) const {
    size_t hits = 0;
    for (size_t i = 0; i < keys->size(); i += kBatchKeys) {
      bool results[kBatchKeys];
      reader_->MayMatch(static_cast<int>(kBatchKeys), keys->pointers(i),
                        results);
      for (const bool result : results) hits += result ? 1 : 0;
    }
    return hits;
  }

  const std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder_;
  std::unique_ptr<const char[]> buffer_;
  Slice finished_;
  std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

}  // namespace

std::unique_ptr<Subject> MakePolicySubject(const SubjectSpec& spec,
                                           std::string* error) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  FilterOptions options;
  if (spec.kind == "rocksdb-bloom") {
    policy.reset(rocksdb::NewBloomFilterPolicy(spec.bits_per_key));
  } else if (spec.kind == "rocksdb-ribbon") {
    // -1: on every level, in place of Bloom filters for flushes.
    policy.reset(rocksdb::NewRibbonFilterPolicy(spec.bits_per_key, -1));
  } else if (ParseFilterKind(spec.kind, &options.kind)) {
    options.bits_per_key = spec.bits_per_key;
    const rocksdb::Status status = NewFilterPolicy(options, &policy);
    if (!status.ok()) {
      *error = status.ToString();
      return nullptr;
    }
  } else {
    *error = "no such filter: " + spec.name;
    return nullptr;
  }
  return std::make_unique<PolicySubject>(spec, std::move(policy));
}

}  // namespace sstfilter::benchmarks
