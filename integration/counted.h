// Numbers of things, for people.
#pragma once

#include <cstdint>
#include <string>

namespace sstfilter {

// "1 table", "2 tables".
inline std::string Counted(uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace sstfilter
