// Builder and reader on arbitrary streams of keys: no key that was added may be
// answered "absent", and all kernels must write the same bytes.
//
// An input is kind and kernel (1 byte), bits per key (1), seed (8), then steps,
// each a byte for what to do, followed by what it needs. One kernel for each
// input, beside the scalar one and the builder's own, and a few hundred keys:
// more than one block of every kind, and thousands of inputs a minute.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "table/filter_block_builder.h"
#include "table/filter_block_reader.h"
#include "tests/fuzz/input.h"

namespace sstfilter {
namespace {

constexpr size_t kMostKeys = 400;

class Session {
 public:
  explicit Session(FuzzInput* input) : input_(input) {
    const uint8_t choice = input_->Byte();
    options_.kind = FuzzKind(choice);
    kernel_ = choice / 3;
    // Whole and broken values alike, in [1, 100].
    options_.bits_per_key = 1 + input_->Byte() * (99.0 / 255);
    options_.fixed_seed = input_->Number(8) | 1;
    options_.detect_corruption = (options_.fixed_seed & 2) != 0;
    builder_ = std::make_unique<FilterBlockBuilder>(options_);
  }

  void Run() {
    while (input_->left() > 0 && total_ < kMostKeys) Step();
    Finish();
  }

 private:
  void Step() {
    switch (input_->Byte() % 6) {
      case 0:
        Add(input_->Text(input_->Byte()));
        break;
      case 1: {
        const std::string key = input_->Text(input_->Byte() % 64);
        AddBoth(key, key.substr(0, input_->Byte() % 65));
        break;
      }
      case 2: {
        // Many keys, in order.
        uint64_t state = input_->Number(2);
        const size_t count = input_->Number(2) % 400;
        for (size_t i = 0; i < count; ++i) Add(std::to_string(state++));
        break;
      }
      case 3:
        // What was added once already.
        if (!keys_.empty()) Add(keys_[input_->Number(2) % keys_.size()]);
        break;
      case 4:
        Finish();
        break;
      case 5:
        Hashes();
        break;
    }
  }

  void Add(const std::string& key) {
    builder_->AddKey(key.data(), key.size());
    keys_.push_back(key);
    ++total_;
  }

  void AddBoth(const std::string& key, const std::string& alternative) {
    builder_->AddKeyAndAlternative(key.data(), key.size(), alternative.data(),
                                   alternative.size());
    keys_.push_back(key);
    keys_.push_back(alternative);
    total_ += 2;
  }

  void Finish() {
    const size_t added = builder_->keys_added();
    FUZZ_CHECK(added <= keys_.size());
    FUZZ_CHECK((added == 0) == keys_.empty());
    const FilterBlock block = builder_->Finish();
    FUZZ_CHECK(builder_->keys_added() == 0);
    if (keys_.empty()) {
      FUZZ_CHECK(block.outcome == FilterBlock::Outcome::kEmpty);
      return;
    }
    FUZZ_CHECK(block.outcome == FilterBlock::Outcome::kBuilt);
    FUZZ_CHECK(block.size == FilterBlockBuilder::BlockBytes(options_, added));
    FUZZ_CHECK(block.bytes[block.size - 5] == 0);
    FUZZ_CHECK(builder_->Verify(block.bytes.get(), block.size));

    // A copy of exactly the size, for the tools that watch memory.
    const std::unique_ptr<char[]> copy(new char[block.size]);
    std::copy_n(block.bytes.get(), block.size, copy.get());
    FilterBlockReader reader;
    FUZZ_CHECK(FilterBlockReader::Open(copy.get(), block.size, &reader) ==
               BlockState::kUsable);
    std::vector<uint64_t> hashes;
    for (const std::string& key : keys_) {
      hashes.push_back(reader.Hash(key.data(), key.size()));
      FUZZ_CHECK(reader.MayMatch(hashes.back()));
    }
    CheckKernels(reader.trailer().shape, hashes);
    keys_.clear();
  }

  // Hashes chosen without regard to the hash function, as nobody outside can:
  // piled up in few blocks, or equal in parts.
  void Hashes() {
    uint64_t state = input_->Number(8);
    const uint64_t kept = input_->Number(8);
    const uint64_t mask = input_->Number(8);
    const size_t count = input_->Number(2) % 400;
    // Sized for another number than comes.
    const uint64_t sized_for = 1 + input_->Number(2) % 1024;
    std::vector<uint64_t> hashes(count);
    for (uint64_t& hash : hashes) {
      hash = (kept & mask) | (NextRandom(&state) & ~mask);
    }
    total_ += count;
    CheckKernels(AlgorithmFor(options_.kind)
                     ->shape_for(sized_for, options_.bits_per_key),
                 hashes);
  }

  // The chosen kernel against the scalar one, which is the specification.
  void CheckKernels(const FilterShape& shape,
                    const std::vector<uint64_t>& hashes) const {
    const FilterAlgorithm& algorithm = *AlgorithmFor(options_.kind);
    const FilterKernel& scalar = KernelFor(algorithm, CpuLevel::kScalar);
    const auto specified = Build(algorithm, scalar, shape, hashes);
    std::vector<const FilterKernel*> kernels;
    ForEveryKernel(algorithm, [&](const FilterKernel& kernel) {
      if (kernel.level != CpuLevel::kScalar) kernels.push_back(&kernel);
    });
    if (kernels.empty()) return;
    const auto payload =
        Build(algorithm, *kernels[kernel_ % kernels.size()], shape, hashes);
    FUZZ_CHECK(std::equal(payload.get(), payload.get() + shape.payload_bytes,
                          specified.get()));
  }

  // And asks for the hashes.
  static std::unique_ptr<char[]> Build(const FilterAlgorithm& algorithm,
                                       const FilterKernel& kernel,
                                       const FilterShape& shape,
                                       const std::vector<uint64_t>& hashes) {
    std::unique_ptr<char[]> payload(new char[shape.payload_bytes]());
    std::vector<uint64_t> scratch = hashes;
    kernel.build(shape, scratch.data(), scratch.size(), payload.get());
    const FilterView view = MakeFilterView(algorithm, shape, payload.get());
    const std::unique_ptr<bool[]> found(new bool[hashes.size()]);
    kernel.may_match_batch(view, hashes.data(), hashes.size(), found.get());
    for (size_t i = 0; i < hashes.size(); ++i) {
      FUZZ_CHECK(kernel.may_match(view, hashes[i]));
      FUZZ_CHECK(found[i]);
    }
    return payload;
  }

  FuzzInput* input_;
  FilterBlockOptions options_;
  size_t kernel_ = 0;
  std::unique_ptr<FilterBlockBuilder> builder_;
  std::vector<std::string> keys_;  // since the last Finish
  size_t total_ = 0;
};

}  // namespace
}  // namespace sstfilter

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sstfilter::FuzzInput input(data, size);
  sstfilter::Session(&input).Run();
  return 0;
}
