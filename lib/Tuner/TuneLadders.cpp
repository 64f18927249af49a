//===- TuneLadders.cpp - Search for problems with an unknown extent -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuneLadders.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/TuneLadders.h"
#include "hone/Bench/ProblemChoice.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Sources/ModelSource.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Parallel.h"
#include <cmath>

using namespace hone;
using llvm::Error;
using llvm::formatv;

llvm::Expected<std::shared_ptr<Lookup>>
hone::openLookup(const std::string &path, Origin origin) {
  auto database = Database::open(path, Access::read);
  if (!database)
    return database.takeError();
  return makeLookup(std::move(*database), thisToolchain(), origin);
}

std::shared_ptr<RangedSource> hone::makePlans(std::shared_ptr<Lookup> known,
                                              RangeRule rule, bool modelOnly) {
  return makeRangedSource(
      {makeExactSource(known), std::make_shared<LearnedSource>(kBriefLooks),
       std::make_shared<ModelSource>()},
      {known}, rule, modelOnly ? RangeJudge() : learnedJudge());
}

std::vector<Problem> Ladders::climb(llvm::ArrayRef<Problem> problems) {
  std::vector<Problem> known;
  for (const Problem &problem : problems) {
    std::optional<char> letter = openExtent(problem);
    if (!letter) {
      known.push_back(problem);
      continue;
    }
    Ladder ladder = {problem, *letter, {}};
    for (Problem &rung : ladderOf(problem)) {
      ladder.rungs.push_back(namedExtent(rung, *letter));
      known.push_back(std::move(rung));
    }
    note(formatv("{0} stands for {1} problems", problem.str(),
                 ladder.rungs.size()));
    ladders.push_back(std::move(ladder));
  }
  return known;
}

/// Records of schedules that won elsewhere, or of the default, do not count.
static bool isSearched(Lookup &known, const Problem &problem,
                       const Arch &arch) {
  return llvm::any_of(known.measured(problem, arch.chip),
                      [](const Record &record) {
                        return record.provenance.policy != kWantedPolicy &&
                               record.provenance.policy != kDefaultPolicy;
                      });
}

/// Adds the rungs of an earlier run.
static void addSearched(const Problem &open, char letter, Lookup &known,
                        const Arch &arch, std::vector<int64_t> &rungs) {
  for (const Problem &other : known.problems(arch.chip)) {
    int64_t extent = namedExtent(other, letter);
    if (extent > 0 && !llvm::is_contained(rungs, extent) &&
        withExtent(open, letter, extent) == other &&
        isSearched(known, other, arch))
      rungs.push_back(extent);
  }
}

/// The next values in doubt, up to the permitted number.
std::vector<RangeDoubt> Ladders::take(llvm::ArrayRef<RangeDoubt> doubts,
                                      Ladder &ladder) const {
  constexpr int64_t kAtOnce = 8;
  std::vector<int64_t> base = rangeLadder();
  int64_t added = llvm::count_if(ladder.rungs, [&](int64_t rung) {
    return !llvm::is_contained(base, rung);
  });
  std::vector<RangeDoubt> taken;
  for (const RangeDoubt &doubt : doubts) {
    if (int64_t(taken.size()) >= std::min(kAtOnce, between - added))
      break;
    if (llvm::is_contained(ladder.rungs, doubt.extent) ||
        withExtent(ladder.open, ladder.letter, doubt.extent).fault())
      continue;
    taken.push_back(doubt);
  }
  for (const RangeDoubt &doubt : taken)
    ladder.rungs.push_back(doubt.extent);
  return taken;
}

/// A plan takes seconds of a core, so each ladder gets a core, and a connection
/// to the database, of its own.
llvm::Expected<Ladders::Round> Ladders::nextRound(const Evaluator &evaluator,
                                                  const std::string &path) {
  const Arch &arch = evaluator.arch();
  std::vector<std::shared_ptr<Lookup>> known;
  for (Ladder &ladder : ladders) {
    auto opened = openLookup(path, evaluator.origin());
    if (!opened)
      return opened.takeError();
    addSearched(ladder.open, ladder.letter, **opened, arch, ladder.rungs);
    known.push_back(std::move(*opened));
  }
  std::vector<RangeAdvice> advice(ladders.size());
  llvm::parallelFor(0, ladders.size(), [&](size_t at) {
    advice[at] =
        makePlans(known[at])->advise(ladders[at].open, arch, ladders[at].rungs);
  });
  Round round;
  for (auto [ladder, said] : llvm::zip(ladders, advice)) {
    for (RangeContest &contest : said.contests) {
      Problem here = withExtent(ladder.open, ladder.letter, contest.extent);
      round.wanted[here.str()] = std::move(contest.schedules);
      round.contests.push_back(std::move(here));
    }
    std::vector<std::string> values;
    for (const RangeDoubt &doubt : take(said.doubts, ladder)) {
      round.rungs.push_back(
          withExtent(ladder.open, ladder.letter, doubt.extent));
      values.push_back(formatv("{0} ({1:F0} %)", doubt.extent,
                               100 * (1 - std::exp2(-doubt.loss))));
    }
    if (!values.empty())
      note(formatv("{0}: also {1} = {2}, where a plan may lose as much",
                   ladder.open.str(), ladder.letter, llvm::join(values, ", ")));
  }
  return round;
}

Error Ladders::refine(Evaluator &evaluator, Database &database,
                      const std::string &path, const SearchOptions &search,
                      const TimeLimit &limit, const SearchHooks &hooks,
                      std::vector<SearchResult> &results) {
  auto run = [&](SearchOptions options, llvm::ArrayRef<Problem> problems,
                 const SearchHooks &received) {
    options.seconds = limit.left();
    return Search(evaluator, &database, std::move(options), received)
        .run(problems);
  };
  auto isOver = [&] {
    return (hooks.shouldStop && hooks.shouldStop()) || limit.isOver();
  };
  SearchHooks quiet;
  quiet.shouldStop = hooks.shouldStop;
  quiet.watch = hooks.watch;
  constexpr int kRounds = 4;
  for (int at = 0; at < kRounds && !ladders.empty() && !isOver(); ++at) {
    auto round = nextRound(evaluator, path);
    if (!round)
      return round.takeError();
    if (round->contests.empty() && round->rungs.empty())
      break;
    note(formatv("schedules that may be fastest at {0} values are tried there",
                 round->contests.size()));
    SearchOptions contest = contestOf(std::move(round->wanted), search);
    contest.finalists = 3;
    auto again = run(std::move(contest), round->contests, quiet);
    if (!again)
      return again.takeError();
    for (SearchResult &before : results)
      for (const SearchResult &result : *again)
        if (result.problem == before.problem && result.chosen)
          before.chosen = result.chosen;
    if (isOver())
      break;
    auto more = run(search, round->rungs, hooks);
    if (!more)
      return more.takeError();
    llvm::append_range(results, std::move(*more));
  }
  return Error::success();
}
