#include "filter/cpu.h"

#include <gtest/gtest.h>

namespace sstfilter {
namespace {

TEST(CpuLevelChoice, UnsetTakesWhatTheCpuHas) {
  CpuLevel level;
  std::string message;
  EXPECT_TRUE(ResolveCpuLevel(nullptr, CpuLevel::kAvx2, &level, &message));
  EXPECT_EQ(level, CpuLevel::kAvx2);
}

TEST(CpuLevelChoice, ALowerLevelCanBeForced) {
  CpuLevel level;
  std::string message;
  EXPECT_TRUE(ResolveCpuLevel("scalar", CpuLevel::kAvx512, &level, &message));
  EXPECT_EQ(level, CpuLevel::kScalar);
  EXPECT_TRUE(ResolveCpuLevel("avx2", CpuLevel::kAvx512, &level, &message));
  EXPECT_EQ(level, CpuLevel::kAvx2);
}

TEST(CpuLevelChoice, ALevelTheCpuLacksIsAnError) {
  CpuLevel level;
  std::string message;
  EXPECT_FALSE(ResolveCpuLevel("avx512", CpuLevel::kAvx2, &level, &message));
  EXPECT_EQ(level, CpuLevel::kAvx2);
  EXPECT_EQ(message, "SSTFILTER_CPU=avx512: this CPU only has avx2");
}

TEST(CpuLevelChoice, AnUnknownNameIsAnError) {
  for (const char* name : {"", "sse9", "AVX2", "scalar "}) {
    CpuLevel level;
    std::string message;
    EXPECT_FALSE(ResolveCpuLevel(name, CpuLevel::kAvx2, &level, &message));
    EXPECT_EQ(level, CpuLevel::kAvx2);
    EXPECT_NE(message.find("accepted are scalar, avx2, avx512"),
              std::string::npos);
  }
}

TEST(CpuLevelChoice, TheActiveLevelIsOneThisCpuHas) {
  EXPECT_LE(ActiveCpuLevel(), DetectedCpuLevel());
}

}  // namespace
}  // namespace sstfilter
