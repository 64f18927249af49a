//===- SearchTest.cpp - The loop, with an evaluator that plays along ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of Search.h, line by line: who is asked what, who wins, and what is
// in the database when it ends, stops or breaks.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/Search.h"
#include "Fixtures.h"
#include "hone/Search/Catalogue.h"
#include "hone/Search/CostModel.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <random>
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

class SearchTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("hone-search", made));
    folder = made.str().str();
    database.emplace(
        llvm::cantFail(Database::open(folder + "/hone.db", Access::write)));
    options.policy = "model";
    options.trials = 10;
  }
  void TearDown() override {
    database.reset();
    llvm::sys::fs::remove_directories(folder);
  }

  std::vector<SearchResult> run(llvm::ArrayRef<Problem> problems) {
    return llvm::cantFail(
        Search(evaluator, &*database, options, hooks).run(problems));
  }
  SearchResult runOne() { return run({problem}).front(); }
  std::string errorOf(llvm::ArrayRef<Problem> problems) {
    auto results = Search(evaluator, &*database, options, hooks).run(problems);
    return results ? "" : llvm::toString(results.takeError());
  }
  std::vector<Record> stored() {
    std::vector<Record> records;
    llvm::cantFail(database->forEach(
        {}, [&](const Record &record) { records.push_back(record); }));
    return records;
  }
  std::string usual() { return toString(defaultSchedule(problem, h200())); }
  /// Moves what is stored to the past, as if another run had left it.
  void age(int64_t seconds, std::optional<Toolchain> tools = std::nullopt) {
    std::vector<Record> records = stored();
    database.reset();
    llvm::sys::fs::remove(folder + "/hone.db");
    database.emplace(
        llvm::cantFail(Database::open(folder + "/hone.db", Access::write)));
    for (Record &record : records) {
      record.measuredAt -= seconds;
      if (tools)
        record.toolchain = *tools;
    }
    llvm::cantFail(database->add(records));
  }

  std::string folder;
  std::optional<Database> database;
  FakeEvaluator evaluator;
  SearchOptions options;
  SearchHooks hooks;
  Problem problem = problemOf(512, 512, 512);
};

/// Proposes what it was given.
class ScriptedPolicy : public Policy {
public:
  explicit ScriptedPolicy(std::function<std::vector<Schedule>(size_t)> script)
      : script(std::move(script)) {}
  std::vector<Schedule> propose(size_t count) override { return script(count); }

private:
  std::function<std::vector<Schedule>(size_t)> script;
};

//===----------------------------------------------------------------------===//
// The way it should go
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

TEST_F(SearchTest, RecordsSayWhoProposedWhat) {
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
    // A trial, and a fifth of the final.
    double cost = record.grade == Grade::trial ? 0.25 : 0.25 + 0.25 / 5;
    EXPECT_NEAR(record.provenance.costSeconds, cost, 1e-9);
    chosen += record.grade == Grade::chosen;
    finalists += record.grade == Grade::finalist;
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_EQ(finalists, 4);
  EXPECT_TRUE(llvm::cantFail(database->verify()).empty());
}

TEST_F(SearchTest, SameProblemsAreSearchedOnceSmallOnesFirst) {
  Problem small = problemOf(64, 64, 64), large = problemOf(4096, 4096, 4096);
  std::vector<std::string> order;
  hooks.finished = [&](const SearchResult &result) {
    order.push_back(result.problem.str());
  };
  evaluator.hunger = 1;
  std::vector<SearchResult> results = run({large, problem, small, large});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].problem.str(), small.str());
  EXPECT_EQ(results[1].problem.str(), problem.str());
  EXPECT_EQ(results[2].problem.str(), large.str());
  EXPECT_EQ(order, (std::vector{small.str(), problem.str(), large.str()}));
}

/// A generation of one problem is over sooner than an evaluator of many is fed.
TEST_F(SearchTest, TheNextProblemBeginsWhileOneWaits) {
  options.policy = "evolution";
  options.trials = 40;
  evaluator.hunger = 64;
  size_t most = 0, problems = 0;
  hooks.watch = [&](const SearchState &) {
    size_t busy = evaluator.asked.size() - evaluator.replies;
    most = std::max(most, busy);
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
  EXPECT_GE(most, 63u);
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
      evaluator.hunger = backwards ? 7 : 3;
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
  std::vector<std::string> heard;
  hooks.watch = [&](const SearchState &state) {
    states.push_back(state);
    EXPECT_NE(state.problem, nullptr);
  };
  hooks.heard = [&](const Record &record) {
    heard.push_back(toString(record.schedule));
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
  EXPECT_EQ(heard.size(), 22u + 2 * 5u); // trials, and those of two finals
}

TEST_F(SearchTest, NeedsNoDatabase) {
  auto results =
      llvm::cantFail(Search(evaluator, nullptr, options).run({problem}));
  EXPECT_TRUE(results.front().chosen);
}

//===----------------------------------------------------------------------===//
// Who wins
//===----------------------------------------------------------------------===//

/// Rounds that differ by less than they vary decide nothing.
TEST_F(SearchTest, ATieKeepsTheDefault) {
  evaluator.measure = [&](const Schedule &schedule) {
    return okIn(toString(schedule) == usual() ? 1.001e-3 : 1e-3);
  };
  evaluator.roundsOf = [&](const Schedule &schedule) {
    double seconds = toString(schedule) == usual() ? 1.001e-3 : 1e-3;
    uint64_t seed = llvm::xxh3_64bits(toString(schedule));
    std::vector<double> rounds;
    for (int round = 0; round < 7; ++round)
      rounds.push_back(seconds * (1 + 0.01 * double((seed >> round * 4) % 9)));
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

/// Of those that are faster for sure, the fastest; not one that may be.
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

TEST_F(SearchTest, TheIncumbentOfBeforeDefends) {
  std::string before = toString(*runOne().chosen);
  age(10);
  // With more trials it is searched on; everything is a tie now.
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

TEST_F(SearchTest, OneIsChosenWhoeverWasBefore) {
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

//===----------------------------------------------------------------------===//
// What fails
//===----------------------------------------------------------------------===//

TEST_F(SearchTest, AFailureCostsOneCandidate) {
  int64_t count = 0;
  evaluator.measure = [&](const Schedule &schedule) {
    switch (++count % 4) {
    case 1:
      return failed(Status::compileError, "ptxas broke down");
    case 2:
      return failed(Status::fault, "an illegal address");
    case 3:
      return failed(Status::timeout, "it said nothing for 10 s");
    }
    return okIn(timeOf(schedule));
  };
  evaluator.inFinal = [](const Schedule &one) { return okIn(timeOf(one)); };
  SearchResult result = runOne();
  ASSERT_TRUE(result.chosen);
  EXPECT_NE(toString(*result.chosen), usual()); // which did not compile
  EXPECT_EQ(result.byStatus[size_t(Status::ok)], 2);
  EXPECT_EQ(result.byStatus[size_t(Status::compileError)], 3);
  EXPECT_EQ(result.byStatus[size_t(Status::fault)], 3);
  EXPECT_EQ(result.byStatus[size_t(Status::timeout)], 3);
  bool hasReason = false;
  for (const Record &record : stored())
    hasReason |= record.reason == "it said nothing for 10 s";
  EXPECT_TRUE(hasReason);
}

TEST_F(SearchTest, WhereNothingWorksNothingIsChosen) {
  evaluator.measure = [](const Schedule &) {
    return failed(Status::fault, "the launch failed");
  };
  SearchResult result = runOne();
  EXPECT_FALSE(result.chosen);
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(result.byStatus[size_t(Status::fault)], 11);
  EXPECT_EQ(evaluator.finals(), 0u);
  EXPECT_FALSE(
      llvm::cantFail(database->best(problem, "h200", evaluator.toolchain())));
}

/// A kernel that is right alone and wrong under load is found in the final.
TEST_F(SearchTest, AFinalistThatTurnsOutWrongIsOut) {
  std::string cheat;
  evaluator.measure = [&](const Schedule &schedule) {
    if (cheat.empty() && toString(schedule) != usual())
      cheat = toString(schedule);
    return okIn(toString(schedule) == cheat ? 0.5e-3 : timeOf(schedule));
  };
  evaluator.inFinal = [&](const Schedule &schedule) {
    return toString(schedule) == cheat
               ? failed(Status::wrong, "the last tile is not there")
               : okIn(timeOf(schedule));
  };
  SearchResult result = runOne();
  EXPECT_NE(toString(*result.chosen), cheat);
  EXPECT_EQ(result.byStatus[size_t(Status::wrong)], 1);
  EXPECT_EQ(result.byStatus[size_t(Status::ok)], 10);
  for (const Record &record : stored())
    if (toString(record.schedule) == cheat) {
      EXPECT_EQ(record.status, Status::wrong);
      EXPECT_EQ(record.reason, "the last tile is not there");
    }
}

TEST_F(SearchTest, AfterAFinalThatAllFailTheNextFastestHaveOne) {
  size_t count = 0;
  evaluator.inFinal = [&](const Schedule &schedule) {
    return ++count <= 5 ? failed(Status::fault, "under load")
                        : okIn(timeOf(schedule));
  };
  SearchResult result = runOne();
  EXPECT_EQ(evaluator.finals(), 2u);
  EXPECT_TRUE(result.chosen);
  EXPECT_EQ(result.byStatus[size_t(Status::fault)], 5);
  evaluator.inFinal = [&](const Schedule &) {
    return failed(Status::fault, "under load");
  };
  problem = problemOf(1024, 512, 512);
  result = runOne();
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(result.byStatus[size_t(Status::fault)], 11);
  EXPECT_FALSE(result.chosen);
}

TEST_F(SearchTest, TimesThatCanNotBeAreWrong) {
  double roofline = rooflineSeconds(problem, h200());
  int64_t count = 0;
  evaluator.measure = [&](const Schedule &schedule) {
    Measurement measured = okIn(timeOf(schedule));
    switch (count++) {
    case 1:
      return okIn(roofline / 2);
    case 2:
      return okIn(0);
    case 3:
      return okIn(std::nan(""));
    case 4:
      measured.times.samples = 0;
      return measured;
    case 5:
      measured.times.p90 = measured.times.median / 2;
      return measured;
    case 6:
      return okIn(roofline * 1.05);
    }
    return measured;
  };
  evaluator.inFinal = [](const Schedule &one) { return okIn(timeOf(one)); };
  SearchResult result = runOne();
  EXPECT_EQ(result.byStatus[size_t(Status::wrong)], 5);
  EXPECT_EQ(result.byStatus[size_t(Status::ok)], 6);
  for (const Record &record : stored())
    if (record.status == Status::wrong)
      EXPECT_NE(record.reason.find("the measurement is at fault"),
                std::string::npos);
}

TEST_F(SearchTest, AnEvaluatorThatGoesAwayLosesNothing) {
  evaluator.failsAfter = 6;
  EXPECT_EQ(errorOf({problem}), "no GPU answers");
  EXPECT_EQ(stored().size(), 6u);
  evaluator.failsAfter = -1;
  FakeEvaluator fresh;
  evaluator = fresh;
  SearchResult result = runOne();
  EXPECT_EQ(result.known, 6);
  EXPECT_EQ(result.trials, 5);
  EXPECT_TRUE(result.isFinished);
}

TEST_F(SearchTest, AnEvaluatorThatAnswersSomethingElseIsAnError) {
  struct Confused : FakeEvaluator {
    llvm::Expected<std::optional<Reply>> next(double seconds) override {
      auto reply = FakeEvaluator::next(seconds);
      if (reply && *reply)
        (*reply)->number += 1000;
      return reply;
    }
  } confused;
  auto results = Search(confused, nullptr, options).run({problem});
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(llvm::toString(results.takeError()),
            "expected a reply to a question that is under way, but got 1 "
            "measurements for number 1001");
}

TEST_F(SearchTest, ADatabaseThatCanNotBeWrittenIsAnError) {
  database.emplace(
      llvm::cantFail(Database::open(folder + "/hone.db", Access::read)));
  EXPECT_NE(errorOf({problem}), "");
  EXPECT_LE(evaluator.replies, 1);
}

TEST_F(SearchTest, BadInputIsAnError) {
  options.policy = "best";
  EXPECT_EQ(errorOf({problem}),
            "expected a policy, but got 'best'; use default, model, "
            "exhaustive, random or evolution");
  options.policy = "model";
  Problem open = problem;
  open.m = kDynamic;
  EXPECT_EQ(errorOf({problem, open}),
            "expected extents that are known and above 0, but got '" +
                open.str() +
                "'; use extents that the problem has when it runs");
  open.m = 0;
  EXPECT_NE(errorOf({open}), "");
  EXPECT_EQ(evaluator.asked.size(), 0u);
  EXPECT_TRUE(run({}).empty());
}

//===----------------------------------------------------------------------===//
// What policies may do to it
//===----------------------------------------------------------------------===//

/// Whatever a policy says, nobody is asked to build what breaks a law.
TEST_F(SearchTest, GarbageNeverReachesTheEvaluator) {
  std::mt19937_64 engine(5);
  auto number = [&](int64_t end) { return int64_t(engine() % end); };
  std::vector<Schedule> known = catalogue(problem, h200());
  options.makePolicy = [&](const Problem &, const Arch &) {
    return std::make_unique<ScriptedPolicy>([&](size_t count) {
      std::vector<Schedule> some;
      while (some.size() < count) {
        Schedule schedule = known[number(known.size())];
        std::visit(
            [&](auto &knobs) {
              if constexpr (!std::is_same_v<std::decay_t<decltype(knobs)>,
                                            Host>)
                if (number(4)) {
                  knobs.tile[number(3)] = number(600) - 20;
                  knobs.stages = number(30) - 2;
                }
            },
            schedule);
        if (number(20) == 0)
          schedule = Host();
        some.push_back(schedule);
      }
      return some;
    });
  };
  options.trials = 200;
  SearchResult result = runOne();
  EXPECT_EQ(evaluator.illegal, 0);
  EXPECT_EQ(result.trials, 201);
  EXPECT_GT(result.byStatus[size_t(Status::illegal)], 100);
  std::vector<std::string> tried = evaluator.trials();
  EXPECT_EQ(std::set<std::string>(tried.begin(), tried.end()).size(), 201u);
  // What is stored can be read back, and says which law.
  EXPECT_TRUE(llvm::cantFail(database->verify()).empty());
  size_t illegal = 0;
  for (const Record &record : stored())
    if (record.status == Status::illegal) {
      ++illegal;
      EXPECT_TRUE(llvm::StringRef(record.reason).starts_with("schedule_c"));
    }
  EXPECT_GT(illegal, 50u);
  EXPECT_LE(illegal, size_t(result.byStatus[size_t(Status::illegal)]));
}

TEST_F(SearchTest, APolicyThatRepeatsItselfEnds) {
  options.makePolicy = [&](const Problem &asked, const Arch &arch) {
    return std::make_unique<ScriptedPolicy>([=](size_t count) {
      return std::vector<Schedule>(count, defaultSchedule(asked, arch));
    });
  };
  SearchResult result = runOne();
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(result.trials, 1);
}

TEST_F(SearchTest, APolicyThatWaitsForNothingEnds) {
  struct Waiting : Policy {
    std::vector<Schedule> propose(size_t) override { return {}; }
    bool isWaiting() const override { return true; }
  };
  options.makePolicy = [](const Problem &, const Arch &) {
    return std::make_unique<Waiting>();
  };
  SearchResult result = runOne();
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(toString(*result.chosen), usual());
}

TEST_F(SearchTest, EveryProposalIsHeardOfOnce) {
  struct Listening : Policy {
    explicit Listening(std::map<std::string, int> &heard) : heard(heard) {}
    std::vector<Schedule> propose(size_t count) override {
      std::vector<Schedule> some;
      for (; some.size() < count && at < all.size(); ++at)
        some.push_back(all[at]);
      return some;
    }
    void hear(const Schedule &schedule, const Measurement &) override {
      ++heard[toString(schedule)];
    }
    std::map<std::string, int> &heard;
    std::vector<Schedule> all;
    size_t at = 0;
  };
  std::map<std::string, int> heard;
  std::vector<Schedule> proposed;
  for (const Schedule &schedule : catalogue(problem, h200()))
    if (proposed.size() < 20)
      proposed.push_back(schedule);
  proposed.push_back(Host());                           // illegal here
  proposed.push_back(defaultSchedule(problem, h200())); // tried anyway
  std::string outside = toString(proposed[3]);
  options.isWithin = [&](const Problem &, const Schedule &schedule) {
    return toString(schedule) != outside;
  };
  options.makePolicy = [&](const Problem &, const Arch &) {
    auto policy = std::make_unique<Listening>(heard);
    policy->all = proposed;
    return policy;
  };
  options.trials = 50;
  SearchResult result = runOne();
  for (const Schedule &schedule : proposed)
    EXPECT_EQ(heard[toString(schedule)], 1) << toString(schedule);
  EXPECT_EQ(result.trials, 20); // 19 and the default
  for (const std::string &text : evaluator.trials())
    EXPECT_NE(text, outside);
}

//===----------------------------------------------------------------------===//
// Stopping and going on
//===----------------------------------------------------------------------===//

TEST_F(SearchTest, ABudgetOfNothingIsTheDefault) {
  options.trials = 0;
  SearchResult result = runOne();
  EXPECT_EQ(evaluator.trials(), std::vector{usual()});
  EXPECT_EQ(evaluator.finals(), 0u);
  EXPECT_EQ(toString(*result.chosen), usual());
  EXPECT_TRUE(result.isFinished);
  auto best =
      llvm::cantFail(database->best(problem, "h200", evaluator.toolchain()));
  EXPECT_EQ(best->record.grade, Grade::chosen);
}

TEST_F(SearchTest, TheSecondTimeThereIsNothingToDo) {
  SearchResult before = runOne();
  evaluator.asked.clear();
  SearchResult result = runOne();
  EXPECT_TRUE(result.wasChosen);
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(evaluator.asked.size(), 0u);
  EXPECT_EQ(result.trials, 0);
  EXPECT_EQ(result.known, 11);
  EXPECT_EQ(toString(*result.chosen), toString(*before.chosen));
  EXPECT_EQ(result.times.median, before.times.median);
  EXPECT_NEAR(result.overDefault.value,
              before.defaultTimes.median / before.times.median, 1e-9);
}

/// Also where the policy has less to say than there are trials.
TEST_F(SearchTest, APolicyThatHadItsSayDoesNotCauseAnotherFinal) {
  options.policy = "default";
  runOne();
  evaluator.asked.clear();
  SearchResult result = runOne();
  EXPECT_TRUE(result.wasChosen);
  EXPECT_EQ(evaluator.asked.size(), 0u);
}

/// Stopped anywhere, and again and again, it does the rest and repeats nothing.
TEST_F(SearchTest, StopsAndGoesOnWhereItWas) {
  options.trials = 30;
  options.policy = "evolution";
  std::vector<Problem> problems = {problem, problemOf(64, 4096, 256),
                                   problemOf(2048, 64, 512)};
  std::multiset<std::string> tried;
  std::vector<SearchResult> results;
  int runs = 0;
  for (bool isDone = false; !isDone && runs < 100; ++runs) {
    evaluator = FakeEvaluator();
    int turns = 0;
    hooks.shouldStop = [&] { return ++turns > 7; };
    results = run(problems);
    for (const Question &question : evaluator.asked)
      if (!question.isFinal())
        tried.insert(question.problem.str() +
                     toString(question.schedules.front()));
    isDone = llvm::all_of(
        results, [](const SearchResult &result) { return result.isFinished; });
    if (!isDone) {
      EXPECT_FALSE(results.back().isFinished);
      EXPECT_FALSE(results.back().chosen);
    }
  }
  EXPECT_GT(runs, 3);
  EXPECT_LT(runs, 100);
  EXPECT_EQ(tried.size(), 3 * 31u);
  EXPECT_EQ(std::set<std::string>(tried.begin(), tried.end()).size(), 3 * 31u);
  for (const SearchResult &result : results)
    EXPECT_TRUE(result.chosen);
}

/// Stopped between the last trial and the final, the final is still to come.
TEST_F(SearchTest, TrialsBehindTheChoiceAreDecided) {
  runOne();
  age(10);
  options.trials = 20;
  hooks.shouldStop = [&] { return stored().size() >= 17; };
  EXPECT_FALSE(runOne().isFinished);
  hooks.shouldStop = nullptr;
  options.trials = stored().size() - 1;
  evaluator.asked.clear();
  SearchResult result = runOne();
  EXPECT_FALSE(result.wasChosen);
  EXPECT_EQ(result.trials, 0);
  EXPECT_EQ(evaluator.finals(), 1u);
}

TEST_F(SearchTest, SecondsEndTrialsAndWhatIsBegunIsDecided) {
  options.trials = 400;
  options.seconds = 0.15;
  evaluator.hunger = 1;
  evaluator.measure = [](const Schedule &schedule) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return okIn(timeOf(schedule));
  };
  std::vector<SearchResult> results =
      run({problem, problemOf(4096, 4096, 512)});
  EXPECT_TRUE(results[0].isFinished);
  EXPECT_TRUE(results[0].chosen);
  EXPECT_GT(results[0].trials, 0);
  EXPECT_LT(results[0].trials, 40);
  EXPECT_EQ(evaluator.finals(), 1u);
  EXPECT_FALSE(results[1].isFinished);
  EXPECT_EQ(results[1].trials, 0);
}

//===----------------------------------------------------------------------===//
// Other toolchains
//===----------------------------------------------------------------------===//

TEST_F(SearchTest, StaleRecordsComeFirstTheBestOfThemAtTheFront) {
  options.trials = 30;
  std::string chosen = toString(*runOne().chosen);
  Toolchain old = evaluator.toolchain();
  old.driver = "570.3";
  age(1000, old);
  std::vector<std::pair<double, std::string>> known;
  for (const Record &record : stored())
    if (toString(record.schedule) != usual())
      known.emplace_back(-double(int(record.grade)) + record.times.median,
                         toString(record.schedule));
  llvm::sort(known);

  evaluator.asked.clear();
  options.stale = 5;
  options.trials = 12;
  options.policy = "random";
  evaluator.roundsOf = [](const Schedule &) {
    return std::vector<double>{1e-3, 1.01e-3, 0.99e-3};
  };
  SearchResult result = runOne();
  std::vector<std::string> tried = evaluator.trials();
  ASSERT_EQ(tried.size(), 13u);
  EXPECT_EQ(tried[0], usual());
  EXPECT_EQ(tried[1], chosen);
  int found = 0;
  for (size_t at = 1; at < 6; ++at)
    found += tried[at] == known[at - 1].second;
  EXPECT_GE(found, 4); // the default may be one of the five
  EXPECT_FALSE(result.wasChosen);
  EXPECT_EQ(result.known, 0);
  // What another toolchain chose defends its place.
  EXPECT_EQ(toString(*result.chosen), chosen);
  // Both toolchains' records are there.
  std::set<std::string> drivers;
  for (const Record &record : stored())
    drivers.insert(record.toolchain.driver);
  EXPECT_EQ(drivers, (std::set<std::string>{"570.3", "580.1"}));
}

TEST_F(SearchTest, StaleRecordsAreTrialsToo) {
  runOne();
  Toolchain old = evaluator.toolchain();
  old.hone = "0.0";
  age(1000, old);
  evaluator.asked.clear();
  options.trials = 3;
  EXPECT_EQ(runOne().trials, 4);
}

} // namespace
