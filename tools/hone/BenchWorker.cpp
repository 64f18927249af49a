//===- BenchWorker.cpp - The process that touches the GPU -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each candidate of a cell is checked and timed for a few milliseconds. The
// fastest go on to a final (BenchFinal.h), where they take turns with the
// baselines.
//
//===----------------------------------------------------------------------===//

#include "BenchWorker.h"
#include "BenchFinal.h"
#include "hone/Evaluate/BriefTiming.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <cmath>
#include <limits>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

BenchState::BenchState(const BenchPlan &plan)
    : done(plan.cells.size()), breakdowns(plan.kernels.size()) {
  for (const BenchCell &cell : plan.cells)
    candidates.emplace_back(cell.candidates.size());
}

StringRef hone::candidatesHeader() {
  return "m,n,k,layout,types,schedule,estimate_us,us,status,remark";
}

std::string hone::candidateLine(const BenchPlan &plan, const BenchCell &cell,
                                const Candidate &candidate,
                                const CandidateState &state, StringRef remark) {
  auto [m, n, k] = cell.extents;
  return csvLine(
      {std::to_string(m), std::to_string(n), std::to_string(k),
       plan.specs[cell.spec].layout(), plan.typesOf(cell, candidate.isPlain),
       toString(candidate.schedule),
       formatv("{0:F3}", candidate.estimate * 1e6),
       state.seconds > 0 ? formatv("{0:F3}", state.seconds * 1e6).str()
                         : std::string(),
       state.status, remark.str()});
}

namespace {
class Worker {
public:
  Worker(const BenchPlan &plan, const BenchState &state, Beacon &beacon,
         int pipe)
      : plan(plan), state(state), beacon(beacon), pipe(pipe) {}
  int run();

private:
  Error open();
  Error measure(size_t index);
  Error tryCandidate(size_t index, size_t at);
  llvm::Expected<double> timeBriefly(const Contender &launch);
  Error decide(size_t index);
  std::vector<size_t> finalists(size_t index, bool isPlain) const;
  llvm::Expected<MatmulKernel *> kernelOf(const Candidate &candidate);
  void announce(int64_t contender) {
    beacon.contender = contender;
    ++beacon.beats;
  }
  void say(char letter, StringRef text) { hone::say(pipe, letter, text); }
  /// Says how long it is since it was last asked, and for what.
  void spent(StringRef what);
  /// After an error: was it a fault that took the context with it?
  bool isLost();

  const BenchPlan &plan;
  BenchState state;
  Beacon &beacon;
  int pipe;
  std::unique_ptr<GemmKit> kit;
  Rivals rivals;
  std::vector<std::unique_ptr<MatmulKernel>> kernels;
  std::unique_ptr<GemmData> data; ///< of the cell at hand
  GemmData::Counts counts;
  Problem problem;
  double best = 0; ///< shortest time seen in the cell
  using Clock = std::chrono::steady_clock;
  Clock::time_point since = Clock::now();
};
} // namespace

void Worker::spent(StringRef what) {
  Clock::time_point now = Clock::now();
  std::chrono::duration<double> passed = now - since;
  since = now;
  say('T', formatv("{0:F6} {1}", passed.count(), what).str());
}

bool Worker::isLost() {
  llvm::consumeError(kit->device->synchronize());
  return kit->device->isLost();
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

llvm::Expected<MatmulKernel *> Worker::kernelOf(const Candidate &candidate) {
  const BenchKernel &source = plan.kernels[candidate.kernel];
  if (!source.failure.empty())
    return llvm::createStringError(source.failure);
  std::unique_ptr<MatmulKernel> &kernel = kernels[candidate.kernel];
  if (!kernel) {
    auto created = MatmulKernel::create(source.compiled);
    if (!created)
      return created.takeError();
    kernel = std::move(*created);
  }
  return kernel.get();
}

/// The shortest of a few turns.
llvm::Expected<double> Worker::timeBriefly(const Contender &launch) {
  auto turns =
      hone::timeBriefly(*kit->device, launch, best,
                        *problem.flops() / (plan.arch.peakTflops * 1e12),
                        [&] { ++beacon.beats; });
  if (!turns)
    return turns.takeError();
  double shortest = *llvm::min_element(*turns);
  best = best > 0 ? std::min(best, shortest) : shortest;
  return shortest;
}

/// Compiles, checks and times one candidate. What goes wrong is its status; an
/// error is returned only where the context is lost.
Error Worker::tryCandidate(size_t index, size_t at) {
  const Candidate &candidate = plan.cells[index].candidates[at];
  CandidateState &known = state.candidates[index][at];
  announce(at);
  std::string remark;
  auto failed = [&](const char *status, Error error) {
    known = {status, 0};
    remark = llvm::toString(std::move(error));
  };
  auto attempt = [&]() {
    if (state.breakdowns[candidate.kernel] >= BenchState::kMostBreakdowns)
      return failed("fault", llvm::createStringError(
                                 "its kernel has broken down elsewhere"));
    auto kernel = kernelOf(candidate);
    if (!kernel)
      return failed("compile-error", kernel.takeError());
    auto launch = contenderOf(**kernel, candidate.schedule, *data);
    if (!launch)
      return failed("compile-error", launch.takeError());
    // The first launch loads the kernel.
    if (Error error = (*launch)(0))
      return failed("fault", std::move(error));
    spent("loading kernels");
    Part outcome = outcomeOf(plan.specs[plan.cells[index].spec], candidate);
    if (Error error = data->verify(*launch, outcome, /*whole=*/false))
      return failed("wrong", std::move(error));
    auto seconds = timeBriefly(*launch);
    if (!seconds)
      return failed("fault", seconds.takeError());
    known = {"ok", *seconds};
    if (*problem.flops() / *seconds > plan.arch.peakTflops * 1e12)
      failed("wrong", llvm::createStringError(formatv(
                          "expected at most {0} TFLOP/s, but got more; the "
                          "measurement is at fault",
                          plan.arch.peakTflops)));
  };
  attempt();
  spent("candidates");
  if (known.status != "ok" && isLost())
    return llvm::createStringError(remark);
  say('C',
      formatv("{0} {1} {2} {3}\t{4}", index, at, known.seconds, known.status,
              candidateLine(plan, plan.cells[index], candidate, known, remark))
          .str());
  if (known.status != "ok")
    say('N', formatv("{0}, {1}: {2}: {3}", plan.nameOf(plan.cells[index]),
                     toString(candidate.schedule), known.status, remark)
                 .str());
  return Error::success();
}

/// The fastest candidates, best first: of those with the run's epilogue, or of
/// the plain ones beside it.
std::vector<size_t> Worker::finalists(size_t index, bool isPlain) const {
  std::vector<std::pair<double, size_t>> order;
  for (auto [at, known] : llvm::enumerate(state.candidates[index]))
    if (known.status == "ok" &&
        plan.cells[index].candidates[at].isPlain == isPlain)
      order.push_back({known.seconds, at});
  llvm::sort(order);
  order.resize(std::min<size_t>(order.size(), plan.options.finalists));
  std::vector<size_t> chosen;
  for (auto [seconds, at] : order)
    chosen.push_back(at);
  return chosen;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

Error Worker::measure(size_t index) {
  const BenchCell &cell = plan.cells[index];
  beacon.cell = index;
  announce(Beacon::kNobody);
  say('S', std::to_string(index));
  problem = plan.problem(cell);
  best = 0;
  counts = GemmData::countSets(*kit, problem);
  auto made = GemmData::create(
      *kit, GemmTask::of(plan.specs[cell.spec], cell.extents), counts);
  if (!made)
    return made.takeError();
  data = std::move(*made);
  spent("data");
  for (size_t at = 0; at < cell.candidates.size(); ++at) {
    CandidateState &known = state.candidates[index][at];
    if (known.status.empty())
      if (Error error = tryCandidate(index, at))
        return error;
    if (known.status == "ok")
      best = best > 0 ? std::min(best, known.seconds) : known.seconds;
  }
  if (Error error = decide(index))
    return error;
  say('D', std::to_string(index));
  return Error::success();
}

/// Ours and theirs take turns, and the rows are written.
Error Worker::decide(size_t index) {
  const BenchCell &cell = plan.cells[index];
  BenchFinal final(plan, cell, *kit, *data, counts.inputs);
  for (bool isPlain : {false, true})
    for (size_t at : finalists(index, isPlain)) {
      announce(at);
      auto kernel = kernelOf(cell.candidates[at]);
      if (!kernel)
        return kernel.takeError();
      if (Error error = final.addCandidate(at, **kernel))
        return error;
    }
  for (size_t baseline = 0; baseline < plan.baselines.size(); ++baseline) {
    int64_t contender = cell.candidates.size() + baseline;
    announce(contender);
    if (state.barred.count({index, baseline}))
      continue;
    auto added =
        rivals.prepare(baseline, problem, *data, [&](const Contender &launch) {
          return timeBriefly(launch);
        });
    if (added) {
      for (Rival &rival : *added)
        final.addTheirs(contender, std::move(rival));
      continue;
    }
    std::string why = llvm::toString(added.takeError());
    if (isLost())
      return llvm::createStringError(why);
    say('N', plan.nameOf(cell) + ", " +
                 toString(plan.baselines[baseline]).str() + ": " + why);
  }
  spent("baselines");
  auto rows = final.run(best, [&](int64_t who) { announce(who); });
  for (const std::string &failure : final.failures())
    say('N', plan.nameOf(cell) + ", " + failure);
  spent("finals");
  if (!rows)
    return rows.takeError();
  for (const BenchRow &row : *rows)
    say('R', row.csv());
  return Error::success();
}

Error Worker::open() {
  auto opened = GemmKit::open();
  if (!opened)
    return opened.takeError();
  kit = std::move(*opened);
  if (Error error = checkTheCheck(*kit))
    return error;
  rivals = Rivals::open(plan, *kit->device,
                        [&](std::string note) { say('N', note); });
  kernels.resize(plan.kernels.size());
  spent("opening the GPU");
  return Error::success();
}

int Worker::run() {
  auto giveUp = [&](Error error) {
    say('W', llvm::toString(std::move(error)));
    return 1;
  };
  if (Error error = open())
    return giveUp(std::move(error));
  for (size_t index = 0; index < plan.cells.size(); ++index)
    if (!state.done[index])
      if (Error error = measure(index))
        return giveUp(std::move(error));
  return 0;
}

int hone::runBenchWorker(const BenchPlan &plan, const BenchState &state,
                         Beacon &beacon, int pipe) {
  // What is left to be given back is given back by the end of the process, and
  // must not hang on a context that is lost.
  return (new Worker(plan, state, beacon, pipe))->run();
}
