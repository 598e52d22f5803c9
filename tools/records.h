// Rows of named values as JSON objects and as CSV.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sstfilter::tools {

using Json = nlohmann::ordered_json;

// Fields in the order they are printed.
using Record = std::vector<std::pair<const char*, Json>>;

// One cell of CSV (RFC 4180): empty for null, quoted where it must be.
std::string CsvCell(const Json& value);

Json ToJsonArray(const std::vector<Record>& records);

// With a line of names, which are those of `empty`.
std::string ToCsv(const Record& empty, const std::vector<Record>& records);

// File names may be any bytes.
std::string Print(const Json& document);

}  // namespace sstfilter::tools
