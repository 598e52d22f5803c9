#include "tools/benchmark/workbench.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tools/benchmark/malloc_memory.h"
#include "tools/benchmark/peak_memory.h"
#include "tools/benchmark/stopwatch.h"

namespace sstfilter::benchmarks {

namespace {

// Nanoseconds that `work` takes; what it returns is taken as used.
template <typename Work>
double Time(const Work& work) {
  const int64_t start = ThreadNanoseconds();
  auto result = work();
  benchmark::DoNotOptimize(result);
  benchmark::ClobberMemory();
  return static_cast<double>(ThreadNanoseconds() - start);
}

}  // namespace

Workbench::Workbench(const Settings& settings,
                     std::vector<std::unique_ptr<Subject>> subjects)
    : settings_(settings),
      subjects_(std::move(subjects)),
      stalls_(subjects_.size()),
      random_(1) {
  KeepFreedMemory(!settings_.fresh_memory);
}

std::vector<size_t> Workbench::NextOrder() {
  std::vector<size_t> order(subjects_.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = (turn_ + i) % order.size();
  }
  ++turn_;
  return order;
}

KeyUniverse Workbench::NewUniverse(uint64_t keys, size_t key_length) {
  KeyUniverse universe;
  universe.id = ++universes_;
  universe.count = keys;
  universe.key_length = key_length;
  return universe;
}

double Workbench::Build(Subject* subject, const KeyUniverse& universe) {
  if (settings_.fresh_memory) ReturnFreedMemory();
  subject->Begin(universe.count);
  double nanoseconds = 0;
  const size_t chunk = KeySet::CapacityFor(universe.key_length);
  for (uint64_t first = 0; first < universe.count; first += chunk) {
    keys_.FillInOrder(universe, first,
                      std::min<uint64_t>(chunk, universe.count - first));
    nanoseconds -= Time([&] { return subject->DryAdd(keys_); });
    nanoseconds += Time([&] {
      subject->Add(keys_);
      return 0;
    });
  }
  nanoseconds += Time([&] { return subject->Finish().size(); });
  return nanoseconds / static_cast<double>(universe.count);
}

void Workbench::Prepare(uint64_t keys, size_t key_length) {
  for (const auto& subject : subjects_) {
    subject->universe = NewUniverse(keys, key_length);
    Build(subject.get(), subject->universe);
    if (!subject->Place()) {
      throw std::runtime_error(
          subject->name() + ": no filter, or no memory of the kind asked for");
    }
    CheckAnswers(subject.get());
  }
  stalls_.assign(subjects_.size(), {});
}

std::vector<double> Workbench::BuildRound(uint64_t keys, size_t key_length) {
  std::vector<double> nanoseconds(subjects_.size());
  for (const size_t i : NextOrder()) {
    nanoseconds[i] = Build(subjects_[i].get(), NewUniverse(keys, key_length));
    subjects_[i]->Discard();
  }
  return nanoseconds;
}

// Single and batched answers agree, and no key of the filter is missed.
void Workbench::CheckAnswers(Subject* subject) {
  const KeyUniverse& universe = subject->universe;
  const size_t count = KeySet::CapacityFor(universe.key_length);
  const auto single = std::make_unique<bool[]>(count);
  const auto batched = std::make_unique<bool[]>(count);
  keys_.FillAtRandom(universe, QueryMix::kHalf, count, &random_);
  subject->Answer(&keys_, QueryForm::kSingle, single.get());
  subject->Answer(&keys_, QueryForm::kBatch, batched.get());
  for (size_t i = 0; i < count; ++i) {
    if (single[i] != batched[i] || (keys_.is_present(i) && !single[i])) {
      throw std::runtime_error(subject->name() + ": wrong answer");
    }
  }
}

std::vector<double> Workbench::LookupRound(QueryMix mix, QueryForm form) {
  if (form == QueryForm::kSingle && settings_.fenced) {
    form = QueryForm::kFenced;
  }
  std::vector<double> nanoseconds(subjects_.size());
  for (const size_t i : NextOrder()) {
    Subject* const subject = subjects_[i].get();
    const KeyUniverse& universe = subject->universe;
    const size_t count = KeySet::CapacityFor(universe.key_length);
    // Other keys than the timed ones: the branch predictor has to meet the
    // mix, not the answers.
    warm_up_.FillAtRandom(universe, mix, count, &random_);
    keys_.FillAtRandom(universe, mix, count, &random_);
    const double dry = Time([&] { return subject->DryAsk(keys_, form); });
    benchmark::DoNotOptimize(subject->Ask(&warm_up_, form));
    size_t hits = 0;
    const HardwareCounters::Counts before = counters_.Read();
    const double gross =
        Time([&] { return hits = subject->Ask(&keys_, form); });
    const HardwareCounters::Counts after = counters_.Read();
    if (hits < keys_.present()) {
      throw std::runtime_error(subject->name() + ": missed a key");
    }
    nanoseconds[i] = (gross - dry) / static_cast<double>(count);
    stalls_[i].cycles += after.cycles - before.cycles;
    stalls_[i].stalled += after.stalled - before.stalled;
  }
  return nanoseconds;
}

std::vector<double> Workbench::TakeStalledShares() {
  std::vector<double> shares;
  for (HardwareCounters::Counts& counts : stalls_) {
    shares.push_back(counts.cycles == 0
                         ? -1
                         : static_cast<double>(counts.stalled) /
                               static_cast<double>(counts.cycles));
    counts = {};
  }
  return shares;
}

double Workbench::FalsePositiveRate(Subject* subject) {
  const KeyUniverse& universe = subject->universe;
  const size_t count = KeySet::CapacityFor(universe.key_length);
  uint64_t asked = 0;
  uint64_t passed = 0;
  while (asked < settings_.rate_queries) {
    keys_.FillAtRandom(universe, QueryMix::kAbsent, count, &random_);
    passed += subject->Ask(&keys_, QueryForm::kBatch);
    asked += count;
  }
  return static_cast<double>(passed) / static_cast<double>(asked);
}

double Workbench::BuildMemory(Subject* subject, const KeyUniverse& universe) {
  // Memory that the process has kept would not be seen when it is used again.
  KeepFreedMemory(false);
  const double bytes = FreshBuildMemory(subject, universe);
  KeepFreedMemory(!settings_.fresh_memory);
  return bytes;
}

double Workbench::FreshBuildMemory(Subject* subject,
                                   const KeyUniverse& universe) {
  // The buffer of keys is ours, not the filter's: at its full size before.
  keys_.FillInOrder(universe, 0, KeySet::CapacityFor(universe.key_length));
  ReturnFreedMemory();
  PeakMemory peak;
  if (!peak.Start()) return -1;
  Build(subject, universe);
  const uint64_t block_bytes = subject->Finish().size();
  const uint64_t bytes = peak.Bytes();
  subject->Discard();
  return bytes < block_bytes ? 0
                             : static_cast<double>(bytes - block_bytes) /
                                   static_cast<double>(universe.count);
}

std::vector<FilterFacts> Workbench::MeasureFacts(bool with_memory) {
  std::vector<FilterFacts> facts;
  for (const auto& subject : subjects_) {
    KeyUniverse universe = subject->universe;
    FilterFacts fact;
    fact.bits_per_key = static_cast<double>(subject->block_bytes()) * 8 /
                        static_cast<double>(universe.count);
    fact.false_positive_rate = FalsePositiveRate(subject.get());
    if (with_memory) {
      universe.count = std::max(universe.count, settings_.memory_keys);
      fact.build_memory = BuildMemory(subject.get(), universe);
    }
    facts.push_back(fact);
  }
  return facts;
}

}  // namespace sstfilter::benchmarks
