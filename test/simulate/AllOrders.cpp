//===- AllOrders.cpp - Simulation with clocks against every order ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-simulate-orders walks through every order of small kernels and of their
// mutants (Mistakes.h), and compares the faults it finds with those of one run
// with clocks. The clocks must find every fault that occurs in some order: that
// makes one run a proof. The clocks may be stricter. The walk models no
// proxies, fences, global memory or visibility, and a wait that may meet
// another phase can still end well in every order. The last line counts:
//
//   200 kernels: 150 wrong to both, 10 right to both, 40 wrong to clocks alone,
//   0 wrong to orders alone
//
//===----------------------------------------------------------------------===//

#include "Mistakes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::test;
using llvm::formatv;

namespace {
struct Counts {
  std::mutex mutex;
  int64_t bothWrong = 0, bothRight = 0, clocksAlone = 0, ordersAlone = 0,
          bounded = 0, states = 0, bad = 0;
  double logOrders = 0;
  std::map<std::string, int64_t> stricter;
};

/// A schedule with rings of 2 to 4 slots, and how many tiles a block gets.
struct Small {
  const char *schedule;
  int64_t m, n, step, slots;
};
} // namespace

/// Sizes with three steps of K after the first round of the ring, and with one.
static std::vector<Trial> sizesOf(const Small &small) {
  std::vector<Trial> trials;
  for (int64_t steps : {small.slots + 3, int64_t(1)}) {
    Trial trial;
    trial.m = small.m;
    trial.n = small.n;
    trial.k = steps * small.step;
    trial.maxClusters = 1;
    trials.push_back(trial);
  }
  return trials;
}

static void compareOne(const Subject &subject, const Trial &trial,
                       const std::string &name, bool isGood, Counts &counts) {
  SimulateOptions options;
  options.maxFindings = 1;
  Verdict clocks = llvm::cantFail(simulate::simulate(subject, trial, options));
  constexpr int64_t kMax = 100'000;
  Exploration orders = llvm::cantFail(explore(subject, trial, kMax));
  std::lock_guard<std::mutex> lock(counts.mutex);
  counts.states += orders.states;
  if (isGood) {
    counts.logOrders = std::max(counts.logOrders, orders.logOrders);
    if (!clocks.passed() || !orders.findings.empty()) {
      ++counts.bad;
      llvm::outs() << "a good kernel is found wrong: " << name << ", "
                   << trial.str() << "\n";
    }
  }
  bool isWrong = !orders.findings.empty();
  if (!isWrong && !orders.complete) {
    ++counts.bounded;
    return;
  }
  if (isWrong && !clocks.passed()) {
    ++counts.bothWrong;
  } else if (!isWrong && clocks.passed()) {
    ++counts.bothRight;
  } else if (!isWrong) {
    ++counts.clocksAlone;
    ++counts.stricter[toString(clocks.findings[0].fault).str()];
    if (getenv("HONE_VERBOSE"))
      llvm::outs() << "stricter: " << name << ", " << trial.str() << ": "
                   << toString(clocks.findings[0].fault) << ": "
                   << clocks.findings[0].at.op << " " << clocks.findings[0].text
                   << "\n";
  } else {
    ++counts.ordersAlone;
    const Finding &finding = orders.findings[0];
    llvm::outs() << "wrong in some order, but not to the clocks: " << name
                 << ", " << trial.str() << ": " << finding.at.op << " "
                 << finding.text << " [" << finding.at.str() << "]\n";
  }
}

/// True for mistakes in waits, in counts, and in the assignment of slots,
/// barriers and blocks.
static bool isOfOrders(const Mistake &mistake) {
  constexpr llvm::StringRef kShares[] = {"mask", "merge", "part", "shift"};
  return mistake.cause == Cause::waits || mistake.cause == Cause::counts ||
         (mistake.cause == Cause::shares &&
          llvm::is_contained(kShares, llvm::StringRef(mistake.kind)));
}

/// Compares one in `every` mistakes.
static void compareMutants(MLIRContext &context, const Small &small,
                           size_t every, Counts &counts) {
  Case one;
  one.schedule = small.schedule;
  Built built = std::move(*build(context, one));
  const Subject &subject = built.subjects.front();
  std::vector<Mistake> mistakes = mistakesIn(subject.kernel, subject.problem);
  // The walk does not model the other mistakes.
  llvm::erase_if(mistakes, [](const Mistake &one) { return !isOfOrders(one); });
  size_t next = 0;
  for (const Trial &trial : sizesOf(small)) {
    compareOne(subject, trial, small.schedule, true, counts);
    for (const Mistake &mistake : mistakes) {
      if (next++ % every)
        continue;
      Mutant mutant(subject.kernel, mistake);
      Subject changed = subject;
      changed.kernel = mutant.kernel();
      compareOne(changed, trial, mistake.str() + " in " + small.schedule, false,
                 counts);
    }
  }
}

int main(int argc, char **argv) {
  size_t every = 1;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef arg = argv[i];
    if (!arg.consume_front("--every=") || arg.getAsInteger(10, every) ||
        !every) {
      llvm::errs() << "expected --every=N, but got '" << argv[i] << "'\n";
      return 2;
    }
  }
  const Small kernels[] = {
      {"mma_sync, tile = 32x32x32, warps = 2x2, stages = 3", 32, 32, 32, 3},
      {"mma_sync, tile = 32x32x32, warps = 2x2, stages = 4", 32, 32, 32, 4},
      {"mma_sync, tile = 32x32x32, warps = 2x2, stages = 2, slices = 2", 32, 32,
       64, 2},
      {"small, tile = 64x64x64, stages = 2", 64, 64, 64, 2},
      {"small, tile = 64x64x64, stages = 4", 64, 64, 64, 4},
      {"ws_coop, tile = 64x64x64, consumers = 1x1, stages = 3", 64, 128, 64, 3},
      {"ws_pingpong, tile = 64x64x64, stages = 2", 64, 192, 64, 2},
  };
  Counts counts;
  inParallel(std::size(kernels), [&](MLIRContext &context, size_t i) {
    compareMutants(context, kernels[i], every, counts);
  });
  llvm::outs() << formatv(
      "{0} moments, up to 10^{1:f0} orders of a kernel; {2} "
      "not walked to their end\n",
      counts.states, counts.logOrders, counts.bounded);
  for (auto &[fault, count] : counts.stricter)
    llvm::outs() << formatv("{0,5} wrong to clocks alone: {1}\n", count, fault);
  llvm::outs() << formatv(
      "{0} kernels: {1} wrong to both, {2} right to both, {3} wrong to clocks "
      "alone, {4} wrong to orders alone\n",
      counts.bothWrong + counts.bothRight + counts.clocksAlone +
          counts.ordersAlone,
      counts.bothWrong, counts.bothRight, counts.clocksAlone,
      counts.ordersAlone);
  return counts.bad || counts.ordersAlone ? 1 : 0;
}
