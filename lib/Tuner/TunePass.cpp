//===- TunePass.cpp - Search inside a pipeline ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TunePass.td.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/TunePass.h"
#include "dialects/Hone/CheckedPass.h"
#include "dialects/Hone/Hone.h"
#include "hone/Matmul/WholeKernelFile.h"
#include "hone/Plugin/Sources.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Policy/TuneDefaults.h"
#include "hone/Simulate/VerdictFile.h"
#include "hone/Workers/Workers.h"
#include "passes/Support.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

namespace hone {
#define GEN_PASS_DECL_TUNE
#define GEN_PASS_DEF_TUNE
#include "lib/Tuner/TunePass.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;
using llvm::formatv;

namespace {
struct TunePass : hone::impl::TuneBase<TunePass> {
  using TuneBase::TuneBase;
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  llvm::Error checkOptions();
  std::string faults() const;
  std::vector<std::string> devices() const;
  std::vector<MatmulOp> collect();
  llvm::Expected<WorkerOptions> workerOptions();
  llvm::Expected<std::vector<SearchResult>>
  search(llvm::ArrayRef<Problem> problems, Arch &arch);
};
} // namespace

/// A comma would end an option: `rehearse` and `device` have + instead.
std::string TunePass::faults() const {
  std::string plan = rehearse;
  std::replace(plan.begin(), plan.end(), '+', ',');
  return plan;
}

std::vector<std::string> TunePass::devices() const {
  std::vector<std::string> names;
  if (rehearse.empty())
    for (StringRef name : llvm::split(StringRef(device), '+'))
      names.push_back(name.str());
  return names;
}

/// The first option with a value that is wrong on every machine.
llvm::Error TunePass::checkOptions() {
  auto named = [](StringRef name, llvm::Error error) {
    return llvm::createStringError(
        formatv("option '{0}': {1}", name, llvm::toString(std::move(error))));
  };
  if (!rehearse.empty())
    if (auto plan = FaultPlan::parse(faults()); !plan)
      return named("rehearse", plan.takeError());
  for (const std::string &name : devices())
    if (auto error = checkDevice(name))
      return named("device", std::move(error));
  if (auto maker = policyMaker(policy, seed); !maker)
    return named("policy", maker.takeError());
  for (auto [name, value, min] : {std::tuple("trials", int64_t(trials), 1),
                                  {"finalists", finalists, 1},
                                  {"rewrites", rewrites, -1},
                                  {"enough", enough, 0},
                                  {"seconds", seconds, 0},
                                  {"jobs", jobs, 0}})
    if (value < min)
      return llvm::createStringError(
          formatv("option '{0}': expected a number of at least {1}, but got "
                  "{2}",
                  name, min, value));
  return llvm::Error::success();
}

LogicalResult TunePass::initialize(MLIRContext *context) {
  llvm::Error error = checkOptions();
  if (!error)
    return success();
  return emitError(UnknownLoc::get(context))
         << llvm::toString(std::move(error));
}

/// The matmuls that have no schedule and can be measured.
std::vector<MatmulOp> TunePass::collect() {
  std::vector<MatmulOp> ops;
  getOperation().walk([&](MatmulOp op) {
    if (op.getScheduleAttr())
      return;
    Problem problem = op.getProblem();
    if (problem.readsPlaces()) {
      remarkMissed(
          op, "not-tuned",
          "expected matrices, but got rows of groups or of an index, which no "
          "search times");
      return;
    }
    if (problem.isStatic() && *problem.flops() > 0)
      ops.push_back(op);
    else
      remarkMissed(op, "not-tuned",
                   "expected known extents above 0, but got " + problem.str());
  });
  return ops;
}

llvm::Expected<WorkerOptions> TunePass::workerOptions() {
  auto options = WorkerOptions::make(worker, devices(), faults());
  if (!options)
    return options;
  options->jobs = jobs;
  options->verdicts = simulate::VerdictFile::beside(database);
  if (!database.empty())
    options->kernelText = kernelTextsIn({database});
  return options;
}

llvm::Expected<std::vector<SearchResult>>
TunePass::search(llvm::ArrayRef<Problem> problems, Arch &arch) {
  auto options = workerOptions();
  if (!options)
    return options.takeError();
  std::optional<Database> file;
  if (!database.empty()) {
    if (llvm::Error error =
            Database::open(database, Access::write).moveInto(file))
      return std::move(error);
  }
  auto workers = Workers::start(std::move(*options));
  if (!workers)
    return workers.takeError();
  arch = (*workers)->arch();
  SearchOptions choice = tuneDefaults();
  choice.policy = policy;
  choice.seed = seed;
  choice.trials = trials;
  choice.enough = enough;
  choice.rewrites = rewrites;
  choice.finalists = finalists;
  choice.seconds = double(seconds);
  choice.policyThreads = (*workers)->policyThreads();
  auto remark = completeSearch(choice, (*workers)->arch(), rehearse.empty(),
                               choiceOfBuild);
  if (!remark)
    return remark.takeError();
  if (!remark->empty())
    remarkMissed(getOperation(), "policy", *remark);
  return Search(**workers, file ? &*file : nullptr, choice).run(problems);
}

static std::string describe(const SearchResult &result) {
  std::string text = formatv("{0}: {1:F2} us", toString(*result.chosen),
                             result.times.median * 1e6);
  if (result.wasChosen)
    return text + ", known from before";
  if (result.overDefault.value > 0)
    text += formatv(", {0:F3} times as fast as the default",
                    result.overDefault.value);
  return text + formatv(", of {0} candidates, proposed by {1}", result.trials,
                        result.proposer)
                    .str();
}

void TunePass::runOnOperation() {
  std::vector<MatmulOp> ops = collect();
  if (ops.empty())
    return;
  std::vector<Problem> problems;
  for (MatmulOp op : ops)
    problems.push_back(op.getProblem());
  Arch arch;
  auto results = search(problems, arch);
  if (!results) {
    remarkMissed(getOperation(), "not-tuned",
                 llvm::toString(results.takeError()));
    return;
  }
  std::map<std::string, const SearchResult *> byProblem;
  for (const SearchResult &result : *results)
    byProblem[result.problem.str()] = &result;
  for (MatmulOp op : ops) {
    auto found = byProblem.find(op.getProblem().str());
    if (found == byProblem.end() || !found->second->chosen) {
      remarkMissed(op, "not-tuned", "no candidate ran");
      continue;
    }
    op.setArchAttr(ArchAttr::get(op.getContext(), arch));
    op.setScheduleAttr(
        ScheduleAttr::get(op.getContext(), *found->second->chosen));
    remarkPassed(op, "tuned", describe(*found->second));
  }
}

void hone::registerTuner() {
  // The pass registry rejects a second registration of the same name.
  static bool once = [] {
    registerPass([] { return std::make_unique<TunePass>(); });
    return true;
  }();
  (void)once;
}
