// Which instruction sets the kernels may use, found at run time so that one
// binary, built for the baseline CPU, is fast on every newer one.
#pragma once

#include <string>

namespace sstfilter {

// In increasing order of capability; a CPU with a level has all below it.
enum class CpuLevel {
  kScalar,  // any CPU, any byte order
  kAvx2,    // x86-64 with AVX2, BMI1, BMI2 and POPCNT
  kAvx512,  // kAvx2 and AVX-512 F, BW, DQ, VL, VPOPCNTDQ, VBMI and GFNI
};

const char* CpuLevelName(CpuLevel level);

// The highest level of this CPU and operating system.
CpuLevel DetectedCpuLevel();

// The level the kernels are chosen by: the detected one, or the lower one that
// the environment variable SSTFILTER_CPU names (scalar, avx2, avx512). Read
// once.
CpuLevel ActiveCpuLevel();

// Whether SSTFILTER_CPU is unset or names a level this CPU has. Otherwise
// returns false and says in `*message` what is wrong; ActiveCpuLevel() is then
// the detected level.
bool CheckCpuOverride(std::string* message);

// The same decision as a function of its inputs, for tests. `value` is null
// when the variable is unset.
bool ResolveCpuLevel(const char* value, CpuLevel detected, CpuLevel* level,
                     std::string* message);

}  // namespace sstfilter
