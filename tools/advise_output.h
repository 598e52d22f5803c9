// How `sstfilter advise` prints.
#pragma once

#include <string>
#include <vector>

#include "tools/advise.h"

namespace sstfilter::tools {

struct AdviseReport {
  std::string database;
  AdviseOptions options;
  std::vector<FamilyAdvice> families;
  std::vector<std::string> notes;
  std::vector<std::string> problems;
};

std::string AdviceToJson(const AdviseReport& report);

// The notes come last; problems are left out.
std::string AdviceToText(const AdviseReport& report);

}  // namespace sstfilter::tools
