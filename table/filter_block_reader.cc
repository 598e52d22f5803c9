#include "table/filter_block_reader.h"

namespace sstfilter {

BlockState FilterBlockReader::Open(const char* data, size_t size,
                                   FilterBlockReader* reader) {
  Trailer trailer;
  const BlockState state = Trailer::Read(data, size, &trailer);
  if (state != BlockState::kUsable) return state;
  const FilterAlgorithm& algorithm = *AlgorithmFor(trailer.kind);
  reader->lookups_ = KernelFor(algorithm);
  reader->view_ =
      MakeFilterView(algorithm, trailer.shape, data, HashSeed(trailer.seed));
  reader->trailer_ = trailer;
  return BlockState::kUsable;
}

double FilterBlockReader::ExpectedFalsePositiveRate() const {
  // No builder packs eight keys into a bit; the formulas need not bear more.
  if (trailer_.keys / 64 > trailer_.shape.payload_bytes) return 1;
  return AlgorithmFor(trailer_.kind)
      ->false_positive_rate(trailer_.shape, trailer_.keys);
}

}  // namespace sstfilter
