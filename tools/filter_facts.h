// What can be said of a stored filter: how large, how full, how good.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "integration/stored_filters.h"

namespace sstfilter::tools {

// Of one filter, or of all partitions of a table together.
struct FilterFacts {
  // "sstfilter bloom", "rocksdb ribbon", ...; "mixed"; "none"
  std::string name;
  bool usable = false;
  uint64_t filters = 0;    // more than 1: partitions
  uint64_t given_up = 0;   // of these: FilterFormat::kGivenUp
  uint64_t no_keys = 0;    // of these: FilterFormat::kNoKeys
  int format_version = 0;  // of ours; 0 for others
  // Distinct keys and prefixes: what a filter says, otherwise what the table's
  // properties say, shared out by size among partitions. Those of a filter that
  // was given up are not in a sum, and weigh in means.
  double keys = 0;
  uint64_t bytes = 0;
  double bits_per_key = 0;
  // Probes of a Bloom filter, columns of a Ribbon, rows of a parity filter; a
  // mean where it differs within the filter.
  std::optional<double> parameter;
  std::optional<double> fill;  // Bloom filters: share of bits set
  double expected_rate = 1;    // mean over the keys

  bool has_filter() const { return filters > given_up + no_keys; }
};

// One for every filter of the table.
std::vector<FilterFacts> FactsOf(const StoredTable& table);

// Means are weighted by keys. Empty input gives a filter that is not usable.
FilterFacts Combine(const std::vector<FilterFacts>& filters);

// What a user should know of filters that were given up when `properties` were
// written; empty when none was.
std::string WhyGivenUp(const rocksdb::TableProperties& properties,
                       const FilterFacts& facts);

// A Bloom filter is at its best when half of its bits are set; much more tells
// of far more keys than it was made for.
inline constexpr double kTooFull = 0.6;

}  // namespace sstfilter::tools
