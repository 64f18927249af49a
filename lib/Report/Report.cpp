//===- Report.cpp - Collection of a report's measurements -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Report.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Report/Report.h"
#include "hone/Command/Table.h"
#include "hone/Schedule/Convolution.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Text/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

std::string hone::shortName(const Problem &problem) {
  std::string text =
      problem.batch ? formatv("{0} x ", *problem.batch).str() : std::string();
  if (std::optional<Convolution> convolution = Convolution::of(problem))
    text += convolution->str();
  else
    text += formatv("{0}x{1}x{2}", problem.m, problem.n, problem.k);
  text += formatv(" {0} {1}", layoutOf(problem), typesOf(problem));
  if (problem.init == Init::read)
    text += " +=";
  if (!problem.numbers.isDefault())
    text += " " + problem.numbers.str();
  if (!problem.epilogue.empty())
    text += " " + problem.epilogue.substr(0, 40);
  return text;
}

size_t Report::Words::operator[](StringRef text) {
  if (auto found = places.find(text); found != places.end())
    return found->second;
  places.emplace(text.str(), texts.size());
  texts.push_back(text.str());
  return texts.size() - 1;
}

//===----------------------------------------------------------------------===//
// Databases
//===----------------------------------------------------------------------===//

/// Problems with one short name may differ, so the text is the identity.
size_t Report::problemOf(const Problem &problem) {
  std::string name = shortName(problem), key = problem.str();
  for (size_t copy = 2;; ++copy) {
    size_t place = problemNames[name];
    if (place == problems.size())
      problems.emplace_back();
    Shape &shape = problems[place];
    if (shape.key.empty()) {
      shape = {problem.m,
               problem.n,
               problem.k,
               problem.batch.value_or(1),
               layouts[layoutOf(problem)],
               types[typesOf(problem)],
               key,
               problem.flops().value_or(0),
               problem.bytes().value_or(0),
               problem};
      return place;
    }
    if (shape.key == key)
      return place;
    name = formatv("{0} #{1}", shortName(problem), copy);
  }
}

size_t Report::chipOf(StringRef name, const Arch *arch, size_t problem) {
  size_t chip = chips[name];
  const Shape &shape = problems[problem];
  // A CPU's times may come from another one than this.
  if (arch && !arch->isHost() && shape.problem) {
    bandwidths[chip] = arch->memoryGBs * 1e9;
    peaks[{chip, shape.type}] = peakTflops(*shape.problem, *arch) * 1e12;
  }
  return chip;
}

void Report::addRecord(const Record &record, size_t file) {
  size_t problem = problemOf(record.problem);
  std::string text = formatv("{0} {1} {2} {3}", file, problem, record.arch,
                             toString(record.origin));
  auto [place, isNew] = keyPlaces.try_emplace(text, keys.size());
  if (isNew) {
    llvm::Expected<Arch> arch = Arch::lookup(record.arch);
    Key key = {file,
               problem,
               chipOf(record.arch, arch ? &*arch : nullptr, problem),
               record.origin,
               {},
               0,
               std::nullopt,
               0};
    if (arch && !arch->isHost() && record.problem.isStatic())
      key.roofline = rooflineSeconds(record.problem, *arch);
    if (!arch)
      llvm::consumeError(arch.takeError());
    keys.push_back(std::move(key));
  }
  Key &key = keys[place->second];
  auto rank = [](const Record &each) {
    return std::tuple(-int(each.grade), each.times.median,
                      toString(each.schedule));
  };
  if (record.isOk() && (!key.chosen || rank(record) < rank(*key.chosen))) {
    key.chosen = record;
    key.chosenTrial = trials.size();
  }
  key.trials.push_back(trials.size());
  const Toolchain &tools = record.toolchain;
  trials.push_back({record, schedules[toString(record.schedule)],
                    policies[record.provenance.policy],
                    toolchains[formatv("{0}, LLVM {1}, hone {2}", tools.driver,
                                       tools.llvm, tools.hone)
                                   .str()],
                    reasons[record.reason]});
  Source &source = files[file];
  ++source.rows;
  int64_t at = record.measuredAt;
  source.first = source.first ? std::min(source.first, at) : at;
  source.last = std::max(source.last, at);
}

Error Report::add(Database &database, const std::string &name) {
  files.push_back({llvm::sys::path::filename(name).str(), "database"});
  Filter filter;
  filter.asAdded = true;
  return database.forEach(filter, [&](const Record &record) {
    addRecord(record, files.size() - 1);
  });
}

//===----------------------------------------------------------------------===//
// Rows of a benchmark
//===----------------------------------------------------------------------===//

/// The chip of a device's name, "NVIDIA H200, driver 13000".
static std::optional<Arch> archOfDevice(StringRef device) {
  for (StringRef name : Arch::names()) {
    llvm::Expected<Arch> arch = Arch::lookup(name);
    if (!arch) {
      llvm::consumeError(arch.takeError());
      continue;
    }
    StringRef words = device.split(',').first;
    if (!arch->device.empty() && words.contains(arch->device))
      return *arch;
  }
  return std::nullopt;
}

/// The problem of a row without an epilogue, whose types tell everything.
static std::optional<Problem> plainProblem(const BenchRow &row) {
  Problem problem;
  auto [m, n, k] = row.shape;
  StringRef types = row.types, batch;
  std::tie(types, batch) = types.split(" batch=");
  if (Error error = llvm::joinErrors(setLayout(problem, row.layout),
                                     setTypes(problem, types))) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  for (int64_t extent : row.shape)
    if (extent < 1 || extent > kLargestExtent)
      return std::nullopt;
  problem = withExtents(problem, m, n, k);
  if (!batch.empty())
    problem.batch = row.batch();
  return problem.fault() ? std::nullopt : std::optional(problem);
}

size_t Report::rowProblem(const BenchRow &row) {
  if (std::optional<Problem> problem = plainProblem(row))
    return problemOf(*problem);
  std::string name =
      formatv("{0} {1} {2}", toString(row.shape), row.layout, row.types);
  size_t place = problemNames[name];
  if (place < problems.size())
    return place;
  Shape shape;
  shape.m = row.shape[0];
  shape.n = row.shape[1];
  shape.k = row.shape[2];
  shape.batch = row.batch();
  shape.layout = layouts[row.layout];
  shape.type = types[row.types];
  shape.flops = row.flops();
  problems.push_back(std::move(shape));
  return place;
}

void Report::addRow(BenchRow row, StringRef set, size_t file) {
  size_t problem = rowProblem(row);
  StringRef device = row.device;
  auto [known, isNew] = archOfDevices.try_emplace(device.str());
  if (isNew)
    known->second = archOfDevice(device);
  const std::optional<Arch> &arch = known->second;
  size_t chip = chipOf(arch ? StringRef(arch->chip) : device.split(',').first,
                       arch ? &*arch : nullptr, problem);
  size_t schedule = schedules[row.schedule];
  rows.push_back({std::move(row), file, problem, chip, schedule, sets[set]});
  ++files[file].rows;
}

/// Reads the cells of a table whose columns are those of `hone bench gemm`,
/// with or without the name of a set in front.
Error Report::readTable(const std::string &path) {
  constexpr FileKind kTable = {"a database, or rows of hone bench gemm",
                               256 * kMiB};
  auto buffer = readMaybePacked(path, kTable);
  if (!buffer)
    return buffer.takeError();
  auto fail = [&](size_t line, const auto &text) {
    return llvm::createStringError(
        formatv("'{0}' line {1}: {2}", path, line, text));
  };
  StringRef text = (*buffer)->getBuffer();
  auto [header, rest] = text.split('\n');
  bool hasSets = header.consume_front("set,");
  if (header != BenchRow::header()) {
    bool isTable = header.starts_with("m,n,k,");
    return fail(1, isTable
                       ? "expected the columns that this version writes, but "
                         "got others; use the hone that wrote it"
                       : "expected a database, or rows of hone bench gemm, "
                         "but got neither");
  }
  if (!text.ends_with("\n"))
    return fail(text.count('\n') + 1,
                "expected a whole line, but the file is cut off; run the same "
                "hone bench gemm again, which mends it");
  files.push_back({llvm::sys::path::filename(path).str(), "rows"});
  std::map<std::string, std::pair<BenchRow, std::string>> newest;
  std::vector<std::string> order;
  for (size_t number = 2; !rest.empty(); ++number) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.trim().empty())
      continue;
    std::string set;
    if (hasSets) {
      set = csvCells(line.split(',').first).front();
      line = line.split(',').second;
    }
    llvm::Expected<BenchRow> row = BenchRow::parse(line);
    if (!row)
      return fail(number, llvm::toString(row.takeError()));
    std::string key = set + "\n" + row->key();
    if (!newest.count(key))
      order.push_back(key);
    newest[key] = {std::move(*row), set};
  }
  for (const std::string &key : order)
    addRow(newest[key].first, newest[key].second, files.size() - 1);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

Error Report::read(const std::string &path) {
  constexpr StringRef kMagic = "SQLite format 3";
  auto start =
      readStart(path, "a database, or rows of hone bench gemm", kMagic.size());
  if (!start)
    return start.takeError();
  if (*start != kMagic)
    return readTable(path);
  llvm::Expected<Database> database = Database::open(path, Access::read);
  if (!database)
    return database.takeError();
  if (Error error = database->verifyPages())
    return error;
  return add(*database, path);
}

void Report::addKernels(size_t count, const KernelWriter &writer) {
  std::vector<size_t> order;
  for (size_t i = 0; i < keys.size(); ++i)
    if (keys[i].chosen)
      order.push_back(i);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return problems[keys[a].problem].flops > problems[keys[b].problem].flops;
  });
  for (size_t i : order) {
    if (kernels.size() >= count)
      return;
    llvm::Expected<std::string> text = writer(*keys[i].chosen);
    if (text)
      kernels[i] = std::move(*text);
    else
      llvm::consumeError(text.takeError());
  }
}
