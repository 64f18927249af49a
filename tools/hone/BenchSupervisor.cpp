//===- BenchSupervisor.cpp - A benchmark that outlives its kernels --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hears what workers say, writes it down, and knows who is to blame.
//
//===----------------------------------------------------------------------===//

#include "BenchSupervisor.h"
#include "BenchWorker.h"
#include "hone/Device/Device.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The GPU
//===----------------------------------------------------------------------===//

/// A line each for the arch and the device's name, or why there is none.
static void describeGpu(int pipe) {
  auto device = Device::open();
  if (!device)
    return say(pipe, 'W', llvm::toString(device.takeError()));
  auto arch = resolveArchName("native");
  if (!arch)
    return say(pipe, 'W', llvm::toString(arch.takeError()));
  say(pipe, 'A', arch->name);
  say(pipe, 'D',
      formatv("{0}, driver {1}", (*device)->getName(),
              (*device)->getDriverVersion())
          .str());
}

llvm::Expected<GpuFacts> hone::probeGpu() {
  auto child = ChildProcess::start([](int pipe) {
    describeGpu(pipe);
    return 0;
  });
  if (!child)
    return child.takeError();
  constexpr int kPatience = 60000;
  GpuFacts facts;
  std::string text;
  while (child->next(text, kPatience) == ChildProcess::line) {
    if (text[0] == 'W')
      return llvm::createStringError(text.substr(1));
    (text[0] == 'A' ? facts.arch : facts.name) = text.substr(1);
  }
  if (facts.arch.empty())
    return llvm::createStringError("expected a GPU, but got no answer from it");
  return facts;
}

//===----------------------------------------------------------------------===//
// The supervisor
//===----------------------------------------------------------------------===//

namespace {
class Supervisor {
public:
  Supervisor(const BenchPlan &plan, CsvFile &csv, CsvFile &candidates)
      : plan(plan), csv(csv), candidates(candidates), state(plan),
        progress(plan.cells.size()) {}
  llvm::Expected<std::vector<BenchRow>> run();

private:
  /// One worker, to its end. True if every cell is done.
  llvm::Expected<bool> runWorker();
  Error hear(StringRef line);
  Error hearCandidate(StringRef text);
  Error blame(StringRef status, StringRef why);
  Error blameCandidate(size_t cell, size_t at, StringRef status, StringRef why);
  Error giveUpCell(size_t cell, StringRef status, StringRef why);
  Error write(const BenchRow &row);
  void note(const llvm::Twine &text) {
    progress.clear();
    llvm::errs() << text << "\n";
  }

  const BenchPlan &plan;
  CsvFile &csv, &candidates;
  BenchState state;
  Progress progress;
  Beacon *beacon = nullptr;
  std::vector<BenchRow> rows;
  std::string complaint;               ///< of the worker, before it gave up
  std::map<std::string, double> spent; ///< seconds by kind of work
};
} // namespace

Error Supervisor::write(const BenchRow &row) {
  rows.push_back(row);
  return csv ? csv.add(row.csv()) : Error::success();
}

Error Supervisor::hearCandidate(StringRef text) {
  auto [facts, line] = text.split('\t');
  llvm::SmallVector<StringRef> parts;
  facts.split(parts, ' ');
  size_t cell, at;
  double seconds;
  if (parts.size() != 4 || parts[0].getAsInteger(10, cell) ||
      parts[1].getAsInteger(10, at) || parts[2].getAsDouble(seconds))
    return llvm::createStringError("expected a candidate's result, but got '" +
                                   text + "'");
  state.candidates[cell][at] = {parts[3].str(), seconds};
  return candidates ? candidates.add(line) : Error::success();
}

Error Supervisor::hear(StringRef line) {
  StringRef text = line.drop_front();
  size_t cell = 0;
  text.getAsInteger(10, cell);
  switch (line.front()) {
  case 'S':
    progress.step(plan.nameOf(plan.cells[cell]));
    return Error::success();
  case 'D':
    state.done[cell] = true;
    return Error::success();
  case 'C':
    return hearCandidate(text);
  case 'R': {
    auto row = BenchRow::parse(text);
    return row ? write(*row) : row.takeError();
  }
  case 'N':
    note(text);
    return Error::success();
  case 'T': {
    double seconds = 0;
    text.split(' ').first.getAsDouble(seconds);
    spent[text.split(' ').second.str()] += seconds;
    return Error::success();
  }
  default:
    complaint = text.str();
    return Error::success();
  }
}

/// Nothing of a cell could be measured, or nothing that it still lacks.
Error Supervisor::giveUpCell(size_t cell, StringRef status, StringRef why) {
  note(plan.nameOf(plan.cells[cell]) + ": " + status + ": " + why);
  state.done[cell] = true;
  for (BenchRow &row : plan.rowsOf(plan.cells[cell])) {
    row.status = status.str();
    row.remark = why.str();
    if (Error error = write(row))
      return error;
  }
  return Error::success();
}

Error Supervisor::blameCandidate(size_t cell, size_t at, StringRef status,
                                 StringRef why) {
  const BenchCell &where = plan.cells[cell];
  const Candidate &candidate = where.candidates[at];
  note(plan.nameOf(where) + ", " + toString(candidate.schedule) + ": " +
       status + ": " + why);
  state.candidates[cell][at] = {status.str(), 0};
  // A hang costs half a minute, wherever it happens.
  state.breakdowns[candidate.kernel] +=
      status == "timeout" ? BenchState::kMostBreakdowns : 1;
  if (candidates)
    if (Error error = candidates.add(candidateLine(
            plan, where, candidate, state.candidates[cell][at], why)))
      return error;
  BenchRow row = plan.rowOf(where, "search", "", "");
  row.status = status.str();
  row.schedule = toString(candidate.schedule);
  row.remark = why.str();
  return write(row);
}

Error Supervisor::blame(StringRef status, StringRef why) {
  int64_t cell = beacon->cell, who = beacon->contender;
  if (cell == Beacon::kNobody)
    return llvm::createStringError(why);
  if (who == Beacon::kNobody)
    return giveUpCell(cell, status, why);
  size_t count = plan.cells[cell].candidates.size();
  if (size_t(who) < count)
    return blameCandidate(cell, who, status, why);
  size_t baseline = who - count;
  note(plan.nameOf(plan.cells[cell]) + ", " +
       toString(plan.baselines[baseline]) + ": " + status + ": " + why);
  state.barred.insert({cell, baseline});
  return Error::success();
}

llvm::Expected<bool> Supervisor::runWorker() {
  constexpr int kTick = 500;
  beacon->cell = beacon->contender = Beacon::kNobody;
  complaint.clear();
  auto *worker = plan.rehearsal ? rehearseBench : runBenchWorker;
  auto child = ChildProcess::start(
      [&](int pipe) { return worker(plan, state, *beacon, pipe); });
  if (!child)
    return child.takeError();
  std::string text;
  uint64_t beats = beacon->beats;
  int64_t silent = 0;
  while (true) {
    ChildProcess::Event event = child->next(text, kTick);
    if (event == ChildProcess::end)
      break;
    if (event == ChildProcess::line) {
      if (Error error = hear(text))
        return std::move(error);
    }
    silent = beats == beacon->beats && event == ChildProcess::silence
                 ? silent + kTick
                 : 0;
    beats = beacon->beats;
    if (silent < plan.options.patience * 1000)
      continue;
    child->kill();
    child->wait();
    if (Error error =
            blame("timeout",
                  formatv("silent for {0} s", plan.options.patience).str()))
      return std::move(error);
    return false;
  }
  std::string why = child->wait();
  if (why.empty())
    return true;
  if (!complaint.empty())
    why = complaint;
  if (Error error = blame("fault", why))
    return std::move(error);
  return false;
}

llvm::Expected<std::vector<BenchRow>> Supervisor::run() {
  auto memory = SharedMemory::allocate(sizeof(Beacon));
  if (!memory)
    return memory.takeError();
  beacon = new (memory->get()) Beacon();
  bool done = plan.cells.empty();
  Error failed = Error::success();
  while (!done && !failed) {
    llvm::Expected<bool> finished = runWorker();
    if (finished)
      done = *finished;
    else
      failed = finished.takeError();
  }
  progress.clear();
  for (const auto &[what, seconds] : spent)
    llvm::errs() << formatv("{0,-16} {1,8:F1} s\n", what, seconds);
  if (failed)
    return std::move(failed);
  return rows;
}

llvm::Expected<std::vector<BenchRow>>
hone::superviseBench(const BenchPlan &plan, CsvFile &csv, CsvFile &candidates) {
  return Supervisor(plan, csv, candidates).run();
}
