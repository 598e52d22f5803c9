#include "tools/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace sstfilter::tools {

namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> headers) {
  size_t height = 1;
  for (const std::string& header : headers) {
    height = std::max(height, Lines(header).size());
  }
  header_lines_.assign(height, std::vector<std::string>(headers.size()));
  for (size_t column = 0; column < headers.size(); ++column) {
    const std::vector<std::string> lines = Lines(headers[column]);
    for (size_t i = 0; i < lines.size(); ++i) {
      header_lines_[height - lines.size() + i][column] = lines[i];
    }
  }
}

void TextTable::AddRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string TextTable::ToString() const {
  std::vector<std::vector<std::string>> all = header_lines_;
  all.insert(all.end(), rows_.begin(), rows_.end());
  std::vector<size_t> widths(header_lines_.front().size());
  for (const std::vector<std::string>& row : all) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : all) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i])
                     : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace sstfilter::tools
