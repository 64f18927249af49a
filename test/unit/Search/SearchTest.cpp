//===- SearchTest.cpp - Tests of the search loop --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of Search.h, line by line, with a scripted evaluator: the requests
// to it, the winner, and the records in the database afterwards.
//
//===----------------------------------------------------------------------===//

#include "SearchFixture.h"

using namespace hone;
using namespace hone::test;

namespace {

//===----------------------------------------------------------------------===//
// Successful searches
//===----------------------------------------------------------------------===//

TEST_F(SearchTest, TriesDefaultAndTrialsAndChooses) {
  SearchResult result = runOne();
  EXPECT_TRUE(result.isFinished);
  EXPECT_FALSE(result.wasChosen);
  EXPECT_EQ(result.trials, 11);
  EXPECT_EQ(result.known, 0);
  EXPECT_EQ(result.byStatus[size_t(Status::ok)], 11);
  EXPECT_DOUBLE_EQ(result.seconds, 0.25 * 12);
  EXPECT_EQ(evaluator.trials().front(), usual());
  ASSERT_EQ(evaluator.finals(), 1u);
  EXPECT_EQ(evaluator.asked.back().schedules.size(), 5u);

  // The fastest of all trials wins.
  std::string fastest = usual();
  for (const std::string &text : evaluator.trials())
    if (timeOf(llvm::cantFail(parseSchedule(text))) <
        timeOf(llvm::cantFail(parseSchedule(fastest))))
      fastest = text;
  ASSERT_TRUE(result.chosen);
  EXPECT_EQ(toString(*result.chosen), fastest);
  EXPECT_GT(result.overDefault.low, 1);
  EXPECT_NEAR(result.overDefault.value,
              result.defaultTimes.median / result.times.median, 1e-9);

  auto best =
      llvm::cantFail(database->best(problem, "h200", evaluator.toolchain()));
  ASSERT_TRUE(best);
  EXPECT_EQ(toString(best->record.schedule), fastest);
  EXPECT_EQ(best->record.grade, Grade::chosen);
  EXPECT_FALSE(best->isStale);
}

TEST_F(SearchTest, RecordsHaveTheirProposers) {
  options.seed = 17;
  runOne();
  std::vector<Record> records = stored();
  ASSERT_EQ(records.size(), 11u);
  int chosen = 0, finalists = 0;
  for (const Record &record : records) {
    bool isDefault = toString(record.schedule) == usual();
    EXPECT_EQ(record.provenance.policy, isDefault ? "default" : "model");
    EXPECT_EQ(record.provenance.seed, isDefault ? 0 : 17);
    EXPECT_EQ(record.toolchain, evaluator.toolchain());
    // The cost of a trial, and of a fifth of the final.
    double cost = record.grade == Grade::trial ? 0.25 : 0.25 + 0.25 / 5;
    EXPECT_NEAR(record.provenance.costSeconds, cost, 1e-9);
    chosen += record.grade == Grade::chosen;
    finalists += record.grade == Grade::finalist;
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_EQ(finalists, 4);
  EXPECT_TRUE(llvm::cantFail(database->verify()).empty());
}

TEST_F(SearchTest, LongKernelsHaveTwiceAsManyPlaces) {
  options.trials = 20;
  options.finalists = 3;
  for (auto [times, finalists] : {std::pair(5e-3, 3u), std::pair(1.0, 6u)}) {
    evaluator.measure = [times = times](const Schedule &one) {
      return okIn(times * timeOf(one));
    };
    database = llvm::cantFail(Database::open(":memory:", Access::write));
    ASSERT_TRUE(runOne().chosen);
    EXPECT_EQ(evaluator.asked.back().schedules.size(), finalists + 1);
  }
}

TEST_F(SearchTest, SeedsAreTriedFirst) {
  Schedule seed = llvm::cantFail(parseSchedule("mma_sync, stages = 5"));
  Schedule illegal = llvm::cantFail(parseSchedule("host"));
  options.seeds = [&](const Problem &asked, const Arch &) {
    EXPECT_EQ(asked.str(), problem.str());
    return std::vector{defaultSchedule(asked, h200()), illegal, seed};
  };
  options.trials = 1;
  EXPECT_EQ(runOne().trials, 2); // and the default
  std::vector<std::string> ok;
  for (const Record &record : stored())
    if (record.isOk()) {
      bool isSeed = toString(record.schedule) == toString(seed);
      EXPECT_EQ(record.provenance.policy, isSeed ? "shipped" : "default");
      ok.push_back(toString(record.schedule));
    }
  EXPECT_EQ(ok.size(), 2u);
  EXPECT_TRUE(llvm::is_contained(ok, toString(seed)));
}

/// It is slow in a short trial; in the final no schedule is faster.
TEST_F(SearchTest, TheChoiceOfABuildIsInTheFinal) {
  Schedule built = llvm::cantFail(parseSchedule("mma_sync, stages = 5"));
  options.ofBuild = [&](const Problem &, const Arch &) { return built; };
  options.trials = 30;
  evaluator.measure = [&](const Schedule &schedule) {
    return okIn(toString(schedule) == toString(built) ? 5e-3 : 1e-3);
  };
  evaluator.roundsOf = [](const Schedule &) {
    return std::vector<double>{1e-3, 1.001e-3, 0.999e-3};
  };
  SearchResult result = runOne();
  EXPECT_EQ(toString(*result.chosen), toString(built));
  EXPECT_EQ(result.proposer, "model/build");
  EXPECT_EQ(result.trials, 31); // it is one of them
  // The final begins with it.
  EXPECT_TRUE(llvm::any_of(evaluator.asked, [&](const Question &question) {
    return question.isFinal() &&
           toString(question.schedules.front()) == toString(built);
  }));
}

TEST_F(SearchTest, ABuildThatTakesTheDefaultChangesNothing) {
  options.ofBuild = [&](const Problem &, const Arch &) {
    return defaultSchedule(problem, h200());
  };
  SearchResult result = runOne();
  EXPECT_EQ(result.trials, 11);
}

TEST_F(SearchTest, SameProblemsAreSearchedOnceSmallOnesFirst) {
  Problem small = problemOf(64, 64, 64), large = problemOf(4096, 4096, 4096);
  std::vector<std::string> order;
  hooks.finished = [&](const SearchResult &result) {
    order.push_back(result.problem.str());
  };
  evaluator.limit = 1;
  std::vector<SearchResult> results = run({large, problem, small, large});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].problem.str(), small.str());
  EXPECT_EQ(results[1].problem.str(), problem.str());
  EXPECT_EQ(results[2].problem.str(), large.str());
  EXPECT_EQ(order, (std::vector{small.str(), problem.str(), large.str()}));
}

/// One problem's generation ends before an evaluator that needs many trials is
/// full.
TEST_F(SearchTest, TheNextProblemBeginsWhileOneWaits) {
  options.policy = "evolution";
  options.trials = 40;
  evaluator.limit = 64;
  size_t max = 0, problems = 0;
  hooks.watch = [&](const SearchState &) {
    size_t busy = evaluator.asked.size() - evaluator.replies;
    max = std::max(max, busy);
    std::set<std::string> kinds;
    for (size_t at = evaluator.replies; at < evaluator.asked.size(); ++at)
      kinds.insert(evaluator.asked[at].problem.str());
    problems = std::max(problems, kinds.size());
  };
  std::vector<Problem> many;
  for (int64_t k = 64; k <= 1024; k += 64)
    many.push_back(problemOf(256, 256, k));
  for (const SearchResult &result : run(many))
    EXPECT_TRUE(result.isFinished);
  EXPECT_GE(max, 63u);
  EXPECT_GE(problems, 3u);
}

TEST_F(SearchTest, TheOrderOfRepliesDoesNotMatter) {
  for (llvm::StringRef name : policyNames()) {
    options.policy = name.str();
    options.trials = 40;
    std::vector<std::string> chosen[2];
    std::set<std::string> tried[2];
    for (int backwards : {0, 1}) {
      evaluator = FakeEvaluator();
      evaluator.newestFirst = backwards;
      evaluator.limit = backwards ? 7 : 3;
      for (const SearchResult &result :
           llvm::cantFail(Search(evaluator, nullptr, options)
                              .run({problem, problemOf(64, 4096, 512)})))
        chosen[backwards].push_back(toString(*result.chosen));
      for (const std::string &text : evaluator.trials())
        tried[backwards].insert(text);
    }
    EXPECT_EQ(chosen[0], chosen[1]) << name.str();
    EXPECT_EQ(tried[0], tried[1]) << name.str();
  }
}

TEST_F(SearchTest, WatchersSeeItGrow) {
  std::vector<SearchState> states;
  std::vector<std::string> received;
  hooks.watch = [&](const SearchState &state) {
    states.push_back(state);
    EXPECT_NE(state.problem, nullptr);
  };
  hooks.received = [&](const Record &record) {
    received.push_back(toString(record.schedule));
  };
  run({problem, problemOf(64, 64, 64)});
  ASSERT_EQ(states.size(), size_t(evaluator.replies));
  for (size_t at = 1; at < states.size(); ++at)
    EXPECT_GE(states[at].trials, states[at - 1].trials);
  for (const SearchState &state : states) {
    EXPECT_EQ(state.problems, 2u);
    EXPECT_EQ(state.expected, 22);
    EXPECT_GT(state.best, 0);
  }
  EXPECT_EQ(states.back().trials, 22);
  EXPECT_EQ(states.back().finished, 2u);
  EXPECT_EQ(states.back().byStatus[size_t(Status::ok)], 22);
  EXPECT_EQ(received.size(), 22u + 2 * 5u); // trials, and those of two finals
}

/// A percent is a gain; less is none, however often it occurs.
TEST_F(SearchTest, EndsTrialsThatGainNothing) {
  options.trials = 40;
  options.enough = 8;
  evaluator.limit = 1;
  double now = 4e-3;
  evaluator.measure = [&](const Schedule &) {
    now *= now > 1.1e-3 ? 0.5 : 0.9995;
    return okIn(now);
  };
  SearchResult result = runOne();
  // 2 ms, 1 ms, and eight that are hardly faster.
  EXPECT_EQ(result.trials, 10);
  ASSERT_EQ(result.gains.size(), 10u);
  EXPECT_EQ(result.gains[1].trials, 2);
  EXPECT_DOUBLE_EQ(result.gains[1].best, 1e-3);
  EXPECT_GE(result.gains[1].seconds, result.gains[0].seconds);
  EXPECT_TRUE(result.isFinished);
}

/// A search that ended without gains has also ended for the next search.
TEST_F(SearchTest, DoesNotWaitAgainForGains) {
  options.trials = 40;
  options.enough = 8;
  SearchResult first = runOne();
  ASSERT_LT(first.trials, 40);
  size_t finals = evaluator.finals();
  SearchResult second = runOne();
  EXPECT_EQ(second.trials, 0);
  EXPECT_EQ(evaluator.finals(), finals);
  EXPECT_TRUE(second.wasChosen);
  EXPECT_EQ(toString(*second.chosen), toString(*first.chosen));
  // Without that limit all trials are made.
  options.enough = 0;
  EXPECT_GT(runOne().trials, 0);
}

TEST_F(SearchTest, NeedsNoDatabase) {
  auto results =
      llvm::cantFail(Search(evaluator, nullptr, options).run({problem}));
  EXPECT_TRUE(results.front().chosen);
}

//===----------------------------------------------------------------------===//
// The winner
//===----------------------------------------------------------------------===//

/// Rounds that differ by less than they vary decide nothing.
TEST_F(SearchTest, ATieKeepsTheDefault) {
  evaluator.measure = [&](const Schedule &schedule) {
    return okIn(toString(schedule) == usual() ? 1.001e-3 : 1e-3);
  };
  evaluator.roundsOf = [&](const Schedule &schedule) {
    double seconds = toString(schedule) == usual() ? 1.001e-3 : 1e-3;
    int step = toString(schedule) == usual() ? 5 : 7;
    std::vector<double> rounds;
    for (int round = 0; round < 7; ++round)
      rounds.push_back(seconds * (1 + 0.01 * double(round * step % 9)));
    return rounds;
  };
  SearchResult result = runOne();
  EXPECT_EQ(toString(*result.chosen), usual());
  EXPECT_EQ(result.overDefault.value, 1);
}

TEST_F(SearchTest, AClearWinInTheFinalCountsAndATrialDoesNot) {
  std::string lucky, steady;
  evaluator.measure = [&](const Schedule &schedule) {
    std::string text = toString(schedule);
    if (text != usual() && lucky.empty())
      lucky = text;
    else if (text != usual() && text != lucky && steady.empty())
      steady = text;
    return okIn(text == lucky ? 0.5e-3 : text == steady ? 0.9e-3 : 1e-3);
  };
  evaluator.roundsOf = [&](const Schedule &schedule) {
    double seconds = toString(schedule) == steady ? 0.9e-3 : 1e-3;
    return std::vector<double>{seconds, seconds * 1.001, seconds * 0.999};
  };
  EXPECT_EQ(toString(*runOne().chosen), steady);
}

/// The fastest of the certainly faster ones wins, not one that may be faster.
TEST_F(SearchTest, ANoisyWinnerLosesToASureOne) {
  std::vector<std::string> others;
  evaluator.measure = [&](const Schedule &schedule) {
    if (toString(schedule) != usual())
      others.push_back(toString(schedule));
    return okIn(1e-3);
  };
  evaluator.roundsOf = [&](const Schedule &schedule) -> std::vector<double> {
    if (toString(schedule) == others[0])
      return {0.2e-3, 0.9e-3, 1.8e-3};
    double seconds = toString(schedule) == others[1] ? 0.9e-3 : 1e-3;
    return {seconds, seconds * 1.001, seconds * 0.999};
  };
  options.trials = 3;
  EXPECT_EQ(toString(*runOne().chosen), others[1]);
}

/// Times of a final are comparable although the clock falls while it runs and
/// the losers leave early.
TEST_F(SearchTest, TimesOfAFinalAreThoseOfItsWholeLength) {
  std::map<std::string, double> recorded;
  std::set<std::string> early;
  evaluator.roundsOf = [&](const Schedule &schedule) {
    bool stays = toString(schedule) == usual();
    std::vector<double> rounds(3, stays ? 1e-3 : 1.02e-3);
    if (stays)
      rounds.resize(9, 1.2e-3);
    else
      early.insert(toString(schedule));
    return rounds;
  };
  evaluator.inFinal = [&](const Schedule &schedule) {
    return okIn(toString(schedule) == usual() ? 1.2e-3 : 1.02e-3);
  };
  SearchHooks hooks;
  hooks.received = [&](const Record &record) {
    recorded[toString(record.schedule)] = record.times.median;
  };
  auto results =
      llvm::cantFail(Search(evaluator, nullptr, options, hooks).run({problem}));
  EXPECT_EQ(toString(*results.front().chosen), usual());
  EXPECT_DOUBLE_EQ(recorded[usual()], 1.2e-3);
  ASSERT_FALSE(early.empty());
  for (const std::string &one : early)
    EXPECT_DOUBLE_EQ(recorded[one], 1.02e-3 * 1.2);
}

TEST_F(SearchTest, TheIncumbentOfBeforeDefends) {
  std::string before = toString(*runOne().chosen);
  age(10);
  // More trials continue the search; everything is a tie in the new final.
  options.trials = 20;
  evaluator.roundsOf = [](const Schedule &) {
    return std::vector<double>{1e-3, 1.01e-3, 0.99e-3};
  };
  evaluator.asked.clear();
  SearchResult result = runOne();
  EXPECT_EQ(result.trials, 10);
  EXPECT_EQ(result.known, 11);
  EXPECT_EQ(toString(*result.chosen), before);
  EXPECT_EQ(evaluator.finals(), 1u);
}

TEST_F(SearchTest, OneIsChosenWhateverWasBefore) {
  runOne();
  age(10);
  options.trials = 20;
  evaluator.measure = [](const Schedule &schedule) {
    return okIn(2.1e-3 - timeOf(schedule) / 2);
  };
  std::string now = toString(*runOne().chosen);
  int chosen = 0;
  for (const Record &record : stored())
    if (record.grade == Grade::chosen) {
      ++chosen;
      EXPECT_EQ(toString(record.schedule), now);
    }
  EXPECT_EQ(chosen, 1);
}

} // namespace
