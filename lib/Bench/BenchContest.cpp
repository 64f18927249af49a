//===- BenchContest.cpp - Trials, a final and rows of a cell --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BenchContest.h.
//
//===----------------------------------------------------------------------===//

#include "BenchContest.h"
#include "hone/Runtime/LaunchPlan.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Schedule/Spelling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

llvm::Expected<Reply> BenchContest::reply() {
  while (true) {
    auto next = workers.next(/*seconds=*/1);
    if (!next)
      return next.takeError();
    if (*next)
      return std::move(**next);
  }
}

Error BenchContest::tryCandidates(
    llvm::function_ref<Error(const Candidate &, const Measurement &)> heard) {
  // While one is measured, the next one waits.
  constexpr size_t kAtOnce = 2;
  size_t count = cell.candidates.size(), asked = 0, told = 0;
  trials.resize(count);
  std::vector<bool> isThere(count);
  while (told < count) {
    for (; asked < std::min(count, told + kAtOnce); ++asked) {
      const Candidate &candidate = cell.candidates[asked];
      Bout bout;
      bout.number = asked + 1;
      bout.problem = cell.problem;
      bout.best = shortest;
      Entrant &entrant = bout.entrants.emplace_back();
      entrant.schedule = candidate.schedule;
      entrant.part = candidate.isPlain ? Part::product : Part::whole;
      workers.ask(std::move(bout));
    }
    auto answer = reply();
    if (!answer)
      return answer.takeError();
    Measurement &trial = trials[answer->number - 1];
    trial = std::move(answer->measurements.front());
    isThere[answer->number - 1] = true;
    double seconds = trial.times.median;
    if (trial.isOk())
      shortest = shortest > 0 ? std::min(shortest, seconds) : seconds;
    for (; told < count && isThere[told]; ++told)
      if (Error error = heard(cell.candidates[told], trials[told]))
        return error;
  }
  return Error::success();
}

/// The fastest candidates, best first: those with the run's epilogue, or the
/// plain ones for comparison.
std::vector<size_t> BenchContest::fastest(bool isPlain) const {
  std::vector<std::pair<double, size_t>> order;
  for (auto [at, trial] : llvm::enumerate(trials))
    if (trial.isOk() && cell.candidates[at].isPlain == isPlain)
      order.push_back({trial.times.median, at});
  llvm::sort(order);
  order.resize(std::min<size_t>(order.size(), plan.options.finalists));
  std::vector<size_t> chosen;
  for (auto [seconds, at] : order)
    chosen.push_back(at);
  return chosen;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Chooses one of the fastest: the best in turns on the device's clock, without
/// those that fail.
llvm::Expected<std::optional<size_t>> BenchContest::choose(bool isPlain) {
  std::vector<size_t> among = fastest(isPlain);
  if (among.size() < 2)
    return among.empty() ? std::optional<size_t>() : among.front();
  Bout bout;
  bout.number = 1;
  bout.problem = cell.problem;
  bout.best = shortest;
  bout.isFinal = true;
  bout.rounds = plan.options.rounds;
  for (size_t at : among) {
    Entrant &entrant = bout.entrants.emplace_back();
    entrant.schedule = cell.candidates[at].schedule;
    entrant.part = isPlain ? Part::product : Part::whole;
  }
  workers.ask(std::move(bout));
  auto answer = reply();
  if (!answer)
    return answer.takeError();
  std::optional<size_t> best;
  double least = 0;
  for (auto [at, result] : llvm::zip_equal(among, answer->measurements)) {
    if (!result.isOk()) {
      note(plan.nameOf(cell) + ", " + toString(cell.candidates[at].schedule) +
           ": " + toString(result.status) + ": " + result.reason);
      continue;
    }
    if (!best || result.times.median < least)
      best = at, least = result.times.median;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// The final
//===----------------------------------------------------------------------===//

/// A kernel with programmatic launch takes part both with it and without it.
void BenchContest::addModes(Finalist finalist, const Problem &problem) {
  LaunchPlan launches;
  const protocol::Kernel *kernel =
      workers.kernelOf(problem, *finalist.entrant.schedule);
  bool isTwice = kernel &&
                 LaunchPlan::parse(kernel->plan.c_str(), launches).empty() &&
                 launches.isProgrammatic();
  auto add = [&](bool with, bool without) {
    finalist.with = with && llvm::is_contained(plan.programmatic, "on");
    finalist.without = without && llvm::is_contained(plan.programmatic, "off");
    finalist.entrant.programmatic = with;
    if (finalist.with || finalist.without)
      finalists.push_back(finalist);
  };
  add(/*with=*/true, /*without=*/!isTwice);
  if (isTwice)
    add(/*with=*/false, /*without=*/true);
}

/// In a contest with an epilogue, a plain product takes part as every baseline
/// that it represents.
void BenchContest::addOurs(size_t at) {
  const Candidate &candidate = cell.candidates[at];
  Problem problem = plan.problemOf(cell, candidate);
  Finalist finalist;
  finalist.index = at;
  finalist.isOurs = !candidate.isPlain;
  finalist.entrant.schedule = candidate.schedule;
  if (!candidate.isPlain)
    return addModes(std::move(finalist), problem);
  for (auto [index, baseline] : llvm::enumerate(plan.baselines)) {
    if (baseline < Baseline::plain)
      continue;
    finalist.index = index;
    finalist.entrant = entrantOf(baseline);
    finalist.entrant.schedule = candidate.schedule;
    addModes(finalist, problem);
  }
}

void BenchContest::addTheirs(size_t index, Rival rival, int64_t ranks) {
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Finalist &finalist = finalists.emplace_back();
    finalist.entrant.rival = rival;
    finalist.entrant.rank = rank;
    finalist.index = index;
    finalist.with = finalist.without = true;
  }
}

Error BenchContest::addFinalists() {
  constexpr int64_t kRanks = 4;
  for (bool isPlain : {false, true}) {
    auto chosen = choose(isPlain);
    if (!chosen)
      return chosen.takeError();
    if (*chosen)
      addOurs(**chosen);
  }
  for (auto [index, baseline] : llvm::enumerate(plan.baselines))
    for (Rival rival : rivalsOf(baseline, cell.problem))
      addTheirs(index, rival, isRanked(rival) ? kRanks : 1);
  return Error::success();
}

/// A finalist that fails or is wrong once does not take part again.
Error BenchContest::time(Protocol protocol) {
  Bout bout;
  bout.number = 1;
  bout.problem = cell.problem;
  bout.best = shortest;
  bout.isFinal = true;
  bout.protocol = protocol;
  bout.rounds = plan.options.rounds;
  std::vector<Finalist *> who;
  for (Finalist &finalist : finalists)
    if (finalist.result.isOk()) {
      who.push_back(&finalist);
      bout.entrants.push_back(finalist.entrant);
    }
  if (who.empty())
    return Error::success();
  workers.ask(std::move(bout));
  auto answer = reply();
  if (!answer)
    return answer.takeError();
  for (auto [i, finalist] : llvm::enumerate(who)) {
    finalist->result = std::move(answer->measurements[i]);
    finalist->rounds = std::move(answer->rounds[i]);
    // The heuristic may return fewer algorithms than the maximum.
    const std::string &why = finalist->result.reason;
    if (finalist->result.isOk() || finalist->entrant.rank > 0)
      continue;
    if (StringRef(why).starts_with("skipped"))
      skip(why);
    else
      note(plan.nameOf(cell) + ", " + toString(finalist->entrant) + ": " +
           toString(finalist->result.status) + ": " + why);
  }
  return Error::success();
}

const Finalist *
BenchContest::best(llvm::function_ref<bool(const Finalist &)> counts) const {
  const Finalist *result = nullptr;
  auto median = [](const Finalist &each) {
    return quantiles(each.rounds).median;
  };
  for (const Finalist &each : finalists)
    if (each.result.isOk() && counts(each) &&
        (!result || median(each) < median(*result)))
      result = &each;
  return result;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static Quantiles quantilesOf(const Times &times) {
  return {times.median, times.p10, times.p90, size_t(times.samples)};
}

void BenchContest::fillRow(BenchRow &row) const {
  auto inMode = [&](const Finalist &each) {
    return row.programmatic == "on" ? each.with : each.without;
  };
  const Finalist *ours =
      best([&](const Finalist &each) { return each.isOurs && inMode(each); });
  const Finalist *theirs = best([&](const Finalist &each) {
    return !each.isOurs && inMode(each) &&
           toString(plan.baselines[each.index]) == row.baseline;
  });
  row.rounds = plan.options.rounds;
  row.status = "ok";
  if (theirs) {
    row.theirs = quantilesOf(theirs->result.times);
    row.remark = theirs->entrant.schedule ? toString(*theirs->entrant.schedule)
                                          : theirs->result.reason;
  }
  if (!ours) {
    row.status = "none";
    for (const Finalist &each : finalists)
      if (each.isOurs && !each.result.isOk()) {
        row.status = toString(each.result.status);
        row.remark = each.result.reason;
      }
    return;
  }
  row.schedule = toString(*ours->entrant.schedule);
  row.ours = quantilesOf(ours->result.times);
  if (theirs)
    row.ratio = ratioOf(theirs->rounds, ours->rounds);
  if (row.flops() / row.ours.median >
      peakTflops(cell.problem, plan.arch) * 1e12) {
    row.status = "wrong";
    row.remark = "above the roofline; the measurement is at fault";
  }
}

llvm::Expected<std::vector<BenchRow>> BenchContest::decide() {
  if (Error error = addFinalists())
    return std::move(error);
  std::vector<BenchRow> rows = plan.rowsOf(cell);
  for (Protocol protocol : plan.protocols) {
    if (Error error = time(protocol))
      return std::move(error);
    for (BenchRow &row : rows)
      if (row.protocol == toString(protocol))
        fillRow(row);
  }
  return rows;
}
