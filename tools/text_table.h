// A table of text for people: columns as wide as they need to be.
#pragma once

#include <string>
#include <vector>

namespace sstfilter::tools {

class TextTable {
 public:
  // Headers may have several lines, separated by newlines; the last lines stand
  // next to each other. The first column is flush left, numbers flush right.
  explicit TextTable(std::vector<std::string> headers);

  // As many cells as there are headers.
  void AddRow(std::vector<std::string> cells);

  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> header_lines_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace sstfilter::tools
