//===- BenchRun.cpp - Run of a benchmark ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trials and the choice of a cell are a search; its final with baselines
// is asked of the workers here. These are separate measurements: the minimum of
// several noisy times is too short, the more so the more times there are. A
// rival keeps that advantage: its fastest algorithms all take part in the
// final.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchRun.h"
#include "hone/Command/Table.h"
#include "hone/Runtime/LaunchPlan.h"
#include "hone/Schedule/BySchedule.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Search/Search.h"
#include "hone/Text/Progress.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

StringRef hone::candidatesHeader() {
  return "m,n,k,layout,types,schedule,estimate_us,us,status,remark";
}

std::string hone::candidateLine(const Problem &problem, StringRef types,
                                const Schedule &schedule,
                                std::optional<double> estimate,
                                const Measurement &result) {
  auto micros = [](double seconds) {
    return formatv("{0:F3}", seconds * 1e6).str();
  };
  return csvLine({std::to_string(problem.m), std::to_string(problem.n),
                  std::to_string(problem.k), layoutOf(problem), types.str(),
                  toString(schedule),
                  estimate ? micros(*estimate) : std::string(),
                  result.isOk() ? micros(result.times.median) : std::string(),
                  toString(result.status).str(), result.reason});
}

namespace {
class Run {
public:
  Run(const BenchPlan &plan, Workers &workers, CsvFile &csv,
      CsvFile &candidates)
      : plan(plan), workers(workers), csv(csv), candidates(candidates) {}
  llvm::Expected<std::vector<BenchRow>> run();
  void note(const llvm::Twine &text) {
    if (progress)
      progress->clear();
    llvm::errs() << text << "\n";
  }
  /// Prints a line for a failed candidate; one that broke down its worker also
  /// gets a row.
  Error receive(const BenchCell &where, const Candidate &candidate,
                const Measurement &result);

  const BenchPlan &plan;
  Workers &workers;
  std::set<std::string> skipped; ///< missing libraries

private:
  Error prepare();
  Error measure(const BenchCell &where);
  Error write(const BenchRow &row);

  CsvFile &csv, &candidates;
  std::optional<Progress> progress;
  std::vector<BenchRow> rows;
};

/// A participant in a final: a candidate or a baseline.
struct Finalist {
  Entrant entrant;
  size_t baseline = 0; ///< unless it is ours
  bool isOurs = false;
  bool with = false, without = false; ///< modes of programmatic launch
  Measurement result;                 ///< under the current protocol
  std::vector<double> rounds;
};

/// One cell, from its first trial to its rows.
class Contest {
public:
  Contest(Run &run, const BenchCell &cell)
      : run(run), plan(run.plan), cell(cell) {}

  llvm::Expected<std::vector<BenchRow>> decide();

private:
  Error search();
  void addOurs(const Candidate &candidate);
  void addTheirs();
  void addModes(Finalist finalist, const Problem &problem);
  Error time(Protocol protocol);
  const Finalist *best(llvm::function_ref<bool(const Finalist &)> counts) const;
  void fillRow(BenchRow &row) const;
  void noteFailure(const llvm::Twine &what, const Measurement &result) {
    run.note(plan.nameOf(cell) + ", " + what + ": " + toString(result.status) +
             ": " + result.reason);
  }

  Run &run;
  const BenchPlan &plan;
  const BenchCell &cell;
  double shortest = 0; ///< of the trials
  std::vector<Finalist> finalists;
};
} // namespace

//===----------------------------------------------------------------------===//
// Trials and choice
//===----------------------------------------------------------------------===//

/// Tries the candidates of the cell's problem, and of its product alone, and
/// chooses one of each, as any search does: one schedule remains, as in a
/// build.
Error Contest::search() {
  std::vector<Problem> problems;
  WantedSchedules wanted;
  for (const Candidate &candidate : cell.candidates) {
    Problem problem = plan.problemOf(cell, candidate);
    auto [at, isNew] = wanted.try_emplace(problem.str());
    if (isNew)
      problems.push_back(problem);
    at->second.push_back(candidate.schedule);
  }
  SearchOptions options = contestOf(wanted);
  options.finalists = plan.options.finalists;
  options.isWithin = [&](const Problem &problem, const Schedule &schedule) {
    return llvm::is_contained(wanted[problem.str()], schedule);
  };
  std::unordered_map<Problem, detail::BySchedule<Record>, detail::ValueHash>
      trials;
  SearchHooks hooks;
  hooks.received = [&](const Record &record) {
    if (!trials[record.problem].try_emplace(record.schedule, record).second &&
        !record.isOk())
      noteFailure(toString(record.schedule), record);
  };
  auto results =
      Search(run.workers, /*database=*/nullptr, options, hooks).run(problems);
  if (!results)
    return results.takeError();
  for (const Candidate &candidate : cell.candidates) {
    const auto &ofProblem = trials[plan.problemOf(cell, candidate)];
    auto trial = ofProblem.find(candidate.schedule);
    if (trial == ofProblem.end())
      continue;
    double seconds = trial->second.times.median;
    if (trial->second.isOk())
      shortest = shortest > 0 ? std::min(shortest, seconds) : seconds;
    if (Error error = run.receive(cell, candidate, trial->second))
      return error;
  }
  for (const SearchResult &result : *results)
    if (result.chosen)
      addOurs({*result.chosen, !(result.problem == cell.problem)});
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The final
//===----------------------------------------------------------------------===//

/// A kernel with programmatic launch takes part both with it and without it.
void Contest::addModes(Finalist finalist, const Problem &problem) {
  LaunchPlan launches;
  const protocol::Kernel *kernel =
      run.workers.kernelOf(problem, *finalist.entrant.schedule);
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
void Contest::addOurs(const Candidate &candidate) {
  Problem problem = plan.problemOf(cell, candidate);
  Finalist finalist;
  finalist.isOurs = !candidate.isPlain;
  finalist.entrant.schedule = candidate.schedule;
  if (!candidate.isPlain)
    return addModes(std::move(finalist), problem);
  for (auto [index, baseline] : llvm::enumerate(plan.baselines)) {
    if (baseline < Baseline::plain)
      continue;
    finalist.baseline = index;
    finalist.entrant.part =
        baseline == Baseline::plain ? Part::product : Part::separate;
    addModes(finalist, problem);
  }
}

void Contest::addTheirs() {
  constexpr int64_t kRanks = 4;
  for (auto [index, baseline] : llvm::enumerate(plan.baselines)) {
    if (baseline == Baseline::guess && cell.guess) {
      Finalist finalist;
      finalist.entrant.schedule = *cell.guess;
      finalist.baseline = index;
      addModes(std::move(finalist), cell.problem);
    }
    for (Rival rival : rivalsOf(baseline, cell.problem))
      for (int64_t rank = 0; rank < (isRanked(rival) ? kRanks : 1); ++rank) {
        Finalist &finalist = finalists.emplace_back();
        finalist.entrant.rival = rival;
        finalist.entrant.rank = rank;
        finalist.baseline = index;
        finalist.with = finalist.without = true;
      }
  }
}

/// A finalist that fails or is wrong once does not take part again.
Error Contest::time(Protocol protocol) {
  MeasureRequest request;
  request.number = 1;
  request.problem = cell.problem;
  request.best = shortest;
  request.isFinal = true;
  request.protocol = protocol;
  request.rounds = plan.options.rounds;
  std::vector<Finalist *> who;
  for (Finalist &finalist : finalists)
    if (finalist.result.isOk()) {
      who.push_back(&finalist);
      request.entrants.push_back(finalist.entrant);
    }
  if (who.empty())
    return Error::success();
  run.workers.ask(std::move(request));
  llvm::Expected<std::optional<Reply>> answer = std::nullopt;
  while (answer && !*answer)
    answer = run.workers.next(/*seconds=*/1);
  if (!answer)
    return answer.takeError();
  for (auto [i, finalist] : llvm::enumerate(who)) {
    finalist->result = std::move((*answer)->measurements[i]);
    finalist->rounds = std::move((*answer)->rounds[i]);
    // The heuristic may return fewer algorithms than the maximum.
    const std::string &why = finalist->result.reason;
    if (finalist->result.isOk() || finalist->entrant.rank > 0)
      continue;
    if (!StringRef(why).starts_with("skipped"))
      noteFailure(toString(finalist->entrant), finalist->result);
    else if (run.skipped.insert(why).second)
      run.note(why);
  }
  return Error::success();
}

const Finalist *
Contest::best(llvm::function_ref<bool(const Finalist &)> counts) const {
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

void Contest::fillRow(BenchRow &row) const {
  auto inMode = [&](const Finalist &each) {
    return row.programmatic == "on" ? each.with : each.without;
  };
  const Finalist *ours =
      best([&](const Finalist &each) { return each.isOurs && inMode(each); });
  const Finalist *theirs = best([&](const Finalist &each) {
    return !each.isOurs && inMode(each) &&
           toString(plan.baselines[each.baseline]) == row.baseline;
  });
  row.rounds = plan.options.rounds;
  row.status = "ok";
  if (theirs) {
    row.theirs = theirs->result.times;
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
  row.ours = ours->result.times;
  if (theirs)
    row.ratio = ratioOf(theirs->rounds, ours->rounds);
  if (row.flops() / row.ours.median >
      peakTflops(cell.problem, plan.arch) * 1e12) {
    row.status = "wrong";
    row.remark = "above the roofline; the measurement is at fault";
  }
}

llvm::Expected<std::vector<BenchRow>> Contest::decide() {
  if (Error error = search())
    return std::move(error);
  addTheirs();
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

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

Error Run::write(const BenchRow &row) {
  rows.push_back(row);
  return csv ? csv.add(row.csv()) : Error::success();
}

Error Run::receive(const BenchCell &where, const Candidate &candidate,
                   const Measurement &result) {
  if (candidates)
    if (Error error = candidates.add(
            candidateLine(where.problem, plan.typesOf(where, candidate.isPlain),
                          candidate.schedule, candidate.estimate, result)))
      return error;
  if (result.isOk())
    return Error::success();
  note(plan.nameOf(where) + ", " + toString(candidate.schedule) + ": " +
       toString(result.status) + ": " + result.reason);
  if (result.status != Status::fault && result.status != Status::timeout)
    return Error::success();
  BenchRow row = plan.rowOf(where, "search", "", "");
  row.status = toString(result.status);
  row.schedule = toString(candidate.schedule);
  row.remark = result.reason;
  return write(row);
}

Error Run::prepare() {
  auto kernels = plan.kernels();
  progress.emplace(kernels.size());
  return workers.prepare(kernels, [&] { progress->step("compiling kernels"); });
}

Error Run::measure(const BenchCell &where) {
  progress->step(plan.nameOf(where));
  auto decided = Contest(*this, where).decide();
  if (!decided)
    return decided.takeError();
  for (const BenchRow &row : *decided)
    if (Error error = write(row))
      return error;
  return Error::success();
}

llvm::Expected<std::vector<BenchRow>> Run::run() {
  if (Error error = prepare())
    return std::move(error);
  progress.emplace(plan.cells.size());
  for (const BenchCell &cell : plan.cells)
    if (Error error = measure(cell))
      return std::move(error);
  progress->clear();
  return std::move(rows);
}

llvm::Expected<std::vector<BenchRow>> hone::runBench(const BenchPlan &plan,
                                                     Workers &workers,
                                                     CsvFile &csv,
                                                     CsvFile &candidates) {
  return Run(plan, workers, csv, candidates).run();
}
