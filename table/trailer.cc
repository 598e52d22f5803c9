#include "table/trailer.h"

#include <cstring>

#include "filter/hash.h"
#include "filter/little_endian.h"

namespace sstfilter {

namespace {

constexpr size_t kSeedOffset = 0;
constexpr size_t kKeysOffset = 8;
constexpr size_t kPayloadBytesOffset = 16;
constexpr size_t kKeyTransformOffset = 20;
constexpr size_t kKindOffset = 24;
constexpr size_t kParameterOffset = 25;
constexpr size_t kChecksumOffset = 26;
constexpr size_t kVersionOffset = 30;
constexpr size_t kZeroOffset = 31;
constexpr size_t kMagicOffset = 32;

static_assert(kZeroOffset == kTrailerBytes - 5,
              "built-in readers look for the number of probes there");
static_assert(kMagicOffset + 4 == kTrailerBytes, "the magic ends the block");

// "sstf" in the order of the bytes on disk.
constexpr char kMagic[4] = {'s', 's', 't', 'f'};

// What stands for a kind on disk. Never reuse a number.
constexpr uint8_t kBloomCode = 1;
constexpr uint8_t kStandardBloomCode = 2;
constexpr uint8_t kParityCode = 3;

uint8_t CodeOf(FilterKind kind) {
  switch (kind) {
    case FilterKind::kBloom:
      return kBloomCode;
    case FilterKind::kStandardBloom:
      return kStandardBloomCode;
    case FilterKind::kParity:
      return kParityCode;
    case FilterKind::kAuto:
      break;
  }
  return 0;  // no reader knows it: "may match"
}

bool KindOf(uint8_t code, FilterKind* kind) {
  switch (code) {
    case kBloomCode:
      *kind = FilterKind::kBloom;
      return true;
    case kStandardBloomCode:
      *kind = FilterKind::kStandardBloom;
      return true;
    case kParityCode:
      *kind = FilterKind::kParity;
      return true;
    default:
      return false;
  }
}

// Over everything but the checksum itself.
uint32_t Checksum(const char* trailer) {
  char covered[kTrailerBytes];
  std::memcpy(covered, trailer, kTrailerBytes);
  StoreLittle32(covered + kChecksumOffset, 0);
  return static_cast<uint32_t>(HashKey(covered, kTrailerBytes, 0));
}

}  // namespace

const char* BlockStateName(BlockState state) {
  switch (state) {
    case BlockState::kUsable:
      return "usable";
    case BlockState::kForeign:
      return "foreign";
    case BlockState::kUnknownVersion:
      return "unknown version";
    case BlockState::kUnknownKind:
      return "unknown kind";
    case BlockState::kDamaged:
      return "damaged";
  }
  return "unknown";
}

void Trailer::Write(char* out) const {
  StoreLittle64(out + kSeedOffset, seed);
  StoreLittle64(out + kKeysOffset, keys);
  StoreLittle32(out + kPayloadBytesOffset,
                static_cast<uint32_t>(shape.payload_bytes));
  StoreLittle32(out + kKeyTransformOffset, key_transform);
  out[kKindOffset] = static_cast<char>(CodeOf(kind));
  out[kParameterOffset] = static_cast<char>(shape.parameter);
  out[kVersionOffset] = static_cast<char>(kFormatVersion);
  out[kZeroOffset] = 0;
  std::memcpy(out + kMagicOffset, kMagic, sizeof(kMagic));
  StoreLittle32(out + kChecksumOffset, Checksum(out));
}

BlockState Trailer::Read(const char* data, size_t size, Trailer* trailer) {
  constexpr size_t kFromZeroToEnd = kTrailerBytes - kZeroOffset;
  if (size < kFromZeroToEnd ||
      std::memcmp(data + size - sizeof(kMagic), kMagic, sizeof(kMagic)) != 0 ||
      data[size - kFromZeroToEnd] != 0) {
    return BlockState::kForeign;
  }
  if (size < kTrailerBytes) return BlockState::kDamaged;
  const char* at = data + size - kTrailerBytes;
  if (at[kVersionOffset] != static_cast<char>(kFormatVersion)) {
    return BlockState::kUnknownVersion;
  }
  if (LoadLittle32(at + kChecksumOffset) != Checksum(at)) {
    return BlockState::kDamaged;
  }
  Trailer read;
  if (!KindOf(static_cast<uint8_t>(at[kKindOffset]), &read.kind)) {
    return BlockState::kUnknownKind;
  }
  read.seed = LoadLittle64(at + kSeedOffset);
  read.keys = LoadLittle64(at + kKeysOffset);
  read.key_transform = LoadLittle32(at + kKeyTransformOffset);
  read.shape.payload_bytes = LoadLittle32(at + kPayloadBytesOffset);
  read.shape.parameter = static_cast<uint8_t>(at[kParameterOffset]);
  if (read.shape.payload_bytes != size - kTrailerBytes ||
      !AlgorithmFor(read.kind)->is_valid_shape(read.shape)) {
    return BlockState::kDamaged;
  }
  *trailer = read;
  return BlockState::kUsable;
}

uint32_t KeyTransformId(const char* name, size_t length) {
  if (length == 0) return 0;
  const auto id = static_cast<uint32_t>(HashKey(name, length, 0));
  return id == 0 ? 1 : id;
}

}  // namespace sstfilter
