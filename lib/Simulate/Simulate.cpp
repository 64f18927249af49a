//===- Simulate.cpp - Proof and execution of kernels on the CPU -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run from the launch's numbers to the verdict.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/Simulate.h"
#include "Checks.h"
#include "Machine/Machine.h"
#include "Plan/Copies.h"
#include "Reach.h"
#include "Values/Provenance.h"
#include "Values/Values.h"
#include "Windows.h"
#include "hone/Simulate/Reference.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

StringRef simulate::toString(Fault fault) {
  constexpr StringRef kWords[] = {
      "unfilled", "overwritten", "proxy",   "fence",       "pending",
      "count",    "phase",       "barrier", "deadlock",    "depend",
      "bounds",   "coverage",    "gone",    "plan",        "value",
      "order",    "untried",     "limit",   "not-modelled"};
  return kWords[static_cast<size_t>(fault)];
}

Place Place::of(Operation *op) {
  return {op->getLoc(), op->getName().getStringRef().str()};
}

std::string Place::str() const {
  std::string text =
      role.empty() ? "" : formatv("{0} {1} of ", role, group).str();
  text += formatv("block {0}", block);
  if (!agent.empty())
    text += formatv(", {0}", agent);
  if (steps.empty())
    return text;
  text += ", step (";
  for (auto [i, step] : llvm::enumerate(steps))
    text += (i ? ", " : "") + std::to_string(step);
  return text + ")";
}

void simulate::emit(const Finding &finding) {
  InFlightDiagnostic error = emitError(finding.at.loc);
  error << "'" << finding.at.op << "' " << finding.text << " ["
        << toString(finding.fault) << "; " << finding.at.str() << "]";
  if (finding.other)
    error.attachNote(finding.other->loc)
        << "'" << finding.other->op << "' " << finding.otherText << " ["
        << finding.other->str() << "]";
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// The numbers of a launch, if its kernel can be launched with them.
static llvm::Expected<LaunchValues> prepare(const Subject &subject,
                                            const Trial &trial,
                                            const Program &program,
                                            Verdict &verdict) {
  for (Operation *op : program.unknown)
    report(verdict, Fault::notModelled, op,
           formatv("not modelled: op {0}", op->getName()));
  auto launch = evaluate(subject, trial);
  if (!launch)
    return launch.takeError();
  // depend_c3.
  if (launch->overlapsInVain)
    report(verdict, Fault::depend, subject.kernel,
           "is launched to overlap with the kernel before, but its target has "
           "no kernel.depend.wait; expected a plan without 'attribute "
           "programmatic' below sm_90");
  checkKernel(program, subject, verdict);
  checkLaunch(program, subject, trial, *launch, verdict);
  if (program.isPersistent && !program.meetsAcrossClusters)
    launch->grid = std::min(launch->grid, trial.maxClusters * launch->cluster);
  return launch;
}

/// Checks that need no run: the plan, and the paths of threads.
static llvm::Error lookOnly(const Subject &subject, const Trial &trial,
                            Verdict &verdict) {
  std::vector<LaunchValues> before;
  for (size_t i = 0; i <= subject.before.size(); ++i) {
    bool isLast = i == subject.before.size();
    Subject step = subjectOf(subject, isLast ? subject.launch : i);
    Program program(step.kernel);
    auto launch = prepare(step, trial, program, verdict);
    if (!launch)
      return launch.takeError();
    if (isLast && verdict.passed() && !trial.blocks)
      checkReach(program, *launch, verdict);
    else if (isLast && verdict.passed())
      checkCopies(subject, before, *launch, verdict);
    before.push_back(std::move(*launch));
  }
  return llvm::Error::success();
}

/// Checks that the plan has the epilogue operands of the problem, each with its
/// dimensions: others have no elements to compare with.
static llvm::Error checkOperands(const Subject &subject,
                                 const Reference &reference) {
  auto hasDims = [](llvm::StringRef dims) {
    return std::pair(dims.contains('m'), dims.contains('n'));
  };
  bool areSame = subject.operands.size() == reference.operandCount();
  for (size_t i = 0; areSame && i < subject.operands.size(); ++i)
    areSame =
        hasDims(subject.operands[i].second) == hasDims(reference.dimsOf(i));
  if (areSame)
    return llvm::Error::success();
  return llvm::createStringError(
      "expected a plan with the epilogue operands of its problem and their "
      "dimensions, but got others");
}

/// Runs the launches, up to the first one with a finding.
static llvm::Error runLaunches(const Subject &subject, const Trial &trial,
                               const SimulateOptions &options, Output &output,
                               Values *values, Verdict &verdict) {
  for (size_t i = 0; i <= subject.before.size() && verdict.passed(); ++i) {
    bool isLast = i == subject.before.size();
    Subject step = subjectOf(subject, isLast ? subject.launch : i);
    Program program(step.kernel);
    auto launch = prepare(step, trial, program, verdict);
    if (!launch)
      return launch.takeError();
    // A launch with faults cannot run.
    if (!verdict.passed())
      break;
    if (values)
      values->startLaunch(*launch);
    Machine machine(program, *launch, output, verdict, options, values);
    machine.runAll();
    if (isLast)
      machine.finish();
  }
  return llvm::Error::success();
}

/// Compares the numbers of a run that passed, or reads the orders of its sums.
static void judgeNumbers(const Subject &subject, const Trial &trial,
                         const SimulateOptions &options,
                         const LaunchValues &memory, const Values &values,
                         Verdict &verdict) {
  if (options.provenance)
    return options.provenance->readRoots(trial, memory, values);
  Trial stated = trial;
  stated.k = depthOf(subject, trial);
  if (readsWindows(subject))
    stated.window = windowOf(subject, trial);
  compare(*options.reference, stated, memory, values,
          gpu::GPUFuncOp(subject.kernel).getLoc(), verdict);
}

/// Proves the launches at one size.
static llvm::Error runTrial(const Subject &subject, const Trial &trial,
                            const SimulateOptions &options, Verdict &verdict) {
  auto memory = evaluate(subject, trial);
  if (!memory)
    return memory.takeError();
  if (options.reference)
    if (llvm::Error error = checkOperands(subject, *options.reference))
      return error;
  if (llvm::Error error = checkGuard(subject, trial, verdict))
    return error;
  if (trial.reachOnly)
    return lookOnly(subject, trial, verdict);
  Output output(*memory, trial.m, trial.n);
  std::optional<Values> values;
  if (options.provenance)
    values.emplace(*memory, subject.problem, *options.provenance);
  else if (options.reference)
    values.emplace(*memory, subject.problem, options.seed);
  if (llvm::Error error = runLaunches(subject, trial, options, output,
                                      values ? &*values : nullptr, verdict))
    return error;
  // The launches' own numbers no longer exist.
  if (values)
    values->startLaunch(*memory);
  if (values && verdict.passed())
    judgeNumbers(subject, trial, options, *memory, *values, verdict);
  return llvm::Error::success();
}

llvm::Expected<Verdict> simulate::simulate(const Subject &subject,
                                           const Trial &trial,
                                           const SimulateOptions &options) {
  auto start = std::chrono::steady_clock::now();
  Verdict verdict;
  verdict.findings = subject.findings;
  if (llvm::Error error = runTrial(subject, trial, options, verdict))
    return std::move(error);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  verdict.seconds = took.count();
  return verdict;
}
