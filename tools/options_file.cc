#include "tools/options_file.h"

#include <fmt/format.h>
#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "integration/policy_name.h"
#include "sstfilter/filter_policy.h"

namespace sstfilter::tools {

namespace {

using Fields = std::unordered_map<std::string, std::string>;

constexpr size_t kMostOfAValue = 60;
constexpr char kBlockBased[] = "TableOptions/BlockBasedTable";

std::string Trim(const std::string& text) {
  constexpr char kBlanks[] = " \t\r";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// A backslash keeps the number sign.
std::string WithoutComment(const std::string& line) {
  for (size_t at = line.find('#'); at != std::string::npos;
       at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] != '\\') return line.substr(0, at);
  }
  return line;
}

std::string Unescape(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
  return out;
}

struct Section {
  std::string title;     // "CFOptions"
  std::string argument;  // "default"
  Fields fields;
};

std::vector<Section> ReadSections(const std::string& text) {
  std::vector<Section> sections;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line = Trim(WithoutComment(line));
    if (line.empty()) continue;
    if (line.front() == '[') {
      const size_t quote = line.find('"');
      const size_t end = line.rfind('"');
      Section& section = sections.emplace_back();
      section.title =
          Trim(line.substr(1, std::min(quote, line.size() - 1) - 1));
      if (quote != end) {
        section.argument = Unescape(line.substr(quote + 1, end - quote - 1));
      }
      continue;
    }
    const size_t equals = line.find('=');
    if (sections.empty() || equals == std::string::npos) continue;
    sections.back().fields[Trim(line.substr(0, equals))] =
        Trim(line.substr(equals + 1));
  }
  return sections;
}

// Applies all fields to `*options` or, if that fails, each that works.
template <typename Options, typename Apply>
std::vector<std::pair<std::string, std::string>> Take(const Fields& fields,
                                                      const Apply& apply,
                                                      Options* options) {
  std::vector<std::pair<std::string, std::string>> unknown;
  Options changed;
  if (apply(*options, fields, &changed).ok()) {
    *options = changed;
    return unknown;
  }
  for (const auto& field : fields) {
    if (apply(*options, {field}, &changed).ok()) {
      *options = changed;
    } else {
      unknown.push_back(field);
    }
  }
  return unknown;
}

// RocksDB may say nothing of a policy that could not be made.
bool IsLost(const std::string& value,
            const rocksdb::BlockBasedTableOptions& table) {
  if (value.empty() || value == "nullptr") return false;
  if (table.filter_policy == nullptr) return true;
  FilterOptions ignored;
  return table.filter_policy->Name() == std::string(kPolicyName) &&
         !GetFilterOptions(*table.filter_policy, &ignored).ok();
}

class Reader {
 public:
  explicit Reader(OptionsFile* options) : options_(*options) {
    config_.ignore_unknown_options = false;
    config_.ignore_unsupported_options = false;
  }

  void Take(const Section& section) {
    if (section.title == "DBOptions") {
      TakeDatabase(section.fields);
    } else if (section.title == "CFOptions") {
      TakeFamily(section);
    } else if (section.title == kBlockBased) {
      TakeTable(section);
    }
  }

 private:
  using Of = UnknownOption::Of;

  void Note(Of of, const std::string& family,
            const std::vector<std::pair<std::string, std::string>>& fields) {
    for (const auto& [name, value] : fields) {
      options_.unknown.push_back({of, family, name, value});
    }
  }

  void TakeDatabase(const Fields& fields) {
    const auto apply = [this](const rocksdb::DBOptions& base,
                              const Fields& some, rocksdb::DBOptions* changed) {
      return rocksdb::GetDBOptionsFromMap(config_, base, some, changed);
    };
    Note(Of::kDatabase, "", tools::Take(fields, apply, &options_.db_options));
  }

  void TakeFamily(const Section& section) {
    const auto apply = [this](const rocksdb::ColumnFamilyOptions& base,
                              const Fields& some,
                              rocksdb::ColumnFamilyOptions* changed) {
      return rocksdb::GetColumnFamilyOptionsFromMap(config_, base, some,
                                                    changed);
    };
    rocksdb::ColumnFamilyOptions family;
    Note(Of::kColumnFamily, section.argument,
         tools::Take(section.fields, apply, &family));
    options_.column_families.emplace_back(section.argument, family);
  }

  void TakeTable(const Section& section) {
    const auto apply = [this](const rocksdb::BlockBasedTableOptions& base,
                              const Fields& some,
                              rocksdb::BlockBasedTableOptions* changed) {
      return rocksdb::GetBlockBasedTableOptionsFromMap(config_, base, some,
                                                       changed);
    };
    rocksdb::BlockBasedTableOptions table;
    auto unknown = tools::Take(section.fields, apply, &table);
    const auto policy = section.fields.find("filter_policy");
    if (policy != section.fields.end() && IsLost(policy->second, table) &&
        std::find(unknown.begin(), unknown.end(),
                  std::pair<std::string, std::string>(*policy)) ==
            unknown.end()) {
      unknown.push_back(*policy);
    }
    Note(Of::kTable, section.argument, unknown);
    for (auto& family : options_.column_families) {
      if (family.name != section.argument) continue;
      family.options.table_factory.reset(
          rocksdb::NewBlockBasedTableFactory(table));
    }
  }

  OptionsFile& options_;
  rocksdb::ConfigOptions config_;
};

}  // namespace

std::string UnknownOption::ToString() const {
  std::string text = name + "=" + value.substr(0, kMostOfAValue);
  if (value.size() > kMostOfAValue) text += "...";
  return text + (of == Of::kDatabase
                     ? " (database)"
                     : fmt::format(" (column family {})", column_family));
}

rocksdb::Status ReadOptionsFile(const std::string& path, OptionsFile* options) {
  *options = OptionsFile();
  rocksdb::Env* env = rocksdb::Env::Default();
  std::string name;
  std::string text;
  rocksdb::Status status = rocksdb::GetLatestOptionsFileName(path, env, &name);
  if (status.ok()) {
    status = rocksdb::ReadFileToString(env, path + "/" + name, &text);
  }
  if (!status.ok()) return status;
  Reader reader(options);
  for (const Section& section : ReadSections(text)) reader.Take(section);
  if (options->column_families.empty()) {
    return rocksdb::Status::Corruption("no column family in options file",
                                       name);
  }
  return status;
}

}  // namespace sstfilter::tools
