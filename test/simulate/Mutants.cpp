//===- Mutants.cpp - Every mistake in a protocol is found -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-simulate-mutants takes good kernels of every family, makes one mistake
// at a time (Mistakes.h), and simulates.
//
// A mutant that is not found must be on the list of those that are right as
// well, with the reason. The good kernel itself must pass. The last line
// counts:
//
//   900 mutants of 9 kernels: 850 found, 50 equivalent, 0 missed
//
//===----------------------------------------------------------------------===//

#include "Mistakes.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::simulate;
using namespace hone::test;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Mutants that are right
//===----------------------------------------------------------------------===//

/// True for the first op of its kind in the kernel.
static bool isFirst(Operation *op) {
  bool seen = false, isFirst = false;
  op->getParentOfType<gpu::GPUFuncOp>().walk([&](Operation *each) {
    if (each->getName() == op->getName() && !seen) {
      seen = true;
      isFirst = each == op;
    }
  });
  return isFirst;
}

/// Why a mutant that is not found is no mistake, or an empty string. `op` is
/// the op of the good kernel.
static StringRef whyEquivalent(const Mistake &mistake, Operation *op,
                               const Case &one) {
  std::string name = mistake.str();
  StringRef text = name, schedule = one.schedule;
  if (text == "delete kernel.depend.release")
    return "it only lets the next kernel start early";
  if (text == "move kernel.depend.wait into role producer")
    return "consumers touch global memory behind what it announces";
  if (text.contains("-1 pending"))
    return "waits for more than it has to: slower, not wrong";
  if (text == "delete kernel.group.barrier" &&
      isa_and_nonnull<CountLeaveOp>(op->getNextNode()))
    return "sums that are read are not written again before the kernel ends";
  bool isBeforeStage =
      op->getNextNode() &&
      llvm::any_of(
          llvm::make_range(std::next(op->getIterator()), op->getBlock()->end()),
          llvm::IsaPred<StageOp>);
  if (text == "delete kernel.group.barrier" && isBeforeStage &&
      schedule.starts_with("ws_pingpong") &&
      schedule.contains("store = threads"))
    return "a chunk a tile: its threads have met to give the turn away";
  bool hasOneTile = schedule.starts_with("small") ||
                    schedule.starts_with("swap_ab") ||
                    schedule.starts_with("cluster_splitk");
  if (!hasOneTile)
    return "";
  bool changesArrival = text == "delete kernel.arrive" ||
                        text == "twice kernel.arrive" ||
                        text.starts_with("mask kernel.arrive");
  if (changesArrival && !op->getParentOfType<scf::ForOp>())
    return "a block of one tile: nobody fills the last slot again";
  // One chunk of one tile is stored.
  bool storesOnce = schedule.starts_with("small, tile = 64x64x64") ||
                    schedule == "swap_ab, tile = 16x64x64, stages = 3";
  if (storesOnce && isFirst(op) &&
      (text == "delete kernel.store.wait" ||
       text == "count kernel.store.wait +1 pending" ||
       text == "delete kernel.group.barrier"))
    return "a block of one tile and chunk: no store is behind this one";
  if (storesOnce && text == "merge kernel.ring with kernel.ring" &&
      llvm::any_of(op->getUsers(), llvm::IsaPred<StageOp>))
    return "one group, one tile: its slots are done with when C is staged";
  return "";
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

namespace {
struct Counts {
  std::mutex mutex;
  int64_t kernels = 0, mutants = 0, found = 0, equivalent = 0, missed = 0,
          bad = 0;
  std::map<std::string, std::array<int64_t, 3>> byKind;
  std::map<std::string, int64_t> reasons;
};
} // namespace

/// What the sizes that prove a kernel say of it, numbers and all. The numbers
/// only where the protocol is right, at a size of their own.
static std::vector<Finding> judge(const Built &built, const Subject &subject,
                                  ArrayRef<Trial> trials) {
  for (const Trial &trial : trials) {
    SimulateOptions options;
    options.mostFindings = 1;
    auto verdict = simulate::simulate(subject, trial, options);
    if (!verdict) {
      consumeError(verdict.takeError());
      return {};
    }
    if (!verdict->passed())
      return verdict->findings;
  }
  SimulateOptions options;
  options.mostFindings = 1;
  options.reference = &built.references.front();
  auto verdict = simulate::simulate(subject, trials.front(), options);
  return verdict ? verdict->findings : std::vector<Finding>();
}

/// `kernel` picks one of the subject: its own, or one of those before it.
static void testMistake(const Built &built, const Subject &subject,
                        ArrayRef<Trial> trials, size_t kernel,
                        const Mistake &mistake, const Case &one,
                        Counts &counts) {
  Subject changed = subject;
  gpu::GPUFuncOp &place =
      kernel < changed.before.size() ? changed.before[kernel] : changed.kernel;
  gpu::GPUFuncOp original = place;
  OwningOpRef<gpu::GPUFuncOp> mutant = mutate(original, mistake);
  place = *mutant;
  std::vector<Finding> findings = judge(built, changed, trials);
  StringRef why =
      findings.empty()
          ? whyEquivalent(mistake, operationAt(original, mistake.index), one)
          : StringRef();
  std::lock_guard<std::mutex> lock(counts.mutex);
  auto &[found, equivalent, missed] = counts.byKind[mistake.kind];
  ++counts.mutants;
  if (!findings.empty()) {
    ++counts.found;
    ++found;
  } else if (!why.empty()) {
    ++counts.equivalent;
    ++equivalent;
    ++counts.reasons[why.str()];
  } else {
    ++counts.missed;
    ++missed;
    Operation *op = operationAt(original, mistake.index);
    llvm::outs() << "missed: " << mistake.str() << " in " << one.str()
                 << "\n  ";
    op->print(llvm::outs(), OpPrintingFlags().skipRegions());
    llvm::outs() << "\n";
  }
}

static void testKernel(MLIRContext &context, const Case &one, Counts &counts) {
  std::optional<Built> built = build(context, one);
  if (!built) {
    std::lock_guard<std::mutex> lock(counts.mutex);
    llvm::outs() << "cannot be built: " << one.str() << "\n";
    ++counts.bad;
    return;
  }
  const Subject &subject = built->subjects.front();
  auto trials = llvm::cantFail(trialsFor(subject));
  std::vector<Finding> findings = judge(*built, subject, trials);
  {
    std::lock_guard<std::mutex> lock(counts.mutex);
    ++counts.kernels;
    for (const Finding &finding : findings) {
      ++counts.bad;
      llvm::outs() << "a good kernel is found wrong: " << one.str() << ": "
                   << finding.at.op << " " << finding.text << " ["
                   << finding.at.str() << "]\n";
    }
  }
  std::vector<gpu::GPUFuncOp> kernels = subject.before;
  kernels.push_back(subject.kernel);
  for (auto [i, kernel] : llvm::enumerate(kernels))
    for (const Mistake &mistake : mistakesIn(kernel))
      testMistake(*built, subject, trials, i, mistake, one, counts);
}

/// Small tiles: a mutant that is not found runs to its end, numbers and all.
static std::vector<Case> goodKernels() {
  std::vector<Case> cases;
  for (const char *schedule :
       {"mma_sync, tile = 32x32x32, warps = 2x2, stages = 3",
        "mma_sync, tile = 32x32x32, warps = 2x2, stages = 3, splits = 2",
        "mma_sync, tile = 32x32x32, warps = 2x2, stages = 2, slices = 2",
        "ws_coop, tile = 128x128x64, consumers = 2x1, stages = 3",
        "ws_coop, tile = 128x64x64, consumers = 2x1, stages = 3, cluster = 2x1",
        "ws_pingpong, tile = 64x64x64, stages = 3",
        "ws_pingpong, tile = 64x64x64, stages = 3, cluster = 1x2",
        "small, tile = 64x64x64, stages = 3",
        "streamk, tile = 128x64x64, consumers = 2x1, stages = 3",
        "streamk, tile = 64x64x64, consumers = 1x1, stages = 3, cluster = 2x1",
        "ws_coop, tile = 64x64x64, consumers = 1x1, stages = 3, cluster = 2x2",
        "ws_coop, tile = 64x64x192, consumers = 1x1, stages = 2, cluster = "
        "3x1",
        "small, tile = 64x64x64, stages = 3, cluster = 2x2",
        "cluster_splitk, tile = 64x64x64, stages = 3, splits = 2, cluster = "
        "1x2",
        "swap_ab, tile = 16x64x64, stages = 3",
        "swap_ab, tile = 16x64x64, stages = 3, splits = 2",
        "cluster_splitk, tile = 64x64x64, stages = 3, splits = 2",
        "cluster_splitk, tile = 128x64x64, consumers = 2x1, stages = 3, "
        "splits = 2",
        "ws_coop, tile = 128x128x64, consumers = 2x1, stages = 3, store = "
        "threads, pack = ab",
        "ws_pingpong, tile = 64x64x64, stages = 3, store = threads, pack = "
        "b"}) {
    Case one;
    one.schedule = schedule;
    cases.push_back(one);
  }
  // Residuals that the engine brings: to as many slots as a tile has chunks, or
  // to fewer.
  for (const char *schedule :
       {"ws_coop, tile = 128x64x64, consumers = 2x1, stages = 3, chunk = 16",
        "ws_coop, tile = 64x64x64, consumers = 1x1, stages = 3, chunk = 16, "
        "staged = all",
        "ws_pingpong, tile = 64x64x64, stages = 3, chunk = 32",
        "streamk, tile = 64x64x64, consumers = 1x1, stages = 3, chunk = 32",
        "small, tile = 64x64x64, stages = 3, chunk = 16",
        "swap_ab, tile = 24x64x64, stages = 3, chunk = 16"}) {
    Case one;
    one.schedule = schedule;
    one.epilogue = "residual";
    cases.push_back(one);
  }
  return cases;
}

int main() {
  std::vector<Case> cases = goodKernels();
  Counts counts;
  inParallel(cases.size(), [&](MLIRContext &context, size_t i) {
    testKernel(context, cases[i], counts);
  });
  llvm::outs() << "mistake    found  equivalent  missed\n";
  for (auto &[kind, numbers] : counts.byKind)
    llvm::outs() << formatv("{0,-8} {1,7} {2,11} {3,7}\n", kind, numbers[0],
                            numbers[1], numbers[2]);
  for (auto &[reason, count] : counts.reasons)
    llvm::outs() << formatv("{0,5} equivalent: {1}\n", count, reason);
  llvm::outs() << formatv(
      "{0} mutants of {1} kernels: {2} found, {3} equivalent, {4} missed\n",
      counts.mutants, counts.kernels, counts.found, counts.equivalent,
      counts.missed);
  return counts.missed || counts.bad ? 1 : 0;
}
