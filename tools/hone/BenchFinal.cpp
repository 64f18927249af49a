//===- BenchFinal.cpp - Ours and theirs, in turns -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timing of the finalists, and the rows that follow.
//
//===----------------------------------------------------------------------===//

#include "BenchFinal.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Who takes part
//===----------------------------------------------------------------------===//

/// Takes programmatic launch out of a plan; says whether there was any.
static bool stripProgrammatic(LaunchPlan &plan) {
  bool found = false;
  for (PlanAlternative &alternative : plan.alternatives)
    for (KernelLaunch &launch : alternative.launches)
      found |= std::exchange(launch.programmatic, false);
  return found;
}

Error BenchFinal::addCandidate(size_t at, MatmulKernel &kernel) {
  LaunchPlan stripped = kernel.plan();
  bool programmatic = stripProgrammatic(stripped);
  if (Error error =
          addEntry(at, kernel, /*with=*/true, /*without=*/!programmatic))
    return error;
  if (!programmatic)
    return Error::success();
  siblings.push_back(kernel.sibling(std::move(stripped)));
  return addEntry(at, *siblings.back(), /*with=*/false, /*without=*/true);
}

Error BenchFinal::addEntry(size_t at, MatmulKernel &kernel, bool with,
                           bool without) {
  bool wanted = (with && llvm::is_contained(plan.programmatic, "on")) ||
                (without && llvm::is_contained(plan.programmatic, "off"));
  if (!wanted)
    return Error::success();
  const Candidate &candidate = cell.candidates[at];
  auto launch = contenderOf(kernel, candidate.schedule, data);
  if (!launch)
    return launch.takeError();
  Entry entry;
  entry.who = at;
  entry.with = with;
  entry.without = without;
  entry.launch = std::move(*launch);
  if (candidate.isPlain) {
    entry.remark = toString(candidate.schedule);
    return addOwnBaselines(std::move(entry));
  }
  entry.isOurs = true;
  entry.index = at;
  entry.outcome = outcomeOf(plan.specs[cell.spec], candidate);
  entries.push_back(std::move(entry));
  return Error::success();
}

Error BenchFinal::addOwnBaselines(Entry entry) {
  for (auto [index, baseline] : llvm::enumerate(plan.baselines)) {
    Entry &added = entries.emplace_back(entry);
    added.index = index;
    if (baseline != Baseline::separate)
      continue;
    auto launch = data.withEpilogue(std::move(added.launch));
    if (!launch) {
      entries.pop_back();
      return launch.takeError();
    }
    added.launch = std::move(*launch);
    added.outcome = Part::separate;
  }
  return Error::success();
}

void BenchFinal::addTheirs(int64_t who, Rival rival) {
  Entry &entry = entries.emplace_back();
  entry.who = who;
  entry.index = rival.baseline;
  entry.with = entry.without = true;
  entry.launch = std::move(rival.launch);
  entry.remark = std::move(rival.remark);
}

/// Checks everybody, whole where that is cheap. Who is wrong keeps running, but
/// does not count.
Error BenchFinal::verify(llvm::function_ref<void(int64_t who)> announce,
                         const char *when) {
  constexpr double kMostFlops = 1e10;
  bool whole = *plan.problem(cell).flops() <= kMostFlops;
  for (Entry &entry : entries) {
    announce(entry.who);
    Error error = data.verify(entry.launch, entry.outcome, whole);
    if (!error)
      continue;
    entry.failure = formatv("{0}{1}", when, llvm::toString(std::move(error)));
    llvm::consumeError(kit.device->synchronize());
    if (kit.device->isLost())
      return llvm::createStringError(entry.failure);
  }
  return Error::success();
}

std::vector<std::string> BenchFinal::failures() const {
  std::vector<std::string> lines;
  for (const Entry &entry : entries)
    if (!entry.failure.empty())
      lines.push_back((entry.isOurs
                           ? toString(cell.candidates[entry.index].schedule)
                           : toString(plan.baselines[entry.index]).str()) +
                      ": wrong: " + entry.failure);
  return lines;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<TimedRounds>>
BenchFinal::sample(Protocol protocol, double seconds,
                   const Announce &announce) const {
  constexpr double kGraphSeconds = 4e-3, kTurnSeconds = 2e-3, kPause = 1e-3;
  constexpr size_t kMostLaunches = 8192, kMostCalls = 100, kServerCalls = 20;
  std::vector<Contender> contenders;
  for (const Entry &entry : entries)
    contenders.push_back(entry.launch);
  if (protocol == Protocol::device) {
    GpuTiming timing;
    timing.sets = sets;
    timing.rounds = plan.options.rounds;
    size_t wanted = std::min<size_t>(kGraphSeconds / seconds, kMostLaunches);
    timing.launches = llvm::alignTo(std::max<size_t>(wanted, sets), sets);
    return sampleOnGpu(*kit.device, contenders, timing, announce);
  }
  for (Contender &contender : contenders)
    contender = [this, launch = std::move(contender)](size_t set) -> Error {
      if (Error error = launch(set))
        return error;
      return kit.device->synchronize();
    };
  HostTiming timing;
  timing.rounds = plan.options.rounds;
  bool isServer = protocol == Protocol::wallServer;
  timing.pauseSeconds = isServer ? kPause : 0;
  timing.calls = std::clamp<size_t>(kTurnSeconds / seconds, 5,
                                    isServer ? kServerCalls : kMostCalls);
  return sampleOnHost(contenders, timing, announce);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

const BenchFinal::Entry *
BenchFinal::fastest(llvm::function_ref<bool(const Entry &)> counts) const {
  const Entry *best = nullptr;
  double least = 0;
  for (const Entry &entry : entries) {
    if (!entry.failure.empty() || !counts(entry))
      continue;
    double median = quantiles(entry.timed.rounds).median;
    if (!best || median < least) {
      best = &entry;
      least = median;
    }
  }
  return best;
}

void BenchFinal::fillRow(BenchRow &row) const {
  auto inMode = [&](const Entry &entry) {
    return row.programmatic == "on" ? entry.with : entry.without;
  };
  const Entry *ours = fastest(
      [&](const Entry &entry) { return entry.isOurs && inMode(entry); });
  const Entry *theirs = fastest([&](const Entry &entry) {
    return !entry.isOurs && inMode(entry) &&
           toString(plan.baselines[entry.index]) == row.baseline;
  });
  row.rounds = plan.options.rounds;
  row.status = "ok";
  if (theirs) {
    row.theirs = quantiles(theirs->timed.samples);
    row.remark = theirs->remark;
  }
  if (!ours) {
    row.status = "none";
    for (const Entry &entry : entries)
      if (entry.isOurs && !entry.failure.empty()) {
        row.status = "wrong";
        row.remark = entry.failure;
      }
    return;
  }
  row.schedule = toString(cell.candidates[ours->index].schedule);
  row.ours = quantiles(ours->timed.samples);
  if (theirs)
    row.ratio = ratioOf(theirs->timed.rounds, ours->timed.rounds);
  if (row.flops() / row.ours.median > plan.arch.peakTflops * 1e12) {
    row.status = "wrong";
    row.remark = "above the roofline; the measurement is at fault";
  }
}

llvm::Expected<std::vector<BenchRow>>
BenchFinal::run(double seconds,
                llvm::function_ref<void(int64_t who)> announce) {
  if (Error error = verify(announce, ""))
    return std::move(error);
  std::vector<std::vector<TimedRounds>> timed;
  for (Protocol protocol : plan.protocols) {
    auto rounds = sample(protocol, std::max(seconds, 1e-6),
                         [&](size_t entry) { announce(entries[entry].who); });
    if (!rounds)
      return rounds.takeError();
    timed.push_back(std::move(*rounds));
  }
  if (Error error = verify(announce, "after it was timed: "))
    return std::move(error);
  std::vector<BenchRow> rows = plan.rowsOf(cell);
  for (auto [protocol, rounds] : llvm::zip_equal(plan.protocols, timed)) {
    for (auto [entry, times] : llvm::zip_equal(entries, rounds))
      entry.timed = times;
    for (BenchRow &row : rows)
      if (row.protocol == toString(protocol))
        fillRow(row);
  }
  return rows;
}
