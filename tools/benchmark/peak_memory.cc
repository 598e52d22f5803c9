#include "tools/benchmark/peak_memory.h"

#include <fstream>
#include <sstream>
#include <string>

namespace sstfilter::benchmarks {

namespace {

// A line "name:   123 kB" of the process's status, in bytes; 0 if there is
// none.
uint64_t StatusBytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.compare(0, name.size() + 1, name + ":") != 0) continue;
    std::istringstream fields(line.substr(name.size() + 1));
    uint64_t kilobytes = 0;
    fields >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

bool PeakMemory::Start() {
  std::ofstream refs("/proc/self/clear_refs");
  // 5: set the peak to what is resident now (proc(5)).
  refs << "5" << std::flush;
  start_ = StatusBytes("VmRSS");
  return static_cast<bool>(refs) && start_ != 0;
}

uint64_t PeakMemory::Bytes() const {
  const uint64_t peak = StatusBytes("VmHWM");
  return peak > start_ ? peak - start_ : 0;
}

}  // namespace sstfilter::benchmarks
