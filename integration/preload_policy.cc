// libsstfilter_preload_policy.so: what the preload library gives a program in
// place of RocksDB's filters. See preload.h.

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "filter/algorithm.h"
#include "integration/option_text.h"
#include "integration/policy.h"
#include "integration/preload.h"
#include "integration/process.h"
#include "sstfilter/sizing.h"

namespace sstfilter {

namespace {

using rocksdb::Status;

constexpr char kEnvironment[] = "SSTFILTER_OPTIONS";

void Tell(const std::string& text, char* message, size_t size) {
  snprintf(message, size, "%s", text.c_str());
}

// As RocksDB takes it.
double CleanBits(double bits_per_key) {
  if (std::isnan(bits_per_key)) return kMaxBitsPerKey;
  return std::clamp(bits_per_key, kMinBitsPerKey, kMaxBitsPerKey);
}

// Who asks for Bloom states the memory and gets a better rate from it. Who asks
// for Ribbon states the rate, that of RocksDB's Bloom filter with so many bits,
// and gets it with less memory: from parity, or from Bloom where Bloom is asked
// for.
FilterOptions OptionsFor(PreloadCaller caller, double bits_per_key,
                         int bloom_before_level) {
  FilterOptions options;
  options.bits_per_key = CleanBits(bits_per_key);
  if (caller == PreloadCaller::kRibbon && bloom_before_level < 0) {
    options.kind = FilterKind::kParity;
  } else if (caller == PreloadCaller::kRibbon && bloom_before_level < INT_MAX) {
    options.kind = FilterKind::kAuto;
  }
  return options;
}

// As the rate of RocksDB's Bloom filter.
FilterOptions ByRate(FilterOptions options) {
  const double bits = options.bits_per_key;
  options.bits_per_key = FilterOptions().bits_per_key;
  options.false_positive_rate =
      CacheLineBloomRate(bits, BestCacheLineProbes(bits));
  return options;
}

Status ApplyEnvironment(FilterOptions* options) {
  const char* text = std::getenv(kEnvironment);
  const Status status =
      ApplyFilterOptions(text == nullptr ? "" : text, options);
  if (status.ok()) return status;
  return Status::InvalidArgument(
      std::string(kEnvironment) + "=" + (text == nullptr ? "" : text),
      status.getState());
}

Status ChooseOptions(PreloadCaller caller, double bits_per_key,
                     int bloom_before_level, FilterOptions* options) {
  *options = OptionsFor(caller, bits_per_key, bloom_before_level);
  if (options->kind != FilterKind::kBloom) {
    // A rate does not go with everything SSTFILTER_OPTIONS may say, nor with
    // very few bits.
    FilterOptions by_rate = ByRate(*options);
    if (ApplyEnvironment(&by_rate).ok()) {
      *options = by_rate;
      return Status::OK();
    }
  }
  return ApplyEnvironment(options);
}

}  // namespace

}  // namespace sstfilter

extern "C" {

__attribute__((visibility("default"))) const void* sstfilter_preload_new_policy(
    sstfilter::PreloadCaller caller, double bits_per_key,
    int bloom_before_level, char* message, size_t message_size) {
  // RocksDB's way to say: no filter.
  if (bits_per_key < 0.5) return nullptr;
  try {
    sstfilter::FilterOptions options;
    rocksdb::Status status = sstfilter::CheckProcess();
    if (status.ok()) {
      status = sstfilter::ChooseOptions(caller, bits_per_key,
                                        bloom_before_level, &options);
    }
    if (status.ok()) {
      return static_cast<const rocksdb::FilterPolicy*>(
          new sstfilter::Policy(options));
    }
    sstfilter::Tell(status.ToString(), message, message_size);
  } catch (const std::exception& error) {
    sstfilter::Tell(error.what(), message, message_size);
  }
  return nullptr;
}

__attribute__((visibility("default"))) bool sstfilter_preload_register(
    char* message, size_t message_size) {
  try {
    sstfilter::FilterOptions options;
    rocksdb::Status status = sstfilter::CheckProcess();
    if (status.ok()) {
      sstfilter::RegisterByDefault();
      status = sstfilter::ApplyEnvironment(&options);
    }
    sstfilter::Tell(status.ToString(), message, message_size);
    return status.ok();
  } catch (const std::exception& error) {
    sstfilter::Tell(error.what(), message, message_size);
    return false;
  }
}

}  // extern "C"
