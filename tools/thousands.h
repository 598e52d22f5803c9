#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sstfilter::tools {

// For people: 1,000,000.
inline std::string WithThousands(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace sstfilter::tools
