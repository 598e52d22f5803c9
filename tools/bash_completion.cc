#include "tools/bash_completion.h"

#include <fmt/format.h>

#include <map>

namespace sstfilter::tools {

namespace {

// File names are left to readline, which knows about quotes and tildes.
constexpr char kHead[] = R"(# Completion of sstfilter in bash.

_sstfilter() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' words='' files='' i
  COMPREPLY=()
  # bash takes --option=value apart.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]] && ((COMP_CWORD > 1)); then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

constexpr char kTail[] = R"(  if [[ $files && $current != -* ]]; then
    compopt -o default
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _sstfilter sstfilter
)";

// What to do for the value of an option, as a line of the shell.
std::string ActionFor(const OptionFacts& option) {
  if (!option.choices.empty()) {
    return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))",
                       fmt::join(option.choices, " "));
  }
  if (option.value == "FILE") return "compopt -o default";
  if (option.value == "DIR") return "compopt -o dirnames";
  return ":";  // a number or the like
}

std::string Values(const std::vector<CommandFacts>& commands) {
  std::map<std::string, std::vector<std::string>> patterns_of;
  for (size_t i = 1; i < commands.size(); ++i) {
    for (const OptionFacts& option : commands[i].options) {
      if (option.is_positional || option.value.empty()) continue;
      for (const std::string& name : option.names) {
        patterns_of[ActionFor(option)].push_back(
            fmt::format("'{} {}'", commands[i].name, name));
      }
    }
  }
  std::string text = "  case \"$command $previous\" in\n";
  for (const auto& [action, patterns] : patterns_of) {
    text += fmt::format("    {})\n      {}\n      return\n      ;;\n",
                        fmt::join(patterns, " | "), action);
  }
  return text + "  esac\n";
}

std::string Words(const std::vector<CommandFacts>& commands) {
  std::string text = "  case $command in\n";
  for (size_t i = 0; i < commands.size(); ++i) {
    std::vector<std::string> words;
    bool takes_files = false;
    for (const OptionFacts& option : commands[i].options) {
      takes_files = takes_files || option.is_positional;
      if (option.is_positional) continue;
      words.insert(words.end(), option.names.begin(), option.names.end());
    }
    // Before there is a command, any of them.
    for (size_t other = 1; i == 0 && other < commands.size(); ++other) {
      words.push_back(commands[other].name);
    }
    text += fmt::format("    '{}') words='{}'{} ;;\n",
                        i == 0 ? "" : commands[i].name, fmt::join(words, " "),
                        takes_files ? " files=1" : "");
  }
  return text + "  esac\n";
}

std::string FindCommand(const std::vector<CommandFacts>& commands) {
  std::vector<std::string> names;
  for (size_t i = 1; i < commands.size(); ++i) {
    names.push_back(commands[i].name);
  }
  return fmt::format(
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case ${{COMP_WORDS[i]}} in\n"
      "      {})\n"
      "        command=${{COMP_WORDS[i]}}\n"
      "        break\n"
      "        ;;\n"
      "    esac\n"
      "  done\n",
      fmt::join(names, " | "));
}

}  // namespace

std::string BashCompletion(const std::vector<CommandFacts>& commands) {
  return kHead + FindCommand(commands) + Values(commands) + Words(commands) +
         kTail;
}

}  // namespace sstfilter::tools
