#include "tools/records.h"

namespace sstfilter::tools {

std::string CsvCell(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

Json ToJsonArray(const std::vector<Record>& records) {
  Json array = Json::array();
  for (const Record& record : records) {
    Json object = Json::object();
    for (const auto& [name, value] : record) object[name] = value;
    array.push_back(object);
  }
  return array;
}

std::string ToCsv(const Record& empty, const std::vector<Record>& records) {
  std::string text;
  for (size_t i = 0; i < empty.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::string(empty[i].first);
  }
  text += '\n';
  for (const Record& record : records) {
    for (size_t i = 0; i < record.size(); ++i) {
      text += (i == 0 ? "" : ",") + CsvCell(record[i].second);
    }
    text += '\n';
  }
  return text;
}

std::string Print(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sstfilter::tools
