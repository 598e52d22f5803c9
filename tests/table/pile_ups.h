// Hashes as nobody outside can choose them while seeds are secret: the worst
// that keys could do to a builder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace sstfilter {

struct PileUp {
  const char* name;
  std::function<uint64_t(uint64_t random, size_t i)> hash;
};

// Random ones first.
inline const PileUp kPileUps[] = {
    {"random", [](uint64_t random, size_t) { return random; }},
    {"all in one block", [](uint64_t random, size_t) { return random >> 44; }},
    {"all equal", [](uint64_t, size_t) { return uint64_t{12345}; }},
    {"two values in turn", [](uint64_t, size_t i) { return uint64_t{i % 2}; }},
    {"equal upper halves",
     [](uint64_t random, size_t) { return random >> 32; }},
    {"equal lower halves",
     [](uint64_t random, size_t) { return random << 32; }},
    {"a hundred in each of few blocks",
     [](uint64_t random, size_t i) {
       return (uint64_t{i / 100} << 40) | (random >> 40);
     }},
    {"every hash 130 times",
     [](uint64_t, size_t i) {
       return uint64_t{i / 130} * uint64_t{0x9E3779B97F4A7C15};
     }},
};

}  // namespace sstfilter
