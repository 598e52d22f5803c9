#include "tools/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tools/interrupt.h"
#include "tools/table_check.h"

namespace sstfilter::tools {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenUpdates{200};

std::string Duration(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string ProgressLine(const VerifyTally& tally, uint64_t bytes,
                         double seconds) {
  const auto done = static_cast<double>(tally.bytes.load());
  const auto keys = static_cast<double>(tally.keys.load());
  const double share =
      bytes == 0 ? 1 : std::min(1.0, done / static_cast<double>(bytes));
  std::string line =
      fmt::format("verify: {:.0f} %, {:.2f} million keys/s", 100 * share,
                  keys / std::max(seconds, 1e-3) / 1e6);
  if (share > 0.01) {
    line += fmt::format(", {} left", Duration(seconds / share - seconds));
  }
  return line;
}

// The threads that do the work; the caller's thread shows how far they are.
class Crew {
 public:
  Crew(const VerifyOptions& options, std::vector<TableVerdict>* verdicts)
      : options_(options), verdicts_(*verdicts) {}

  void Run(unsigned threads) {
    for (const TableVerdict& verdict : verdicts_) {
      bytes_ += verdict.table.bytes;
    }
    running_ = threads;
    std::vector<std::thread> crew;
    for (unsigned i = 0; i < threads; ++i) {
      crew.emplace_back([this] { Work(); });
    }
    Watch();
    for (std::thread& worker : crew) worker.join();
  }

 private:
  void Work() {
    for (size_t i = next_++; i < verdicts_.size(); i = next_++) {
      if (!CheckInterrupt().ok()) break;
      try {
        CheckTable(options_, &tally_, &verdicts_[i]);
      } catch (const std::exception& error) {
        verdicts_[i].state = TableVerdict::State::kFailed;
        verdicts_[i].failures.emplace_back(error.what());
      }
    }
    std::lock_guard<std::mutex> lock(mutex_);
    --running_;
    changed_.notify_one();
  }

  void Watch() {
    const Clock::time_point start = Clock::now();
    std::unique_lock<std::mutex> lock(mutex_);
    while (!changed_.wait_for(lock, kBetweenUpdates,
                              [this] { return running_ == 0; })) {
      if (options_.progress == nullptr) continue;
      const std::chrono::duration<double> elapsed = Clock::now() - start;
      *options_.progress << "\r\x1b[K"
                         << ProgressLine(tally_, bytes_, elapsed.count())
                         << std::flush;
      shown_ = true;
    }
    if (shown_) *options_.progress << "\r\x1b[K" << std::flush;
  }

  const VerifyOptions& options_;
  std::vector<TableVerdict>& verdicts_;
  VerifyTally tally_;
  uint64_t bytes_ = 0;
  bool shown_ = false;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;  // guards running_
  std::condition_variable changed_;
  unsigned running_ = 0;
};

}  // namespace

rocksdb::Status VerifyTables(const std::vector<TableFile>& tables,
                             const VerifyOptions& options,
                             std::vector<TableVerdict>* verdicts) {
  verdicts->assign(tables.size(), TableVerdict());
  for (size_t i = 0; i < tables.size(); ++i) (*verdicts)[i].table = tables[i];
  unsigned threads = options.threads != 0
                         ? options.threads
                         : std::max(1U, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(
      std::min<size_t>(threads, std::max<size_t>(1, tables.size())));
  Crew(options, verdicts).Run(threads);
  return CheckInterrupt();
}

}  // namespace sstfilter::tools
