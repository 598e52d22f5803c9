#include "filter/cpu.h"

#include <cstdlib>
#include <cstring>

namespace sstfilter {

namespace {

constexpr CpuLevel kLevels[] = {CpuLevel::kScalar, CpuLevel::kAvx2,
                                CpuLevel::kAvx512};

struct Resolution {
  CpuLevel level;
  bool ok;
  std::string message;
};

const Resolution& Resolved() {
  static const Resolution resolution = [] {
    Resolution r{};
    r.ok = ResolveCpuLevel(std::getenv("SSTFILTER_CPU"), DetectedCpuLevel(),
                           &r.level, &r.message);
    return r;
  }();
  return resolution;
}

}  // namespace

const char* CpuLevelName(CpuLevel level) {
  switch (level) {
    case CpuLevel::kScalar:
      return "scalar";
    case CpuLevel::kAvx2:
      return "avx2";
    case CpuLevel::kAvx512:
      return "avx512";
  }
  return "unknown";
}

CpuLevel DetectedCpuLevel() {
#if defined(__x86_64__)
  // The builtins also ask the operating system whether it saves the wide
  // registers.
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt")) {
    return CpuLevel::kScalar;
  }
  if (!__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512vpopcntdq") ||
      !__builtin_cpu_supports("avx512vbmi") ||
      !__builtin_cpu_supports("gfni")) {
    return CpuLevel::kAvx2;
  }
  return CpuLevel::kAvx512;
#else
  return CpuLevel::kScalar;
#endif
}

bool ResolveCpuLevel(const char* value, CpuLevel detected, CpuLevel* level,
                     std::string* message) {
  *level = detected;
  if (value == nullptr) return true;
  for (CpuLevel candidate : kLevels) {
    if (std::strcmp(value, CpuLevelName(candidate)) != 0) continue;
    if (candidate > detected) {
      *message = std::string("SSTFILTER_CPU=") + value +
                 ": this CPU only has " + CpuLevelName(detected);
      return false;
    }
    *level = candidate;
    return true;
  }
  *message = std::string("SSTFILTER_CPU=") + value +
             ": unknown; accepted are scalar, avx2, avx512";
  return false;
}

CpuLevel ActiveCpuLevel() { return Resolved().level; }

bool CheckCpuOverride(std::string* message) {
  *message = Resolved().message;
  return Resolved().ok;
}

}  // namespace sstfilter
