// What RocksDB's built-in filters promise, from their published construction,
// so that a measured rate can stand beside an expected one.
#pragma once

#include <cstdint>

namespace sstfilter::tools {

// Probes RocksDB's cache-line Bloom filter (format_version 5 and later) makes
// at this setting, up to 24.
int RocksdbBloomProbes(double bits_per_key);

// Expected false positive rate of RocksDB's Bloom filter that spends
// `actual_bits_per_key` and makes `probes` probes: the mean over the load of a
// 512-bit cache line, which is close to Poisson. In [0, 1].
double RocksdbBloomRate(double actual_bits_per_key, int probes);

// Bytes of the filter block that RocksDB's Bloom filter takes for `keys` keys.
uint64_t RocksdbBloomFilterBytes(double bits_per_key, uint64_t keys);

// The same rate for a filter as RocksDB sizes it for `keys` keys (whole cache
// lines) at the setting `bits_per_key`.
double RocksdbBloomTableRate(double bits_per_key, uint64_t keys);

// Expected rate of RocksDB's Ribbon filter at the setting `bits_per_key`: it is
// solved for the rate of a Bloom filter of that setting, with as many columns
// of solution as that takes (2^-columns, the last one on part of the keys
// only).
double RocksdbRibbonRate(double bits_per_key);

}  // namespace sstfilter::tools
