#include "tools/interrupt.h"

#include <atomic>
#include <csignal>

namespace sstfilter::tools {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may not lock");

void OnSignal(int) { interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

void InstallInterruptHandler() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a read of keys from a terminal must end too.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

rocksdb::Status CheckInterrupt() {
  return interrupted.load(std::memory_order_relaxed)
             ? rocksdb::Status::Aborted("interrupted")
             : rocksdb::Status::OK();
}

}  // namespace sstfilter::tools
