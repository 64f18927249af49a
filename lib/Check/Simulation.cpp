//===- Simulation.cpp - Runs of a module's kernels on the CPU -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Simulation.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/Simulation.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Command/Options.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Simulate/Reference.h"
#include "hone/Simulate/SumTree.h"
#include "hone/Simulate/Timeline.h"
#include "hone/Text/File.h"
#include "hone/Text/Progress.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/FormatVariadic.h"
#include <list>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// True if all ops that become kernels are kernels: the pipeline begins at
/// matmuls.
static bool isKernelIr(ModuleOp module) {
  bool hasKernels = false, hasMore = false;
  module.walk([&](Operation *op) {
    hasKernels |= isa<gpu::GPUModuleOp>(op) && op->hasAttr(kernel::kPlansAttr);
    // The function that a kernel was made from is part of the proof.
    auto function = op->getParentOfType<func::FuncOp>();
    bool isMade = function && function->hasAttr(kernel::kRestAttr);
    hasMore |= isa<MatmulOp, linalg::LinalgOp>(op) && !isMade;
  });
  return hasKernels && !hasMore;
}

/// Turns matmuls into kernels; keeps the reference of each by its location.
static llvm::Expected<std::vector<Reference>>
buildKernels(ModuleOp module, const SimulationOptions &options) {
  std::vector<Reference> references;
  if (isKernelIr(module)) {
    if (options.ofBuild.empty())
      return references;
    return asUsage(llvm::createStringError(
        formatv("expected a module with a matmul to build with '{0}', but got "
                "kernels that are built, in '{1}'; remove the option",
                options.ofBuild, options.file)));
  }
  if (llvm::Error error = runToSelect(module, options))
    return std::move(error);
  module.walk([&](MatmulOp op) { references.emplace_back(op); });
  if (llvm::Error error = runSelectedToKernels(module, options))
    return std::move(error);
  return references;
}

namespace {
/// The references of kernels, or the reasons why they are unknown.
class References {
public:
  References(std::vector<Reference> built, bool protocolOnly)
      : references(std::move(built)), protocolOnly(protocolOnly) {}

  struct Answer {
    const Reference *reference = nullptr;
    std::string why;
  };
  Answer of(const Subject &subject);

private:
  /// Makes a reference from the problem alone, which kernel IR has at its
  /// launch.
  llvm::Expected<Reference> make(const Subject &subject);

  std::vector<Reference> references;
  std::list<Reference> made;
  const bool protocolOnly;
};
} // namespace

llvm::Expected<Reference> References::make(const Subject &subject) {
  // Elements that ends or indices choose have no program, nor need one.
  if (subject.problem.readsPlaces() && subject.problem.epilogue.empty())
    return Reference(subject.problem);
  gpu::GPUFuncOp kernel = subject.kernel;
  auto program = ProblemModule::of(*kernel.getContext(), subject.problem,
                                   subject.batchesB);
  if (!program)
    return program.takeError();
  return Reference(program->matmul);
}

References::Answer References::of(const Subject &subject) {
  if (protocolOnly)
    return {nullptr, "--protocol-only"};
  if (subject.isGuessed)
    return {
        nullptr,
        "no kernel.launch with a hone.problem states what the kernel computes"};
  // The reference with the subject's problem.
  for (const Reference &reference : references)
    if (reference.getProblem() == subject.problem)
      return {&reference, ""};
  auto reference = make(subject);
  if (!reference)
    return {nullptr, toString(reference.takeError())};
  return {&made.emplace_back(*reference), ""};
}

/// Sets the only trial, of the sizes in the option.
static void setShape(StringRef text, std::vector<Trial> &trials) {
  if (text.empty())
    return;
  trials.resize(1);
  Trial &trial = trials.front();
  auto [m, rest] = text.split('x');
  auto [n, k] = rest.split('x');
  for (auto [digits, extent] :
       {std::pair(m, &trial.m), {n, &trial.n}, {k, &trial.k}})
    llvm::to_integer(digits, *extent); // checked with the command line
}

/// The limit on the work of runs. At a requested size it is that of the
/// product, four times the work of Hone's kernels. So a loop that runs 2^31
/// times at any size is cut off.
static int64_t workFor(StringRef shape, const Trial &trial) {
  if (shape.empty())
    return SimulateOptions().maxWork;
  constexpr double kOfOneProduct = 8, kUnit = 128, kMax = 0x1p62;
  double work = kOfOneProduct * double(trial.batch);
  for (int64_t extent : {trial.m, trial.n, trial.k})
    work *= double(extent) + kUnit;
  return int64_t(std::min(work, kMax));
}

static llvm::Expected<SimulatedRun> runOne(const Subject &subject,
                                           const Trial &trial,
                                           const References::Answer &answer,
                                           bool withOrders, int64_t &work,
                                           Timeline *timeline) {
  SimulateOptions options;
  options.timeline = timeline;
  options.maxWork = work;
  options.reference = answer.reference;
  gpu::GPUFuncOp kernel = subject.kernel;
  std::string method = trial.reachOnly    ? "where threads go"
                       : answer.reference ? "clocks, values"
                                          : "clocks";
  SimulatedRun run = {kernel.getName().str(),
                      trial.str(),
                      method,
                      trial.reachOnly ? "" : answer.why,
                      {},
                      std::nullopt};
  auto verdict = simulate::simulate(subject, trial, options);
  if (!verdict)
    return verdict.takeError();
  run.verdict = std::move(*verdict);
  work -= run.verdict.work;
  if (!withOrders)
    return run;
  Progress progress(kMaxExploredStates);
  auto exploration =
      explore(subject, trial, kMaxExploredStates, [&](int64_t states) {
        progress.show(states + 1, "states at most");
      });
  progress.clear();
  if (!exploration)
    return exploration.takeError();
  run.method += ", all orders";
  run.exploration = std::move(*exploration);
  return run;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// A run that stands for every size.
static SimulatedRun ofAllSizes(const Subject &subject, StringRef method,
                               std::vector<Finding> findings) {
  gpu::GPUFuncOp kernel = subject.kernel;
  SimulatedRun run;
  run.kernel = kernel.getName().str();
  run.sizes = "all of them";
  run.method = method.str();
  run.verdict.findings = std::move(findings);
  return run;
}

/// The tree of sums at these sizes.
static llvm::Expected<SimulatedRun> runSums(const Subject &subject,
                                            ArrayRef<Trial> trials) {
  auto sums = sumsOf(subject, trials);
  if (!sums)
    return sums.takeError();
  SimulatedRun run =
      ofAllSizes(subject, "order of additions", std::move(sums->findings));
  if (trials.size() == 1)
    run.sizes = trials.front().str();
  run.sums = std::move(sums->text);
  return run;
}

namespace {
/// The runs of one module, kernel by kernel.
class Simulation {
public:
  Simulation(const SimulationOptions &options, std::vector<Reference> built)
      : options(options), references(std::move(built), options.protocolOnly) {}
  llvm::Error add(const Subject &subject);

  std::vector<SimulatedRun> runs;
  Timeline timeline;

private:
  llvm::Error runTrials(const Subject &subject, ArrayRef<Trial> trials);
  /// Moves a run into the list, or returns its error.
  llvm::Error keep(llvm::Expected<SimulatedRun> run) {
    if (!run)
      return run.takeError();
    runs.push_back(std::move(*run));
    return llvm::Error::success();
  }

  const SimulationOptions &options;
  References references;
};
} // namespace

llvm::Error Simulation::runTrials(const Subject &subject,
                                  ArrayRef<Trial> trials) {
  References::Answer answer = references.of(subject);
  int64_t work = workFor(options.shape, trials.front());
  for (const Trial &trial : trials) {
    // Of one size that runs: the first of the first kernel.
    bool isShown =
        runs.empty() && !trial.reachOnly && !options.timeline.empty();
    if (llvm::Error error = keep(runOne(subject, trial, answer, options.explore,
                                        work, isShown ? &timeline : nullptr)))
      return error;
    if (work < 0)
      break;
  }
  return llvm::Error::success();
}

llvm::Error Simulation::add(const Subject &subject) {
  if (subject.isRest) {
    auto proof = simulate::prove(subject);
    if (!proof)
      return proof.takeError();
    return keep(ofAllSizes(subject, "formulas", std::move(proof->findings)));
  }
  auto trials = trialsFor(subject);
  if (!trials)
    return trials.takeError();
  setShape(options.shape, *trials);
  if (!options.shape.empty()) {
    auto isLaunched = guardHolds(subject, trials->front());
    if (!isLaunched)
      return isLaunched.takeError();
    if (!*isLaunched)
      return llvm::Error::success();
  }
  if (llvm::Error error = runTrials(subject, *trials))
    return error;
  bool areRight =
      llvm::all_of(runs, [](const SimulatedRun &run) { return run.passed(); });
  if (areRight && (options.sums || subject.problem.numbers.isInvariant()))
    if (llvm::Error error = keep(runSums(subject, *trials)))
      return error;
  // Comparisons that these sizes leave untried are tried at correct sizes.
  if (!options.shape.empty() || !areRight)
    return llvm::Error::success();
  auto untried = untriedIn(subject, *trials);
  if (!untried)
    return untried.takeError();
  if (untried->empty())
    return llvm::Error::success();
  return keep(
      ofAllSizes(subject, "code that cannot be reached", std::move(*untried)));
}

llvm::Expected<std::vector<SimulatedRun>>
hone::simulateModule(ModuleOp module, const SimulationOptions &options) {
  auto built = buildKernels(module, options);
  if (!built)
    return built.takeError();
  FailureOr<std::vector<Subject>> subjects = subjectsOf(module);
  if (failed(subjects) || subjects->empty())
    return llvm::createStringError(
        formatv("expected a module with a matmul that has a kernel, or kernels "
                "and their plans, but got none in '{0}'; use hone explain for "
                "the reason",
                options.file));
  if (!options.timeline.empty())
    if (llvm::Error error = requireWritable(options.timeline))
      return std::move(error);
  Simulation simulation(options, std::move(*built));
  for (const Subject &subject : *subjects)
    if (llvm::Error error = simulation.add(subject))
      return std::move(error);
  if (simulation.runs.empty())
    return asUsage(llvm::createStringError(
        formatv("expected a size that a guard of the plan lets through, but "
                "got {0}; use another --shape",
                options.shape)));
  if (!options.timeline.empty())
    if (llvm::Error error =
            writeFile(options.timeline, simulation.timeline.json()))
      return std::move(error);
  return std::move(simulation.runs);
}
