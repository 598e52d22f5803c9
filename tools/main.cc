#include <csignal>
#include <iostream>

#include "tools/command.h"
#include "tools/interrupt.h"

int main(int argc, char** argv) {
  // A closed pipe is reported as a failed write, after tidying up.
  std::signal(SIGPIPE, SIG_IGN);
  sstfilter::tools::InstallInterruptHandler();
  return sstfilter::tools::RunCommand(argc, argv, std::cout, std::cerr);
}
