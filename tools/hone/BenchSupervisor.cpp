//===- BenchSupervisor.cpp - A benchmark that outlives its kernels --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes, pipes, and who is to blame.
//
//===----------------------------------------------------------------------===//

#include "BenchSupervisor.h"
#include "BenchWorker.h"
#include "hone/Device/Device.h"
#include "passes/Support.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// Added to the number of the signal that ended a process, as shells do.
static constexpr int kSignal = 128;

namespace {
/// A forked process and the lines it writes.
class Child {
public:
  /// `work` gets the pipe to write on and returns the exit status.
  static llvm::Expected<Child> start(llvm::function_ref<int(int pipe)> work);
  Child(Child &&other)
      : process(std::exchange(other.process, -1)),
        pipe(std::exchange(other.pipe, -1)) {}
  ~Child();

  enum Event { line, silence, end };
  /// Waits at most so long for the next line.
  Event next(std::string &text, int milliseconds);
  void kill() { ::kill(process, SIGKILL); }
  /// Waits for the end. A process inside a driver that has lost its GPU may
  /// take long to die; after some seconds it is left to itself.
  int wait();

private:
  Child(pid_t process, int pipe) : process(process), pipe(pipe) {}
  pid_t process;
  int pipe;
  std::string pending;
};
} // namespace

llvm::Expected<Child> Child::start(llvm::function_ref<int(int pipe)> work) {
  int ends[2];
  llvm::outs().flush();
  pid_t process = ::pipe(ends) == 0 ? fork() : -1;
  if (process < 0)
    return llvm::createStringError("expected to start a process, but got: " +
                                   llvm::sys::StrError());
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Its end is reported by the parent, in one line.
    for (int fatal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
      signal(fatal, SIG_DFL);
    close(ends[0]);
    _exit(work(ends[1]));
  }
  close(ends[1]);
  return Child(process, ends[0]);
}

Child::~Child() {
  if (process < 0)
    return;
  kill();
  wait();
  close(pipe);
}

Child::Event Child::next(std::string &text, int milliseconds) {
  while (true) {
    if (size_t at = pending.find('\n'); at != std::string::npos) {
      text = pending.substr(0, at);
      pending.erase(0, at + 1);
      return line;
    }
    pollfd wanted = {pipe, POLLIN, 0};
    if (poll(&wanted, 1, milliseconds) <= 0)
      return silence;
    char buffer[4096];
    ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count <= 0)
      return end;
    pending.append(buffer, count);
  }
}

int Child::wait() {
  constexpr int kTenths = 200;
  for (int i = 0; i < kTenths; ++i) {
    int status = 0;
    if (waitpid(process, &status, WNOHANG) == process) {
      process = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status)
                               : kSignal + WTERMSIG(status);
    }
    usleep(100000);
  }
  process = -1;
  return -1;
}

/// A line each for the arch and the device's name, or why there is none.
static std::string describeGpu() {
  auto device = Device::open();
  if (!device)
    return "W" + llvm::toString(device.takeError());
  auto arch = resolveArchName("native");
  if (!arch)
    return "W" + llvm::toString(arch.takeError());
  return formatv("A{0}\nD{1}, driver {2}", arch->name, (*device)->getName(),
                 (*device)->getDriverVersion());
}

llvm::Expected<GpuFacts> hone::probeGpu() {
  auto child = Child::start([](int pipe) {
    std::string text = describeGpu() + "\n";
    return ::write(pipe, text.data(), text.size()) > 0 ? 0 : 1;
  });
  if (!child)
    return child.takeError();
  constexpr int kPatience = 60000;
  GpuFacts facts;
  std::string text;
  while (child->next(text, kPatience) == Child::line) {
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
  auto *worker = plan.options.rehearse.empty() ? runBenchWorker : rehearseBench;
  auto child = Child::start(
      [&](int pipe) { return worker(plan, state, *beacon, pipe); });
  if (!child)
    return child.takeError();
  std::string text;
  uint64_t beats = beacon->beats;
  int64_t silent = 0;
  while (true) {
    Child::Event event = child->next(text, kTick);
    if (event == Child::end)
      break;
    if (event == Child::line) {
      if (Error error = hear(text))
        return std::move(error);
    }
    silent =
        beats == beacon->beats && event == Child::silence ? silent + kTick : 0;
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
  int status = child->wait();
  if (status == 0)
    return true;
  std::string why = complaint;
  if (why.empty())
    why = status > kSignal ? strsignal(status - kSignal)
                           : formatv("ended with status {0}", status).str();
  if (Error error = blame("fault", why))
    return std::move(error);
  return false;
}

llvm::Expected<std::vector<BenchRow>> Supervisor::run() {
  void *memory = mmap(nullptr, sizeof(Beacon), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return llvm::createStringError("expected shared memory, but got: " +
                                   llvm::sys::StrError());
  beacon = new (memory) Beacon();
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
  munmap(memory, sizeof(Beacon));
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
