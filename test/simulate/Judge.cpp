//===- Judge.cpp - Verdicts on mutants ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Judge.h.
//
//===----------------------------------------------------------------------===//

#include "Judge.h"
#include "hone/Simulate/SumTree.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <random>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::test;
using llvm::formatv;
using llvm::StringRef;

StringRef hone::test::toString(Resolution::Kind kind) {
  constexpr StringRef kWords[] = {"found", "reason", "equivalent", "unresolved",
                                  "missed"};
  return kWords[kind];
}

//===----------------------------------------------------------------------===//
// The proof
//===----------------------------------------------------------------------===//

/// The findings of one run, or an empty string.
static std::string faultOf(const Subject &subject, const Trial &trial,
                           const SimulateOptions &options) {
  auto verdict = simulate::simulate(subject, trial, options);
  if (!verdict)
    return "refused: " + toString(verdict.takeError());
  if (verdict->passed())
    return "";
  const Finding &finding = verdict->findings.front();
  return formatv("{0}: {1} {2} [{3}; {4}]", toString(finding.fault),
                 finding.at.op, finding.text, finding.at.str(), trial.str());
}

static std::string verifierOf(const Subject &subject) {
  std::string why;
  gpu::GPUFuncOp kernel = subject.kernel;
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &one) {
    if (why.empty())
      why = "verifier: " + one.str();
    return success();
  });
  for (gpu::GPUFuncOp before : subject.before)
    if (failed(verify(before)))
      return why;
  (void)verify(kernel);
  return why;
}

std::string hone::test::proofOf(const Built &built, const Subject &subject) {
  std::string why = verifierOf(subject);
  if (!why.empty())
    return why;
  auto trials = trialsFor(subject);
  if (!trials)
    return "refused: " + toString(trials.takeError());
  SimulateOptions options;
  options.maxFindings = 1;
  for (bool withNumbers : {false, true}) {
    options.reference = withNumbers ? &built.references.front() : nullptr;
    for (const Trial &trial : *trials)
      if (why = faultOf(subject, trial, options); !why.empty())
        return why;
  }
  auto untried = untriedIn(subject, *trials);
  if (!untried)
    return "refused: " + toString(untried.takeError());
  if (!untried->empty())
    return formatv("untried: {0} {1}", untried->front().at.op,
                   untried->front().text);
  if (!subject.problem.numbers.isInvariant())
    return "";
  auto sums = sumsOf(subject, *trials);
  if (!sums)
    return "refused: " + toString(sums.takeError());
  return sums->findings.empty() ? "" : "order: " + sums->findings.front().text;
}

//===----------------------------------------------------------------------===//
// Without the proof
//===----------------------------------------------------------------------===//

/// Sizes around those that prove a kernel, and other launches of it.
static std::vector<Trial> otherSizes(const Subject &good, int count = 8) {
  std::vector<Trial> sizes;
  auto trials = llvm::cantFail(trialsFor(good));
  std::mt19937_64 engine(trials.size());
  auto below = [&](int64_t end) { return int64_t(engine() % end); };
  // Exact multiples of every tile extent, or arbitrary extents.
  auto extent = [&](int64_t max) {
    int64_t any = 1 + below(max);
    constexpr int64_t kUnits[] = {1, 8, 64, 128};
    int64_t unit = kUnits[below(std::size(kUnits))];
    return std::max<int64_t>(any / unit * unit, 1);
  };
  for (int i = 0; i < count; ++i) {
    Trial trial = trials[below(trials.size())];
    if (trial.reachOnly)
      trial = trials.front();
    trial.m = extent(trial.m * 3 / 2);
    trial.n = llvm::alignTo(extent(trial.n * 3 / 2), trial.unitN);
    trial.k = extent(trials.front().k * 3 / 2);
    trial.maxClusters = 1 + below(6);
    trial.knobs["group"] = 1 + below(5);
    if (good.problem.batch)
      trial.batch = trial.heads * (1 + below(3));
    for (int32_t &end : trial.ends)
      end = int32_t(below(trial.m + 3)) - 1;
    sizes.push_back(trial);
  }
  return sizes;
}

/// The fault of a mutant at other sizes, or an empty string.
static std::string otherFault(const Built &built, const Subject &good,
                              const Subject &mutant, int count = 8) {
  SimulateOptions options;
  options.maxFindings = 1;
  std::vector<Trial> sizes = otherSizes(good, count);
  // A trial that the good kernel fails proves nothing.
  auto test = [&](const Trial &trial) {
    std::string why = faultOf(mutant, trial, options);
    return why.empty() || !faultOf(good, trial, options).empty() ? "" : why;
  };
  for (const Trial &trial : sizes)
    if (std::string why = test(trial); !why.empty())
      return why;
  // Numbers are slow: limit the size of these trials.
  constexpr int64_t kMaxProducts = 8'000'000;
  options.reference = &built.references.front();
  for (const Trial &trial : sizes) {
    ++options.seed;
    if (trial.m * trial.n * trial.k * trial.batch > kMaxProducts)
      continue;
    if (std::string why = test(trial); !why.empty())
      return why;
  }
  return "";
}

/// True if the mutant does as much as the good kernel at all sizes: the same
/// number of agents, events, orders and rounds of the rings.
static bool doesTheSame(const Subject &good, const Subject &mutant) {
  auto all = llvm::cantFail(trialsFor(good));
  llvm::append_range(all, otherSizes(good));
  return llvm::all_of(all, [&](const Trial &trial) {
    auto one = simulate::simulate(good, trial);
    auto other = simulate::simulate(mutant, trial);
    if (!one || !other) {
      consumeError(one.takeError());
      consumeError(other.takeError());
      return false;
    }
    auto traits = [](const Verdict &verdict) {
      return std::tie(verdict.agents, verdict.events, verdict.logOrders,
                      verdict.minRounds, verdict.maxRounds);
    };
    return traits(*one) == traits(*other);
  });
}

/// Sizes whose every order is walked: a ring past its first round, and one
/// block with several tiles.
static std::vector<Trial> walkSizes(const Subject &good) {
  auto trials = llvm::cantFail(trialsFor(good));
  const Trial &longest = trials[0], &exact = trials[1];
  std::vector<Trial> sizes;
  auto add = [&](int64_t n, int64_t k) {
    Trial trial = longest;
    trial.m = 8;
    trial.n = n;
    trial.k = k;
    trial.batch = trial.heads = 1;
    trial.maxClusters = 1;
    sizes.push_back(trial);
  };
  add(8, longest.k * 2 / 3);
  add(8, 7);
  add(exact.n * 2, 7);
  add(exact.n, longest.k / 3);
  return sizes;
}

/// Walks every order at some sizes. Returns nothing, a fault, or the reason why
/// the walk is undecided.
static Resolution walk(const Subject &good, const Subject &mutant,
                       int64_t maxStates) {
  std::string open;
  for (const Trial &trial : walkSizes(good)) {
    auto orders = explore(mutant, trial, maxStates);
    if (!orders) {
      open = toString(orders.takeError());
      continue;
    }
    if (orders->findings.empty()) {
      if (!orders->complete)
        open = "more orders than can be walked through";
      continue;
    }
    const Finding &finding = orders->findings.front();
    if (finding.fault != Fault::notModelled)
      return {Resolution::missed,
              formatv("{0}: {1} {2} [{3}] in some order",
                      toString(finding.fault), finding.at.op, finding.text,
                      trial.str())};
    open = finding.text;
  }
  if (!open.empty())
    return {Resolution::unresolved, open};
  return {Resolution::equivalent, "every order is right"};
}

/// True for a product that fits 32 bits: a factor is an argument of the kernel
/// that is 0 in the plan (the batch stride where there are no batches), or 1
/// with a 32-bit number as the other factor.
static bool isShort(const Subject &subject, Operation *op) {
  if (!isa_and_nonnull<arith::MulIOp>(op))
    return false;
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  auto is = [&](const KernelLaunch &launch, Value value, StringRef number) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner()->getParentOp() == kernel &&
           launch.entry == kernel.getName() &&
           launch.params[argument.getArgNumber()].value.str() == number;
  };
  auto isShortIn = [&](const KernelLaunch &launch) {
    Value a = op->getOperand(0), b = op->getOperand(1);
    if (is(launch, a, "0") || is(launch, b, "0"))
      return true;
    auto shortA = a.getDefiningOp<arith::ExtUIOp>(),
         shortB = b.getDefiningOp<arith::ExtUIOp>();
    return shortA && shortB &&
           (is(launch, shortA.getIn(), "1") || is(launch, shortB.getIn(), "1"));
  };
  return llvm::any_of(subject.plan.alternatives[subject.alternative].launches,
                      isShortIn);
}

Resolution hone::test::resolve(const Built &built, const Subject &good,
                               const Subject &mutant, Operation *op,
                               const Mistake &mistake, int64_t maxStates) {
  std::string why = proofOf(built, mutant);
  if (!why.empty())
    return {Resolution::found, why};
  if (mistake.kind == "address" && isShort(good, op))
    return {Resolution::reason, "a product of 32 bits: no others to lose"};
  if (mistake.cannotBeRight)
    return {Resolution::missed, "cannot be right"};
  if (why = otherFault(built, good, mutant); !why.empty())
    return {Resolution::missed, why};
  if (StringRef reason = whyRight(good, op, mistake); !reason.empty())
    return {Resolution::reason, reason.str()};
  bool changesEvents =
      mistake.cause == Cause::waits || mistake.cause == Cause::counts;
  if (!changesEvents && doesTheSame(good, mutant))
    return {Resolution::equivalent, "the events and numbers are the same"};
  if (changesEvents)
    return walk(good, mutant, maxStates);
  // The waits have the same orders, only events differ: the clocks and the
  // numbers decide.
  constexpr int kSizes = 32;
  if (why = otherFault(built, good, mutant, kSizes); !why.empty())
    return {Resolution::missed, why};
  return {Resolution::equivalent,
          "other events, and the same numbers at 32 other sizes"};
}
