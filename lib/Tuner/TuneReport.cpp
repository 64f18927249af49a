//===- TuneReport.cpp - Progress and results of hone tune -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuneReport.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/TuneReport.h"
#include "hone/Bench/FastestNumbers.h"
#include "hone/Command/Table.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Space/CostModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include <map>

using namespace hone;
using llvm::formatv;

/// "2 illegal, 1 fault"; empty if everything ran.
static std::string rejects(llvm::ArrayRef<int64_t> byStatus) {
  std::vector<std::string> parts;
  for (size_t i = 1; i < byStatus.size(); ++i)
    if (byStatus[i])
      parts.push_back(formatv("{0} {1}", byStatus[i], statusNames()[i]));
  return llvm::join(parts, ", ");
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

double TuneReport::secondsSince() const {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void TuneReport::clear() {
  if (isShown)
    llvm::errs() << "\r\033[K";
  isShown = false;
}

void TuneReport::note(const std::string &text) {
  clear();
  llvm::errs() << text << "\n";
}

void TuneReport::begin(const std::string &names, const Arch &target) {
  devices = names;
  arch = target;
  start = last = Clock::now();
}

void TuneReport::show(const SearchState &state) {
  using namespace std::chrono;
  Clock::time_point now = Clock::now();
  if (secondsSince() < 2 || now - last < milliseconds(200) ||
      !llvm::sys::Process::StandardErrIsDisplayed())
    return;
  last = now;
  int64_t left = state.expected - state.trials;
  int64_t seconds =
      state.trials ? int64_t(state.seconds / state.trials * left) : 0;
  std::string line = formatv(
      "{0}/{1} problems, {2}/{3} trials, {4}:{5,0+2} to go", state.finished,
      state.problems, state.trials, state.expected, seconds / 60, seconds % 60);
  if (state.problem && state.best > 0)
    line += formatv("; {0}: {1} ({2:F0} % of roofline)",
                    shortName(*state.problem), formatTime(state.best),
                    100 * rooflineSeconds(*state.problem, arch) / state.best);
  if (std::string rejected = rejects(state.byStatus); !rejected.empty())
    line += "; rejected: " + rejected;
  llvm::errs() << "\r\033[K" << line;
  isShown = true;
}

/// Prints a line for a failure, but not for a broken law.
void TuneReport::receive(const Record &record) {
  if (record.isOk() || record.status == Status::illegal)
    return;
  note(formatv("{0}, {1}: {2}: {3}", shortName(record.problem),
               toString(record.schedule), toString(record.status),
               record.reason));
}

void TuneReport::add(const SearchResult &result) {
  if (isJson || llvm::sys::Process::StandardErrIsDisplayed() || !result.chosen)
    return;
  // A log has no line that changes.
  note(formatv("{0}: {1}, {2}", shortName(result.problem),
               formatTime(result.times.median), toString(*result.chosen)));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static std::string outcomeOf(const SearchResult &result) {
  if (result.wasChosen)
    return "known";
  if (!result.isFinished)
    return "stopped";
  if (!result.chosen)
    return "nothing runs";
  return result.gaveUp ? "gave up" : "tuned";
}

static Table tableOf(llvm::ArrayRef<SearchResult> results, const Arch &arch) {
  Table table({"problem", "us", "p10", "p90", "TFLOP/s", "% of roofline",
               "over default", "trials", "known", "rejected", "outcome",
               "schedule"});
  auto us = [](double seconds) {
    return formatv("{0:F2}", seconds * 1e6).str();
  };
  for (const SearchResult &result : results) {
    double median = result.times.median;
    bool isTimed = result.chosen && median > 0;
    std::string rejected = rejects(result.byStatus);
    table.addRow(
        {shortName(result.problem), isTimed ? us(median) : "-",
         isTimed ? us(result.times.p10) : "-",
         isTimed ? us(result.times.p90) : "-",
         isTimed
             ? formatv("{0:F1}", *result.problem.flops() / median * 1e-12).str()
             : "-",
         isTimed ? formatv("{0:F0}",
                           100 * rooflineSeconds(result.problem, arch) / median)
                       .str()
                 : "-",
         result.overDefault.value > 0
             ? formatv("{0:F3}", result.overDefault.value).str()
             : "-",
         std::to_string(result.trials), std::to_string(result.known),
         rejected.empty() ? "-" : rejected, outcomeOf(result),
         result.chosen ? toString(*result.chosen) : "-"});
  }
  return table;
}

namespace {
/// The results of a proposer.
struct Proposer {
  int64_t trials = 0, chosen = 0;
};
} // namespace

static std::map<std::string, Proposer>
proposersOf(llvm::ArrayRef<SearchResult> results) {
  std::map<std::string, Proposer> proposers;
  for (const SearchResult &result : results) {
    for (const auto &[name, trials] : result.byProposer)
      proposers[name].trials += trials;
    if (result.chosen && !result.wasChosen)
      ++proposers[result.proposer].chosen;
  }
  return proposers;
}

static llvm::json::Value
jsonOf(const std::map<std::string, Proposer> &proposers) {
  llvm::json::Object all;
  for (const auto &[name, each] : proposers)
    all[name] =
        llvm::json::Object{{"trials", each.trials}, {"chosen", each.chosen}};
  return all;
}

/// "hybrid/children: 12 trials, 1 chosen; ..."
static std::string describe(const std::map<std::string, Proposer> &proposers) {
  std::vector<std::string> parts;
  for (const auto &[name, each] : proposers)
    parts.push_back(
        formatv("{0}: {1} trials, {2} chosen", name, each.trials, each.chosen));
  return llvm::join(parts, "; ");
}

/// The first gain whose time is within two percent of the last.
static const Gain *nearest(const SearchResult &result) {
  constexpr double kNear = 1.02;
  for (const Gain &gain : result.gains)
    if (gain.best <= kNear * result.gains.back().best)
      return &gain;
  return nullptr;
}

static llvm::json::Array curvesOf(llvm::ArrayRef<SearchResult> results) {
  llvm::json::Array all;
  for (const SearchResult &result : results) {
    llvm::json::Array gains;
    for (const Gain &gain : result.gains)
      gains.push_back(llvm::json::Object{{"trials", gain.trials},
                                         {"seconds", gain.seconds},
                                         {"us", 1e6 * gain.best}});
    all.push_back(llvm::json::Object{{"problem", shortName(result.problem)},
                                     {"gains", std::move(gains)}});
  }
  return all;
}

/// The time that searches took to reach their final results.
static std::string describeGains(llvm::ArrayRef<SearchResult> results) {
  std::vector<double> trials, seconds;
  for (const SearchResult &result : results)
    if (const Gain *gain = nearest(result)) {
      trials.push_back(double(gain->trials));
      seconds.push_back(gain->seconds);
    }
  if (trials.empty())
    return "";
  Quantiles count = quantiles(trials), time = quantiles(seconds);
  return formatv(
      "within 2 % of the fastest trial after {0:F0} trials, {1:F1} s "
      "(90th percentile {2:F0}, {3:F1} s)",
      count.median, time.median, count.p90, time.p90);
}

/// For each class of invariant numbers, those with the minimum time.
static std::vector<FastestNumbers>
fastestOf(llvm::ArrayRef<SearchResult> results) {
  NumbersTimes times;
  for (const SearchResult &result : results) {
    const Problem &problem = result.problem;
    if (!result.chosen || result.times.median <= 0)
      continue;
    Problem form = problem.withUsualNumbers();
    form.m = kDynamic;
    form.a.align = form.alignC = kBestAlign; // of m columns, they depend on m
    times.add(form.str(), problem.numbers.str(), result.times.median);
  }
  return times.fastest();
}

static llvm::json::Object spentOf(const protocol::Spent &spent) {
  return llvm::json::Object{{"laying", spent.laying},
                            {"checking", spent.checking},
                            {"timing", spent.timing},
                            {"finals", spent.finals}};
}

static llvm::json::Object workOf(const WorkerTotals &totals, double seconds) {
  return llvm::json::Object{{"seconds", seconds},
                            {"kernels", totals.compiled},
                            {"kernels_per_second", totals.compiled / seconds},
                            {"measured", totals.measured},
                            {"measured_per_second", totals.measured / seconds},
                            {"device_busy", totals.measureSeconds / seconds},
                            {"device_seconds", spentOf(totals.spent)},
                            {"respawned", totals.respawned}};
}

void TuneReport::end(llvm::ArrayRef<SearchResult> results,
                     const WorkerTotals *totals) {
  clear();
  double seconds = std::max(secondsSince(), 1e-3);
  Table table = tableOf(results, arch);
  std::map<std::string, Proposer> proposers = proposersOf(results);
  if (isJson) {
    llvm::json::Object all;
    all["device"] = devices;
    all["arch"] = arch.chip;
    all["results"] = table.toJson();
    all["proposers"] = jsonOf(proposers);
    all["curves"] = curvesOf(results);
    llvm::json::Array fastest;
    for (const FastestNumbers &each : fastestOf(results))
      fastest.push_back(each.json());
    if (!fastest.empty())
      all["numbers"] = std::move(fastest);
    if (totals)
      all["work"] = workOf(*totals, seconds);
    llvm::outs() << formatv("{0:2}\n", llvm::json::Value(std::move(all)));
    return;
  }
  llvm::outs() << devices << "\n\n";
  table.print(llvm::outs());
  if (!proposers.empty())
    llvm::outs() << "\nproposed by " << describe(proposers) << "\n";
  if (std::string gains = describeGains(results); !gains.empty())
    llvm::outs() << gains << "\n";
  for (const FastestNumbers &each : fastestOf(results))
    llvm::outs() << each.str() << "\n";
  if (totals)
    llvm::outs() << formatv(
        "\n{0:F0} s; {1} kernels compiled ({2:F1} a second), {3} candidates "
        "measured ({4:F1} a second), devices busy {5:F0} %, {6} workers "
        "started again\n"
        "seconds of devices: {7:F1} for data, {8:F1} for checks, {9:F1} for "
        "trials, {10:F1} for finals\n",
        seconds, totals->compiled, totals->compiled / seconds, totals->measured,
        totals->measured / seconds, 100 * totals->measureSeconds / seconds,
        totals->respawned, totals->spent.laying, totals->spent.checking,
        totals->spent.timing, totals->spent.finals);
}
