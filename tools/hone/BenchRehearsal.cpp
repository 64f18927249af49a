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

llvm::Expected<Rehearsal> hone::parseRehearsal(StringRef text) {
  Rehearsal rehearsal;
  if (text.empty() || text == "smooth")
    return rehearsal;
  for (StringRef part : llvm::split(text, ',')) {
    auto [what, numberText] = part.split(':');
    size_t number;
    if ((what != "fault" && what != "hang") ||
        numberText.getAsInteger(10, number))
      return llvm::createStringError(
          formatv("expected a rehearsal, but got '{0}'; use smooth, or e.g. "
                  "fault:3,hang:5",
                  part));
    (what == "fault" ? rehearsal.faults : rehearsal.hangs).insert(number);
  }
  return rehearsal;
}

/// A baseline that needs two microseconds more than the roofline.
static double baselineSeconds(const BenchRow &row) {
  return 2e-6 + row.roofline;
}

static void fillRow(BenchRow &row, const Candidate *best) {
  constexpr size_t kRounds = 3;
  row.rounds = kRounds;
  if (row.baseline != "none") {
    double theirs = baselineSeconds(row);
    row.theirs = {theirs, theirs, theirs, kRounds};
  }
  row.status = best ? "ok" : "none";
  if (!best)
    return;
  double ours = best->estimate;
  row.schedule = toString(best->schedule);
  row.ours = {ours, ours, ours, kRounds};
  if (row.theirs.median > 0)
    row.ratio = ratioOf(std::vector<double>(kRounds, row.theirs.median),
                        std::vector<double>(kRounds, ours));
}

int hone::rehearseBench(const BenchPlan &plan, const BenchState &state,
                        Beacon &beacon, int pipe) {
  Rehearsal rehearsal = llvm::cantFail(parseRehearsal(plan.options.rehearse));
  size_t number = 0;
  for (auto [index, cell] : llvm::enumerate(plan.cells)) {
    if (state.done[index]) {
      number += cell.candidates.size();
      continue;
    }
    beacon.cell = index;
    say(pipe, 'S', std::to_string(index));
    const Candidate *best = nullptr;
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
        known = {"ok", candidate.estimate};
        say(pipe, 'C',
            formatv("{0} {1} {2} ok\t{3}", index, at, known.seconds,
                    candidateLine(plan, cell, candidate, known, ""))
                .str());
      }
      if (known.status == "ok" &&
          (!best || candidate.estimate < best->estimate))
        best = &candidate;
    }
    for (BenchRow &row : plan.rowsOf(cell)) {
      fillRow(row, best);
      say(pipe, 'R', row.csv());
    }
    say(pipe, 'D', std::to_string(index));
  }
  return 0;
}
