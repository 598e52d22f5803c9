// Writes what is installed beside the command. Run by the build.
#include <cstdio>
#include <fstream>
#include <string>

#include "tools/bash_completion.h"
#include "tools/command_line.h"
#include "tools/man_page.h"

int main(int argc, char** argv) {
  using namespace sstfilter::tools;
  const std::string which = argc == 3 ? argv[1] : "";
  std::string text;
  if (which == "man_page") text = ManPage(DescribeCommandLine());
  if (which == "bash_completion") text = BashCompletion(DescribeCommandLine());
  if (text.empty()) {
    std::fprintf(stderr, "usage: %s man_page|bash_completion FILE\n", argv[0]);
    return 2;
  }
  std::ofstream file(argv[2], std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? 0 : 1;
}
