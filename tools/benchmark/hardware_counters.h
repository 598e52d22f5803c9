// The CPU's own account of time spent waiting.
#pragma once

#include <cstdint>
#include <string>

namespace sstfilter::benchmarks {

// Counts this thread's cycles and those in which the back end stalled: with
// lookups, waiting for memory. What `perf stat -e
// cycles,stalled-cycles-backend` shows, but of the timed loops alone. Virtual
// machines often have no counters.
class HardwareCounters {
 public:
  HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;
  ~HardwareCounters();

  // Whether both counters are there; `reason` says why not.
  bool available() const { return cycles_ >= 0 && stalled_ >= 0; }
  const std::string& reason() const { return reason_; }

  struct Counts {
    uint64_t cycles = 0;
    uint64_t stalled = 0;
  };
  // Since construction. Zeros when not available.
  Counts Read() const;

 private:
  int cycles_ = -1;
  int stalled_ = -1;
  std::string reason_;
};

}  // namespace sstfilter::benchmarks
