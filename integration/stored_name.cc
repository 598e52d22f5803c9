#include "integration/stored_name.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "integration/key_transform_name.h"
#include "integration/policy_name.h"

namespace sstfilter {

namespace {

// The list of what a table has, without its footer, is a few hundred bytes.
constexpr uint64_t kTailBytes = 8192;
// Before a key in a block stand the bytes it shares with the one before (none
// in this list), its length and the length of its value, in groups of 7 bits.
constexpr size_t kLengthAt = 2;  // before the key; the value has one byte

std::string ReadTail(rocksdb::Env* env, const std::string& path) {
  uint64_t size = 0;
  std::unique_ptr<rocksdb::RandomAccessFile> file;
  rocksdb::Status status = env->GetFileSize(path, &size);
  if (status.ok()) {
    status = env->NewRandomAccessFile(path, &file, rocksdb::EnvOptions());
  }
  if (!status.ok()) return "";
  const auto bytes = static_cast<size_t>(std::min(size, kTailBytes));
  std::string buffer(bytes, '\0');
  rocksdb::Slice tail;
  status = file->Read(size - bytes, bytes, &tail, buffer.data());
  return status.ok() ? tail.ToString() : "";
}

// Of the key that begins at `at`; 0 when there is no room for one.
size_t KeyLength(std::string_view tail, size_t at) {
  if (at < kLengthAt + 1) return 0;
  const auto last = static_cast<uint8_t>(tail[at - kLengthAt]);
  const auto before = static_cast<uint8_t>(tail[at - kLengthAt - 1]);
  return before >= 0x80 ? last * size_t{0x80} + (before & 0x7f) : last;
}

}  // namespace

std::string StoredTransformName(rocksdb::Env* env, const std::string& path) {
  const std::string tail = ReadTail(env, path);
  for (const char* layout : {"fullfilter.", "partitionedfilter."}) {
    const std::string start = std::string(layout) + kPolicyName + ".";
    const size_t at = tail.rfind(start);
    if (at == std::string::npos) continue;
    const size_t length = KeyLength(tail, at);
    if (length <= start.size() || length > tail.size() - at) continue;
    const std::string name =
        tail.substr(at + start.size(), length - start.size());
    if (IsKeyTransformName(name)) return name;
  }
  return "";
}

}  // namespace sstfilter
