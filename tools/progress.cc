#include "tools/progress.h"

#include <fmt/format.h>

#include <utility>

namespace sstfilter::tools {

namespace {

constexpr std::chrono::milliseconds kBetweenUpdates{200};
// Asking for the time costs more than most steps do.
constexpr uint64_t kStepsBetweenLooks = 256;

}  // namespace

void Progress::Begin(std::string what, uint64_t steps) {
  what_ = std::move(what);
  steps_ = steps;
  done_ = 0;
  if (out_ != nullptr) Show();
}

void Progress::Step() {
  ++done_;
  if (out_ == nullptr || done_ % kStepsBetweenLooks != 0) return;
  if (std::chrono::steady_clock::now() >= next_) Show();
}

void Progress::Show() {
  const double percent = steps_ == 0 ? 100.0
                                     : 100.0 * static_cast<double>(done_) /
                                           static_cast<double>(steps_);
  *out_ << fmt::format("\r\x1b[K{}: {:.0f} %", what_, percent) << std::flush;
  shown_ = true;
  next_ = std::chrono::steady_clock::now() + kBetweenUpdates;
}

void Progress::Clear() {
  if (shown_) *out_ << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace sstfilter::tools
