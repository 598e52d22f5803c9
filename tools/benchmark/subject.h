// The filters that are compared, behind one interface.
//
// A filter is named
//
//   rocksdb-bloom, rocksdb-ribbon     RocksDB's own, through its policies
//   bloom, standard, parity           ours, through our policy and the same
//                                     FilterBitsBuilder and FilterBitsReader
//   bloom/scalar, parity/avx2, ...    a kernel of ours, bare: hashes instead of
//                                     keys, no virtual calls
//   fetch                             none: only the memory a filter would read
//
// and may say its bits per key, "parity:7.2" (for rocksdb-ribbon that is the
// setting its policy takes, "the Bloom filter to be as good as"), and where its
// block lies: "bloom@0" begins a cache line, "parity:7.2@16huge" is 16 bytes
// into one, in huge pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/benchmark/block_memory.h"
#include "tools/benchmark/key_set.h"

namespace sstfilter::benchmarks {

// How a set of keys is asked.
enum class QueryForm {
  kSingle,
  kFenced,  // one by one, each complete before the next one begins
  kBatch,   // 32 at a time
};

class Subject {
 public:
  Subject(std::string name, const Placement& placement)
      : name_(std::move(name)), placement_(placement) {}
  virtual ~Subject() = default;

  const std::string& name() const { return name_; }

  // Building, in this order. Begin is not part of what is timed.
  virtual void Begin(uint64_t count) = 0;
  virtual void Add(const KeySet& keys) = 0;
  // The finished block, valid until the next Begin.
  virtual rocksdb::Slice Finish() = 0;
  // The loop of Add without the work of the filter.
  virtual uint64_t DryAdd(const KeySet& keys) const = 0;
  // Returns to the memory of before Begin.
  virtual void Discard() = 0;

  // Takes a copy of the finished block and makes ready to be asked; false if
  // that fails. The builder's own memory is given back.
  bool Place();

  // How many of the keys may be in the filter.
  virtual size_t Ask(KeySet* keys, QueryForm form) const = 0;
  // The same loop without the filter.
  virtual uint64_t DryAsk(const KeySet& keys, QueryForm form) const = 0;
  // Each key's answer, single and in batches.
  virtual void Answer(KeySet* keys, QueryForm form, bool* results) const = 0;

  // Of the placed block.
  size_t block_bytes() const { return memory_.size(); }

  // The keys the placed block was built from.
  KeyUniverse universe;

 protected:
  virtual bool Open(const rocksdb::Slice& block) = 0;

 private:
  const std::string name_;
  const Placement placement_;
  BlockMemory memory_;
};

// What a name says, and what holds where it does not say.
struct SubjectSpec {
  std::string name;  // as given
  std::string kind;  // "parity" or "parity/avx2"
  double bits_per_key = 10;
  Placement placement;
};

// Null, with the reason in `*error`, for a name that is none of the above or a
// kernel this CPU cannot run.
std::unique_ptr<Subject> MakeSubject(const std::string& name,
                                     const SubjectSpec& defaults,
                                     std::string* error);

// The names of all kernels this process may use.
std::vector<std::string> KernelSubjectNames();

}  // namespace sstfilter::benchmarks
