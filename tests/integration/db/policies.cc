#include "policies.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "filter/algorithm.h"
#include "filter/hash.h"
#include "integration/rocksdb_internals.h"
#include "sstfilter/filter_policy.h"

namespace sstfilter::dbtest {

using rocksdb::Slice;
using rocksdb::Status;

namespace {

// The block of a key-keeping filter: the keys one after the other, sorted; the
// offset of each and of their end; their number. Offsets and number in 4 bytes
// of this machine's order, unaligned.
class KeptKeys {
 public:
  explicit KeptKeys(const Slice& block)
      : data_(block.data()),
        count_(block.size() < 4 ? 0 : Load(block.size() - 4)),
        offsets_(block.size() - 4 * (size_t{count_} + 2)) {}

  bool Contains(std::string_view key) const {
    uint32_t low = 0;
    uint32_t high = count_;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      const std::string_view found = At(middle);
      if (found == key) return true;
      if (found < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return false;
  }

 private:
  uint32_t Load(size_t position) const {
    uint32_t value;
    std::memcpy(&value, data_ + position, sizeof(value));
    return value;
  }
  std::string_view At(uint32_t index) const {
    const uint32_t begin = Load(offsets_ + 4 * size_t{index});
    const uint32_t end = Load(offsets_ + 4 * (size_t{index} + 1));
    return {data_ + begin, end - begin};
  }

  const char* data_;
  uint32_t count_;
  size_t offsets_;
};

class KeyKeepingBuilder : public rocksdb::FilterBitsBuilder {
 public:
  void AddKey(const Slice& key) override {
    if (keys_.empty() || Slice(keys_.back()) != key) {
      keys_.push_back(key.ToString());
    }
  }

#if SSTFILTER_BITS_LAYOUT >= 2
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    AddKey(key);
    AddKey(alt);
  }
#endif

  size_t EstimateEntriesAdded() override { return keys_.size(); }

  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    if (keys_.empty()) return Slice();
    std::sort(keys_.begin(), keys_.end());
    std::string block;
    std::vector<uint32_t> tail;
    for (const std::string& key : keys_) {
      tail.push_back(static_cast<uint32_t>(block.size()));
      block += key;
    }
    tail.push_back(static_cast<uint32_t>(block.size()));
    tail.push_back(static_cast<uint32_t>(keys_.size()));
    block.append(reinterpret_cast<const char*>(tail.data()), 4 * tail.size());
    keys_.clear();
    char* bytes = new char[block.size()];
    std::memcpy(bytes, block.data(), block.size());
    buf->reset(bytes);
    return Slice(bytes, block.size());
  }

  // What a filter of 10 bits per key would say, so that partitions are cut at
  // usual places.
  size_t ApproximateNumEntries(size_t bytes) override { return bytes * 8 / 10; }

#if SSTFILTER_BITS_LAYOUT >= 3
  size_t CalculateSpace(size_t num_entries) override {
    return num_entries * 10 / 8;
  }
  double EstimatedFpRate(size_t, size_t) override { return 0; }
#endif

 private:
  std::vector<std::string> keys_;
};

class KeyKeepingReader : public rocksdb::FilterBitsReader {
 public:
  KeyKeepingReader(const Slice& block, double rate)
      : keys_(block), rate_(rate) {}

  using FilterBitsReader::MayMatch;

  bool MayMatch(const Slice& key) override {
    if (rate_ >= 1 || keys_.Contains({key.data(), key.size()})) return true;
    const auto hash = static_cast<double>(HashKey(key.data(), key.size(), 1));
    return hash < rate_ * 18446744073709551616.0;
  }

 private:
  const KeptKeys keys_;
  const double rate_;
};

class KeyKeepingPolicy : public rocksdb::FilterPolicy {
 public:
  explicit KeyKeepingPolicy(double rate) : rate_(rate) {}

  const char* Name() const override { return "sstfilter.test.KeyKeeping"; }
  const char* CompatibilityName() const override { return Name(); }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& /*context*/) const override {
    return new KeyKeepingBuilder;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    return new KeyKeepingReader(contents, rate_);
  }

 private:
  const double rate_;
};

class ObservedBuilder : public rocksdb::FilterBitsBuilder {
 public:
  ObservedBuilder(rocksdb::FilterBitsBuilder* builder,
                  std::shared_ptr<Observations> observations,
                  std::function<void(char*, size_t)> damage)
      : builder_(builder),
        observations_(std::move(observations)),
        damage_(std::move(damage)) {}

  void AddKey(const Slice& key) override {
    ++observations_->keys_added;
    builder_->AddKey(key);
  }
#if SSTFILTER_BITS_LAYOUT >= 2
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    observations_->keys_added += 2;
    builder_->AddKeyAndAlt(key, alt);
  }
#endif
  size_t EstimateEntriesAdded() override {
    return builder_->EstimateEntriesAdded();
  }
  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    return Finished(buf, builder_->Finish(buf));
  }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    return Finished(buf, builder_->Finish(buf, status));
  }
  Status MaybePostVerify(const Slice& filter_content) override {
    return builder_->MaybePostVerify(filter_content);
  }
  size_t ApproximateNumEntries(size_t bytes) override {
    return builder_->ApproximateNumEntries(bytes);
  }
#if SSTFILTER_BITS_LAYOUT >= 3
  size_t CalculateSpace(size_t num_entries) override {
    return builder_->CalculateSpace(num_entries);
  }
  double EstimatedFpRate(size_t num_entries, size_t bytes) override {
    return builder_->EstimatedFpRate(num_entries, bytes);
  }
#endif

 private:
  Slice Finished(std::unique_ptr<const char[]>* buf, const Slice& block) {
    if (!block.empty()) {
      ++observations_->filters_finished;
      observations_->filter_bytes += block.size();
      if (damage_) damage_(const_cast<char*>(buf->get()), block.size());
    }
    return block;
  }

  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder_;
  const std::shared_ptr<Observations> observations_;
  const std::function<void(char*, size_t)> damage_;
};

class ObservedReader : public rocksdb::FilterBitsReader {
 public:
  ObservedReader(rocksdb::FilterBitsReader* reader,
                 std::shared_ptr<Observations> observations)
      : reader_(reader), observations_(std::move(observations)) {}

  bool MayMatch(const Slice& entry) override {
    ++observations_->probes;
    return reader_->MayMatch(entry);
  }

  // As in RocksDB, only the first answer is set when it calls: the others are
  // made the worst they can be.
  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    const auto count = static_cast<uint64_t>(num_keys);
    observations_->probes += count;
    observations_->batch_probes += count;
    uint64_t largest = observations_->largest_batch;
    while (
        largest < count &&
        !observations_->largest_batch.compare_exchange_weak(largest, count)) {
    }
    std::fill(may_match + 1, may_match + num_keys, false);
    reader_->MayMatch(num_keys, keys, may_match);
  }

 private:
  const std::unique_ptr<rocksdb::FilterBitsReader> reader_;
  const std::shared_ptr<Observations> observations_;
};

class ObservedPolicy : public rocksdb::FilterPolicy {
 public:
  ObservedPolicy(PolicyPtr policy, std::shared_ptr<Observations> observations,
                 std::function<void(char*, size_t)> damage)
      : policy_(std::move(policy)),
        observations_(std::move(observations)),
        damage_(std::move(damage)) {}

  const char* Name() const override { return "sstfilter.test.Observed"; }
  const char* CompatibilityName() const override {
    return policy_->CompatibilityName();
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    ++observations_->builders;
    {
      std::lock_guard<std::mutex> lock(observations_->mutex);
      observations_->contexts.push_back(
          {context.level_at_creation, context.num_levels, context.is_bottommost,
           context.column_family_name, context.reason});
    }
    auto* builder = policy_->GetBuilderWithContext(context);
    return builder == nullptr
               ? nullptr
               : new ObservedBuilder(builder, observations_, damage_);
  }

  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    ++observations_->readers;
    const auto address = reinterpret_cast<uintptr_t>(contents.data());
    if (address % 8 != 0) ++observations_->unaligned_blocks;
    if (address % 64 != 0) ++observations_->blocks_across_lines;
    auto* reader = policy_->GetFilterBitsReader(contents);
    return reader == nullptr ? nullptr
                             : new ObservedReader(reader, observations_);
  }

 private:
  const PolicyPtr policy_;
  const std::shared_ptr<Observations> observations_;
  const std::function<void(char*, size_t)> damage_;
};

}  // namespace

PolicyPtr NewKeyKeepingPolicy(double rate) {
  return std::make_shared<const KeyKeepingPolicy>(rate);
}

FilterOptions OptionsOf(FilterKind kind, double bits_per_key) {
  FilterOptions options;
  options.kind = kind;
  options.bits_per_key = bits_per_key;
  options.seed = 0x5eed;
  return options;
}

PolicyPtr NewPolicy(const FilterOptions& options) {
  PolicyPtr policy;
  const Status status = NewFilterPolicy(options, &policy);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return policy;
}

std::ostream& operator<<(std::ostream& out, const PolicyUnderTest& policy) {
  return out << policy.name;
}

std::vector<FilterKind> BuiltKinds() {
  std::vector<FilterKind> kinds = {FilterKind::kBloom,
                                   FilterKind::kStandardBloom};
  if (AlgorithmFor(FilterKind::kParity) != nullptr) {
    kinds.push_back(FilterKind::kParity);
    kinds.push_back(FilterKind::kAuto);
  }
  return kinds;
}

PolicyUnderTest UnderTest(FilterKind kind) {
  return {FilterKindName(kind), 0.02,
          [kind] { return NewPolicy(OptionsOf(kind)); }};
}

std::vector<PolicyUnderTest> OurPolicies() {
  std::vector<PolicyUnderTest> policies;
  for (FilterKind kind : BuiltKinds()) policies.push_back(UnderTest(kind));
  return policies;
}

std::vector<PolicyUnderTest> AllPolicies() {
  std::vector<PolicyUnderTest> policies = OurPolicies();
  policies.push_back(Exact());
  policies.push_back(AlwaysMayMatch());
  policies.push_back(Builtin());
  return policies;
}

PolicyUnderTest Exact() {
  return {"exact", 0, [] { return NewKeyKeepingPolicy(0); }};
}

PolicyUnderTest AlwaysMayMatch() {
  return {"always", 1, [] { return NewKeyKeepingPolicy(1); }};
}

PolicyUnderTest Builtin() {
  return {"builtin", 0.02,
          [] { return PolicyPtr(rocksdb::NewBloomFilterPolicy(10)); }};
}

std::vector<Observations::Context> Observations::Contexts() const {
  std::lock_guard<std::mutex> lock(mutex);
  return contexts;
}

PolicyPtr Observe(PolicyPtr policy, std::shared_ptr<Observations> observations,
                  std::function<void(char*, size_t)> damage) {
  return std::make_shared<const ObservedPolicy>(
      std::move(policy), std::move(observations), std::move(damage));
}

}  // namespace sstfilter::dbtest
