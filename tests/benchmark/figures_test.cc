#include "tools/benchmark/figures.h"

#include <gtest/gtest.h>

namespace sstfilter::benchmarks {
namespace {

TEST(RoundsTest, RatiosAreFormedWithinARound) {
  Rounds rounds(2);
  // A machine that is ten times slower in the second round does not matter.
  rounds.AddRound({10, 5});
  rounds.AddRound({100, 50});
  rounds.AddRound({10, 5});
  rounds.EndRepeat();
  const Figure reference = rounds.FigureOf(0);
  EXPECT_EQ(reference.nanoseconds, 10);
  EXPECT_EQ(reference.ratio, 1);
  const Figure other = rounds.FigureOf(1);
  EXPECT_EQ(other.nanoseconds, 5);
  EXPECT_EQ(other.ratio, 0.5);
}

TEST(RoundsTest, SpreadIsThatOfRepeats) {
  Rounds rounds(2);
  for (const double time : {4.0, 6.0, 9.0}) {
    // The disturbed round does not reach the median of its repeat.
    rounds.AddRound({10, time});
    rounds.AddRound({10, 1000});
    rounds.AddRound({10, time});
    rounds.EndRepeat();
  }
  const Figure figure = rounds.FigureOf(1);
  EXPECT_DOUBLE_EQ(figure.ratio, 0.6);
  EXPECT_DOUBLE_EQ(figure.lowest_ratio, 0.4);
  EXPECT_DOUBLE_EQ(figure.highest_ratio, 0.9);
}

TEST(RoundsTest, NoRoundsNoFigure) {
  const Figure figure = Rounds(1).FigureOf(0);
  EXPECT_EQ(figure.nanoseconds, 0);
  EXPECT_EQ(figure.ratio, 0);
}

}  // namespace
}  // namespace sstfilter::benchmarks
