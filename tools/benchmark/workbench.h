// The measuring itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/benchmark/figures.h"
#include "tools/benchmark/hardware_counters.h"
#include "tools/benchmark/settings.h"
#include "tools/benchmark/subject.h"
#include "tools/random.h"

namespace sstfilter::benchmarks {

// The filters of a run, built for one number of keys and key length at a time.
// Every failure (an answer that must not be, memory that is not there) throws
// std::runtime_error: figures of wrong answers are worth nothing.
class Workbench {
 public:
  Workbench(const Settings& settings,
            std::vector<std::unique_ptr<Subject>> subjects);

  size_t filters() const { return subjects_.size(); }
  const std::string& name(size_t filter) const {
    return subjects_[filter]->name();
  }

  // Builds every filter once, over its own keys, for the lookups that follow.
  void Prepare(uint64_t keys, size_t key_length);

  // One round of builds; nanoseconds per key by filter. Fresh keys every time.
  std::vector<double> BuildRound(uint64_t keys, size_t key_length);

  // One round of lookups.
  std::vector<double> LookupRound(QueryMix mix, QueryForm form);
  // Of the lookup rounds since Prepare or the last call; negative where the
  // hardware does not count.
  std::vector<double> TakeStalledShares();

  // Bits per key, false positive rate and, if `with_memory`, peak memory.
  std::vector<FilterFacts> MeasureFacts(bool with_memory);

  const HardwareCounters& counters() const { return counters_; }

 private:
  // The filters in an order that changes from round to round.
  std::vector<size_t> NextOrder();
  KeyUniverse NewUniverse(uint64_t keys, size_t key_length);
  // Nanoseconds per key.
  double Build(Subject* subject, const KeyUniverse& universe);
  // Bytes per key at the peak, beside the filter; negative where the kernel
  // does not tell.
  double BuildMemory(Subject* subject, const KeyUniverse& universe);
  double FreshBuildMemory(Subject* subject, const KeyUniverse& universe);
  double FalsePositiveRate(Subject* subject);
  void CheckAnswers(Subject* subject);

  const Settings settings_;
  std::vector<std::unique_ptr<Subject>> subjects_;
  HardwareCounters counters_;
  std::vector<HardwareCounters::Counts> stalls_;
  tools::Random random_;
  KeySet keys_;
  KeySet warm_up_;
  uint64_t universes_ = 0;
  size_t turn_ = 0;
};

}  // namespace sstfilter::benchmarks
