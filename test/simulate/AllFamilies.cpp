//===- AllFamilies.cpp - Proof of every kernel family in simulation -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-simulate-families runs schedules of every family, in every layout and
// pair of types. The sizes wrap the rings; small sizes leave remainders in
// every dimension. Both the protocol and the numbers are checked. Every kernel
// of a plan is run, the kernels for unaligned operands too. Options:
//
//   --catalogue        checks the protocol of every kernel that the search
//                      proposes
//   --drawn=COUNT      draws this many schedules from the space, or all its
//                      forms if they are fewer, and checks the protocol; with
//                      --numbers the numbers too
//   --rewritten=COUNT  gives this many drawn and named schedules rewrites at
//                      random. A kernel that builds must be right, its numbers
//                      too where tiles are small; a refusal must give a reason
//   --sums             instead compares the laws of invariant numbers with the
//                      trees of sums: a schedule is legal where its kernel has
//                      the tree of the class, and no other is
//   --seed=N           draws others
//
// The last line counts:
//
//   1234 runs of 345 kernels right, 0 wrong
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "Drawn.h"
#include "hone/Simulate/SumTree.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/Space.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>
#include <set>

using namespace hone;
using namespace hone::simulate;
using namespace hone::test;
using llvm::formatv;

/// Pairs of types; the first two are the common ones.
static constexpr std::pair<const char *, const char *> kTypes[] = {
    {"f16", "f16"},    {"bf16", "f32"},
    {"f16", "f32"},    {"bf16", "bf16"},
    {"tf32x3", "f32"}, {"tf32", "f32"},
    {"f32", "f32"},    {"f8E4M3FN", "f16"},
    {"i8", "i32"},     {"f8E5M2/f8E4M3FN", "f32"},
    {"f16/i8", "f16"}};

/// Every layout with each common pair of types. The other pairs take every
/// second schedule that is legal with them, in each layout.
class TypesInTurn {
public:
  void add(Case one, std::vector<Case> &cases) {
    for (size_t layout : {0, 1, 2, 3})
      for (auto [pair, types] : llvm::enumerate(kTypes)) {
        one.colA = layout / 2;
        one.colB = layout % 2;
        one.in = types.first;
        one.out = types.second;
        if (isLegal(one) && (pair < kCommon || met[{pair, layout}]++ % 2 == 0))
          cases.push_back(one);
      }
  }

private:
  static constexpr size_t kCommon = 2;
  std::map<std::pair<size_t, size_t>, size_t> met;
};

/// Layouts and types; then other properties of a matmul.
static std::vector<Case> allCases() {
  std::vector<Case> cases;
  auto add = [&](Case one) {
    if (isLegal(one))
      cases.push_back(std::move(one));
  };
  TypesInTurn types;
  for (const std::string &schedule : schedulesOfEveryKind()) {
    Case one;
    one.schedule = schedule;
    types.add(one, cases);
    one.batched = true;
    add(one);
    one.batched = false;
    one.reads = true;
    add(one);
    one.reads = false;
    for (const char *epilogue : {"bias", "residual"}) {
      one.epilogue = epilogue;
      add(one);
    }
    // Of two batch dimensions B has both, or one of them.
    for (auto [batchesB, epilogue] :
         {std::pair("bh", "bias"), {"b", ""}, {"h", "residual"}}) {
      one.batchesB = batchesB;
      one.epilogue = epilogue;
      add(one);
    }
    one.reads = true;
    add(one);
  }
  Case ampere;
  ampere.arch = "sm_80";
  ampere.schedule =
      "mma_sync, tile = 64x64x32, warps = 2x2, stages = 3, slices = 2";
  add(ampere);
  return cases;
}

namespace {
struct Counts {
  std::mutex mutex;
  int64_t right = 0, wrong = 0, kernels = 0, refused = 0;
  double seconds = 0, worst = 0, slowest = 0;
  /// Seconds per kernel over all sizes of its proof, and the slowest kernel.
  std::vector<double> ofKernels;
  std::pair<double, std::string> slowKernel;
  /// Maximum cost of a kernel's proof, in units of SimulateOptions.
  int64_t work = 0;

  void addUntried(const Case &one, llvm::ArrayRef<Finding> findings) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const Finding &finding : findings)
      llvm::outs() << one.str() << ": " << finding.at.op << " " << finding.text
                   << "\n";
    wrong += !findings.empty();
  }

  void add(const Case &one, const Subject &subject, const Trial &trial,
           llvm::Expected<Verdict> verdict) {
    std::lock_guard<std::mutex> lock(mutex);
    if (verdict && verdict->passed()) {
      ++right;
      seconds += verdict->seconds;
      slowest = std::max(slowest, verdict->seconds);
      worst = std::max(worst, verdict->error.value_or(0));
      return;
    }
    ++wrong;
    llvm::outs() << one.str() << ", alternative " << subject.alternative << ", "
                 << trial.str() << ":\n";
    if (!verdict) {
      llvm::outs() << "  " << toString(verdict.takeError()) << "\n";
      return;
    }
    for (const Finding &finding : verdict->findings)
      llvm::outs() << "  " << toString(finding.fault) << ": " << finding.at.op
                   << " " << finding.text << " [" << finding.at.str() << "]\n";
  }
};
} // namespace

static void runCase(mlir::MLIRContext &context, const Case &one,
                    Counts &counts) {
  std::optional<Built> built = build(context, one);
  if (!built) {
    std::lock_guard<std::mutex> lock(counts.mutex);
    llvm::outs() << one.str() << ": cannot be built\n";
    ++counts.wrong;
    return;
  }
  for (const Subject &subject : built->subjects) {
    auto trials = llvm::cantFail(trialsFor(subject));
    // Extents smaller than a tile in every dimension, and extents of one.
    Trial small = trials.front();
    small.batch = small.heads = 1;
    small.m = 17;
    small.n = llvm::alignTo(9, small.unitN);
    small.k = 41;
    trials.push_back(small);
    small.m = small.k = 1;
    small.n = small.unitN;
    trials.push_back(small);
    SimulateOptions options;
    options.reference = &built->references.front();
    for (const Trial &trial : trials)
      counts.add(one, subject, trial,
                 simulate::simulate(subject, trial, options));
    std::lock_guard<std::mutex> lock(counts.mutex);
    ++counts.kernels;
  }
}

/// Every schedule that the search proposes for a large matmul, in every layout
/// and pair of types. Only the protocol is checked.
static std::vector<Case> catalogueCases() {
  std::vector<Case> cases;
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  for (bool colA : {false, true})
    for (bool colB : {false, true})
      for (auto [in, out] : {std::pair("f16", "f16"), {"bf16", "f32"}}) {
        Problem problem;
        problem.m = problem.n = problem.k = 4096;
        problem.a.type = problem.b.type = *parseElementType(in);
        problem.a.align = problem.b.align = 16;
        problem.a.order = colA ? Order::col : Order::row;
        problem.b.order = colB ? Order::col : Order::row;
        problem.c = *parseElementType(out);
        std::set<std::string> kernels;
        for (const Schedule &schedule : catalogue(problem, arch)) {
          Case one;
          one.schedule = toString(schedule);
          one.colA = colA;
          one.colB = colB;
          one.in = in;
          one.out = out;
          // Run-time knobs do not change the kernel.
          if (kernels.insert(compileTimeText(schedule)).second)
            cases.push_back(one);
        }
      }
  return cases;
}

/// CPU time of this thread, in seconds. Wall time would include waits for the
/// processor.
static double secondsOfThread() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

static void proveCase(mlir::MLIRContext &context, const Case &one,
                      Counts &counts, bool withNumbers = false) {
  std::optional<Built> built = build(context, one);
  if (!built) {
    std::lock_guard<std::mutex> lock(counts.mutex);
    llvm::outs() << one.str() << ": cannot be built\n";
    ++counts.wrong;
    return;
  }
  for (const Subject &subject : built->subjects) {
    SimulateOptions options;
    if (withNumbers)
      options.reference = &built->references.front();
    double start = secondsOfThread();
    auto trials = llvm::cantFail(trialsFor(subject));
    int64_t work = 0;
    for (const Trial &trial : trials) {
      auto verdict = simulate::simulate(subject, trial, options);
      work += verdict ? verdict->work : 0;
      counts.add(one, subject, trial, std::move(verdict));
    }
    counts.addUntried(one, llvm::cantFail(untriedIn(subject, trials)));
    double took = secondsOfThread() - start;
    std::lock_guard<std::mutex> lock(counts.mutex);
    ++counts.kernels;
    counts.work = std::max(counts.work, work);
    counts.slowKernel = std::max(counts.slowKernel, {took, one.str()});
    counts.ofKernels.push_back(took);
  }
}

/// The law of invariant numbers, and the tree of each kernel.
static void judgeSums(mlir::MLIRContext &context, const Case &one,
                      Counts &counts) {
  std::optional<Built> built = build(context, one);
  Schedule schedule = llvm::cantFail(parseSchedule(one.schedule));
  Arch arch = llvm::cantFail(Arch::lookup(one.arch));
  for (Subject &subject : built->subjects) {
    subject.problem.numbers.kind = Numbers::Kind::invariant;
    bool isLegal = !check(schedule, &subject.problem, &arch);
    KernelSums sums =
        llvm::cantFail(sumsOf(subject, llvm::cantFail(trialsFor(subject))));
    bool isOfClass = sums.findings.empty();
    std::lock_guard<std::mutex> lock(counts.mutex);
    ++counts.kernels;
    ++(isLegal == isOfClass ? counts.right : counts.wrong);
    if (isLegal == isOfClass)
      continue;
    llvm::outs() << one.str() << ", " << (isLegal ? "legal: " : "not legal: ")
                 << (isOfClass ? sums.text : sums.findings.front().text)
                 << "\n";
  }
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// A refusal names a rewrite of the case and the op that it expected.
static bool saysWhy(llvm::StringRef message, const Case &one) {
  Schedule schedule = llvm::cantFail(parseSchedule(one.schedule));
  return llvm::any_of(schedule.rewrites(), [&](const Schedule::Decided
                                                   &rewrite) {
    return message.contains(
        (rewrite.decision->name + "(" + rewrite.text() + "): expected ").str());
  });
}

static void runRewritten(mlir::MLIRContext &context, const Case &one,
                         Counts &counts) {
  constexpr int64_t kSmall = 64 * 128;
  std::string message;
  std::optional<Built> built;
  {
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            message += diagnostic.str() + "\n";
                                            return mlir::success();
                                          });
    built = build(context, one);
  }
  if (!built) {
    std::lock_guard<std::mutex> lock(counts.mutex);
    ++counts.refused;
    if (saysWhy(message, one))
      return;
    ++counts.wrong;
    llvm::outs() << one.str() << ": refused without a reason: " << message;
    return;
  }
  built.reset();
  Schedule schedule = llvm::cantFail(parseSchedule(one.schedule));
  auto tile = schedule["tile"];
  bool isSmall = tile[0] * tile[1] <= kSmall;
  if (isSmall)
    return runCase(context, one, counts);
  proveCase(context, one, counts);
}

namespace {
struct Options {
  enum { all, catalogue, drawn, rewritten } which = all;
  size_t count = 0;
  uint64_t seed = 1;
  bool numbers = false, sums = false;

  /// False if `arg` is none of them.
  bool read(llvm::StringRef arg) {
    if (arg == "--catalogue") {
      which = catalogue;
      return true;
    }
    if (arg == "--numbers")
      return numbers = true;
    if (arg == "--sums")
      return sums = true;
    if (arg.consume_front("--seed="))
      return !arg.getAsInteger(10, seed);
    which = arg.consume_front("--drawn=")       ? drawn
            : arg.consume_front("--rewritten=") ? rewritten
                                                : which;
    return which != all && !arg.getAsInteger(10, count);
  }

  std::vector<Case> cases() const {
    switch (which) {
    case all:
      return allCases();
    case catalogue:
      return catalogueCases();
    case drawn:
      return drawnCases(count, seed);
    case rewritten:
      return rewrittenCases(count, seed);
    }
    llvm_unreachable("expected a known set of cases");
  }

  void run(mlir::MLIRContext &context, const Case &one, Counts &counts) const {
    if (sums)
      return judgeSums(context, one, counts);
    if (which == rewritten)
      return runRewritten(context, one, counts);
    if (which == all)
      return runCase(context, one, counts);
    proveCase(context, one, counts, numbers);
  }
};
} // namespace

static void print(const Options &options, Counts &counts, size_t cases) {
  if (!counts.ofKernels.empty()) {
    llvm::sort(counts.ofKernels);
    llvm::outs() << formatv(
        "{0:f3} s a kernel in the median, {1:f3} s for 95 of 100, {2:f3} s at "
        "most, for {3}\n",
        counts.ofKernels[counts.ofKernels.size() / 2],
        counts.ofKernels[counts.ofKernels.size() * 95 / 100],
        counts.slowKernel.first, counts.slowKernel.second);
    llvm::outs() << formatv(
        "at most {0:f4} of the work that a proof may take\n",
        double(counts.work) / double(SimulateOptions().maxWork));
  }
  llvm::outs() << formatv("{0:f1} s of simulation, at most {1:f3} s; largest "
                          "error {2:f3} of the tolerance\n",
                          counts.seconds, counts.slowest, counts.worst);
  if (options.which == Options::rewritten)
    llvm::outs() << formatv("{0} of {1} schedules refused with a reason\n",
                            counts.refused, cases);
  llvm::outs() << formatv("{0} runs of {1} kernels right, {2} wrong\n",
                          counts.right, counts.kernels, counts.wrong);
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i)
    if (!options.read(argv[i])) {
      llvm::errs() << "expected --catalogue, --drawn=COUNT, --rewritten=COUNT, "
                      "--seed=N, --numbers or --sums, but got '"
                   << argv[i] << "'\n";
      return 2;
    }
  std::vector<Case> cases = options.cases();
  Counts counts;
  inParallel(cases.size(), [&](mlir::MLIRContext &context, size_t i) {
    options.run(context, cases[i], counts);
  });
  print(options, counts, cases.size());
  return counts.wrong ? 1 : 0;
}
