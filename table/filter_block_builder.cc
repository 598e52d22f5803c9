#include "table/filter_block_builder.h"

#include <new>
#include <utility>

#include "table/filter_block_reader.h"
#include "table/page_memory.h"
#include "table/random_seed.h"

namespace sstfilter {

namespace {

const FilterAlgorithm& Algorithm(const FilterBlockOptions& options) {
  return *AlgorithmFor(options.kind);
}

}  // namespace

FilterBlockBuilder::FilterBlockBuilder(const FilterBlockOptions& options)
    : options_(options) {
  Reset();
}

void FilterBlockBuilder::Reset() {
  // Nothing may survive into the next block, least of all the memory of what
  // was added last: the next partition needs a shared prefix again.
  hashes_.Release();
  has_alternative_ = false;
  out_of_memory_ = false;
  hashes_xor_ = 0;
  seed_ =
      HashSeed(options_.fixed_seed != 0 ? options_.fixed_seed : RandomSeed());
}

void FilterBlockBuilder::AddKeyAndAlternative(const char* key,
                                              size_t key_length,
                                              const char* alternative,
                                              size_t alternative_length) {
  const uint64_t key_hash = Hash(key, key_length);
  const uint64_t alternative_hash = Hash(alternative, alternative_length);
  const bool key_repeats = has_alternative_ && (key_hash == last_key_ ||
                                                key_hash == last_alternative_);
  const bool alternative_repeats =
      alternative_hash == key_hash ||
      (has_alternative_ && (alternative_hash == last_alternative_ ||
                            alternative_hash == last_key_));
  if (!key_repeats) AddHash(key_hash);
  if (!alternative_repeats) Append(alternative_hash);
  last_key_ = key_hash;
  last_alternative_ = alternative_hash;
  has_alternative_ = true;
}

FilterBlock FilterBlockBuilder::Finish() {
  FilterBlock block;
  to_verify_.Release();
  if (out_of_memory_) {
    block.outcome = FilterBlock::Outcome::kOutOfMemory;
  } else if (!hashes_.empty()) {
    Trailer trailer;
    trailer.seed = seed_.seed;
    trailer.keys = hashes_.size();
    trailer.key_transform = options_.key_transform;
    trailer.kind = options_.kind;
    trailer.shape =
        Algorithm(options_).shape_for(hashes_.size(), options_.bits_per_key);
    const size_t payload_bytes = trailer.shape.payload_bytes;
    std::unique_ptr<char[]> bytes(
        new (std::nothrow) char[payload_bytes + kTrailerBytes]);
    if (bytes == nullptr || (options_.detect_corruption && !KeepForVerify())) {
      block.outcome = FilterBlock::Outcome::kOutOfMemory;
    } else {
      uint64_t hashes_xor = 0;
      for (size_t i = 0; i < to_verify_.size(); ++i) {
        hashes_xor ^= to_verify_.data()[i];
      }
      if (options_.detect_corruption && hashes_xor != hashes_xor_) {
        block.outcome = FilterBlock::Outcome::kCorrupted;
      } else {
        if (payload_bytes >= kFreshMemoryBytes) {
          PopulatePages(bytes.get(), payload_bytes);
        }
        KernelFor(Algorithm(options_))
            .build(trailer.shape, hashes_.data(), hashes_.size(), bytes.get());
        trailer.Write(bytes.get() + payload_bytes);
        block.outcome = FilterBlock::Outcome::kBuilt;
        block.bytes = std::move(bytes);
        block.size = payload_bytes + kTrailerBytes;
      }
    }
  }
  Reset();
  return block;
}

bool FilterBlockBuilder::KeepForVerify() {
  for (size_t i = 0; i < hashes_.size(); ++i) {
    if (!to_verify_.Append(hashes_.data()[i])) {
      // There will be no block to look for some of them in.
      to_verify_.Release();
      return false;
    }
  }
  return true;
}

bool FilterBlockBuilder::Verify(const char* data, size_t size) {
  if (!options_.detect_corruption || to_verify_.empty()) return true;
  FilterBlockReader reader;
  bool all_found =
      FilterBlockReader::Open(data, size, &reader) == BlockState::kUsable;
  for (size_t i = 0; all_found && i < to_verify_.size(); ++i) {
    all_found = reader.MayMatch(to_verify_.data()[i]);
  }
  to_verify_.Release();
  return all_found;
}

uint64_t FilterBlockBuilder::BlockBytes(const FilterBlockOptions& options,
                                        uint64_t keys) {
  return Algorithm(options)
             .shape_for(keys, options.bits_per_key)
             .payload_bytes +
         kTrailerBytes;
}

double FilterBlockBuilder::ExpectedRate(const FilterBlockOptions& options,
                                        uint64_t keys, uint64_t bytes) {
  const FilterAlgorithm& algorithm = Algorithm(options);
  FilterShape shape = algorithm.shape_for(keys, options.bits_per_key);
  if (bytes <= kTrailerBytes) return 1;
  shape.payload_bytes = bytes - kTrailerBytes;
  return algorithm.is_valid_shape(shape)
             ? algorithm.false_positive_rate(shape, keys)
             : 1;
}

uint64_t FilterBlockBuilder::KeysThatFit(const FilterBlockOptions& options,
                                         uint64_t bytes) {
  // BlockBytes grows with the number of keys: find the last that fits.
  uint64_t fits = 0;
  uint64_t too_many = bytes * 8 + 1;  // bits per key is at least 1
  if (BlockBytes(options, 1) > bytes) return 0;
  fits = 1;
  while (too_many - fits > 1) {
    const uint64_t middle = fits + (too_many - fits) / 2;
    (BlockBytes(options, middle) <= bytes ? fits : too_many) = middle;
  }
  return fits;
}

}  // namespace sstfilter
