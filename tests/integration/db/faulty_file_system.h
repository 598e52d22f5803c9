// A file system whose disk fills up and whose bits change.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

namespace sstfilter::dbtest {

// What is wrong with the disk. May be changed at any time, by any thread.
// Only table files are concerned.
struct DiskFaults {
  static constexpr int64_t kMuchRoom = std::numeric_limits<int64_t>::max() / 2;

  // Bytes that can still be written. What no longer fits is written in part and
  // answered "no space".
  std::atomic<int64_t> room{kMuchRoom};
  // Bytes written so far.
  std::atomic<uint64_t> written{0};
  std::atomic<uint64_t> refused{0};

  // Every read of the byte at `flipped_byte` sees it changed by `flipped_bits`.
  std::atomic<uint64_t> flipped_byte{0};
  std::atomic<uint8_t> flipped_bits{0};
  std::atomic<uint64_t> flips{0};
};

// Passes everything on to the default file system, but for `faults`.
std::shared_ptr<rocksdb::FileSystem> NewFaultyFileSystem(
    std::shared_ptr<DiskFaults> faults);

}  // namespace sstfilter::dbtest
