//===- ToolMutants.cpp - Fuzzer of the tool's commands --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-fuzz-tools runs the commands of the tool, each in its own process, on
// damaged files and on random command lines. Every command must end by itself,
// with a documented status, within its limits of time and memory. Processes are
// forked from one that contains the tool, which is a hundred times cheaper than
// starting the program; with --hone and --hone-opt the programs themselves are
// started.
//
// Each core has a process that runs its share of the cases, because one process
// could not draw and fork them all fast enough. It is bound to its core:
// otherwise the commands would start a thread for every core.
//
//===----------------------------------------------------------------------===//

#include "ToolMutants.h"
#include "ToolRun.h"
#include "hone-c/Runtime.h"
#include "hone/Text/CrashGuard.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdlib>
#include <map>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone;
using namespace hone::fuzz;
using llvm::formatv;
using llvm::StringRef;

namespace {
/// Results for one sort of file: the number of cases, of accepted ones, of
/// those past the time limit where that is allowed, and of failures.
struct Count {
  int64_t all = 0, taken = 0, slow = 0, unsound = 0;
  double seconds = 0;
};

/// A case's result, as sent through a pipe.
struct Said {
  int32_t sort;
  enum Kind : int32_t { refused, taken, slow, unsound } kind;
  double seconds;
};
} // namespace

//===----------------------------------------------------------------------===//
// One core's share
//===----------------------------------------------------------------------===//

/// Binds to the core of this number, among the cores that this process may use.
static void bindTo(int64_t number) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  int64_t left = number % CPU_COUNT(&allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed) && left-- == 0) {
      CPU_ZERO(&one);
      CPU_SET(core, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
}

static Said::Kind kindOf(const FileSort &sort, const CaseReport &report) {
  if (report.ending == Ending::good)
    return StringRef(report.output).ends_with("status 0\n") ? Said::taken
                                                            : Said::refused;
  bool isTime = StringRef(report.how).ends_with(" s");
  return isTime && sort.mayTakeLong ? Said::slow : Said::unsound;
}

static void runShare(const fuzz::Options &options, const ToolRun &tool,
                     const std::vector<FileSort> &sorts, int pipe) {
  auto drawn = [&](int64_t number) {
    return drawCase(sorts, options.seed, number, tool.intact);
  };
  forEachCase(
      options,
      [&](int64_t number) { return FuzzCase{number, drawn(number).bytes}; },
      [&](const FuzzCase &each) { return tool.run(drawn(each.number)); },
      [&](const FuzzCase &each, const CaseReport &report) {
        ToolCase which = drawn(each.number);
        tool.remove(which);
        Said said = {int32_t(which.sort - sorts.data()),
                     kindOf(*which.sort, report), report.seconds};
        if (options.only >= 0)
          llvm::outs() << "  hone " << llvm::join(which.command, " ") << "\n"
                       << report.output;
        if (said.kind == Said::unsound) {
          keepCase(options, each, report);
          llvm::outs() << "  " << which.sort->name << ": hone "
                       << llvm::join(which.command, " ") << "\n";
          llvm::outs().flush();
        }
        if (write(pipe, &said, sizeof said) != sizeof said)
          _exit(2);
      });
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

namespace {
/// Counts the results, and prints progress now and then.
class Tally {
public:
  Tally(const fuzz::Options &options, const std::vector<FileSort> &sorts)
      : options(options), sorts(sorts), counts(sorts.size()) {}

  void add(const Said &said) {
    Count &count = counts[said.sort];
    ++count.all;
    count.taken += said.kind == Said::taken;
    count.slow += said.kind == Said::slow;
    count.unsound += said.kind == Said::unsound;
    count.seconds += said.seconds;
    ++all;
    unsound += said.kind == Said::unsound;
    auto now = Clock::now();
    if (now - last < std::chrono::seconds(10))
      return;
    last = now;
    double spent = std::chrono::duration<double>(now - begin).count();
    double left = (options.count - all) * spent / double(all);
    if (options.seconds > 0)
      left = std::min(left, std::max(0.0, options.seconds - spent));
    llvm::errs() << formatv("{0} of {1} files, {2} unsound, {3:F0} a second, "
                            "{4:F0} s left\n",
                            all, options.count, unsound, all / spent, left);
  }

  /// Prints the table by sort. Returns the exit status.
  int print() const {
    llvm::outs() << formatv("{0,-20} {1,8} {2,8} {3,8} {4,8} {5,8} {6,8}\n",
                            "sort", "files", "taken", "refused", "slow",
                            "unsound", "ms each");
    for (size_t i = 0; i < sorts.size(); ++i) {
      const Count &count = counts[i];
      if (count.all)
        llvm::outs() << formatv(
            "{0,-20} {1,8} {2,8} {3,8} {4,8} {5,8} {6,8:F1}\n", sorts[i].name,
            count.all, count.taken,
            count.all - count.taken - count.slow - count.unsound, count.slow,
            count.unsound, count.seconds * 1e3 / double(count.all));
    }
    double spent = std::chrono::duration<double>(Clock::now() - begin).count();
    llvm::outs() << formatv("{0} mutants, {1} unsound, {2:F0} s\n", all,
                            unsound, spent);
    return unsound ? 1 : 0;
  }

  int64_t total() const { return all; }

private:
  using Clock = std::chrono::steady_clock;
  const fuzz::Options &options;
  const std::vector<FileSort> &sorts;
  std::vector<Count> counts;
  int64_t all = 0, unsound = 0;
  Clock::time_point begin = Clock::now(), last = begin;
};
} // namespace

/// Starts a process for each share; returns the reading end of their pipe.
static int startShares(const fuzz::Options &options, const ToolRun &tool,
                       const std::vector<FileSort> &sorts) {
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  llvm::outs().flush();
  for (int64_t share = 0; share < options.jobs; ++share) {
    if (fork() != 0)
      continue;
    close(ends[0]);
    bindTo(share);
    fuzz::Options own = options;
    own.first = share;
    own.stride = options.jobs;
    own.jobs = 1;
    runShare(own, tool, sorts, ends[1]);
    llvm::outs().flush();
    _exit(0);
  }
  close(ends[1]);
  return ends[0];
}

/// The sorts whose names are in the list; all for an empty one.
static std::vector<FileSort> chosen(std::vector<FileSort> sorts,
                                    StringRef names) {
  if (!names.empty())
    llvm::erase_if(sorts, [&](const FileSort &sort) {
      return !llvm::is_contained(llvm::split(names, ','), sort.name);
    });
  return sorts;
}

int main(int argc, char **argv) {
  fuzz::Options options;
  options.jobs = sysconf(_SC_NPROCESSORS_ONLN);
  ToolRun tool;
  std::string work, seeds, names;
  options.parse(argc, argv,
                {{"--seconds", &options.seconds},
                 {"--memory", &tool.memory},
                 {"--intact", &tool.intact}},
                {{"--hone", &tool.hone},
                 {"--hone-opt", &tool.honeOpt},
                 {"--work", &work},
                 {"--seeds", &seeds},
                 {"--sorts", &names}});
  // Hide any GPU from the commands, and make failures of the launcher errors.
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  honeSetErrorHandler([](int32_t, const char *, void *) {}, nullptr);
  enableCrashGuard();
  tool.timeout = options.timeout;
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory(
          work.empty() ? "hone-fuzz-tools" : work + "/hone-fuzz-tools", folder))
    return 2;
  tool.folder = folder.str().str();
  llvm::SmallString<128> keep = StringRef(options.keep);
  llvm::sys::fs::make_absolute(keep);
  options.keep = keep.str().str();
  std::vector<FileSort> sorts = chosen(allSorts(tool.folder, seeds), names);
  if (sorts.empty()) {
    llvm::errs() << "expected a sort of files, but got '" << names << "'\n";
    return 2;
  }
  Tally tally(options, sorts);
  int from = startShares(options, tool, sorts);
  Said said;
  while (from >= 0 && read(from, &said, sizeof said) == sizeof said)
    tally.add(said);
  bool isWhole = from >= 0;
  for (int status; wait(&status) > 0;)
    isWhole &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
  llvm::sys::fs::remove_directories(tool.folder);
  int status = tally.print();
  return isWhole ? status : 2;
}
