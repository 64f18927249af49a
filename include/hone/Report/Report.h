//===- Report.h - Measurements as one page of HTML --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page that a browser opens from a file, without a network:
//
//   Report report("Tuned on Monday");
//   if (Error error = report.read("tuned.db"))    // a database,
//     return error;
//   if (Error error = report.read("bench.csv"))   // or rows of hone bench gemm
//     return error;
//   report.addKernels(300, kernelText);
//   Error error = writeFile("report.html", report.page());
//
// The page is lib/Report/page/*, with the data in three scripts that no browser
// executes: JSON, compressed (zlib) and in base64, which holds any text without
// a quote or a bracket. The page's own script makes text nodes of it, never
// markup.
//
// | script    | contents                                                       |
// |-----------|----------------------------------------------------------------|
// | data      | files, chips, problems, keys, trials, rows: columns of numbers |
// | schedules | texts of schedules; trials and rows have their numbers         |
// | kernels   | kernel IR of chosen schedules, by their place in `keys`        |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REPORT_REPORT_H
#define HONE_REPORT_REPORT_H

#include "hone/Bench/BenchRecord.h"
#include "hone/Database/Database.h"
#include <functional>
#include <map>

namespace hone {

/// The kernel IR of a schedule; an error if it cannot be built here.
using KernelWriter =
    std::function<llvm::Expected<std::string>(const Record &record)>;

class Report {
public:
  explicit Report(std::string title) : title(std::move(title)) {}

  /// Adds a database or a table of hone bench gemm; their first bytes decide.
  /// An error if it is neither, cut off, or of another version.
  llvm::Error read(const std::string &path);
  /// Adds a database that is open.
  llvm::Error add(Database &database, const std::string &name);
  /// Builds the kernels of at most `count` keys, those with the most work
  /// first. A kernel that cannot be built is left out.
  void addKernels(size_t count, const KernelWriter &writer);
  /// The page, as of `now` in seconds since 1970.
  llvm::Expected<std::string> page(int64_t now) const;

private:
  /// A number for each distinct text, in the order of appearance.
  struct Words {
    std::vector<std::string> texts;
    std::map<std::string, size_t, std::less<>> places;
    size_t operator[](llvm::StringRef text);
  };
  struct Source {
    std::string name, kind;
    size_t rows = 0;
    int64_t first = 0, last = 0; ///< seconds since 1970
  };
  struct Shape {
    int64_t m = 0, n = 0, k = 0, batch = 1;
    size_t layout = 0, type = 0;
    std::string key; ///< the problem's text; empty if only rows have it
    double flops = 0, bytes = 0;
    std::optional<Problem> problem;
  };
  /// A problem on a chip, in one file and of one origin.
  struct Key {
    size_t file, problem, chip;
    Origin origin;
    std::vector<size_t> trials;
    double roofline = 0;          ///< seconds; 0 if the chip is unknown here
    std::optional<Record> chosen; ///< none if no candidate ran
    size_t chosenTrial = 0;
  };
  struct Trial {
    Measurement measurement;
    size_t schedule, policy, toolchain, reason;
  };
  struct Row {
    BenchRow row;
    size_t file, problem, chip, schedule, set;
  };

  llvm::Error readTable(const std::string &path);
  void addRecord(const Record &record, size_t file);
  void addRow(BenchRow row, llvm::StringRef set, size_t file);
  size_t problemOf(const Problem &problem);
  size_t rowProblem(const BenchRow &row);
  /// Notes the chip's rates, as far as they are known here.
  size_t chipOf(llvm::StringRef name, const Arch *arch, size_t problem);

  friend class ReportJson;

  std::string title;
  std::vector<Source> files;
  std::vector<Shape> problems;
  Words problemNames, layouts, types, schedules, policies, toolchains, reasons;
  Words chips, sets;
  /// Of chips, by their number: bytes a second, and operations a second of
  /// types. Nothing of a chip that is unknown here.
  std::map<size_t, double> bandwidths;
  std::map<std::pair<size_t, size_t>, double> peaks;
  std::map<std::string, std::optional<Arch>> archOfDevices;
  std::vector<Key> keys;
  std::map<std::string, size_t, std::less<>> keyPlaces;
  std::vector<Trial> trials;
  std::vector<Row> rows;
  std::map<size_t, std::string> kernels;
};

/// "512x512x512 nt f16:f16", with the other properties of a problem.
std::string shortName(const Problem &problem);

} // namespace hone

#endif // HONE_REPORT_REPORT_H
