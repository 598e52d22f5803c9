#include "tools/gnuplot.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/file.h"
#include "tools/interrupt.h"
#include "tools/output_file.h"

namespace sstfilter::tools {

namespace {

enum class Format { kNone, kSvg, kPng };

bool EndsIn(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Format FormatOf(const std::string& path) {
  if (EndsIn(path, ".svg")) return Format::kSvg;
  return EndsIn(path, ".png") ? Format::kPng : Format::kNone;
}

// What every picture of the format begins with.
const char* Signature(Format format) {
  return format == Format::kSvg ? "<?xml" : "\x89PNG\r\n\x1a\n";
}

// Whether it has the end that every picture of the format has.
bool IsWhole(const std::string& picture, Format format) {
  if (format == Format::kPng) {
    return EndsIn(picture, std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12));
  }
  const size_t last = picture.find_last_not_of(" \t\r\n");
  return EndsIn(picture.substr(0, last + 1), "</svg>");
}

std::string Terminal(const Chart& chart, Format format) {
  if (format == Format::kSvg) {
    return fmt::format(
        "set terminal svg size {},{} fixed font 'sans-serif,12' "
        "background '#ffffff'\n",
        chart.width, chart.height);
  }
  return fmt::format(
      "set terminal pngcairo size {},{} font 'sans-serif,12' fontscale 2 "
      "linewidth 2 pointscale 2 background '#ffffff'\n",
      2 * chart.width, 2 * chart.height);
}

std::string ReadAll(std::FILE* file) {
  std::string text;
  char buffer[1 << 14];
  std::rewind(file);
  while (const size_t got = std::fread(buffer, 1, sizeof(buffer), file)) {
    text.append(buffer, got);
  }
  return text;
}

// gnuplot points at what it did not understand; in one line that is noise.
std::string OneLine(const std::string& message) {
  std::string line;
  for (const char c : message) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space) line += c;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (EndsIn(line, " ")) line.pop_back();
  return line;
}

// Starts gnuplot with these files as its standard ones. posix_spawn, because
// a fork of a process with threads may do little.
int Spawn(const char* option, int in, int out, int err, pid_t* process) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);  // the command ignores it
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string name = "gnuplot";
  std::string argument = option;
  char* const arguments[] = {name.data(), argument.data(), nullptr};
  const int error = posix_spawnp(process, name.c_str(), &files, &attributes,
                                 arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// Runs gnuplot and returns what it printed. The script and the results are in
// files: no pipe can fill up or break.
rocksdb::Status RunGnuplot(const char* option, const std::string& script,
                           std::string* output) {
  const File in(std::tmpfile());
  const File out(std::tmpfile());
  const File err(std::tmpfile());
  if (!in || !out || !err) return SystemError("temporary file", errno);
  if (std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() ||
      std::fflush(in.get()) != 0) {
    return SystemError("temporary file", errno);
  }
  std::rewind(in.get());
  pid_t process = 0;
  const int error = Spawn(option, fileno(in.get()), fileno(out.get()),
                          fileno(err.get()), &process);
  if (error == ENOENT) {
    return rocksdb::Status::IOError(
        "gnuplot not found; on Debian it is in the package gnuplot-nox");
  }
  if (error != 0) return SystemError("gnuplot", error);
  int state = 0;
  while (waitpid(process, &state, 0) < 0) {
    if (errno != EINTR) return SystemError("gnuplot", errno);
  }
  const rocksdb::Status interrupt = CheckInterrupt();
  if (!interrupt.ok()) return interrupt;
  if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
    const std::string how =
        WIFEXITED(state) ? fmt::format("exit code {}", WEXITSTATUS(state))
                         : fmt::format("signal {}", WTERMSIG(state));
    return rocksdb::Status::IOError(fmt::format("gnuplot failed ({})", how),
                                    OneLine(ReadAll(err.get())));
  }
  *output = ReadAll(out.get());
  return rocksdb::Status::OK();
}

}  // namespace

std::string GnuplotText(const std::string& text) {
  using nlohmann::json;
  const auto valid =
      json::parse(
          json(text).dump(-1, ' ', false, json::error_handler_t::replace))
          .get<std::string>();
  // Inside single quotes nothing has a meaning to gnuplot but the quote.
  std::string quoted = "'";
  for (size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    // The two characters that are no characters, and not allowed in XML.
    const bool is_none = valid.compare(i, 3, "\xEF\xBF\xBE") == 0 ||
                         valid.compare(i, 3, "\xEF\xBF\xBF") == 0;
    if (is_none) i += 2;
    quoted += is_none || byte < 0x20 || byte == 0x7f ? '?' : valid[i];
    if (quoted.back() == '\'') quoted += '\'';
  }
  return quoted + "'";
}

rocksdb::Status CheckChartFile(const std::string& path) {
  if (FormatOf(path) == Format::kNone) {
    return rocksdb::Status::InvalidArgument(
        fmt::format("{}: the name of a picture ends in .svg or .png", path));
  }
  rocksdb::Status status = CheckOutputFile(path);
  std::string version;
  if (status.ok()) status = RunGnuplot("--version", "", &version);
  return status.IsIOError() ? rocksdb::Status::InvalidArgument(fmt::format(
                                  "no picture: {}", status.getState()))
                            : status;
}

rocksdb::Status DrawChart(const Chart& chart, const std::string& path) {
  const Format format = FormatOf(path);
  std::string picture;
  // To its standard output: no name of a file gets into the script. -d: the
  // same picture whatever the user's own settings of gnuplot are.
  const rocksdb::Status status = RunGnuplot(
      "-d", "set encoding utf8\n" + Terminal(chart, format) + chart.commands,
      &picture);
  if (!status.ok()) return status;
  if (picture.rfind(Signature(format), 0) != 0) {
    return rocksdb::Status::IOError(path, "gnuplot drew no picture");
  }
  // gnuplot does not notice that its output cannot be written.
  if (!IsWhole(picture, format)) {
    return rocksdb::Status::IOError(path, "gnuplot's picture is cut off");
  }
  return WriteOutputFile(path, picture);
}

}  // namespace sstfilter::tools
