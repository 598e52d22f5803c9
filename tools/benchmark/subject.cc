#include "tools/benchmark/subject.h"

#include <cstdlib>
#include <string_view>

#include "filter/algorithm.h"
#include "tools/benchmark/fetch.h"
#include "tools/benchmark/kernel_subject.h"
#include "tools/benchmark/policy_subject.h"

namespace sstfilter::benchmarks {

namespace {

constexpr FilterKind kKinds[] = {FilterKind::kBloom, FilterKind::kStandardBloom,
                                 FilterKind::kParity};

// Takes the number after `mark` off the end of `*text`, if there is one. False
// if it is not a number in the range.
bool TakeNumber(char mark, double lowest, double highest, std::string* text,
                double* number) {
  const size_t at = text->find(mark);
  if (at == std::string::npos) return true;
  char* end = nullptr;
  *number = std::strtod(text->c_str() + at + 1, &end);
  const bool is_number = *end == '\0' && *number >= lowest;
  text->resize(at);
  return is_number && *number <= highest;
}

bool ParseSpec(SubjectSpec* spec) {
  constexpr std::string_view kHuge = "huge";
  spec->kind = spec->name;
  const size_t at = spec->kind.find('@');
  if (at != std::string::npos) {
    spec->placement.huge_pages = false;
    if (spec->kind.size() >= at + kHuge.size() &&
        spec->kind.compare(spec->kind.size() - kHuge.size(), kHuge.size(),
                           kHuge) == 0) {
      spec->placement.huge_pages = true;
      spec->kind.resize(spec->kind.size() - kHuge.size());
    }
  }
  auto alignment = static_cast<double>(spec->placement.alignment);
  if (!TakeNumber('@', 0, 63, &spec->kind, &alignment)) return false;
  spec->placement.alignment = static_cast<size_t>(alignment);
  return TakeNumber(':', kMinBitsPerKey, kMaxBitsPerKey, &spec->kind,
                    &spec->bits_per_key);
}

std::unique_ptr<Subject> MakeKernel(const SubjectSpec& spec, size_t slash,
                                    std::string* error) {
  FilterKind kind;
  const FilterAlgorithm* algorithm =
      ParseFilterKind(spec.kind.substr(0, slash), &kind) ? AlgorithmFor(kind)
                                                         : nullptr;
  if (algorithm == nullptr) {
    *error = "no such filter: " + spec.name;
    return nullptr;
  }
  for (size_t i = 0; i < algorithm->kernel_count; ++i) {
    const FilterKernel& kernel = algorithm->kernels[i];
    if (spec.kind.substr(slash + 1) != CpuLevelName(kernel.level)) continue;
    if (kernel.level > DetectedCpuLevel()) break;
    return MakeKernelSubject(spec, *algorithm, kernel);
  }
  *error = "no such kernel, or not on this CPU: " + spec.name;
  return nullptr;
}

}  // namespace

bool Subject::Place() {
  const rocksdb::Slice block = Finish();
  const bool copied = memory_.Assign(block.data(), block.size(), placement_);
  Discard();
  return copied && Open(rocksdb::Slice(memory_.data(), memory_.size()));
}

std::unique_ptr<Subject> MakeSubject(const std::string& name,
                                     const SubjectSpec& defaults,
                                     std::string* error) {
  SubjectSpec spec = defaults;
  spec.name = name;
  if (!ParseSpec(&spec)) {
    *error = name +
             ": after the filter's name come bits per key from 1 to 100 "
             "(bloom:12.5) and a place in a cache line (bloom@0, bloom@16huge)";
    return nullptr;
  }
  if (spec.kind == "fetch") {
    const FilterAlgorithm& fetch = FetchAlgorithm();
    return MakeKernelSubject(spec, fetch, fetch.kernels[0]);
  }
  const size_t slash = spec.kind.find('/');
  return slash == std::string::npos ? MakePolicySubject(spec, error)
                                    : MakeKernel(spec, slash, error);
}

std::vector<std::string> KernelSubjectNames() {
  std::vector<std::string> names;
  for (const FilterKind kind : kKinds) {
    const FilterAlgorithm& algorithm = *AlgorithmFor(kind);
    for (size_t i = 0; i < algorithm.kernel_count; ++i) {
      const CpuLevel level = algorithm.kernels[i].level;
      if (level > ActiveCpuLevel()) continue;
      names.push_back(std::string(FilterKindName(kind)) + "/" +
                      CpuLevelName(level));
    }
  }
  return names;
}

}  // namespace sstfilter::benchmarks
