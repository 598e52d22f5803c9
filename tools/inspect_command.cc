// `sstfilter inspect`: its command line and its report.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command.h"
#include "tools/gnuplot.h"
#include "tools/inspect.h"
#include "tools/inspect_chart.h"
#include "tools/records.h"
#include "tools/subcommand.h"
#include "tools/text_table.h"

namespace sstfilter::tools {

namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::string format = "table";
  std::string plot_path;
};

constexpr char kDescription[] =
    "Prints the filters of tables and what is wrong with them. Of every table: "
    "kind, size, fill and expected false positive rate; totals for levels, "
    "column families and databases; warnings about filters that are not used. "
    "Databases are opened read-only, also while "
    "another process has them open; those with a comparator that is not known "
    "here are looked at table by table. Exit status: 0; 1 when a table or file "
    "cannot be read, is damaged or does not belong there, named on standard "
    "error after all else was looked at; 2 for a bad command line; 130 when "
    "interrupted.";

constexpr char kExamples[] =
    "Examples:\n"
    "  sstfilter inspect /var/lib/service/db\n"
    "  sstfilter inspect 000123.sst 000124.sst --format csv\n"
    "  sstfilter inspect /var/lib/service/db --plot levels.svg\n";

Json OrNull(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json LevelOrNull(int level) { return level < 0 ? Json(nullptr) : Json(level); }

Record RecordOf(const InspectedTable& row) {
  const FilterFacts& filter = row.filter;
  const bool has = filter.has_filter();
  const auto if_any = [has](const Json& value) {
    return has ? value : Json(nullptr);
  };
  return {
      {"file", row.table.path},
      {"column_family", row.table.column_family},
      {"level", LevelOrNull(row.table.level)},
      {"filter", has ? filter.name : "none"},
      {"format_version",
       filter.format_version > 0 ? Json(filter.format_version) : Json(nullptr)},
      {"partitions", filter.filters},
      {"entries", row.entries},
      {"filter_keys", static_cast<uint64_t>(filter.keys + 0.5)},
      {"filter_bytes", filter.bytes},
      {"bits_per_key", if_any(filter.bits_per_key)},
      {"probes_or_rows", OrNull(filter.parameter)},
      {"fill", OrNull(filter.fill)},
      {"expected_fpr", if_any(filter.expected_rate)},
      {"key_transform",
       row.key_transform.empty() ? Json(nullptr) : Json(row.key_transform)},
      {"remark", row.remark},
  };
}

Record RecordOf(const LevelTotal& total) {
  return {
      {"database", total.database},
      {"column_family", total.column_family},
      {"level", LevelOrNull(total.level)},
      {"tables", total.tables},
      {"tables_without_filter", total.unfiltered},
      {"entries", total.entries},
      {"filter_keys", static_cast<uint64_t>(total.filter_keys + 0.5)},
      {"filter_bytes", total.filter_bytes},
      {"bits_per_key", total.bits_per_key},
      {"expected_fpr", total.expected_rate},
  };
}

template <typename Row>
std::vector<Record> RecordsOf(const std::vector<Row>& rows) {
  std::vector<Record> records;
  for (const Row& row : rows) records.push_back(RecordOf(row));
  return records;
}

// Neither column family nor level.
std::vector<Record> DatabaseRecords(const InspectReport& report) {
  std::vector<Record> records = RecordsOf(report.databases);
  for (Record& record : records) {
    record.erase(std::remove_if(record.begin(), record.end(),
                                [](const auto& field) {
                                  const std::string_view name = field.first;
                                  return name == "column_family" ||
                                         name == "level";
                                }),
                 record.end());
  }
  return records;
}

std::string ToJson(const InspectReport& report) {
  std::vector<Record> warnings;
  for (const FilterWarning& warning : report.warnings) {
    warnings.push_back({{"code", warning.code},
                        {"message", warning.message},
                        {"advice", warning.advice}});
  }
  return Print({{"tables", ToJsonArray(RecordsOf(report.tables))},
                {"levels", ToJsonArray(RecordsOf(report.levels))},
                {"column_families", ToJsonArray(RecordsOf(report.families))},
                {"databases", ToJsonArray(DatabaseRecords(report))},
                {"warnings", ToJsonArray(warnings)},
                {"notes", report.notes},
                {"problems", report.problems}});
}

std::string Number(const std::optional<double>& value) {
  return value.has_value() ? fmt::format("{:.1f}", *value) : "-";
}

std::string Level(int level) {
  return level < 0 ? "-" : fmt::format("{}", level);
}

std::string TableOfTables(const InspectReport& report) {
  TextTable table({"table", "column\nfamily", "level", "filter", "version",
                   "parti-\ntions", "keys", "bytes", "bits\nper key",
                   "probes\nor rows", "fill\n%", "expected\n%"});
  for (const InspectedTable& row : report.tables) {
    const FilterFacts& filter = row.filter;
    const std::string family =
        row.table.column_family.empty() ? "-" : row.table.column_family;
    if (!filter.has_filter()) {
      table.AddRow({row.table.path, family, Level(row.table.level), "none", "-",
                    "-", fmt::format("{}", row.entries),
                    fmt::format("{}", filter.bytes), "-", "-", "-", "100"});
      continue;
    }
    table.AddRow(
        {row.table.path, family, Level(row.table.level), filter.name,
         filter.format_version > 0 ? fmt::format("{}", filter.format_version)
                                   : "-",
         fmt::format("{}", filter.filters), fmt::format("{:.0f}", filter.keys),
         fmt::format("{}", filter.bytes),
         fmt::format("{:.2f}", filter.bits_per_key), Number(filter.parameter),
         filter.fill.has_value() ? fmt::format("{:.1f}", 100 * *filter.fill)
                                 : "-",
         fmt::format("{:.4f}", 100 * filter.expected_rate)});
  }
  return table.ToString();
}

// Of one database, or of the tables of none.
std::string TableOfTotals(const InspectReport& report,
                          const LevelTotal& database) {
  TextTable table({"column family", "level", "tables", "without\nfilter",
                   "entries", "filter\nbytes", "bits\nper key", "expected\n%"});
  const auto add = [&](const LevelTotal& total, const std::string& family,
                       const std::string& level) {
    if (total.database != database.database) return;
    table.AddRow(
        {family.empty() ? "-" : family, level, fmt::format("{}", total.tables),
         fmt::format("{}", total.unfiltered), fmt::format("{}", total.entries),
         fmt::format("{}", total.filter_bytes),
         fmt::format("{:.2f}", total.bits_per_key),
         fmt::format("{:.4f}", 100 * total.expected_rate)});
  };
  for (const LevelTotal& total : report.levels) {
    add(total, total.column_family, Level(total.level));
  }
  for (const LevelTotal& total : report.families) {
    add(total, total.column_family, "all");
  }
  const auto families =
      std::count_if(report.families.begin(), report.families.end(),
                    [&database](const LevelTotal& family) {
                      return family.database == database.database;
                    });
  if (families > 1) add(database, "all", "all");
  return table.ToString();
}

std::string AllTotals(const InspectReport& report) {
  std::string text;
  for (const LevelTotal& database : report.databases) {
    if (report.databases.size() > 1) {
      text += database.database.empty()
                  ? std::string("Tables by themselves:\n")
                  : fmt::format("Database {}:\n", database.database);
    }
    text += TableOfTotals(report, database) + "\n";
  }
  return text;
}

std::string ToTable(const InspectReport& report) {
  if (report.tables.empty()) return "";
  std::string text = TableOfTables(report) + "\n" + AllTotals(report);
  for (const InspectedTable& row : report.tables) {
    if (!row.remark.empty()) {
      text += fmt::format("{}: {}\n", row.table.path, row.remark);
    }
  }
  return text;
}

std::string WarningsText(const InspectReport& report) {
  std::string text;
  for (const std::string& note : report.notes) text += "Note: " + note + "\n";
  for (const FilterWarning& warning : report.warnings) {
    text += fmt::format("Warning ({}): {}; {}.\n", warning.code,
                        warning.message, warning.advice);
  }
  return text;
}

rocksdb::Status Plot(const InspectReport& report, const std::string& path) {
  return report.levels.empty()
             ? rocksdb::Status::IOError(path, "no picture: there are no tables")
             : DrawChart(InspectChart(report), path);
}

int RunInspect(const Arguments& arguments, const Streams& streams) {
  const bool plots = !arguments.plot_path.empty();
  rocksdb::Status status;
  if (plots) status = CheckChartFile(arguments.plot_path);
  if (!status.ok()) return ReportFailure(status, streams.err);
  InspectReport report;
  status = InspectTables(arguments.paths, &report);
  if (!status.ok()) return ReportFailure(status, streams.err);
  if (arguments.format == "json") {
    streams.out << ToJson(report);
  } else if (arguments.format == "csv") {
    streams.out << ToCsv(RecordOf(InspectedTable()), RecordsOf(report.tables));
  } else {
    streams.out << ToTable(report) << WarningsText(report);
  }
  for (const std::string& problem : report.problems) {
    streams.err << "sstfilter: " << problem << "\n";
  }
  if (plots) status = Plot(report, arguments.plot_path);
  if (!status.ok()) return ReportFailure(status, streams.err);
  return report.problems.empty() ? kExitOk : kExitFailure;
}

}  // namespace

void AddInspectCommand(CLI::App* app, Work* work) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app->add_subcommand("inspect", kDescription);
  command->footer(kExamples);
  command
      ->add_option("path", arguments->paths,
                   "Table files, database directories or directories of table "
                   "files")
      ->required();
  command
      ->add_option("--format", arguments->format,
                   "How to print; csv has the tables only")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->add_option("--plot", arguments->plot_path, kPlotHelp)
      ->type_name("FILE");
  command->callback([arguments, work] {
    *work = [arguments](const Streams& streams) {
      return RunInspect(*arguments, streams);
    };
  });
}

}  // namespace sstfilter::tools
