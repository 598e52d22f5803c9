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

Json ToJsonArray(const std::vector<Record>& records);

// With a line of names, which are those of `empty`.
std::string ToCsv(const Record& empty, const std::vector<Record>& records);

// File names may be any bytes.
std::string Print(const Json& document);

}  // namespace sstfilter::tools
