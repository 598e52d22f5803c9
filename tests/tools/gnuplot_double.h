// What tests of pictures need: another gnuplot, and a look at a picture.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "temporary_directory.h"

namespace sstfilter::tools {

// As long as it lives, programs are looked for in `directory` alone.
class PathOnly {
 public:
  explicit PathOnly(const std::string& directory) : before_(getenv("PATH")) {
    setenv("PATH", directory.c_str(), 1);
  }
  ~PathOnly() { setenv("PATH", before_.c_str(), 1); }
  PathOnly(const PathOnly&) = delete;
  PathOnly& operator=(const PathOnly&) = delete;

 private:
  std::string before_;
};

// A program of the name that answers --version and else runs `commands` of the
// shell. In a directory for PathOnly.
inline void WriteGnuplotDouble(const TemporaryDirectory& directory,
                               const std::string& commands) {
  const std::string path = directory.Write(
      "gnuplot", "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n" + commands);
  ASSERT_EQ(chmod(path.c_str(), 0755), 0);
}

inline bool IsPng(const std::string& bytes) {
  return bytes.size() > 100 && bytes.rfind("\x89PNG\r\n\x1a\n", 0) == 0;
}

inline bool IsSvg(const std::string& bytes) {
  const TemporaryDirectory directory;
  const std::string path = directory.Write("picture.svg", bytes);
  return bytes.find("<svg") != std::string::npos &&
         std::system(("xmllint --noout " + path).c_str()) == 0;
}

}  // namespace sstfilter::tools
