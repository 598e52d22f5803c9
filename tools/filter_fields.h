// The fields of `sstfilter:OPTIONS`, for help and man page.
#pragma once

#include <vector>

namespace sstfilter::tools {

struct FilterFieldFacts {
  const char* name;
  const char* default_value;  // "" where there is none
  const char* meaning;
};

// In the order of FilterFieldNames().
const std::vector<FilterFieldFacts>& FilterFields();

}  // namespace sstfilter::tools
