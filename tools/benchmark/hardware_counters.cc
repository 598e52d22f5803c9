#include "tools/benchmark/hardware_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sstfilter::benchmarks {

namespace {

int OpenCounter(uint64_t event) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
                                  PERF_FLAG_FD_CLOEXEC));
}

uint64_t ReadCounter(int descriptor) {
  uint64_t value = 0;
  return read(descriptor, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

}  // namespace

HardwareCounters::HardwareCounters() {
  cycles_ = OpenCounter(PERF_COUNT_HW_CPU_CYCLES);
  if (cycles_ < 0) {
    reason_ = std::string("cycles: ") + std::strerror(errno);
    return;
  }
  stalled_ = OpenCounter(PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
  if (stalled_ < 0) {
    reason_ = std::string("stalled-cycles-backend: ") + std::strerror(errno);
  }
}

HardwareCounters::~HardwareCounters() {
  if (cycles_ >= 0) close(cycles_);
  if (stalled_ >= 0) close(stalled_);
}

HardwareCounters::Counts HardwareCounters::Read() const {
  if (!available()) return {};
  return {ReadCounter(cycles_), ReadCounter(stalled_)};
}

}  // namespace sstfilter::benchmarks
