#include "tools/benchmark/fetch_subject.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "filter/kernel-inl.h"
#include "table/filter_block_reader.h"
#include "tools/benchmark/fence.h"

namespace sstfilter::benchmarks {

using rocksdb::Slice;

namespace {

class FetchSubject final : public Subject {
 public:
  explicit FetchSubject(const SubjectSpec& spec)
      : Subject(spec.name, spec.placement), bits_per_key_(spec.bits_per_key) {}

  void Begin(uint64_t count) override {
    blocks_ = std::max<uint64_t>(
        1, std::llround(static_cast<double>(count) * bits_per_key_ /
                        static_cast<double>(kBlockBits)));
  }

  void Add(const KeySet& /*keys*/) override {}

  uint64_t DryAdd(const KeySet& /*keys*/) const override { return 0; }

  Slice Finish() override {
    block_.assign(blocks_ * kBlockBytes, '\1');
    return block_;
  }

  void Discard() override { std::string().swap(block_); }

  size_t Ask(KeySet* keys, QueryForm form) const override {
    size_t hits = 0;
    if (form == QueryForm::kBatch) {
      for (size_t i = 0; i < keys->size(); i += kBatchKeys) {
        bool results[kBatchKeys];
        ReadBatch(keys->hashes() + i, kBatchKeys, results);
        for (const bool result : results) hits += result ? 1 : 0;
      }
      return hits;
    }
    for (size_t i = 0; i < keys->size(); ++i) {
      hits += Read(keys->hashes()[i]) ? 1 : 0;
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
      ReadBatch(keys->hashes(), keys->size(), results);
      return;
    }
    for (size_t i = 0; i < keys->size(); ++i) {
      results[i] = Read(keys->hashes()[i]);
    }
  }

 protected:
  bool Open(const Slice& block) override {
    view_.payload = block.data();
    view_.slots = block.size() / kBlockBytes;
    return true;
  }

 private:
  // Both ends: the block may lie in two cache lines.
  static bool ReadBlock(const char* block) {
    return (KernelLoad64(block) & KernelLoad64(block + kBlockBytes - 8)) != 0;
  }

  bool Read(uint64_t hash) const {
    return ReadBlock(KernelBlockOf(view_, hash, kBlockBytes));
  }

  void ReadBatch(const uint64_t* hashes, size_t count, bool* results) const {
    KernelBatch(
        view_, kBlockBytes, hashes, count, results,
        [](const char* block, uint64_t /*hash*/) { return ReadBlock(block); });
  }

  const double bits_per_key_;
  uint64_t blocks_ = 1;
  std::string block_;
  FilterView view_;
};

}  // namespace

std::unique_ptr<Subject> MakeFetchSubject(const SubjectSpec& spec) {
  return std::make_unique<FetchSubject>(spec);
}

}  // namespace sstfilter::benchmarks
