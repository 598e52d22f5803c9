#include "tools/benchmark/benchmark.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "filter/cpu.h"
#include "tools/benchmark/arguments.h"
#include "tools/benchmark/report.h"
#include "tools/benchmark/workbench.h"

namespace sstfilter::benchmarks {

namespace {

using benchmark::State;

// Fast builds are repeated within a round until they are long enough to time.
constexpr uint64_t kKeysPerBuildRepeat = 1'000'000;

struct Run {
  Settings settings;
  std::unique_ptr<Workbench> bench;
  std::vector<std::string> names;
  // What the filters are built for now.
  std::pair<uint64_t, size_t> prepared = {0, 0};
  Results results;
  std::string failure;
};

struct Lookup {
  const char* measure;
  QueryMix mix;
  QueryForm form;
  bool in_curve;
};

constexpr Lookup kLookups[] = {
    {"absent", QueryMix::kAbsent, QueryForm::kSingle, true},
    {"present", QueryMix::kPresent, QueryForm::kSingle, true},
    {"half", QueryMix::kHalf, QueryForm::kSingle, false},
    {"batch absent", QueryMix::kAbsent, QueryForm::kBatch, true},
    {"batch present", QueryMix::kPresent, QueryForm::kBatch, false},
    {"batch half", QueryMix::kHalf, QueryForm::kBatch, false}};

std::pair<uint64_t, size_t> CaseOf(const State& state) {
  return {static_cast<uint64_t>(state.range(0)),
          static_cast<size_t>(state.range(1))};
}

// Times the rounds of all repeats, one repeat per iteration, and keeps the
// figures both here and as counters of the benchmark.
template <typename Round>
void Measure(Run* run, State* state, const std::string& measure,
             uint64_t rounds, const Round& round) {
  Rounds times(run->names.size());
  for (auto unused : *state) {
    (void)unused;
    double reference = 0;
    for (uint64_t i = 0; i < rounds; ++i) {
      const std::vector<double> nanoseconds = round();
      times.AddRound(nanoseconds);
      reference += nanoseconds[0];
    }
    times.EndRepeat();
    state->SetIterationTime(std::max(0.0, reference) * 1e-9 /
                            static_cast<double>(rounds));
  }
  const std::vector<double> stalled = run->bench->TakeStalledShares();
  std::vector<Figure>& figures = run->results[CaseOf(*state)].figures[measure];
  for (size_t i = 0; i < run->names.size(); ++i) {
    figures.push_back(times.FigureOf(i));
    Figure& figure = figures.back();
    figure.stalled_share = stalled[i];
    const std::string& name = run->names[i];
    state->counters[name + " ns"] = figure.nanoseconds;
    state->counters[name + " ratio"] = figure.ratio;
    state->counters[name + " lowest"] = figure.lowest_ratio;
    state->counters[name + " highest"] = figure.highest_ratio;
  }
}

void Prepare(Run* run, const State& state) {
  const auto wanted = CaseOf(state);
  if (run->prepared == wanted) return;
  run->bench->Prepare(wanted.first, wanted.second);
  run->prepared = wanted;
}

void MeasureBuild(Run* run, State* state) {
  // So that the first build that is timed finds memory as the others do.
  Prepare(run, *state);
  const auto [keys, length] = CaseOf(*state);
  const uint64_t rounds =
      std::clamp<uint64_t>(kKeysPerBuildRepeat / keys, 1, run->settings.rounds);
  Measure(run, state, "build", rounds, [&, keys = keys, length = length] {
    return run->bench->BuildRound(keys, length);
  });
}

void MeasureLookups(Run* run, State* state, const Lookup& lookup) {
  Prepare(run, *state);
  Measure(run, state, lookup.measure, run->settings.rounds,
          [&] { return run->bench->LookupRound(lookup.mix, lookup.form); });
}

void MeasureFacts(Run* run, State* state) {
  Prepare(run, *state);
  std::vector<FilterFacts>& facts = run->results[CaseOf(*state)].facts;
  for (auto unused : *state) {
    (void)unused;
    facts = run->bench->MeasureFacts(!run->settings.curve);
    state->SetIterationTime(1e-9);
  }
  for (size_t i = 0; i < facts.size(); ++i) {
    const std::string& name = run->names[i];
    state->counters[name + " bytes per key"] = facts[i].bits_per_key / 8;
    state->counters[name + " false positive rate"] =
        facts[i].false_positive_rate;
    state->counters[name + " build bytes per key"] = facts[i].build_memory;
  }
}

// After a failure nothing else is measured.
template <typename Function>
void Register(Run* run, const std::string& measure, uint64_t keys,
              uint64_t length, uint64_t iterations, const Function& function) {
  const auto guarded = [run, function](State& state) {
    if (run->failure.empty()) {
      try {
        function(run, &state);
        return;
      } catch (const std::exception& error) {
        run->failure = error.what();
      }
    }
    state.SkipWithError(run->failure.c_str());
  };
  benchmark::RegisterBenchmark(measure.c_str(), guarded)
      ->ArgNames({"keys", "length"})
      ->Args({static_cast<int64_t>(keys), static_cast<int64_t>(length)})
      ->Iterations(static_cast<int64_t>(iterations))
      ->UseManualTime();
}

void RegisterAll(Run* run) {
  for (const uint64_t keys : run->settings.keys) {
    for (const uint64_t length : run->settings.lengths) {
      // Very large builds take long enough to be timed once or twice.
      const uint64_t repeats =
          keys > 20'000'000 ? std::min<uint64_t>(2, run->settings.repeats)
                            : run->settings.repeats;
      Register(run, "build", keys, length, repeats, MeasureBuild);
      for (const Lookup& lookup : kLookups) {
        if (run->settings.curve && !lookup.in_curve) continue;
        Register(run, lookup.measure, keys, length, run->settings.repeats,
                 [&lookup](Run* r, State* state) {
                   MeasureLookups(r, state, lookup);
                 });
      }
      Register(run, "facts", keys, length, 1, MeasureFacts);
    }
  }
}

// One line per benchmark, for who waits.
class ProgressReporter final : public benchmark::BenchmarkReporter {
 public:
  explicit ProgressReporter(std::ostream* out) : out_(out) {}

  bool ReportContext(const Context& /*context*/) override { return true; }

  void ReportRuns(
      const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
    for (const auto& run : runs) {
      *out_ << run.benchmark_name()
            << (run.error_occurred ? ": " + run.error_message : "") << "\n";
    }
    out_->flush();
  }

 private:
  std::ostream* const out_;
};

// False and a message if a filter cannot be measured.
bool MakeSubjects(Settings* settings,
                  std::vector<std::unique_ptr<Subject>>* subjects,
                  std::string* error) {
  if (!CheckCpuOverride(error)) return false;
  if (settings->core) {
    const std::vector<std::string> kernels = KernelSubjectNames();
    settings->filters.insert(settings->filters.end(), kernels.begin(),
                             kernels.end());
  }
  SubjectSpec defaults;
  defaults.bits_per_key = settings->bits_per_key;
  defaults.placement = settings->placement;
  for (const std::string& name : settings->filters) {
    subjects->push_back(MakeSubject(name, defaults, error));
    if (subjects->back() == nullptr) return false;
  }
  return true;
}

void WarnIfUnoptimised(std::ostream& err) {
#if !defined(__OPTIMIZE__) || !defined(NDEBUG)
  err << "WARNING: built without optimisation or with assertions; times mean "
         "nothing\n";
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  err << "WARNING: built with a sanitizer; times mean nothing\n";
#endif
  (void)err;
}

bool IsComplete(const Results& results) {
  return std::all_of(results.begin(), results.end(), [](const auto& entry) {
    return !entry.second.facts.empty();
  });
}

}  // namespace

int RunBenchmark(int argc, const char* const* argv, std::ostream& out,
                 std::ostream& err) {
  // Google Benchmark takes its own options out of the array.
  std::vector<char*> arguments;
  for (int i = 0; i < argc; ++i) {
    arguments.push_back(const_cast<char*>(argv[i]));
  }
  arguments.push_back(nullptr);
  benchmark::Initialize(&argc, arguments.data());

  Run run;
  switch (ParseArguments(argc, arguments.data(), &run.settings, out, err)) {
    case ArgumentsOutcome::kRun:
      break;
    case ArgumentsOutcome::kHelp:
      return 0;
    case ArgumentsOutcome::kError:
      return 2;
  }
  std::vector<std::unique_ptr<Subject>> subjects;
  std::string error;
  if (!MakeSubjects(&run.settings, &subjects, &error)) {
    err << "sstfilter_bench: " << error << "\n";
    return 2;
  }
  run.names = run.settings.filters;
  run.bench = std::make_unique<Workbench>(run.settings, std::move(subjects));

  WarnIfUnoptimised(err);
  err << MachineLine() << "\n";
  // Once: Google Benchmark's context belongs to the process.
  [[maybe_unused]] static const bool added = [] {
    benchmark::AddCustomContext("machine", MachineLine());
    return true;
  }();
  RegisterAll(&run);
  ProgressReporter progress(&err);
  benchmark::RunSpecifiedBenchmarks(&progress);
  benchmark::ClearRegisteredBenchmarks();
  if (!run.failure.empty()) return 1;

  out << MachineLine() << "\n\n" << MethodText(run.settings);
  if (run.settings.curve) {
    PrintCurve(run.results, run.names, run.bench->counters().reason(), out);
  } else if (IsComplete(run.results)) {
    PrintTables(run.results, run.names, out);
  } else {
    out << "\nNo table: --benchmark_filter left out the facts.\n";
  }
  return 0;
}

}  // namespace sstfilter::benchmarks
