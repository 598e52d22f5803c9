// Pictures, drawn by the program gnuplot.
#pragma once

#include <rocksdb/status.h>

#include <string>

namespace sstfilter::tools {

// Of every option --plot.
inline constexpr char kPlotHelp[] =
    "Also draw the results into this file, an .svg or .png, with gnuplot";

// A picture that is still to be drawn.
struct Chart {
  int width = 0;  // of an SVG, in pixels; a PNG has twice as many each way
  int height = 0;
  std::string commands;  // for gnuplot; neither terminal nor output
};

// Any bytes as a string in gnuplot's language. What is not printable, or not
// UTF-8, is replaced: names of column families may be anything.
std::string GnuplotText(const std::string& text);

// For before the work: InvalidArgument, in one line, when no picture could be
// put into `path` - its name ends in neither .svg nor .png, it cannot be
// written, or there is no gnuplot. Leaves no file behind.
rocksdb::Status CheckChartFile(const std::string& path);

// Writes the picture, a whole one or none: what was in `path` before is lost
// only when there is a new one (WriteOutputFile; a device or a named pipe is
// written to as it is). IOError with gnuplot's own message when it fails;
// Aborted after an interrupt.
rocksdb::Status DrawChart(const Chart& chart, const std::string& path);

}  // namespace sstfilter::tools
