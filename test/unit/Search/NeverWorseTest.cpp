//===- NeverWorseTest.cpp - A search never makes a problem slower ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches on a chip whose true times the test defines. Its measurements have
// noise, its clock drifts, it is fast until it is warm, and some turns are
// disturbed. With any earlier records, and any end of the trials, the choice is
// no slower than the schedule that would run without the search.
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/Space.h"
#include "lib/Search/Session.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace hone;
using namespace hone::test;
using hone::detail::Known;
using hone::detail::Session;

namespace {

constexpr size_t kRehearsals = 600;

/// The same numbers with every standard library.
class Random {
public:
  explicit Random(uint64_t seed) : dice(seed) {}
  size_t below(size_t count) { return dice() % count; }
  double between(double low, double high) {
    return low + (high - low) * double(dice() >> 11) * 0x1p-53;
  }
  double normal() {
    return std::sqrt(-2 * std::log(between(1e-12, 1))) *
           std::cos(between(0, 2 * M_PI));
  }

private:
  std::mt19937_64 dice;
};

/// A chip with a state, which depends on its earlier runs.
class Chip {
public:
  explicit Chip(Random &random)
      : random(random), noise(random.between(0.0005, 0.015)),
        width(random.below(4) ? random.between(0.005, 0.1) : 0),
        drift(random.between(0, 0.04)), period(random.between(20, 2000)),
        phase(random.between(0, 2 * M_PI)), cold(random.between(0, 0.1)),
        busy(random.below(60)) {}

  /// The time of a schedule on a warm chip whose clock stands still.
  double truth(const std::string &text) {
    auto [at, isNew] = truths.try_emplace(text, 0);
    if (isNew)
      at->second = 1e-3 * std::exp(width * random.normal());
    return at->second;
  }
  double measure(const std::string &text) {
    constexpr double kWarm = 30, kDisturbed = 1.15;
    constexpr size_t kRare = 50;
    double slower = 1 + drift * std::sin(2 * M_PI * ++turns / period + phase);
    slower *= 1 - cold * std::exp(-(++busy) / kWarm);
    if (random.below(kRare) == 0)
      slower *= kDisturbed;
    return truth(text) * slower * std::exp(noise * random.normal());
  }
  void rest() { busy = 0; }
  /// Of noise, and of a disturbed turn among those of a final.
  double spread() const { return 0.01 + 2 * noise; }
  /// Makes a schedule faster than most.
  void favour(const std::string &text) {
    truths[text] = 1e-3 * std::exp(-1.5 * width);
  }

private:
  Random &random;
  const double noise, width, drift, period, phase, cold;
  double turns = 0, busy;
  std::map<std::string, double> truths;
};

/// Proposes a list.
class Listed : public Policy {
public:
  explicit Listed(std::deque<Schedule> list) : list(std::move(list)) {}
  std::vector<Schedule> propose(size_t count) override {
    std::vector<Schedule> some;
    for (; some.size() < count && !list.empty(); list.pop_front())
      some.push_back(list.front());
    return some;
  }

private:
  std::deque<Schedule> list;
};

/// One search, and the schedules to compare its choice with.
class Rehearsal {
public:
  Rehearsal(uint64_t seed, llvm::ArrayRef<Schedule> all)
      : random(seed), chip(random), list(all.begin(), all.end()) {
    for (size_t left = list.size(); left > 1; --left)
      std::swap(list[left - 1], list[random.below(left)]);
    options.trials = 2 + random.below(24);
    options.finalists = 1 + random.below(2);
    options.stale = random.below(9);
    ofBuild = take();
    options.ofBuild = [this](const Problem &, const Arch &) { return ofBuild; };
    usual = toString(usualSchedule(problem, evaluator.arch(), {}));
    makeKnown();
    // A schedule that runs without a search is often good.
    for (const std::string &text : {toString(ofBuild), usual, incumbent})
      if (random.below(3) == 0)
        chip.favour(text);
  }

  void run() {
    Session session(problem, evaluator, options);
    session.begin(known);
    if (!session.isDone())
      session.start(makeBuildFirst(ofBuild, std::make_unique<Listed>(list)));
    // Some searches run out of time.
    const size_t end = random.below(4) == 0 ? random.below(6) : SIZE_MAX;
    for (size_t replies = 0; !session.isDone(); ++replies) {
      if (replies >= end)
        session.endTrials();
      std::optional<Question> question = session.next();
      if (question)
        session.take(*question, answer(*question));
      else
        ASSERT_TRUE(session.isDone());
    }
    ASSERT_TRUE(session.getResult().chosen);
    chosen = toString(*session.getResult().chosen);
  }

  /// The names of the schedules that are faster than the choice, by more than
  /// two schedules spread when they take turns.
  std::string slowerThan() {
    double max = chip.truth(chosen) / (1 + chip.spread());
    std::string names;
    for (const auto &[name, text] :
         {std::pair("build", toString(ofBuild)), std::pair("default", usual),
          std::pair("incumbent", incumbent)})
      if (!text.empty() && max > chip.truth(text))
        names += std::string(" ") + name;
    return names;
  }
  bool hasMoved() const { return !incumbent.empty() && chosen != incumbent; }
  bool hasMovedInVain() {
    return hasMoved() && chip.truth(chosen) >= chip.truth(incumbent);
  }
  std::string incumbent, chosen;

private:
  Schedule take() {
    Schedule schedule = list.front();
    list.pop_front();
    return schedule;
  }
  Record recordOf(const Schedule &schedule, Grade grade) {
    // It was measured at another time, when the clock was another.
    double seconds = chip.truth(toString(schedule)) * random.between(0.9, 1.15);
    Record record;
    static_cast<Measurement &>(record) = okIn(seconds);
    record.grade = grade;
    record.problem = problem;
    record.arch = recordArch(evaluator.arch());
    record.schedule = schedule;
    record.toolchain = evaluator.toolchain();
    record.provenance.policy = "evolution";
    record.measuredAt = 1;
    return record;
  }
  /// Nothing, or the records of an earlier search, by this toolchain or by
  /// another. A build may choose schedules that this search has tried.
  void makeKnown() {
    const size_t kind = random.below(4);
    if (kind == 0)
      return;
    std::vector<Record> &records = kind == 1 ? known.stale : known.current;
    records.push_back(recordOf(take(), Grade::chosen));
    incumbent = toString(records.front().schedule);
    for (size_t count = random.below(6); count > 0; --count)
      records.push_back(recordOf(take(), Grade::trial));
    if (random.below(2) == 0)
      records.push_back(recordOf(ofBuild, Grade::trial));
    // Something newer than the choice, so that there is a final.
    if (kind != 1) {
      records.push_back(recordOf(take(), Grade::trial));
      records.back().measuredAt = 2;
    }
  }

  Reply answer(const Question &question) {
    Reply reply;
    if (random.below(4) == 0)
      chip.rest();
    std::vector<std::string> texts;
    for (const Schedule &schedule : question.schedules)
      texts.push_back(toString(schedule));
    constexpr size_t kRounds = 9, kMaxRounds = 36, kTurnsOfTrial = 5;
    reply.rounds.resize(texts.size());
    if (question.isFinal())
      chip.rest();
    const size_t min = question.isFinal() ? kRounds : kTurnsOfTrial;
    const size_t max = question.isFinal() ? kMaxRounds : kTurnsOfTrial;
    for (std::vector<size_t> turns;
         !(turns = nextRound(reply.rounds, min, max)).empty();) {
      for (size_t left = turns.size(); left > 1; --left)
        std::swap(turns[left - 1], turns[random.below(left)]);
      for (size_t at : turns)
        reply.rounds[at].push_back(chip.measure(texts[at]));
    }
    for (auto [text, times] : llvm::zip_equal(texts, reply.rounds)) {
      Measurement measurement;
      measurement.times = quantiles(times);
      reply.measurements.push_back(measurement);
      if (question.isFinal())
        rounds[text] = times;
    }
    return reply;
  }

  const Problem problem = problemOf(512, 512, 512);
  FakeEvaluator evaluator;
  SearchOptions options;
  Random random;
  Chip chip;
  std::deque<Schedule> list;
  Schedule ofBuild;
  std::string usual;
  Known known;
  std::map<std::string, std::vector<double>> rounds; ///< of the final
};

TEST(NeverWorse, AChoiceIsNoSlowerThanWhatRanBefore) {
  const Problem problem = problemOf(512, 512, 512);
  const std::string usual = toString(usualSchedule(problem, h200(), {}));
  std::vector<Schedule> all;
  for (const Schedule &schedule : catalogue(problem, h200()))
    if (all.size() < 60 && toString(schedule) != usual &&
        !checkMemory(schedule, problem))
      all.push_back(schedule);
  size_t moved = 0, inVain = 0;
  for (uint64_t seed = 1; seed <= kRehearsals; ++seed) {
    Rehearsal rehearsal(seed, all);
    rehearsal.run();
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
    EXPECT_EQ(rehearsal.slowerThan(), "") << "seed " << seed;
    moved += rehearsal.hasMoved();
    inVain += rehearsal.hasMovedInVain();
  }
  // An incumbent that is not slower is left in one of twenty searches at most.
  EXPECT_GT(moved, kRehearsals / 8);
  EXPECT_LE(20 * inVain, kRehearsals) << moved;
}

} // namespace
