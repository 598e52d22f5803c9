#include "tools/key_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>

#include "tools/random.h"

namespace sstfilter::tools {

namespace {

constexpr size_t kGeneratedKeyBytes = 16;

struct FileCloser {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

std::string PrintableName(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

rocksdb::Status ReadWholeFile(const std::string& path, std::string* text) {
  std::unique_ptr<std::FILE, FileCloser> file(
      path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    return rocksdb::Status::InvalidArgument(
        fmt::format("cannot open key file {}: {}", path, std::strerror(errno)));
  }
  std::vector<char> buffer(1 << 16);
  size_t got;
  while ((got = std::fread(buffer.data(), 1, buffer.size(), file.get())) > 0) {
    text->append(buffer.data(), got);
  }
  if (std::ferror(file.get()) != 0) {
    return rocksdb::Status::InvalidArgument(
        fmt::format("cannot read keys from {}: {}", PrintableName(path),
                    std::strerror(errno)));
  }
  return rocksdb::Status::OK();
}

// The lines of a file, sorted, each once. `*repeated` counts the others.
rocksdb::Status ReadSortedKeys(const std::string& path,
                               std::deque<std::string>* storage,
                               std::vector<std::string_view>* keys,
                               uint64_t* repeated) {
  std::string& text = storage->emplace_back();
  rocksdb::Status status = ReadWholeFile(path, &text);
  if (!status.ok()) return status;
  const std::string_view rest = text;
  for (size_t begin = 0; begin < rest.size();) {
    const size_t end = std::min(rest.find('\n', begin), rest.size());
    if (end > begin) keys->push_back(rest.substr(begin, end - begin));
    begin = end + 1;
  }
  if (keys->empty()) {
    return rocksdb::Status::InvalidArgument(
        fmt::format("{} holds no keys", PrintableName(path)));
  }
  std::sort(keys->begin(), keys->end());
  const auto distinct = std::unique(keys->begin(), keys->end());
  *repeated = static_cast<uint64_t>(keys->end() - distinct);
  keys->erase(distinct, keys->end());
  return rocksdb::Status::OK();
}

// Appends generated keys number [first, first + count). Different numbers give
// different keys, because Scatter is a bijection.
void GenerateKeys(uint64_t seed, uint64_t first, uint64_t count,
                  std::deque<std::string>* storage,
                  std::vector<std::string_view>* keys) {
  std::string& text = storage->emplace_back();
  text.reserve(count * kGeneratedKeyBytes);
  for (uint64_t i = first; i < first + count; ++i) {
    const uint64_t head = Scatter(Scatter(seed) + i);
    for (const uint64_t word : {head, Scatter(head ^ seed)}) {
      for (int shift = 56; shift >= 0; shift -= 8) {
        text.push_back(static_cast<char>(word >> shift));
      }
    }
  }
  const std::string_view all = text;
  keys->reserve(keys->size() + count);
  for (uint64_t i = 0; i < count; ++i) {
    keys->push_back(all.substr(i * kGeneratedKeyBytes, kGeneratedKeyBytes));
  }
}

// Makes absent keys that look like the present ones: one byte of a present key
// replaced by a byte from elsewhere in the keys. Leaves `*absent` sorted.
void PerturbKeys(const std::vector<std::string_view>& sorted_present,
                 uint64_t wanted, Random* random,
                 std::deque<std::string>* storage,
                 std::vector<std::string_view>* absent) {
  std::vector<std::string> made;
  // Some tries fail, because their outcome is present or was made before; with
  // few short keys nearly all do.
  for (uint64_t tries = 0; made.size() < wanted && tries < 2 * wanted + 100;
       ++tries) {
    const auto pick = [&] {
      return sorted_present[random->Below(sorted_present.size())];
    };
    std::string key(pick());
    const std::string_view donor = pick();
    key[random->Below(key.size())] = donor[random->Below(donor.size())];
    if (std::binary_search(sorted_present.begin(), sorted_present.end(),
                           std::string_view(key))) {
      key.push_back(donor[random->Below(donor.size())]);
      if (std::binary_search(sorted_present.begin(), sorted_present.end(),
                             std::string_view(key))) {
        continue;
      }
    }
    made.push_back(std::move(key));
  }
  std::sort(made.begin(), made.end());
  made.erase(std::unique(made.begin(), made.end()), made.end());
  for (std::string& key : made) {
    absent->push_back(storage->emplace_back(std::move(key)));
  }
}

}  // namespace

rocksdb::Status LoadKeys(const KeySourceOptions& options, KeySet* keys) {
  if (options.keys_path == "-" && options.absent_path == "-") {
    return rocksdb::Status::InvalidArgument(
        "--keys and --absent cannot both be standard input");
  }
  const bool keys_from_file = !options.keys_path.empty();
  const bool absent_from_file = !options.absent_path.empty();
  Random random(options.seed);
  rocksdb::Status status;

  // Sorted only where something has to be looked up in it.
  std::vector<std::string_view>& present = keys->present;
  if (keys_from_file) {
    status = ReadSortedKeys(options.keys_path, &keys->storage, &present,
                            &keys->repeated_keys);
    if (!status.ok()) return status;
  } else {
    if (options.generated == 0) {
      return rocksdb::Status::InvalidArgument(
          "no keys: give --keys FILE or --num N");
    }
    GenerateKeys(options.seed, 0, options.generated, &keys->storage, &present);
    if (absent_from_file) std::sort(present.begin(), present.end());
  }

  const uint64_t wanted =
      options.absent_wanted != 0 ? options.absent_wanted : present.size();
  if (absent_from_file) {
    std::vector<std::string_view> given;
    uint64_t repeated = 0;
    status =
        ReadSortedKeys(options.absent_path, &keys->storage, &given, &repeated);
    if (!status.ok()) return status;
    std::set_difference(given.begin(), given.end(), present.begin(),
                        present.end(), std::back_inserter(keys->absent));
    keys->dropped_absent = given.size() - keys->absent.size();
    if (keys->absent.empty()) {
      return rocksdb::Status::InvalidArgument(
          fmt::format("every key of {} is among the present keys",
                      PrintableName(options.absent_path)));
    }
  } else if (keys_from_file) {
    PerturbKeys(present, wanted, &random, &keys->storage, &keys->absent);
    if (keys->absent.empty()) {
      return rocksdb::Status::InvalidArgument(
          "could not make absent keys from these keys: give --absent FILE");
    }
  } else {
    GenerateKeys(options.seed, options.generated, wanted, &keys->storage,
                 &keys->absent);
  }
  Shuffle(&present, &random);
  Shuffle(&keys->absent, &random);
  return rocksdb::Status::OK();
}

}  // namespace sstfilter::tools
