#include "sstfilter/filter_kind.h"

namespace sstfilter {

namespace {

constexpr FilterKind kKinds[] = {FilterKind::kBloom, FilterKind::kStandardBloom,
                                 FilterKind::kParity, FilterKind::kAuto};

}  // namespace

const char* FilterKindName(FilterKind kind) {
  switch (kind) {
    case FilterKind::kBloom:
      return "bloom";
    case FilterKind::kStandardBloom:
      return "standard";
    case FilterKind::kParity:
      return "parity";
    case FilterKind::kAuto:
      return "auto";
  }
  return "unknown";
}

bool ParseFilterKind(std::string_view name, FilterKind* kind) {
  for (FilterKind candidate : kKinds) {
    if (name == FilterKindName(candidate)) {
      *kind = candidate;
      return true;
    }
  }
  return false;
}

}  // namespace sstfilter
