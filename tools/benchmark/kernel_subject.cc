#include "tools/benchmark/kernel_subject.h"

#include <vector>

#include "table/filter_block_reader.h"
#include "tools/benchmark/fence.h"

namespace sstfilter::benchmarks {

using rocksdb::Slice;

namespace {

class KernelSubject final : public Subject {
 public:
  KernelSubject(const SubjectSpec& spec, const FilterAlgorithm& algorithm,
                const FilterKernel& kernel)
      : Subject(spec.name, spec.placement),
        algorithm_(algorithm),
        kernel_(kernel),
        bits_per_key_(spec.bits_per_key) {}

  void Begin(uint64_t count) override {
    Discard();
    shape_ = algorithm_.shape_for(count, bits_per_key_);
    hashes_.reserve(count);
  }

  void Add(const KeySet& keys) override {
    hashes_.insert(hashes_.end(), keys.hashes(), keys.hashes() + keys.size());
  }

  uint64_t DryAdd(const KeySet& keys) const override {
    return keys.FetchHashes([] {});
  }

  Slice Finish() override {
    if (payload_.empty()) {
      payload_.resize(shape_.payload_bytes);
      kernel_.build(shape_, hashes_.data(), hashes_.size(), payload_.data());
    }
    return Slice(payload_.data(), payload_.size());
  }

  void Discard() override {
    // Assigning {} would keep the memory.
    std::vector<uint64_t>().swap(hashes_);
    std::vector<char>().swap(payload_);
  }

  size_t Ask(KeySet* keys, QueryForm form) const override {
    const uint64_t* const hashes = keys->hashes();
    size_t hits = 0;
    if (form == QueryForm::kBatch) {
      for (size_t i = 0; i < keys->size(); i += kBatchKeys) {
        bool results[kBatchKeys];
        kernel_.may_match_batch(view_, hashes + i, kBatchKeys, results);
        for (const bool result : results) hits += result ? 1 : 0;
      }
      return hits;
    }
    for (size_t i = 0; i < keys->size(); ++i) {
      hits += kernel_.may_match(view_, hashes[i]) ? 1 : 0;
      if (form == QueryForm::kFenced) Fence();
    }
    return hits;
  }

  uint64_t DryAsk(const KeySet& keys, QueryForm form) const override {
    return form == QueryForm::kFenced ? keys.FetchHashes(Fence)
                                      : keys.FetchHashes([] {});
  }

  void Answer(KeySet* keys, QueryForm form, bool* results) const override {
    if (form == QueryForm::kBatch) {
      kernel_.may_match_batch(view_, keys->hashes(), keys->size(), results);
      return;
    }
    for (size_t i = 0; i < keys->size(); ++i) {
      results[i] = kernel_.may_match(view_, keys->hashes()[i]);
    }
  }

 protected:
  bool Open(const Slice& block) override {
    view_ = MakeFilterView(algorithm_, shape_, block.data());
    return true;
  }

 private:
  const FilterAlgorithm& algorithm_;
  const FilterKernel& kernel_;
  const double bits_per_key_;
  FilterShape shape_;
  std::vector<uint64_t> hashes_;
  std::vector<char> payload_;
  FilterView view_;
};

}  // namespace

std::unique_ptr<Subject> MakeKernelSubject(const SubjectSpec& spec,
                                           const FilterAlgorithm& algorithm,
                                           const FilterKernel& kernel) {
  return std::make_unique<KernelSubject>(spec, algorithm, kernel);
}

}  // namespace sstfilter::benchmarks
