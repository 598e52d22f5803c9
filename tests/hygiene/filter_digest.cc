// Prints what filters are and say, as text: two builds that print the same
// write the same blocks and read them alike.
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include "filter/algorithm.h"
#include "filter/hash.h"
#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"

namespace sstfilter {
namespace {

std::vector<std::string> Keys() {
  std::vector<std::string> keys;
  for (size_t length = 0; length <= 64; ++length) {
    for (int byte = 0x7e; byte < 256; byte += 3) {
      keys.emplace_back(length, static_cast<char>(byte));
      // The same with one byte of the other half of the range at the end.
      if (length > 0) keys.back().back() = static_cast<char>(byte ^ 0x80);
    }
  }
  return keys;
}

void Digest(FilterKind kind, double bits_per_key, CpuLevel level) {
  FilterBlockOptions options;
  options.kind = kind;
  options.bits_per_key = bits_per_key;
  options.fixed_seed = 0x8090A0B0C0D0E0F0;
  FilterBlockBuilder builder(options);
  const std::vector<std::string> keys = Keys();
  for (const std::string& key : keys) builder.AddKey(key.data(), key.size());
  const FilterBlock block = builder.Finish();
  FilterBlockReader reader;
  const BlockState state =
      FilterBlockReader::Open(block.bytes.get(), block.size, &reader);
  if (state != BlockState::kUsable) {
    std::printf("%s\n", BlockStateName(state));
    return;
  }
  const FilterAlgorithm& algorithm = *AlgorithmFor(kind);
  const FilterKernel& kernel = KernelFor(algorithm, level);
  const FilterView view =
      MakeFilterView(algorithm, reader.trailer().shape, block.bytes.get());
  int lost = 0;
  for (const std::string& key : keys) {
    lost += !kernel.may_match(view, reader.Hash(key.data(), key.size()));
  }
  std::string answers;
  for (uint64_t i = 0; i < 20000; ++i) {
    const std::string key = "\xff\x80" + std::to_string(i);
    answers +=
        kernel.may_match(view, reader.Hash(key.data(), key.size())) ? '1' : '0';
  }
  std::printf("%s %g %s: %zu bytes %016" PRIx64 ", answers %016" PRIx64
              ", %d lost\n",
              FilterKindName(kind), bits_per_key, CpuLevelName(kernel.level),
              block.size, HashKey(block.bytes.get(), block.size, 0),
              HashKey(answers.data(), answers.size(), 0), lost);
}

}  // namespace
}  // namespace sstfilter

int main() {
  using namespace sstfilter;
  for (FilterKind kind :
       {FilterKind::kBloom, FilterKind::kStandardBloom, FilterKind::kParity}) {
    for (double bits : {1.0, 5.0, 10.0, 24.0, 100.0}) {
      Digest(kind, bits, CpuLevel::kScalar);
      Digest(kind, bits, DetectedCpuLevel());
    }
  }
  return 0;
}
