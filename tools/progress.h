// The one line that says how far long work has come.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

namespace sstfilter::tools {

class Progress {
 public:
  // Writes to `out` over and over on the same line; null for nothing at all (no
  // terminal).
  explicit Progress(std::ostream* out) : out_(out) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A new piece of work: what it is and how many steps it has.
  void Begin(std::string what, uint64_t steps);

  // One more step is done. Shown a few times per second at most.
  void Step();

  // Removes the line.
  void Clear();

 private:
  void Show();

  std::ostream* const out_;
  std::string what_;
  uint64_t steps_ = 0;
  uint64_t done_ = 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace sstfilter::tools
