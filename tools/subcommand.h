// What the subcommands of `sstfilter` have in common.
#pragma once

#include <rocksdb/status.h>

#include <functional>
#include <ostream>

namespace CLI {
class App;
}

namespace sstfilter::tools {

struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool show_progress;  // `err` is a terminal
};

// The work of the subcommand that was chosen: returns the exit code.
using Work = std::function<int(const Streams&)>;

// Each adds one subcommand to `app`. When the command line chooses it, `*work`
// is set to what is to be done.
void AddAdviseCommand(CLI::App* app, Work* work);
void AddInspectCommand(CLI::App* app, Work* work);
void AddMeasureCommand(CLI::App* app, Work* work);
void AddSizeCommand(CLI::App* app, Work* work);
void AddVerifyCommand(CLI::App* app, Work* work);

// Prints why something failed as one line, and returns the exit code for it.
int ReportFailure(const rocksdb::Status& status, std::ostream& err);

}  // namespace sstfilter::tools
