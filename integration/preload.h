// Between libsstfilter_preload.so, which takes RocksDB's places, and
// libsstfilter_preload_policy.so, which makes the policies.
//
// They are two files because LD_PRELOAD reaches every program that is started.
// The first depends on the C library alone, so a shell or a program with
// another RocksDB is left as it was; the second depends on the RocksDB it was
// compiled for, and is loaded only into a process that has that very one.
#pragma once

#include <cstddef>

namespace sstfilter {

enum class PreloadCaller { kBloom, kRibbon };

// A rocksdb::FilterPolicy for a program that asked RocksDB for a built-in one,
// or null, with the reason in `message` (empty: the built-in one is right).
using PreloadNewPolicy = const void* (*)(PreloadCaller caller,
                                         double bits_per_key,
                                         int bloom_before_level, char* message,
                                         size_t message_size);

// Makes the name known to option strings. False, with the reason, if no policy
// can be made in this process or SSTFILTER_OPTIONS is wrong.
using PreloadRegister = bool (*)(char* message, size_t message_size);

inline constexpr char kPreloadNewPolicy[] = "sstfilter_preload_new_policy";
inline constexpr char kPreloadRegister[] = "sstfilter_preload_register";

}  // namespace sstfilter
