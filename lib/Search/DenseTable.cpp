//===- DenseTable.cpp - Times of all schedules for some shapes ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two text formats with the same contents: a line for every pair, which the
// benchmark writes, and a line for every schedule, which is a tenth of the
// size. Lines of matrices have no gaps, unless a table states that they are
// padded to 16 bytes: a schedule's time depends on its operands' alignment.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Spelling.h"
#include "hone/Search/CostFit.h"
#include "hone/Text/File.h"
#include "hone/Text/Number.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::SmallVector;
using llvm::StringRef;

static constexpr StringRef kPairs = "m,n,k,layout,types,schedule,";
static constexpr StringRef kTable = "schedule;";
static constexpr StringRef kPadded = " padded";
static constexpr double kMicro = 1e-6;

static Error malformed(size_t line, const llvm::formatv_object_base &what) {
  return llvm::createStringError(formatv("line {0}: {1}", line, what.str()));
}

double DenseShape::best() const {
  return *std::min_element(seconds.begin(), seconds.end());
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {
/// Shapes and schedules by their text, each once.
class Builder {
public:
  /// `kind` is layout and types, "nt f16:f16" or "nt f16:f16 padded"; `extents`
  /// is "64x128x128".
  Expected<size_t> shape(StringRef kind, StringRef extents);
  Error add(size_t shape, StringRef schedule, double seconds);
  Error addRefused(size_t shape, StringRef schedule);
  DenseTable take();

private:
  Expected<Schedule> parsed(StringRef text);

  std::map<std::string, size_t> shapes;
  llvm::StringMap<Schedule> schedules;
  DenseTable table;
};
} // namespace

Expected<size_t> Builder::shape(StringRef kind, StringRef extents) {
  auto [at, isNew] = shapes.try_emplace((kind + extents).str(), table.size());
  if (!isNew)
    return at->second;
  Problem problem;
  auto [layout, types] = kind.split(' ');
  bool isPadded = types.consume_back(kPadded);
  llvm::Error unknown =
      llvm::joinErrors(setLayout(problem, layout), setTypes(problem, types));
  bool isKind = !unknown;
  llvm::consumeError(std::move(unknown));
  SmallVector<StringRef> parts;
  extents.split(parts, 'x');
  if (!isKind || parts.size() != 3 || parts[0].getAsInteger(10, problem.m) ||
      parts[1].getAsInteger(10, problem.n) ||
      parts[2].getAsInteger(10, problem.k))
    return llvm::createStringError(
        formatv("expected a shape, but got '{0}' of '{1}'; use e.g. "
                "64x128x128 of 'nt f16:f16'",
                extents, kind));
  if (std::optional<std::string> fault = problem.fault())
    return llvm::createStringError(formatv("'{0}': {1}", extents, *fault));
  if (!isPadded)
    problem = withExtents(problem, problem.m, problem.n, problem.k);
  table.push_back({problem, {}, {}, {}});
  return at->second;
}

Expected<Schedule> Builder::parsed(StringRef text) {
  auto [at, isNew] = schedules.try_emplace(text);
  if (isNew) {
    if (Error error = parseSchedule(text).moveInto(at->second))
      return std::move(error);
  }
  return at->second;
}

Error Builder::add(size_t shape, StringRef text, double seconds) {
  Expected<Schedule> schedule = parsed(text);
  if (!schedule)
    return schedule.takeError();
  table[shape].schedules.push_back(*schedule);
  table[shape].seconds.push_back(seconds);
  return Error::success();
}

Error Builder::addRefused(size_t shape, StringRef text) {
  Expected<Schedule> schedule = parsed(text);
  if (!schedule)
    return schedule.takeError();
  table[shape].refused.push_back(*schedule);
  return Error::success();
}

DenseTable Builder::take() {
  llvm::erase_if(table,
                 [](const DenseShape &shape) { return shape.seconds.empty(); });
  llvm::stable_sort(table, byWork);
  return std::move(table);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `m,n,k,layout,types,"schedule",estimate_us,us,status,remark`
static Error addPair(StringRef line, Builder &builder) {
  auto [front, rest] = line.split('"');
  auto [schedule, back] = rest.split('"');
  SmallVector<StringRef> before, after;
  front.split(before, ',');
  back.split(after, ',');
  if (before.size() != 6 || after.size() < 4)
    return llvm::createStringError("expected a candidate, but got '" + line +
                                   "'; use a file of --candidates-csv");
  double micros = realNumber(after[2]).value_or(0);
  const bool isRefused = after[3] == "compile-error";
  if (!isRefused && (after[3] != "ok" || !(micros > 0)))
    return Error::success();
  Expected<size_t> shape =
      builder.shape((before[3] + " " + before[4]).str(),
                    (before[0] + "x" + before[1] + "x" + before[2]).str());
  if (!shape)
    return shape.takeError();
  return isRefused ? builder.addRefused(*shape, schedule)
                   : builder.add(*shape, schedule, micros * kMicro);
}

static Error addSchedule(StringRef line, llvm::ArrayRef<size_t> shapes,
                         Builder &builder) {
  SmallVector<StringRef> cells;
  line.split(cells, ';');
  if (cells.size() != shapes.size() + 2)
    return llvm::createStringError(
        formatv("expected {0} times, but got {1}; use '' for none",
                shapes.size(), std::max<size_t>(cells.size(), 2) - 2));
  for (auto [cell, shape] :
       llvm::zip_equal(llvm::ArrayRef(cells).drop_front(2), shapes)) {
    if (cell.empty())
      continue;
    double micros = realNumber(cell).value_or(0);
    if (!(micros > 0))
      return llvm::createStringError(
          formatv("expected a time in microseconds, but got '{0}'", cell));
    if (Error error = builder.add(shape, cells[0], micros * kMicro))
      return error;
  }
  return Error::success();
}

Expected<DenseTable> hone::parseDenseTable(StringRef text) {
  Builder builder;
  std::vector<size_t> shapes;
  bool isTable = false, hasHeader = false;
  for (size_t number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.empty() || line.starts_with("#"))
      continue;
    if (!hasHeader) {
      isTable = line.starts_with(kTable);
      hasHeader = true;
      if (!isTable && !line.starts_with(kPairs))
        return malformed(number, formatv("expected '{0}...' or '{1}...', but "
                                         "got '{2}'; use a file of hone bench",
                                         kTable, kPairs, line.take_front(40)));
      SmallVector<StringRef> cells;
      if (isTable)
        line.split(cells, ';');
      for (StringRef extents : llvm::ArrayRef(cells).drop_front(isTable * 2)) {
        Expected<size_t> shape = builder.shape(cells[1], extents);
        if (!shape)
          return malformed(number,
                           formatv("{0}", llvm::toString(shape.takeError())));
        shapes.push_back(*shape);
      }
      continue;
    }
    Error error =
        isTable ? addSchedule(line, shapes, builder) : addPair(line, builder);
    if (error)
      return malformed(number,
                       formatv("{0}", llvm::toString(std::move(error))));
  }
  return builder.take();
}

Expected<DenseTable> hone::readDenseTable(const std::string &path) {
  auto buffer = readMaybePacked(path, {"a file of times", 256 * kMiB});
  if (!buffer)
    return buffer.takeError();
  auto table = parseDenseTable((*buffer)->getBuffer());
  if (!table)
    return llvm::createStringError(
        formatv("'{0}' {1}", path, llvm::toString(table.takeError())));
  return table;
}

static bool hasGaps(const DenseShape &shape) {
  const Problem &problem = shape.problem;
  return problem.str() !=
         withExtents(problem, problem.m, problem.n, problem.k).str();
}

/// Layout and types, and whether lines are padded in this table.
static std::string kindOf(const DenseShape &shape, bool isPadded) {
  const Problem &problem = shape.problem;
  // Both forms describe lines that are aligned without padding.
  bool isWhole = problem.a.align == kBestAlign &&
                 problem.b.align == kBestAlign && problem.alignC == kBestAlign;
  return layoutOf(problem) + " " + typesOf(problem) +
         (hasGaps(shape) || (isPadded && isWhole) ? kPadded.str() : "");
}

/// Four digits are more precise than a clock that varies by a percent.
static std::string microsText(double seconds) {
  double micros = seconds / kMicro;
  return micros < 10     ? formatv("{0:f3}", micros).str()
         : micros < 100  ? formatv("{0:f2}", micros).str()
         : micros < 1000 ? formatv("{0:f1}", micros).str()
                         : formatv("{0:f0}", micros).str();
}

Expected<std::string> hone::denseTableText(const DenseTable &table) {
  std::map<std::string, std::vector<std::string>> lines;
  std::string kind, header = kTable.str();
  const bool isPadded = llvm::any_of(table, hasGaps);
  for (auto [at, shape] : llvm::enumerate(table)) {
    const Problem &problem = shape.problem;
    std::string here = kindOf(shape, isPadded);
    if (at == 0)
      header += kind = here;
    if (here != kind)
      return llvm::createStringError(
          formatv("expected one layout and type, but got '{0}' and '{1}'; use "
                  "a file for each",
                  kind, here));
    header += formatv(";{0}x{1}x{2}", problem.m, problem.n, problem.k);
    for (auto [schedule, seconds] :
         llvm::zip_equal(shape.schedules, shape.seconds)) {
      std::vector<std::string> &cells = lines[toString(schedule)];
      cells.resize(table.size());
      cells[at] = microsText(seconds);
    }
  }
  std::string text = header + "\n";
  for (const auto &[schedule, cells] : lines)
    text += schedule + ";;" + llvm::join(cells, ";") + "\n";
  return text;
}
