//===- Simulate.cpp - hone simulate ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the kernels of a module, or takes the existing ones, and runs them on
// the CPU: the protocol for every order of events, and the numbers of one
// order, compared with the reference.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/Simulate.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Simulate/Reference.h"
#include "hone/Simulate/SumTree.h"
#include "hone/Simulate/Timeline.h"
#include "hone/Text/File.h"
#include "hone/Text/Progress.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"
#include "passes/Support.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/Options.h"
#include "tools/hone/Program/Route.h"
#include "tools/hone/Table.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <list>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

namespace {
struct SimulateCommandOptions : PipelineChoice {
  std::string shape;
  std::string timeline; ///< a file for the picture of a run
  std::string ofBuild;  ///< the first option for a build on the command line
  bool protocolOnly = false, explore = false, sums = false, json = false;
};

/// One kernel at one size.
struct Run {
  std::string kernel, sizes, method;
  std::string whyNoNumbers; ///< empty if there are numbers
  Verdict verdict;
  std::optional<Exploration> exploration = {};
  std::string sums = {}; ///< the tree of sums, where it is computed

  bool passed() const {
    return verdict.passed() && (!exploration || exploration->passed());
  }
};
} // namespace

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
buildKernels(ModuleOp module, const SimulateCommandOptions &options) {
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
  auto program = ProblemModule::of(subject.problem, subject.batchesB);
  if (!program)
    return program.takeError();
  gpu::GPUFuncOp kernel = subject.kernel;
  auto module = parseModule(*kernel.getContext(), program->text);
  if (!module)
    return module.takeError();
  std::optional<Reference> reference;
  (*module)->walk([&](MatmulOp op) { reference.emplace(op); });
  if (!reference)
    return llvm::createStringError("expected a matmul of the launch's problem");
  return *reference;
}

References::Answer References::of(const Subject &subject) {
  if (protocolOnly)
    return {nullptr, "--protocol-only"};
  if (subject.isGuessed)
    return {nullptr, "no kernel.launch with a hone.problem says what the "
                     "kernel is to compute"};
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

static llvm::Expected<Run> runOne(const Subject &subject, const Trial &trial,
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
  Run run = {kernel.getName().str(),
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
// Printing
//===----------------------------------------------------------------------===//

static llvm::json::Object toJson(const Finding &finding) {
  llvm::json::Object object{{"kind", toString(finding.fault)},
                            {"text", finding.text},
                            {"op", finding.at.op},
                            {"place", finding.at.str()}};
  if (finding.other)
    object["other"] = llvm::json::Object{{"op", finding.other->op},
                                         {"place", finding.other->str()}};
  return object;
}

static void printJson(ArrayRef<Run> runs) {
  llvm::json::Array array;
  for (const Run &run : runs) {
    llvm::json::Array findings;
    for (const Finding &finding : run.verdict.findings)
      findings.push_back(toJson(finding));
    llvm::json::Object object{{"kernel", run.kernel},
                              {"sizes", run.sizes},
                              {"passed", run.passed()},
                              {"method", run.method},
                              {"agents", run.verdict.agents},
                              {"events", run.verdict.events},
                              {"work", run.verdict.work},
                              {"log10_orders", run.verdict.logOrders},
                              {"rounds", run.verdict.minRounds},
                              {"seconds", run.verdict.seconds},
                              {"findings", std::move(findings)}};
    if (run.verdict.error)
      object["error"] = *run.verdict.error;
    if (!run.whyNoNumbers.empty())
      object["numbers_not_checked"] = run.whyNoNumbers;
    if (!run.sums.empty())
      object["sums"] = run.sums;
    if (run.exploration) {
      object["states"] = run.exploration->states;
      object["complete"] = run.exploration->complete;
    }
    array.push_back(std::move(object));
  }
  llvm::outs() << formatv("{0:2}\n", llvm::json::Value(std::move(array)));
}

static void printText(ArrayRef<Run> runs) {
  for (const Run &run : runs) {
    const Verdict &verdict = run.verdict;
    StringRef word = !run.passed()              ? "wrong"
                     : run.whyNoNumbers.empty() ? "right"
                                                : "barriers right";
    llvm::outs() << run.kernel << "\n  " << run.sizes << ": " << word << " ("
                 << run.method << ")";
    if (verdict.agents == 0) {
      llvm::outs() << (run.sums.empty() ? "" : ": ") << run.sums << "\n";
      continue;
    }
    llvm::outs() << "\n  " << verdict.agents << " agents, " << verdict.events
                 << " events";
    if (verdict.passed())
      llvm::outs() << formatv(
          "; stands for every order that the barriers allow, of 10^{0:f0}; "
          "slots filled {1} to {2} times",
          verdict.logOrders, verdict.minRounds, verdict.maxRounds);
    if (run.exploration)
      llvm::outs() << formatv("\n  {0} states, {1}", run.exploration->states,
                              run.exploration->complete ? "all that there are"
                                                        : "more are left");
    if (verdict.error)
      llvm::outs() << formatv("\n  largest error {0:f3} of the tolerance",
                              *verdict.error);
    if (!run.whyNoNumbers.empty())
      llvm::outs() << "\n  numbers not checked: " << run.whyNoNumbers;
    llvm::outs() << "\n";
  }
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// A run that stands for every size.
static Run ofAllSizes(const Subject &subject, StringRef method,
                      std::vector<Finding> findings) {
  gpu::GPUFuncOp kernel = subject.kernel;
  Run run;
  run.kernel = kernel.getName().str();
  run.sizes = "all of them";
  run.method = method.str();
  run.verdict.findings = std::move(findings);
  return run;
}

/// The tree of sums at these sizes.
static llvm::Expected<Run> runSums(const Subject &subject,
                                   ArrayRef<Trial> trials) {
  auto sums = sumsOf(subject, trials);
  if (!sums)
    return sums.takeError();
  Run run =
      ofAllSizes(subject, "order of additions", std::move(sums->findings));
  if (trials.size() == 1)
    run.sizes = trials.front().str();
  run.sums = std::move(sums->text);
  return run;
}

static llvm::Expected<int> simulateFile(const SimulateCommandOptions &options) {
  if (llvm::Expected<Arch> arch = resolveArchName(options.arch); !arch)
    return arch.takeError();
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = readModule(*context, options.file);
  if (!module)
    return module.takeError();
  auto built = buildKernels(**module, options);
  if (!built)
    return built.takeError();
  References references(std::move(*built), options.protocolOnly);
  FailureOr<std::vector<Subject>> subjects = subjectsOf(**module);
  if (failed(subjects) || subjects->empty())
    return llvm::createStringError(
        formatv("expected a module with a matmul that has a kernel, or kernels "
                "and their plans, but got none in '{0}'; use hone explain for "
                "the reason",
                options.file));
  std::vector<Run> runs;
  Timeline timeline;
  bool wantsTimeline = !options.timeline.empty();
  if (wantsTimeline)
    if (llvm::Error error = requireWritable(options.timeline))
      return std::move(error);
  for (const Subject &subject : *subjects) {
    if (subject.isRest) {
      auto proof = simulate::prove(subject);
      if (!proof)
        return proof.takeError();
      runs.push_back(
          ofAllSizes(subject, "formulas", std::move(proof->findings)));
      continue;
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
        continue;
    }
    References::Answer answer = references.of(subject);
    int64_t work = workFor(options.shape, trials->front());
    for (const Trial &trial : *trials) {
      // Of one size that runs: the first of the first kernel.
      bool isShown = runs.empty() && !trial.reachOnly;
      auto run = runOne(subject, trial, answer, options.explore, work,
                        isShown && wantsTimeline ? &timeline : nullptr);
      if (!run)
        return run.takeError();
      runs.push_back(std::move(*run));
      if (work < 0)
        break;
    }
    bool areRight =
        llvm::all_of(runs, [](const Run &run) { return run.passed(); });
    if (areRight && (options.sums || subject.problem.numbers.isInvariant())) {
      auto run = runSums(subject, *trials);
      if (!run)
        return run.takeError();
      runs.push_back(std::move(*run));
    }
    // Comparisons that these sizes leave untried are tried at correct sizes.
    if (!options.shape.empty() || !areRight)
      continue;
    auto untried = untriedIn(subject, *trials);
    if (!untried)
      return untried.takeError();
    if (!untried->empty())
      runs.push_back(ofAllSizes(subject, "code that cannot be reached",
                                std::move(*untried)));
  }
  if (runs.empty())
    return asUsage(llvm::createStringError(
        formatv("expected a size that a guard of the plan lets through, but "
                "got {0}; use another --shape",
                options.shape)));
  if (wantsTimeline)
    if (llvm::Error error = writeFile(options.timeline, timeline.json()))
      return std::move(error);
  options.json ? printJson(runs) : printText(runs);
  bool passed = true;
  for (const Run &run : runs) {
    passed &= run.passed();
    for (const Finding &finding : run.verdict.findings)
      emit(finding);
    if (run.exploration)
      for (const Finding &finding : run.exploration->findings)
        emit(finding);
  }
  return passed ? kExitSuccess : kExitFailure;
}

int hone::simulateCommand(ArrayRef<StringRef> args) {
  SimulateCommandOptions options;
  OptionList list("hone simulate FILE [options]",
                  "Runs the kernels of FILE on the CPU: says whether their "
                  "barriers are right in\nevery order of events, and whether "
                  "their numbers are.");
  options.addTo(list);
  list.add("arch", "NAME", options.arch,
           "chip or instruction set to build kernels for, or native",
           checkGpuArch);
  list.add("shape", "MxNxK", options.shape,
           "run these sizes; without it, some that wrap every ring",
           checkSimulatedShape);
  list.add("protocol-only", options.protocolOnly, "no numbers");
  list.add("explore", options.explore,
           "also walk through every order, where there are few");
  list.add("sums", options.sums, "also the order in which products are added");
  list.add("timeline", "FILE", options.timeline,
           "the first run in virtual time, for ui.perfetto.dev");
  list.add("json", options.json, "print JSON");
  for (StringRef arg : args)
    for (StringRef option :
         {"--arch=", "--schedule=", "--database=", "--pipeline="})
      if (options.ofBuild.empty() && arg.starts_with(option))
        options.ofBuild = arg;
  return list.run(args, [&] { return simulateFile(options); });
}
