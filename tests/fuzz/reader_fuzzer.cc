// The reader on arbitrary bytes. Nothing may crash or read outside the block,
// and all kernels must give the same answers.
//
// The first byte says how the rest is taken:
//   even   as a whole block
//   odd    as kind (1 byte), parameter (1), keys (8), seed (8) and payload: the
//          trailer is made to fit, so that the payload is reached
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "table/filter_block_reader.h"
#include "table/trailer.h"
#include "tests/fuzz/input.h"

namespace sstfilter {
namespace {

// Hashes to ask for: the ends of the range, single bits, and others that depend
// on the block.
std::vector<uint64_t> Questions(uint64_t state) {
  std::vector<uint64_t> hashes = {0, ~uint64_t{0}, 0xffffffff,
                                  ~uint64_t{0} << 32};
  for (int bit = 0; bit < 64; bit += 7) hashes.push_back(uint64_t{1} << bit);
  while (hashes.size() < 77) hashes.push_back(NextRandom(&state));
  return hashes;
}

// `block` lies in memory of exactly its size, so that tools see what is read
// before or after it.
void Ask(const char* block, size_t size) {
  FilterBlockReader reader;
  const BlockState state = FilterBlockReader::Open(block, size, &reader);
  FUZZ_CHECK(std::strlen(BlockStateName(state)) > 0);
  if (state != BlockState::kUsable) return;

  const Trailer& trailer = reader.trailer();
  const FilterAlgorithm& algorithm = *AlgorithmFor(trailer.kind);
  const FilterView view = MakeFilterView(algorithm, trailer.shape, block);
  const std::vector<uint64_t> hashes =
      Questions(trailer.seed ^ reader.Hash(block, size < 64 ? size : 64));

  bool expected[100];
  const FilterKernel& scalar = KernelFor(algorithm, CpuLevel::kScalar);
  for (size_t i = 0; i < hashes.size(); ++i) {
    expected[i] = scalar.may_match(view, hashes[i]);
  }
  ForEveryKernel(algorithm, [&](const FilterKernel& kernel) {
    bool batch[100];
    kernel.may_match_batch(view, hashes.data(), hashes.size(), batch);
    for (size_t i = 0; i < hashes.size(); ++i) {
      FUZZ_CHECK(kernel.may_match(view, hashes[i]) == expected[i]);
      FUZZ_CHECK(batch[i] == expected[i]);
    }
  });
  for (size_t i = 0; i < hashes.size(); ++i) {
    FUZZ_CHECK(reader.MayMatch(hashes[i]) == expected[i]);
  }

  const double rate = reader.ExpectedFalsePositiveRate();
  FUZZ_CHECK(rate >= 0 && rate <= 1);
}

}  // namespace
}  // namespace sstfilter

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstfilter;
  FuzzInput input(data, size);
  const uint8_t form = input.Byte();
  std::string block;
  if (form % 2 == 0) {
    block = input.Rest();
  } else {
    Trailer trailer;
    trailer.kind = FuzzKind(input.Byte());
    trailer.shape.parameter = input.Byte();
    trailer.keys = input.Number(8);
    trailer.seed = input.Number(8);
    block = input.Rest();
    if (trailer.kind != FilterKind::kStandardBloom) {
      block.resize(block.size() / kBlockBytes * kBlockBytes);
    }
    trailer.shape.payload_bytes = block.size();
    char bytes[kTrailerBytes];
    trailer.Write(bytes);
    block.append(bytes, kTrailerBytes);
  }
  // Every alignment, and the end of the memory at the end of the block.
  const size_t shift = (form / 2) % 64;
  const std::unique_ptr<char[]> memory(new char[shift + block.size()]);
  std::memcpy(memory.get() + shift, block.data(), block.size());
  Ask(memory.get() + shift, block.size());
  return 0;
}
