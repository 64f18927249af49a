//===- Corpus.cpp - A corpus of matrix products ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Corpus.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Corpus/Corpus.h"
#include "hone/Driver/Compile.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Space/Catalogue.h"
#include "hone/Text/Progress.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/xxhash.h"
#include <mutex>
#include <thread>

using namespace hone;
using llvm::Error;
using llvm::formatv;

namespace {
/// A kernel that some pairs share.
struct KernelJob {
  Problem problem;
  Schedule schedule;
  std::optional<GpuTexts> texts;
  std::string why;
};

struct ProblemJob {
  Problem problem;
  std::vector<std::pair<Schedule, std::string>> schedules; ///< with kernel keys
  std::optional<HostErrors> errors;
  std::string linalg, loops, llvmIr, why;
};

class CorpusRun {
public:
  explicit CorpusRun(CorpusOptions options) : options(std::move(options)) {}
  llvm::Expected<CorpusCounts> run();

private:
  Error plan();
  void makeKernels();
  Error makeProblems();
  Error write();
  /// Calls `work` for every index below `count`, on all cores, and shows the
  /// progress.
  void
  spread(size_t count, const char *what,
         llvm::function_ref<void(mlir::MLIRContext &, size_t, size_t)> work);

  CorpusOptions options;
  std::optional<Arch> arch;
  std::string compiler;
  std::vector<ProblemJob> problems;
  std::vector<KernelJob> kernels;
  std::map<std::string, size_t> places; ///< of kernels, by key
  CorpusCounts counts;
};
} // namespace

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Schedules of the catalogue, in an order that depends on the problem alone.
/// Its kernels serve all problems of a class.
static std::vector<Schedule> chosen(const Problem &problem, const Arch &arch,
                                    size_t count) {
  std::vector<Schedule> all = catalogue(problem, arch);
  auto hash = [&](const Schedule &schedule) {
    return llvm::xxh3_64bits(problem.str() + toString(schedule));
  };
  llvm::sort(all, [&](const Schedule &a, const Schedule &b) {
    return hash(a) < hash(b);
  });
  if (all.size() > count)
    all.resize(count);
  return all;
}

Error CorpusRun::plan() {
  auto asked = problemsOf(options.problems);
  if (!asked)
    return asked.takeError();
  // The loops, and a sum in f64, of some seconds.
  constexpr double kMaxFlops = 1e10;
  std::set<std::string> seen;
  for (const Problem &problem : *asked) {
    std::optional<std::string> why = unpairable(problem);
    if (!why && *problem.flops() > kMaxFlops)
      why = "its loops take too long on a CPU";
    if (why) {
      llvm::errs() << "left out: " << problem.str() << ": " << *why << "\n";
      ++counts.leftOut;
      continue;
    }
    if (!seen.insert(problem.str()).second)
      continue;
    ProblemJob job;
    job.problem = problem;
    for (const Schedule &schedule :
         chosen(problem, *arch, size_t(options.schedules))) {
      std::string key = kernelKey(problem.open(), schedule, *arch);
      if (places.try_emplace(key, kernels.size()).second)
        kernels.push_back({problem, schedule, std::nullopt, ""});
      job.schedules.emplace_back(schedule, key);
    }
    problems.push_back(std::move(job));
  }
  if (problems.empty())
    return llvm::createStringError(
        "expected a plain product of f16, bf16 or f32, but got none");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The work
//===----------------------------------------------------------------------===//

void CorpusRun::spread(
    size_t count, const char *what,
    llvm::function_ref<void(mlir::MLIRContext &, size_t, size_t)> work) {
  std::mutex mutex;
  Progress progress(count);
  forEachInThreads(
      count, options.jobs,
      [&](mlir::MLIRContext &context, size_t index, size_t thread) {
        {
          std::lock_guard<std::mutex> lock(mutex);
          progress.step(what);
        }
        work(context, index, thread);
      });
}

void CorpusRun::makeKernels() {
  spread(kernels.size(), "kernels",
         [&](mlir::MLIRContext &context, size_t i, size_t) {
           KernelJob &job = kernels[i];
           auto texts =
               makeGpuTexts(context, job.problem, job.schedule, arch->name);
           if (texts)
             job.texts = std::move(*texts);
           else
             job.why = llvm::toString(texts.takeError());
         });
}

Error CorpusRun::makeProblems() {
  std::vector<llvm::SmallString<128>> folders(options.jobs);
  for (auto &folder : folders)
    if (std::error_code error =
            llvm::sys::fs::createUniqueDirectory("hone-corpus", folder))
      return llvm::createStringError(error, "cannot make a folder");
  std::vector<std::unique_ptr<HostSide>> sides(options.jobs);
  for (auto [side, folder] : llvm::zip_equal(sides, folders))
    side = std::make_unique<HostSide>(compiler, folder.str().str());
  spread(problems.size(), "problems",
         [&](mlir::MLIRContext &context, size_t i, size_t thread) {
           ProblemJob &job = problems[i];
           job.linalg = linalgOf(job.problem);
           job.loops = loopNestOf(job.problem);
           auto make = [&]() -> Error {
             if (Error error = checkLinalg(context, job.linalg, job.problem))
               return error;
             if (Error error =
                     sides[thread]->llvmIr(job.problem).moveInto(job.llvmIr))
               return error;
             auto errors = sides[thread]->check(job.problem, job.loops);
             if (!errors)
               return errors.takeError();
             job.errors = *errors;
             return Error::success();
           };
           if (Error error = make())
             job.why = llvm::toString(std::move(error));
         });
  for (auto &folder : folders)
    llvm::sys::fs::remove_directories(folder);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The output
//===----------------------------------------------------------------------===//

Error CorpusRun::write() {
  CorpusFiles files(options.output);
  for (const KernelJob &job : kernels)
    if (!job.texts)
      llvm::errs() << "left out: " << toString(job.schedule) << ": " << job.why
                   << "\n";
  for (const ProblemJob &job : problems) {
    if (!job.errors) {
      llvm::errs() << "left out: " << job.problem.str() << ": " << job.why
                   << "\n";
      ++counts.leftOut;
      continue;
    }
    for (const auto &[schedule, key] : job.schedules) {
      const KernelJob &kernel = kernels[places.at(key)];
      if (!kernel.texts) {
        ++counts.leftOut;
        continue;
      }
      CorpusPair pair = {job.problem, schedule,      job.linalg, job.loops,
                         job.llvmIr,  *kernel.texts, *job.errors};
      if (Error error = files.add(pair, counts))
        return error;
    }
  }
  counts.kernels = llvm::count_if(
      kernels, [](const KernelJob &job) { return job.texts.has_value(); });
  return files.finish(counts, arch->name);
}

llvm::Expected<CorpusCounts> CorpusRun::run() {
  auto found = llvm::sys::findProgramByName(options.compiler);
  if (!found)
    return llvm::createStringError(
        formatv("expected a C compiler, but found no '{0}'; use --cc=PROGRAM",
                options.compiler));
  compiler = *found;
  if (Error error = Arch::lookup(options.arch).moveInto(arch))
    return std::move(error);
  if (options.jobs == 0)
    options.jobs = std::max(1u, std::thread::hardware_concurrency());
  if (Error error = plan())
    return std::move(error);
  makeKernels();
  if (Error error = makeProblems())
    return std::move(error);
  if (Error error = write())
    return std::move(error);
  return std::move(counts);
}

llvm::Expected<CorpusCounts> hone::writeCorpus(CorpusOptions options) {
  return CorpusRun(std::move(options)).run();
}
