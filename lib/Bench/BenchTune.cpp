//===- BenchTune.cpp - Schedules found by a search ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All problems are searched in one run, so that compilers and devices stay busy
// while one of the problems waits for its final.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchRun.h"
#include "hone/Search/Search.h"
#include "hone/Space/CostModel.h"
#include "hone/Text/Progress.h"
#include "llvm/ADT/StringMap.h"

using namespace hone;
using llvm::Error;

static llvm::Expected<SearchOptions>
searchOf(const BenchPlan &plan, const Workers &workers,
         const BuildChoiceFactory &choiceOfBuild) {
  SearchOptions search = tuneDefaults();
  search.trials = plan.tuneTrials;
  search.policyThreads = workers.policyThreads();
  auto remark = completeSearch(search, workers.arch(), !plan.isRehearsal(),
                               choiceOfBuild);
  if (!remark)
    return remark.takeError();
  return search;
}

/// The problems of a cell: its own, and its product alone if it is compared.
static std::vector<Candidate> wantedIn(const BenchPlan &plan) {
  std::vector<Candidate> wanted = {{{}, /*isPlain=*/false}};
  if (plan.hasPlain())
    wanted.push_back({{}, /*isPlain=*/true});
  return wanted;
}

Error hone::tuneCells(BenchPlan &plan, Workers &workers,
                      const BuildChoiceFactory &choiceOfBuild) {
  auto search = searchOf(plan, workers, choiceOfBuild);
  if (!search)
    return search.takeError();
  std::optional<Database> database;
  if (!plan.options.database.empty()) {
    if (Error error = Database::open(plan.options.database, Access::write)
                          .moveInto(database))
      return error;
  }
  std::vector<Problem> problems;
  for (const BenchCell &cell : plan.cells)
    for (const Candidate &wanted : wantedIn(plan))
      problems.push_back(plan.problemOf(cell, wanted));
  Progress progress(problems.size());
  SearchHooks hooks;
  hooks.finished = [&](const SearchResult &result) {
    progress.step("tuned " + result.problem.str());
  };
  auto results = Search(workers, database ? &*database : nullptr, *search,
                        std::move(hooks))
                     .run(problems);
  if (!results)
    return results.takeError();
  llvm::StringMap<Schedule> chosen;
  for (const SearchResult &result : *results)
    if (result.chosen)
      chosen[result.problem.str()] = *result.chosen;
  for (BenchCell &cell : plan.cells)
    for (Candidate candidate : wantedIn(plan)) {
      Problem problem = plan.problemOf(cell, candidate);
      auto found = chosen.find(problem.str());
      if (found == chosen.end())
        continue;
      candidate.schedule = found->second;
      candidate.estimate =
          estimateSeconds(problem, plan.arch, candidate.schedule);
      cell.candidates.push_back(std::move(candidate));
    }
  return Error::success();
}
