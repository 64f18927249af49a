//===- Fuzz.cpp - Test cases in child processes ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts children and collects their results. A child's output goes to an
// unlinked file, an alarm limits its time, and its exit code is 0 if the case
// passed and 1 if not.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "hone/Driver/Compile.h"
#include "hone/Driver/Pipeline.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Plugin/Register.h"
#include "hone/Tuner/TunePass.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone::fuzz;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

Options Options::parse(int argc, char **argv) {
  Options options;
  options.parse(argc, argv, {}, {});
  return options;
}

void Options::parse(int argc, char **argv, llvm::ArrayRef<Number> moreNumbers,
                    llvm::ArrayRef<Text> moreTexts) {
  llvm::SmallVector<Number> numbers = {{"--count", &count},
                                       {"--seed", &seed},
                                       {"--jobs", &jobs},
                                       {"--timeout", &timeout},
                                       {"--only", &only}};
  llvm::SmallVector<Text> texts = {{"--keep", &keep}};
  llvm::append_range(numbers, moreNumbers);
  llvm::append_range(texts, moreTexts);
  for (StringRef arg : llvm::ArrayRef(argv + 1, argc - 1)) {
    auto [name, value] = arg.split('=');
    bool known = false;
    for (const Number &number : numbers)
      known |= name == number.name && !value.getAsInteger(10, *number.value);
    for (const Text &text : texts)
      if (name == text.name) {
        *text.value = value.str();
        known = true;
      }
    if (known)
      continue;
    llvm::errs() << "usage: " << argv[0];
    for (const Number &number : numbers)
      llvm::errs() << " [" << number.name << "=N]";
    for (const Text &text : texts)
      llvm::errs() << " [" << text.name << "=TEXT]";
    llvm::errs() << "\n";
    exit(2);
  }
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

namespace {
struct Child {
  FuzzCase fuzzCase;
  FILE *output;
};
} // namespace

static pid_t startChild(const Options &options, const Child &child,
                        llvm::function_ref<bool(const FuzzCase &)> run) {
  pid_t pid = fork();
  if (pid < 0) {
    llvm::errs() << "cannot fork\n";
    exit(2);
  }
  if (pid > 0)
    return pid;
  dup2(fileno(child.output), STDOUT_FILENO);
  dup2(fileno(child.output), STDERR_FILENO);
  alarm(options.timeout);
  bool good = run(child.fuzzCase);
  llvm::outs().flush();
  // Skip destructors: they only cost time.
  _exit(good ? 0 : 1);
}

static std::string readAll(FILE *file) {
  std::string text;
  char buffer[4096];
  rewind(file);
  while (size_t got = fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, got);
  return text;
}

static CaseReport reportOf(const Options &options, int status,
                           const rusage &usage, FILE *output) {
  auto seconds = [](timeval time) { return time.tv_sec + time.tv_usec * 1e-6; };
  CaseReport report = {Ending::good, "", readAll(output),
                       seconds(usage.ru_utime) + seconds(usage.ru_stime)};
  if (WIFSIGNALED(status)) {
    report.ending = Ending::aborted;
    report.how = WTERMSIG(status) == SIGALRM
                     ? std::to_string(options.timeout) + " s"
                     : "signal " + std::to_string(WTERMSIG(status));
  } else if (WEXITSTATUS(status) == 1) {
    report.ending = Ending::bad;
  } else if (WEXITSTATUS(status) != 0) {
    report.ending = Ending::aborted;
    report.how = "exit code " + std::to_string(WEXITSTATUS(status));
  }
  return report;
}

void hone::fuzz::forEachCase(
    const Options &options, llvm::function_ref<FuzzCase(int64_t)> make,
    llvm::function_ref<bool(const FuzzCase &)> run,
    llvm::function_ref<void(const FuzzCase &, const CaseReport &)> done) {
  std::map<pid_t, Child> children;
  auto waitForOne = [&] {
    int status = 0;
    rusage usage = {};
    pid_t pid = wait4(-1, &status, 0, &usage);
    auto found = children.find(pid);
    if (found == children.end())
      return;
    Child &child = found->second;
    done(child.fuzzCase, reportOf(options, status, usage, child.output));
    fclose(child.output);
    children.erase(found);
  };
  bool all = options.only < 0;
  int64_t first = all ? options.first : options.only;
  int64_t end = all ? options.count : first + 1;
  auto begin = std::chrono::steady_clock::now();
  auto isOver = [&] {
    return options.seconds > 0 && std::chrono::steady_clock::now() - begin >=
                                      std::chrono::seconds(options.seconds);
  };
  for (int64_t number = first; number < end && !isOver();
       number += options.stride) {
    while (int64_t(children.size()) >= options.jobs)
      waitForOne();
    Child child = {make(number), tmpfile()};
    if (!all)
      llvm::outs() << child.fuzzCase.text << "\n";
    // The child would inherit and print unflushed output.
    llvm::outs().flush();
    pid_t pid = startChild(options, child, run);
    children.emplace(pid, std::move(child));
  }
  while (!children.empty())
    waitForOne();
}

void hone::fuzz::keepCase(const Options &options, const FuzzCase &fuzzCase,
                          const CaseReport &report) {
  llvm::sys::fs::create_directories(options.keep);
  std::string path = options.keep + "/case-" + std::to_string(options.seed) +
                     "-" + std::to_string(fuzzCase.number) + ".mlir";
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << fuzzCase.text;
  llvm::outs() << "case " << fuzzCase.number << ": "
               << (report.how.empty() ? "failed" : report.how) << ": "
               << (error ? "cannot write " + path : "kept as " + path) << "\n"
               << StringRef(report.output).take_front(2000) << "\n";
}

int hone::fuzz::requireSound(const Options &options,
                             llvm::function_ref<FuzzCase(int64_t)> make,
                             llvm::function_ref<bool(const FuzzCase &)> run) {
  int64_t sound = 0, unsound = 0;
  forEachCase(options, make, run,
              [&](const FuzzCase &fuzzCase, const CaseReport &report) {
                bool isGood = report.ending == Ending::good;
                ++(isGood ? sound : unsound);
                if (!isGood)
                  keepCase(options, fuzzCase, report);
              });
  llvm::outs() << sound + unsound << " mutants, " << unsound << " unsound\n";
  return unsound ? 1 : 0;
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

std::unique_ptr<mlir::MLIRContext> hone::fuzz::makeContext() {
  mlir::DialectRegistry registry;
  hone::registerDialects(registry);
  hone::registerPasses();
  hone::registerTuner();
  mlir::registerCanonicalizerPass();
  auto context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

std::string hone::fuzz::buildKernel(StringRef schedule) {
  auto context = fuzz::makeContext();
  Problem problem;
  problem.m = problem.n = problem.k = 512;
  auto program =
      llvm::cantFail(ProblemModule::of(*context, problem.open(kBestAlign)));
  PipelineOptions options;
  options.arch = "h200";
  options.schedule = PinnedSchedule::parse(schedule);
  options.fallback = false;
  llvm::cantFail(runPasses(*program.module, [&](mlir::OpPassManager &pm) {
    buildPipeline(pm, options, /*makeSources=*/nullptr,
                  {PipelineStep::select, PipelineStep::build});
  }));
  std::string text;
  llvm::raw_string_ostream(text) << *program.module;
  return text;
}
