// How much longer a filter takes to build when its keys pile up. Not the time:
// the code of filter/ is compiled once more, so that it counts its own steps.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/filter/sampling.h"
#include "tests/table/pile_ups.h"

namespace {

uint64_t steps = 0;

}  // namespace

// Called at each basic block of code compiled with
// -fsanitize-coverage=trace-pc.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" void __sanitizer_cov_trace_pc() { ++steps; }

namespace sstfilter {
namespace {

uint64_t StepsToBuild(const KindAndKernel& tested, const PileUp& pile_up,
                      size_t count, double bits_per_key) {
  Random random(403);
  std::vector<uint64_t> hashes(count);
  for (size_t i = 0; i < count; ++i) hashes[i] = pile_up.hash(random.Next(), i);
  const FilterShape shape = tested.algorithm().shape_for(count, bits_per_key);
  const std::unique_ptr<char[]> payload(new char[shape.payload_bytes]());
  steps = 0;
  tested.kernel().build(shape, hashes.data(), hashes.size(), payload.get());
  return steps;
}

class BuildSteps : public testing::TestWithParam<KindAndKernel> {};

INSTANTIATE_TEST_SUITE_P(All, BuildSteps, testing::ValuesIn(AllKernels()),
                         testing::PrintToStringParamName());

TEST_P(BuildSteps, HostileKeysCostAtMostAFewTimesAsMuch) {
  constexpr double kMost = 4;
  const size_t count = Scaled(200'000, 10'000);
  for (double bits_per_key : {2.0, 10.0, 25.0}) {
    const uint64_t usual =
        StepsToBuild(GetParam(), kPileUps[0], count, bits_per_key);
    ASSERT_GT(usual, count / 100) << "steps are not counted";
    for (const PileUp& pile_up : kPileUps) {
      const uint64_t hostile =
          StepsToBuild(GetParam(), pile_up, count, bits_per_key);
      const double factor =
          static_cast<double>(hostile) / static_cast<double>(usual);
      EXPECT_LE(factor, kMost)
          << pile_up.name << ", " << bits_per_key
          << " bits per key: " << hostile << " steps, " << usual << " usually";
    }
  }
}

// Nor does the work for a key grow with their number, but for one more pass
// that groups keys by block when there are many: with the square it would be
// 256 times as much.
TEST_P(BuildSteps, GrowWithTheKeysAndNoFaster) {
  for (const PileUp& pile_up : kPileUps) {
    const size_t few = Scaled(20'000, 5'000);
    const uint64_t steps_of_few = StepsToBuild(GetParam(), pile_up, few, 10);
    const uint64_t steps_of_many =
        StepsToBuild(GetParam(), pile_up, 16 * few, 10);
    EXPECT_LE(steps_of_many, 32 * steps_of_few) << pile_up.name;
  }
}

}  // namespace
}  // namespace sstfilter
