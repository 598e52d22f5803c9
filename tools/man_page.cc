#include "tools/man_page.h"

#include <fmt/format.h>

#include "sstfilter/version.h"
#include "tools/command.h"
#include "tools/filter_fields.h"

namespace sstfilter::tools {

namespace {

// Text in which nothing has a meaning to troff.
std::string Escaped(const std::string& text) {
  std::string escaped;
  bool begins_line = true;
  for (const char c : text) {
    // A request, if it comes first.
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    begins_line = c == '\n';
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':  // else a hyphen, which no program takes for one
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Bold(const std::string& text) {
  return "\\fB" + Escaped(text) + "\\fR";
}

std::string Italic(const std::string& text) {
  return "\\fI" + Escaped(text) + "\\fR";
}

std::string Bold(const std::vector<std::string>& words) {
  std::vector<std::string> bold;
  bold.reserve(words.size());
  for (const std::string& word : words) bold.push_back(Bold(word));
  return fmt::format("{}", fmt::join(bold, ", "));
}

std::string Title(const OptionFacts& option) {
  std::string title =
      option.is_positional ? Italic(option.names.front()) : Bold(option.names);
  if (!option.is_positional && !option.value.empty()) {
    title += " " + Italic(option.value);
  }
  return title + (option.is_repeatable ? " ..." : "");
}

// A sentence whether or not the text has its full stop.
std::string Sentence(const std::string& text) {
  const bool ends = !text.empty() && text.back() == '.';
  return Escaped(text) + (ends ? "\n" : ".\n");
}

std::string OptionText(const OptionFacts& option) {
  std::string text =
      fmt::format(".TP\n{}\n{}", Title(option), Sentence(option.description));
  if (option.is_required) text += "Required.\n";
  if (!option.choices.empty()) {
    text += fmt::format("One of {}.\n", Bold(option.choices));
  }
  if (!option.range.empty()) {
    text += fmt::format("In the range {}.\n", Escaped(option.range));
  }
  if (!option.default_value.empty()) {
    text += fmt::format("Default: {}.\n", Escaped(option.default_value));
  }
  if (!option.needs.empty()) {
    text += fmt::format("Needs {}.\n", Bold(option.needs));
  }
  if (!option.excludes.empty()) {
    text += fmt::format("Not together with {}.\n", Bold(option.excludes));
  }
  return text;
}

std::string Synopsis(const CommandFacts& command) {
  std::string text = fmt::format(".B sstfilter {}\n", Escaped(command.name));
  std::string rest = "[" + Italic("options") + "]";
  for (const OptionFacts& option : command.options) {
    if (option.is_positional) rest += " " + Title(option);
    if (!option.is_positional && option.is_required) {
      rest += " " + Title(option);
    }
  }
  return text + rest + "\n.br\n";
}

std::string CommandText(const CommandFacts& command) {
  std::string text = fmt::format(".SS sstfilter {}\n{}", Escaped(command.name),
                                 Sentence(command.description));
  for (const OptionFacts& option : command.options) text += OptionText(option);
  return text;
}

// The footer of --help: its first line is a title, what is indented are
// commands, the rest is prose.
std::string Examples(const CommandFacts& command) {
  std::string text = fmt::format(".SS sstfilter {}\n", Escaped(command.name));
  bool in_example = false;
  std::string line;
  for (const char c : command.footer + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    const bool is_example = line.rfind("  ", 0) == 0;
    if (is_example != in_example) text += is_example ? ".PP\n.nf\n" : ".fi\n";
    if (!is_example && in_example) text += ".PP\n";
    in_example = is_example;
    if (!line.empty() && line != "Examples:") text += Escaped(line) + "\n";
    line.clear();
  }
  // A page that ends a paragraph with nothing after it is a page with a fault.
  const std::string empty = ".PP\n";
  if (text.size() > empty.size() &&
      text.compare(text.size() - empty.size(), empty.size(), empty) == 0) {
    text.erase(text.size() - empty.size());
  }
  return text;
}

std::string Entry(const std::string& title, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", title, Escaped(text));
}

std::string ExitStatus() {
  const auto number = [](int code) { return Bold(fmt::format("{}", code)); };
  return ".SH EXIT STATUS\n" + Entry(number(kExitOk), "All went well.") +
         Entry(number(kExitFailure),
               "The work failed, or it found a fault: a key that a filter "
               "denies, a table that cannot be read, a picture that cannot be "
               "drawn.") +
         Entry(number(kExitUsage),
               "The command line or its input is wrong, or what --plot needs "
               "is not there.") +
         Entry(number(kExitInterrupted),
               "Interrupted by SIGINT or SIGTERM, and tidied up.");
}

std::string Environment() {
  return ".SH ENVIRONMENT\n" +
         Entry(Bold("SSTFILTER_CPU"),
               "The code to use for filters: scalar, avx2 or avx512. The "
               "default is the best that the CPU has.") +
         Entry(Bold("SSTFILTER_OPTIONS"),
               "Options of the filters that the library "
               "libsstfilter_preload.so makes in programs it is preloaded "
               "into. sstfilter itself does not read it.") +
         Entry(Bold("TMPDIR"),
               "Where sstfilter measure makes its databases when there is no "
               "--db. The default is /tmp.") +
         Entry(Bold("PATH"), "Where gnuplot is looked for, for --plot.");
}

std::string FilterOptions() {
  std::string text =
      ".SH FILTER OPTIONS\nA filter of sstfilter is named " +
      Bold("sstfilter:") + Italic("OPTIONS") +
      ", where the options are bits per key or fields with their values, "
      "separated by commas or semicolons: " +
      Bold("sstfilter:kind=parity,bits_per_key=12") +
      ".\nThe same text is the value of RocksDB's option filter_policy, with "
      "commas.\n";
  for (const FilterFieldFacts& field : FilterFields()) {
    text += Entry(Bold(field.name), field.meaning);
    if (*field.default_value != '\0') {
      text += fmt::format("Default: {}.\n", Escaped(field.default_value));
    }
  }
  return text;
}

}  // namespace

std::string ManPage(const std::vector<CommandFacts>& commands) {
  const CommandFacts& program = commands.front();
  std::string synopsis;
  std::string texts;
  std::string examples;
  for (size_t i = 1; i < commands.size(); ++i) {
    synopsis += Synopsis(commands[i]);
    texts += CommandText(commands[i]);
    examples += Examples(commands[i]);
  }
  std::string options;
  for (const OptionFacts& option : program.options) {
    options += OptionText(option);
  }
  return fmt::format(
             ".TH SSTFILTER 1 \"\" \"sstfilter {}\" \"User Commands\"\n"
             // Commands are not to be hyphenated, nor stretched.
             ".nh\n.ad l\n"
             ".SH NAME\n"
             "sstfilter \\- measure, inspect and verify the filters of RocksDB "
             "tables\n"
             ".SH SYNOPSIS\n{}"
             ".B sstfilter\n[\\fIcommand\\fR] \\-\\-help\n"
             ".SH DESCRIPTION\n{}"
             "No command writes to a database it did not make.\n{}"
             ".SH COMMANDS\n{}",
             Escaped(SSTFILTER_VERSION), synopsis,
             Sentence(program.description), options, texts) +
         FilterOptions() + ExitStatus() + Environment() + ".SH EXAMPLES\n" +
         examples + ".SH SEE ALSO\n.BR gnuplot (1)\n";
}

}  // namespace sstfilter::tools
