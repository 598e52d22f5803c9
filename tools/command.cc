#include "tools/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "tools/command_line.h"
#include "tools/subcommand.h"

namespace sstfilter::tools {

namespace {

void PrintError(std::string message, std::ostream& err) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  err << "sstfilter: " << message << "\n";
}

// Help is no error; everything else CLI11 throws is one line.
int ReportParse(const CLI::App& app, const CLI::ParseError& error,
                const Streams& streams) {
  if (error.get_exit_code() == 0) {
    std::ostringstream ignored;
    app.exit(error, streams.out, ignored);
    return kExitOk;
  }
  PrintError(fmt::format("{} (see --help)", error.what()), streams.err);
  return kExitUsage;
}

int Run(int argc, const char* const* argv, const Streams& streams) {
  Work work;
  const std::unique_ptr<CLI::App> app = MakeParser(&work);
  // CLI11 would say that a command is missing.
  std::vector<std::string> commands;
  for (const CLI::App* command : app->get_subcommands(nullptr)) {
    commands.push_back(command->get_name());
  }
  if (argc > 1 && argv[1][0] != '-' &&
      std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) {
    PrintError(fmt::format("no such command: {} (there are {})", argv[1],
                           fmt::join(commands, ", ")),
               streams.err);
    return kExitUsage;
  }
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ReportParse(*app, error, streams);
  }
  return work(streams);
}

}  // namespace

int ReportFailure(const rocksdb::Status& status, std::ostream& err) {
  if (status.IsAborted()) {
    PrintError("interrupted", err);
    return kExitInterrupted;
  }
  // The messages of our own checks say all there is to say.
  const char* own = status.getState();
  if (status.IsInvalidArgument() && own != nullptr) {
    PrintError(own, err);
    return kExitUsage;
  }
  PrintError(status.ToString(), err);
  return kExitFailure;
}

int RunCommand(int argc, const char* const* argv, std::ostream& out,
               std::ostream& err) {
  const Streams streams{out, err,
                        &err == &std::cerr && isatty(STDERR_FILENO) == 1};
  int code = kExitFailure;
  try {
    code = Run(argc, argv, streams);
  } catch (const std::bad_alloc&) {
    PrintError("not enough memory", err);
    return kExitFailure;
  } catch (const std::exception& error) {
    PrintError(error.what(), err);
    return kExitFailure;
  }
  out.flush();
  if (!out) {
    PrintError("cannot write the output", err);
    return kExitFailure;
  }
  return code;
}

}  // namespace sstfilter::tools
