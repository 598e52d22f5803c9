#include "sstfilter/level_allocation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "filter/algorithm.h"
#include "filter/rate_curve.h"

namespace sstfilter {

namespace {

using Point = RateCurve::Point;

// Bits per key between two entries of the table: fine enough that the straight
// edges of the hull lie less than 0.02 % above a falling exponential.
constexpr double kStep = 1.0 / 16;

// Rates of 0 have no logarithm.
constexpr double kSmallestRate = 1e-300;

// Where the curve is evaluated. Some kinds take milliseconds per point, so
// there are as few as the interpolation allows: dense where curves bend.
std::vector<double> Knots(double low, double high) {
  std::vector<double> knots;
  for (double bits = low; bits < high;) {
    knots.push_back(bits);
    bits += bits < 4 ? 0.5 : bits < 12 ? 1 : bits < 24 ? 2 : bits / 6;
  }
  // A last step of almost nothing would only cost time.
  if (knots.size() > 1 && high - knots.back() < 0.25) knots.pop_back();
  knots.push_back(high);
  return knots;
}

// Cubic interpolation that rises or falls only where its knots do (Fritsch,
// Carlson, "Monotone Piecewise Cubic Interpolation", 1980).
class MonotoneCubic {
 public:
  MonotoneCubic(std::vector<double> x, std::vector<double> y)
      : x_(std::move(x)), y_(std::move(y)), slope_(x_.size()) {
    const size_t last = x_.size() - 1;
    slope_[0] = Secant(0);
    slope_[last] = Secant(last - 1);
    for (size_t i = 1; i < last; ++i) {
      const double before = Secant(i - 1);
      const double after = Secant(i);
      const double left = x_[i] - x_[i - 1];
      const double right = x_[i + 1] - x_[i];
      // A weighted harmonic mean.
      slope_[i] =
          before * after <= 0
              ? 0
              : 3 * (left + right) /
                    ((2 * right + left) / before + (right + 2 * left) / after);
    }
  }

  double operator()(double at) const {
    const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, at);
    const auto i = static_cast<size_t>(above - x_.begin()) - 1;
    const double width = x_[i + 1] - x_[i];
    const double t = (at - x_[i]) / width;
    const double s = 1 - t;
    return s * s * (1 + 2 * t) * y_[i] + t * t * (1 + 2 * s) * y_[i + 1] +
           width * s * t * (s * slope_[i] - t * slope_[i + 1]);
  }

 private:
  double Secant(size_t i) const {
    return (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]);
  }

  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> slope_;
};

double Slope(const Point& from, const Point& to) {
  return (to.rate - from.rate) / (to.bits_per_key - from.bits_per_key);
}

// Adds a point to the right of a lower convex hull.
void Extend(const Point& point, std::vector<Point>* hull) {
  while (hull->size() >= 2) {
    const Point& middle = hull->back();
    const Point& first = (*hull)[hull->size() - 2];
    if (Slope(first, middle) < Slope(middle, point)) break;
    hull->pop_back();
  }
  hull->push_back(point);
}

// What ends the buying of memory: no bits left, or few enough wasted reads.
struct Goal {
  double bits;
  double wasted_reads;
};

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Bits per key that the search allows a group.
struct Bounds {
  double low = 0;
  double high = kUnlimited;
};

// One edge of a group's hull.
struct Edge {
  size_t group;
  Point from;
  Point to;
  double gain;  // wasted reads saved per bit of memory
};

double Gain(const RunGroup& group, const Point& from, const Point& to) {
  return -Slope(from, to) * group.lookups / group.keys;
}

// A long edge is a chord: the curve is above it, or there is no filter of the
// sizes between.
bool IsLong(const Edge& edge) {
  return edge.to.bits_per_key - edge.from.bits_per_key > 1.5 * kStep;
}

class Search {
 public:
  Search(const std::vector<RunGroup>& groups, const Goal& goal)
      : groups_(groups), goal_(goal) {}

  // The best allocation within `bounds`. Where the goal is met half way along a
  // long edge, both of its ends are tried, `branches` times one within the
  // other (branch and bound).
  Allocation Best(const std::vector<Bounds>& bounds, int branches) const {
    Edge split{};
    const bool can_split = branches > 0;
    Allocation allocation = Buy(bounds, can_split ? &split : nullptr);
    if (split.gain == 0) return allocation;
    std::vector<Bounds> below = bounds;
    below[split.group].high = split.from.bits_per_key;
    std::vector<Bounds> above = bounds;
    above[split.group].low = split.to.bits_per_key;
    const Allocation less = Best(below, branches - 1);
    const Allocation more = Best(above, branches - 1);
    return IsBetter(more, less) ? more : less;
  }

 private:
  // Buys edges, best first, until the goal is met. If that is half way along a
  // long edge: with `split`, sets `*split` to the edge and returns something
  // unfinished; without, does what is allowed and close to the best.
  Allocation Buy(const std::vector<Bounds>& bounds, Edge* split) const {
    Allocation allocation;
    std::vector<Edge> edges;
    for (size_t i = 0; i < groups_.size(); ++i) {
      AddEdges(i, bounds[i], &allocation, &edges);
    }
    // Gains fall along each hull, so this keeps the edges of a group in order;
    // a stable sort does so even where rounding makes two of them equal.
    std::stable_sort(
        edges.begin(), edges.end(),
        [](const Edge& a, const Edge& b) { return a.gain > b.gain; });
    std::vector<bool> closed(groups_.size(), false);
    for (const Edge& edge : edges) {
      if (closed[edge.group]) continue;
      const RunGroup& group = groups_[edge.group];
      const double width = edge.to.bits_per_key - edge.from.bits_per_key;
      const double bits = group.keys * width;
      const double reads = group.lookups * (edge.from.rate - edge.to.rate);
      double share =
          std::min({1.0, (goal_.bits - allocation.total_bits) / bits,
                    (allocation.wasted_reads - goal_.wasted_reads) / reads});
      if (share <= 0) {
        allocation.price = edge.gain;
        break;
      }
      if (share < 1 && IsLong(edge)) {
        if (split != nullptr) {
          *split = edge;
          return allocation;
        }
        if (goal_.bits == kUnlimited) {
          share = 1;
        } else if (edge.from.bits_per_key < group.curve->low()) {
          // What is left goes to other groups.
          closed[edge.group] = true;
          continue;
        }
      }
      allocation.bits_per_key[edge.group] += share * width;
      allocation.total_bits += share * bits;
      allocation.wasted_reads -= share * reads;
    }
    if (goal_.bits < kUnlimited) SpendRest(&allocation);
    // The edges are straight and the filters follow the curve.
    allocation.wasted_reads = WastedReads(groups_, allocation.bits_per_key);
    return allocation;
  }

  // Bounds and long edges may leave memory over: gives it to the group that
  // makes most of it.
  void SpendRest(Allocation* allocation) const {
    const double rest = goal_.bits - allocation->total_bits;
    size_t best = groups_.size();
    double best_bits = 0;
    double best_saved = 0;
    for (size_t i = 0; i < groups_.size(); ++i) {
      const RunGroup& group = groups_[i];
      if (group.keys <= 0) continue;
      const double has = allocation->bits_per_key[i];
      const double bits =
          std::min(has + rest / group.keys, group.curve->high());
      if (bits <= has || bits < group.curve->low()) continue;
      const double saved =
          group.lookups * (group.curve->Rate(has) - group.curve->Rate(bits));
      if (saved <= best_saved) continue;
      best = i;
      best_bits = bits;
      best_saved = saved;
    }
    if (best == groups_.size()) return;
    double& bits = allocation->bits_per_key[best];
    allocation->total_bits += groups_[best].keys * (best_bits - bits);
    bits = best_bits;
  }

  // The start of group `i`, and its edges within the bounds.
  void AddEdges(size_t i, const Bounds& bounds, Allocation* allocation,
                std::vector<Edge>* edges) const {
    const RunGroup& group = groups_[i];
    const std::vector<Point>& hull = group.curve->hull_from_none();
    if (group.keys <= 0) {
      // Filters of no keys are free.
      allocation->bits_per_key.push_back(hull.back().bits_per_key);
      allocation->wasted_reads += group.lookups * hull.back().rate;
      return;
    }
    // The hull with "no filter" may leave out the first corners of that
    // without.
    const std::vector<Point>& points =
        bounds.low > 0 ? group.curve->hull() : hull;
    size_t j = 0;
    while (j + 1 < points.size() && points[j].bits_per_key < bounds.low) ++j;
    allocation->bits_per_key.push_back(points[j].bits_per_key);
    allocation->wasted_reads += group.lookups * points[j].rate;
    allocation->total_bits += group.keys * points[j].bits_per_key;
    for (; j + 1 < points.size() && points[j + 1].bits_per_key <= bounds.high;
         ++j) {
      const double gain = Gain(group, points[j], points[j + 1]);
      if (gain > 0) edges->push_back({i, points[j], points[j + 1], gain});
    }
  }

  bool IsBetter(const Allocation& a, const Allocation& b) const {
    // Sums of rounded numbers may miss a goal by a hair.
    constexpr double kHair = 1 + 1e-6;
    if (goal_.bits < kUnlimited) {
      const bool a_fits = a.total_bits <= goal_.bits * kHair;
      const bool b_fits = b.total_bits <= goal_.bits * kHair;
      return a_fits == b_fits ? a.wasted_reads < b.wasted_reads : a_fits;
    }
    const bool a_fits = a.wasted_reads <= goal_.wasted_reads * kHair;
    const bool b_fits = b.wasted_reads <= goal_.wasted_reads * kHair;
    return a_fits == b_fits ? a.total_bits < b.total_bits : a_fits;
  }

  const std::vector<RunGroup>& groups_;
  const Goal goal_;
};

// Enough for every choice that matters in trees of a few levels. Many runs, one
// for each file, are alike, and a wrong choice for one of them costs little.
int BranchesFor(size_t groups) { return groups <= 12 ? 7 : 1; }

Allocation Allocate(const std::vector<RunGroup>& groups, const Goal& goal,
                    Unfiltered unfiltered) {
  std::vector<Bounds> bounds(groups.size());
  if (unfiltered == Unfiltered::kForbidden) {
    for (size_t i = 0; i < groups.size(); ++i) {
      bounds[i].low = groups[i].curve->low();
    }
  }
  return Search(groups, goal).Best(bounds, BranchesFor(groups.size()));
}

}  // namespace

RateCurve::RateCurve(const std::function<double(double)>& rate_of_bits,
                     double low, double high)
    : low_(low) {
  const std::vector<double> knots = Knots(low, high);
  std::vector<double> logs;
  for (double bits : knots) {
    const double rate = std::clamp(rate_of_bits(bits), kSmallestRate, 1.0);
    logs.push_back(std::log(rate));
    // Where a curve rises by a rounding error, more bits are no use.
    if (logs.size() > 1) {
      logs.back() = std::min(logs.back(), logs[logs.size() - 2]);
    }
  }
  const MonotoneCubic log_rate(knots, logs);
  const auto steps =
      static_cast<size_t>(std::max(1.0, std::ceil((high - low) / kStep)));
  step_ = (high - low) / static_cast<double>(steps);
  hull_from_none_.push_back({0, 1});
  for (size_t i = 0; i <= steps; ++i) {
    const double bits = low + step_ * static_cast<double>(i);
    rates_.push_back(std::exp(log_rate(bits)));
    Extend({bits, rates_.back()}, &hull_);
    Extend({bits, rates_.back()}, &hull_from_none_);
  }
}

double RateCurve::Rate(double bits_per_key) const {
  if (bits_per_key <= 0) return 1;
  const double position = std::clamp((bits_per_key - low_) / step_, 0.0,
                                     static_cast<double>(last()));
  const auto i = std::min(static_cast<size_t>(position), last() - 1);
  const double t = position - static_cast<double>(i);
  return std::exp((1 - t) * std::log(rates_[i]) + t * std::log(rates_[i + 1]));
}

double RateCurve::BitsForRate(double rate) const {
  if (rate >= 1) return 0;
  if (rate < rates_.back()) return std::numeric_limits<double>::infinity();
  // The first entry that is good enough.
  const auto found = std::partition_point(
      rates_.begin(), rates_.end(), [rate](double r) { return r > rate; });
  const auto i = static_cast<size_t>(found - rates_.begin());
  if (i == 0) return low_;
  const double above = std::log(rates_[i - 1]);
  const double below = std::log(rates_[i]);
  const double t = (above - std::log(rate)) / (above - below);
  return low_ + step_ * (static_cast<double>(i - 1) + t);
}

std::shared_ptr<const RateCurve> KindRateCurve(FilterKind kind,
                                               double max_bits_per_key) {
  using Key = std::pair<FilterKind, double>;
  static std::mutex mutex;
  static auto* curves = new std::map<Key, std::shared_ptr<const RateCurve>>;
  // Held while the curve is made: whoever else asks for it has to wait for it
  // anyway.
  std::lock_guard<std::mutex> lock(mutex);
  // More caps than anybody uses; curves in use outlive the table.
  if (curves->size() > 100) curves->clear();
  std::shared_ptr<const RateCurve>& curve = (*curves)[{kind, max_bits_per_key}];
  if (curve == nullptr) {
    // Above low, so that the curve has two ends.
    const double high = std::max(max_bits_per_key, kMinBitsPerKey + kStep);
    curve = std::make_shared<RateCurve>(
        [kind](double bits) { return RateAt(kind, bits); }, kMinBitsPerKey,
        high);
  }
  return curve;
}

Allocation AllocateBits(const std::vector<RunGroup>& groups, double total_bits,
                        Unfiltered unfiltered) {
  return Allocate(groups, Goal{total_bits, 0}, unfiltered);
}

Allocation AllocateForWastedReads(const std::vector<RunGroup>& groups,
                                  double wasted_reads, Unfiltered unfiltered) {
  return Allocate(groups, Goal{kUnlimited, wasted_reads}, unfiltered);
}

double BitsAtPrice(const RunGroup& group, double price) {
  const std::vector<Point>& hull = group.curve->hull();
  if (group.keys <= 0) return hull.back().bits_per_key;
  size_t i = 0;
  while (i + 1 < hull.size() && Gain(group, hull[i], hull[i + 1]) > price) ++i;
  return hull[i].bits_per_key;
}

double WastedReads(const std::vector<RunGroup>& groups,
                   const std::vector<double>& bits_per_key) {
  double reads = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    reads += groups[i].lookups * groups[i].curve->Rate(bits_per_key[i]);
  }
  return reads;
}

}  // namespace sstfilter
