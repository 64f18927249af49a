//===- Mutants.cpp - Search for undetected mistakes in kernels ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-simulate-mutants takes good kernels, makes one mistake at a time
// (Mistakes.h) and runs the proof on the result. Each mutant that passes must
// be shown to be right (Judge.h):
//
//   | verdict    | because                                                   |
//   |------------|-----------------------------------------------------------|
//   | found      | the verifier, the barriers or the numbers find it         |
//   | reason     | it is on a list of changes that are not mistakes          |
//   | equivalent | every order is right, and the numbers of other sizes are  |
//   | missed     | another size, order or seed shows that it is wrong, or it |
//   |            | is one that cannot be right                               |
//   | unresolved | neither                                                   |
//
// The kernels are some of every kind by name (Cases.h) and others drawn from
// the space (Drawn.h). Options:
//
//   --kernels=N   drawn kernels             --every=N   one mistake in N,
//   --seed=N      seed                      --from=N    from the N-th on
//   --drawn       no named kernels          --list      every mistake's verdict
//   --rewritten   instead of both, kernels with rewrites at random
//   --cause=WORD  mistakes of this cause only
//
// Progress goes to standard error. --every=N and --from=0 .. N - 1 are parts of
// one run, which may be run one by one. The last line counts:
//
//   9000 mutants of 80 kernels: 8500 found, 300 right for a reason, 150
//   equivalent, 50 unresolved, 0 missed
//
//===----------------------------------------------------------------------===//

#include "Drawn.h"
#include "Judge.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <map>
#include <mutex>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::test;
using llvm::formatv;

namespace {
struct Options {
  size_t kernels = 60, every = 1, from = 0;
  uint64_t seed = 1;
  int64_t walk = 20'000;
  bool list = false, drawnOnly = false, rewritten = false;
  std::string cause;
};

struct Counts {
  std::mutex mutex;
  int64_t kernels = 0, mutants = 0, bad = 0;
  std::array<int64_t, kResolutions> all = {};
  std::map<std::string, std::array<int64_t, kResolutions>> byKind;
  std::map<std::string, int64_t> means;
};
} // namespace

/// Index of the mutated kernel of the subject: an earlier launch's, or its own.
static void testMistake(const Built &built, const Subject &subject,
                        size_t kernel, const Mistake &mistake, const Case &one,
                        const Options &options, Counts &counts) {
  Subject changed = subject;
  gpu::GPUFuncOp &place =
      kernel < subject.before.size() ? changed.before[kernel] : changed.kernel;
  gpu::GPUFuncOp original = place;
  Mutant mutant(original, mistake);
  place = mutant.kernel();
  if (mistake.replan)
    mistake.replan(changed);
  Operation *op = mistake.make ? operationAt(original, mistake.index) : nullptr;
  Resolution resolution =
      resolve(built, subject, changed, op, mistake, options.walk);
  std::lock_guard<std::mutex> lock(counts.mutex);
  std::string kind = (toString(mistake.cause) + " " + mistake.kind).str();
  ++counts.mutants;
  ++counts.all[resolution.verdict];
  ++counts.byKind[kind][resolution.verdict];
  if (resolution.verdict != Resolution::found)
    ++counts.means[resolution.why];
  bool isOpen = resolution.verdict == Resolution::missed ||
                resolution.verdict == Resolution::unresolved;
  if (!isOpen && !options.list)
    return;
  llvm::outs() << toString(resolution.verdict) << ": "
               << toString(mistake.cause) << ": " << mistake.str() << " in "
               << one.str() << ": " << resolution.why << "\n";
  if (!isOpen || !op)
    return;
  llvm::outs() << "  ";
  op->print(llvm::outs(), OpPrintingFlags().skipRegions());
  llvm::outs() << "\n";
}

/// `number` is the case's, so that each part of the mistakes has all kinds.
static void testKernel(MLIRContext &context, const Case &one, size_t number,
                       const Options &options, Counts &counts) {
  std::optional<Built> built;
  {
    // Rewrites that do not apply emit diagnostics.
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &) { return success(options.rewritten); });
    built = build(context, one);
  }
  if (!built && options.rewritten)
    return;
  if (!built) {
    std::lock_guard<std::mutex> lock(counts.mutex);
    llvm::outs() << "cannot be built: " << one.str() << "\n";
    ++counts.bad;
    return;
  }
  const Subject &subject = built->subjects.front();
  std::string fault = proofOf(*built, subject);
  {
    std::lock_guard<std::mutex> lock(counts.mutex);
    ++counts.kernels;
    if (!fault.empty()) {
      ++counts.bad;
      llvm::outs() << "a good kernel is found wrong: " << one.str() << ": "
                   << fault << "\n";
    }
  }
  size_t next = number;
  std::vector<gpu::GPUFuncOp> kernels = subject.before;
  kernels.push_back(subject.kernel);
  for (auto [i, kernel] : llvm::enumerate(kernels)) {
    std::vector<Mistake> mistakes = mistakesIn(kernel, subject.problem);
    llvm::append_range(mistakes, planMistakesIn(subject, i));
    for (const Mistake &mistake : mistakes)
      if ((options.cause.empty() ||
           toString(mistake.cause) == llvm::StringRef(options.cause)) &&
          next++ % options.every == options.from)
        testMistake(*built, subject, i, mistake, one, options, counts);
  }
}

namespace {
/// Prints progress and the expected end.
class Progress {
public:
  explicit Progress(size_t cases) : cases(cases) {}

  void add(Counts &counts) {
    std::lock_guard<std::mutex> lock(counts.mutex);
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    ++done;
    llvm::errs() << formatv("{0} of {1} kernels, {2} mutants, {3:f0} s, about "
                            "{4:f0} s left\n",
                            done, cases, counts.mutants, took.count(),
                            took.count() / double(done) * double(cases - done));
    llvm::outs().flush();
  }

private:
  const size_t cases;
  size_t done = 0;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

static void print(const Counts &counts) {
  llvm::outs() << formatv("{0,-22}", "mistake");
  for (int i = 0; i < kResolutions; ++i)
    llvm::outs() << formatv("{0,11}", toString(Resolution::Kind(i)));
  llvm::outs() << "\n";
  for (auto &[kind, numbers] : counts.byKind) {
    llvm::outs() << formatv("{0,-22}", kind);
    for (int64_t number : numbers)
      llvm::outs() << formatv("{0,11}", number);
    llvm::outs() << "\n";
  }
  for (auto &[why, count] : counts.means)
    llvm::outs() << formatv("{0,6} {1}\n", count, why);
  llvm::outs() << formatv(
      "{0} mutants of {1} kernels: {2} found, {3} right for a reason, {4} "
      "equivalent, {5} unresolved, {6} missed\n",
      counts.mutants, counts.kernels, counts.all[Resolution::found],
      counts.all[Resolution::reason], counts.all[Resolution::equivalent],
      counts.all[Resolution::unresolved], counts.all[Resolution::missed]);
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef arg = argv[i];
    bool isRead =
        arg == "--list" || arg == "--drawn" || arg == "--rewritten" ||
        (arg.consume_front("--from=") && !arg.getAsInteger(10, options.from)) ||
        (arg.consume_front("--kernels=") &&
         !arg.getAsInteger(10, options.kernels)) ||
        (arg.consume_front("--every=") &&
         !arg.getAsInteger(10, options.every)) ||
        (arg.consume_front("--cause=") &&
         !(options.cause = arg.str()).empty()) ||
        (arg.consume_front("--walk=") && !arg.getAsInteger(10, options.walk)) ||
        (arg.consume_front("--seed=") && !arg.getAsInteger(10, options.seed));
    options.list |= arg == "--list";
    options.drawnOnly |= arg == "--drawn";
    options.rewritten |= arg == "--rewritten";
    if (!isRead) {
      llvm::errs()
          << "expected --kernels=N, --every=N, --from=N, --seed=N, "
             "--walk=N, --cause=WORD, --drawn, --rewritten or --list, but got '"
          << argv[i] << "'\n";
      return 2;
    }
  }
  std::vector<Case> cases;
  if (!options.drawnOnly && !options.rewritten)
    cases = namedCases();
  llvm::append_range(cases, options.rewritten
                                ? rewrittenCases(options.kernels, options.seed)
                                : drawnCases(options.kernels, options.seed));
  Counts counts;
  Progress progress(cases.size());
  inParallel(cases.size(), [&](MLIRContext &context, size_t i) {
    testKernel(context, cases[i], i, options, counts);
    progress.add(counts);
  });
  print(counts);
  return counts.all[Resolution::missed] || counts.bad ? 1 : 0;
}
