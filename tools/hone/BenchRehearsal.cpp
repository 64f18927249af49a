//===- BenchRehearsal.cpp - A benchmark without a GPU ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything but the measuring: a worker that speaks to the supervisor as the
// real one does, with times from the cost model. It shows what a run would
// write, and how a run goes on after a fault, on any machine.
//
//===----------------------------------------------------------------------===//

#include "BenchWorker.h"
#include "hone/Search/CostModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>
#include <limits>
#include <unistd.h>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

llvm::Expected<std::optional<Rehearsal>> Rehearsal::parse(StringRef text) {
  if (text.empty())
    return std::nullopt;
  Rehearsal rehearsal;
  for (StringRef part : llvm::split(text, ',')) {
    auto [what, numberText] = part.split(':');
    size_t number = 0;
    bool numbered = !numberText.getAsInteger(10, number) && number > 0;
    std::set<size_t> *planted = what == "crash"   ? &rehearsal.crashes
                                : what == "fault" ? &rehearsal.faults
                                : what == "hang"  ? &rehearsal.hangs
                                                  : nullptr;
    if (planted && numbered)
      planted->insert(number);
    else if (part != "smooth" && part != "compile")
      return llvm::createStringError(
          formatv("expected a rehearsal, but got '{0}'; use smooth, compile, "
                  "or e.g. crash:1,fault:3,hang:5",
                  part));
    rehearsal.compiles |= what == "compile" || what == "crash";
  }
  return rehearsal;
}

namespace {
/// The best of a cell so far.
struct Best {
  const Candidate *ours = nullptr, *plain = nullptr;
};
} // namespace

/// A kernel needs two microseconds more than the roofline: a library's product,
/// or one that reads and writes C again.
static double baselineSeconds(const BenchPlan &plan, const BenchRow &row,
                              const Best &best) {
  constexpr double kLaunch = 2e-6;
  bool isPlain = row.baseline == toString(Baseline::plain);
  if (!isPlain && row.baseline != toString(Baseline::separate))
    return kLaunch + row.roofline;
  double product = best.plain ? best.plain->estimate : 0;
  double bytes =
      2.0 * row.shape[0] * row.shape[1] * sizeOf(plan.specs.front().out);
  return product +
         (isPlain ? 0 : kLaunch + bytes / (plan.arch.memoryGBs * 1e9));
}

static void fillRow(const BenchPlan &plan, BenchRow &row, const Best &best) {
  constexpr size_t kRounds = 3;
  row.rounds = kRounds;
  if (row.baseline != "none") {
    double theirs = baselineSeconds(plan, row, best);
    row.theirs = {theirs, theirs, theirs, kRounds};
  }
  row.status = best.ours ? "ok" : "none";
  if (!best.ours)
    return;
  double ours = best.ours->estimate;
  row.schedule = toString(best.ours->schedule);
  row.ours = {ours, ours, ours, kRounds};
  if (row.theirs.median > 0)
    row.ratio = ratioOf(std::vector<double>(kRounds, row.theirs.median),
                        std::vector<double>(kRounds, ours));
}

int hone::rehearseBench(const BenchPlan &plan, const BenchState &state,
                        Beacon &beacon, int pipe) {
  const Rehearsal &rehearsal = *plan.rehearsal;
  size_t number = 0;
  for (auto [index, cell] : llvm::enumerate(plan.cells)) {
    if (state.done[index]) {
      number += cell.candidates.size();
      continue;
    }
    beacon.cell = index;
    say(pipe, 'S', std::to_string(index));
    Best best;
    for (auto [at, candidate] : llvm::enumerate(cell.candidates)) {
      ++number;
      CandidateState known = state.candidates[index][at];
      beacon.contender = at;
      ++beacon.beats;
      if (known.status.empty()) {
        if (rehearsal.faults.count(number))
          raise(SIGSEGV);
        if (rehearsal.hangs.count(number))
          pause();
        const std::string &failure = plan.kernels[candidate.kernel].failure;
        known = {"ok", candidate.estimate};
        if (!failure.empty())
          known = {"compile-error", 0};
        say(pipe, 'C',
            formatv("{0} {1} {2} {3}\t{4}", index, at, known.seconds,
                    known.status,
                    candidateLine(plan, cell, candidate, known, failure))
                .str());
      }
      const Candidate *&fastest = candidate.isPlain ? best.plain : best.ours;
      if (known.status == "ok" &&
          (!fastest || candidate.estimate < fastest->estimate))
        fastest = &candidate;
    }
    for (BenchRow &row : plan.rowsOf(cell)) {
      fillRow(plan, row, best);
      say(pipe, 'R', row.csv());
    }
    say(pipe, 'D', std::to_string(index));
  }
  return 0;
}
