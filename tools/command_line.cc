#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <sstream>

#include "sstfilter/version.h"
#include "tools/filter_fields.h"

namespace sstfilter::tools {

namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : text) {
    if (c != separator) {
      part += c;
      continue;
    }
    parts.push_back(part);
    part.clear();
  }
  parts.push_back(part);
  return parts;
}

// CLI11 keeps type and checks in one text: "UINT:UINT in [1 - 6]",
// "TEXT:{table,json}", "UINT:SIZE [b, kb(=1024b), ...]:...".
void ReadType(const std::string& type, OptionFacts* facts) {
  const std::vector<std::string> parts = Split(type, ':');
  facts->value = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    const size_t open = part.find(" in [");
    if (part.front() == '{' && part.back() == '}') {
      facts->choices = Split(part.substr(1, part.size() - 2), ',');
    } else if (part.rfind("SIZE", 0) == 0) {
      facts->value = "SIZE";
    } else if (open != std::string::npos && part.back() == ']') {
      facts->range = part.substr(open + 5, part.size() - open - 6);
    }
  }
}

std::vector<std::string> Names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  // The set is ordered by address.
  std::sort(names.begin(), names.end());
  return names;
}

OptionFacts Describe(const CLI::Option& option) {
  OptionFacts facts;
  facts.is_positional = option.get_positional();
  if (facts.is_positional) facts.names = {option.get_name(true)};
  for (const std::string& name : option.get_snames()) {
    facts.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    facts.names.push_back("--" + name);
  }
  facts.is_required = option.get_required();
  facts.is_repeatable =
      option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  if (option.get_items_expected_max() > 0) {
    ReadType(option.get_type_name(), &facts);
    facts.default_value = option.get_default_str();
  }
  facts.description = option.get_description();
  facts.excludes = Names(option.get_excludes());
  facts.needs = Names(option.get_needs());
  return facts;
}

// A line for each command: the first sentence of what it says of itself.
class ProgramHelp final : public CLI::Formatter {
 public:
  ProgramHelp() { column_width(13); }

  std::string make_subcommand(const CLI::App* command) const override {
    const std::string text = command->get_description();
    std::stringstream line;
    CLI::detail::format_help(line, command->get_name(),
                             text.substr(0, text.find(". ")),
                             get_column_width());
    return line.str();
  }
};

// The names of the fields, in lines of at most 80 columns.
std::string ProgramFooter() {
  std::string text =
      "sstfilter COMMAND --help has the options of a command, and examples.\n\n"
      "A filter is named none, rocksdb-bloom:BITS, rocksdb-ribbon:BITS or\n"
      "sstfilter:OPTIONS, where OPTIONS is bits per key or fields, described "
      "in the\nsection FILTER OPTIONS of man sstfilter, as in "
      "kind=parity,bits_per_key=12:\n";
  std::string line;
  for (const FilterFieldFacts& field : FilterFields()) {
    const std::string name = std::string("  ") + field.name;
    if (line.size() + name.size() > 80) {
      text += line + "\n";
      line.clear();
    }
    line += name;
  }
  return text + line;
}

CommandFacts Describe(const CLI::App& app) {
  CommandFacts facts;
  facts.name = app.get_name();
  facts.description = app.get_description();
  facts.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    facts.options.push_back(Describe(*option));
  }
  return facts;
}

}  // namespace

std::unique_ptr<CLI::App> MakeParser(Work* work) {
  auto app = std::make_unique<CLI::App>(
      "Measures RocksDB's table filters: the disk reads they avoid, and what "
      "they cost.",
      "sstfilter");
  app->require_subcommand(1);
  app->set_version_flag("--version", "sstfilter " SSTFILTER_VERSION,
                        "Print the version and exit");
  AddMeasureCommand(app.get(), work);
  AddInspectCommand(app.get(), work);
  AddSizeCommand(app.get(), work);
  AddAdviseCommand(app.get(), work);
  AddVerifyCommand(app.get(), work);
  // After the commands, which would inherit it.
  app->formatter(std::make_shared<ProgramHelp>());
  app->footer(ProgramFooter());
  return app;
}

std::vector<CommandFacts> DescribeCommandLine() {
  Work work;
  const std::unique_ptr<CLI::App> app = MakeParser(&work);
  std::vector<CommandFacts> all = {Describe(*app)};
  for (const CLI::App* command : app->get_subcommands(nullptr)) {
    all.push_back(Describe(*command));
  }
  return all;
}

}  // namespace sstfilter::tools
