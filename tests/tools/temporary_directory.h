// A directory of its own for each test, removed at the end.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace sstfilter::tools {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    // The build directory, because /tmp may be memory that has no direct I/O.
    std::string name = "sstfilter-test-XXXXXX";
    path_ = std::filesystem::absolute(mkdtemp(name.data())).string();
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // Writes a file and returns its path.
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }

  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  size_t Entries() const {
    size_t entries = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(path_)) {
      ++entries;
    }
    return entries;
  }

 private:
  std::string path_;
};

}  // namespace sstfilter::tools
