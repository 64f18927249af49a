//===- WriterTest.cpp - Tests of schedules written by a network -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An untrained writer follows the cost model. Trained or not, under a mask it
// writes legal schedules, its odds are a distribution, and `likeliest` returns
// the schedules with the highest odds.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Writer.h"
#include "WriterFixtures.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Policy/Objective.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

const NetworkShape kWriterShape = {0, 16, 2, 1, 16};

/// A writer with random weights.
Ensemble opinionated(uint64_t seed, Kinds kinds = allKinds()) {
  Ensemble networks = untrainedWriter(kWriterShape, 1, kinds);
  networks.networks.front().initialize(seed);
  std::mt19937_64 dice(seed);
  Vector &weights = networks.networks.front().parameters();
  for (float &value : weights)
    value += 0.02f * (float(dice() >> 40) * 0x1p-23f - 1);
  return networks;
}

/// Results for the first schedules of a pool; one failed.
std::vector<Tried> resultsOf(const Pool &pool, size_t count) {
  std::vector<Tried> context;
  for (size_t at = 0; at < std::min(count, pool.readings.size()); ++at) {
    context.push_back({pool.readings[at],
                       pool.readings[at].logEstimate + 0.1 * double(at % 3)});
    if (at == 1)
      context.back().logSeconds.reset();
  }
  return context;
}

TEST(Writer, UntrainedItSpeaksAsTheCostModel) {
  Language language;
  Ensemble networks = untrainedWriter(kWriterShape, 2);
  for (Network &network : networks.networks)
    network.initialize(3);
  for (const Problem &problem : someProblems()) {
    Pool pool(problem, h200());
    std::vector<double> logits;
    for (const Reading &reading : pool.readings)
      logits.push_back(-reading.logEstimate / kWriterTau);
    std::vector<double> wanted = softmaxOf(logits);
    Trie mask(language, pool.schedules, pool.readings);
    Writer writer(networks, language, mask, resultsOf(pool, 5));
    for (auto [schedule, odds] : llvm::zip_equal(pool.schedules, wanted)) {
      std::optional<double> said = writer.logOddsOf(schedule);
      ASSERT_TRUE(said);
      EXPECT_NEAR(*said, std::log(odds), 1e-5) << toString(schedule);
    }
    for (const Written &written : writer.likeliest(5))
      EXPECT_NEAR(written.logSeconds,
                  pool.readings[mask.placeOf(written.state)].logEstimate, 1e-6);
    // One of the fastest: several may have the same estimate.
    auto first =
        llvm::find(pool.schedules, writer.likeliest(1).front().schedule);
    ASSERT_NE(first, pool.schedules.end());
    EXPECT_NEAR(logits[first - pool.schedules.begin()],
                *llvm::max_element(logits), 1e-6);
  }
}

TEST(Writer, OddsAreADistribution) {
  Language language;
  Ensemble networks = opinionated(1);
  for (const Problem &problem : someProblems()) {
    Pool pool(problem, h200());
    Trie mask(language, pool.schedules, pool.readings);
    Writer writer(networks, language, mask, resultsOf(pool, 4));
    double sum = 0;
    std::vector<double> all;
    for (const Schedule &schedule : pool.schedules) {
      all.push_back(*writer.logOddsOf(schedule));
      sum += std::exp(all.back());
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    // `likeliest` returns the schedules with the highest odds, with those odds.
    llvm::sort(all, std::greater<double>());
    std::vector<Written> best = writer.likeliest(25);
    ASSERT_EQ(best.size(), std::min<size_t>(25, all.size()));
    for (auto [written, odds] :
         llvm::zip_equal(best, llvm::ArrayRef(all).take_front(best.size()))) {
      EXPECT_NEAR(written.logOdds, odds, 1e-9);
      EXPECT_EQ(*writer.logOddsOf(written.schedule), written.logOdds);
    }
    EXPECT_EQ(writer.likeliest(10000).size(), pool.schedules.size());
  }
}

TEST(Writer, UnderAMaskItWritesWhatIsLegal) {
  Language language;
  std::mt19937_64 dice(2);
  size_t broken = 0, drawn = 0;
  for (llvm::StringRef chip : {"h200", "sm_80"})
    for (const Problem &problem : someProblems())
      for (uint64_t seed : {1, 2}) {
        Pool pool(problem, archOf(chip));
        Ensemble networks = opinionated(seed);
        Trie trie(language, pool.schedules, pool.readings);
        Writer writer(networks, language, trie, {});
        for (int draws = 0; draws < 30; ++draws) {
          Written written = writer.draw(dice);
          EXPECT_TRUE(pool.space.contains(written.schedule));
          EXPECT_EQ(written.logOdds, *writer.logOddsOf(written.schedule));
        }
        Loose loose(language, pool.schedules, pool.readings);
        Writer wild(networks, language, loose, {});
        for (int draws = 0; draws < 10; ++draws, ++drawn)
          broken += !pool.space.contains(wild.draw(dice).schedule);
      }
  // Without a mask some of its schedules are illegal.
  EXPECT_GT(broken, drawn / 20);
  EXPECT_LT(broken, drawn);
}

TEST(Writer, DrawsAsOftenAsItSays) {
  Language language;
  Pool pool(problemOf(1024, 1024, 1024), h200());
  Trie mask(language, pool.schedules, pool.readings);
  Ensemble networks = opinionated(4);
  Writer writer(networks, language, mask, {});
  std::mt19937_64 dice(1), same(1);
  std::map<Mask::State, int> counts;
  constexpr int kDraws = 20000;
  for (int draws = 0; draws < kDraws; ++draws)
    ++counts[writer.draw(dice).state];
  for (const Written &written : writer.likeliest(8)) {
    double wanted = std::exp(written.logOdds) * kDraws;
    EXPECT_NEAR(counts[written.state], wanted, 5 * std::sqrt(wanted) + 3);
  }
  EXPECT_EQ(writer.draw(same).schedule,
            Writer(networks, language, mask, {})
                .draw(*std::make_unique<std::mt19937_64>(1))
                .schedule);
}

TEST(Writer, ResultsMatter) {
  Language language;
  Pool pool(problemOf(1024, 1024, 1024), h200());
  Trie mask(language, pool.schedules, pool.readings);
  Ensemble networks = opinionated(5);
  std::vector<Tried> context = resultsOf(pool, 6), other = context;
  other.back().logSeconds = *other.back().logSeconds + 0.7;
  auto oddsOf = [&](llvm::ArrayRef<Tried> received) {
    return Writer(networks, language, mask, received).logOdds(0).vec();
  };
  EXPECT_EQ(oddsOf(context), oddsOf(context));
  EXPECT_NE(oddsOf(context), oddsOf({}));
  EXPECT_NE(oddsOf(context), oddsOf(other));
}

TEST(Writer, NothingElseHasOdds) {
  Language language;
  Pool pool(problemOf(1024, 1024, 1024), h200());
  Schedule last = pool.schedules.back();
  pool.schedules.pop_back();
  pool.readings.pop_back();
  Trie mask(language, pool.schedules, pool.readings);
  Ensemble networks = opinionated(6);
  Writer writer(networks, language, mask, {});
  EXPECT_EQ(writer.logOddsOf(last), std::nullopt);
  EXPECT_EQ(writer.logOddsOf(Schedule(*allKinds().back())), std::nullopt);
}

/// Weights whose output is not finite have no effect.
TEST(Writer, OverflowsGiveFiniteTimes) {
  Language language;
  Pool pool(problemOf(1024, 1024, 1024), h200());
  Trie mask(language, pool.schedules, pool.readings);
  Ensemble networks = untrainedWriter(kWriterShape, 1);
  networks.networks.front().parameters().setConstant(3e38f);
  Writer writer(networks, language, mask, resultsOf(pool, 3));
  for (const Written &written : writer.likeliest(5))
    EXPECT_TRUE(std::isfinite(written.logOdds));
  // Large weights give finite outputs, and every possible word is still legal.
  networks.networks.front().parameters().setConstant(1e4f);
  std::mt19937_64 dice(1);
  Writer loud(networks, language, mask, {});
  for (int draws = 0; draws < 20; ++draws)
    EXPECT_TRUE(pool.space.contains(loud.draw(dice).schedule));
}

//===----------------------------------------------------------------------===//
// A decision that was added later
//===----------------------------------------------------------------------===//

TEST(Writer, OldWeightsCoverAllButTheNewDecision) {
  static const Kind *const kBefore[] = {&MmaSync::kind()};
  Problem problem = problemOf(512, 768, 1024);
  Pool before(problem, h200(), kBefore, 0);
  Model model(kWriterShape, 1, kBefore);
  model.writer = opinionated(7, kBefore);
  model.writer->normalizeBy([&] {
    Language language(kBefore);
    std::vector<Reading> sample;
    for (const Reading &reading : before.readings)
      sample.push_back(WordReader(language).whole(reading));
    return sample;
  }());
  Language old(kBefore), now(kWithHint);
  Trie mask(old, before.schedules, before.readings);
  Writer writer(*model.writer, old, mask, resultsOf(before, 3));

  Model read = llvm::cantFail(Model::parse(model.str(), kWithHint));
  // The same schedules, with every hint.
  std::vector<Schedule> wide;
  for (const Schedule &schedule : before.schedules)
    for (int64_t hint : {3, 1, 2}) {
      Schedule hinting(hinted());
      llvm::copy(schedule.numbers(), hinting.numbers().begin());
      hinting.numbers().back() = hint;
      wide.push_back(hinting);
    }
  std::vector<Schedule> pool;
  std::vector<Reading> readings;
  Reader reader(problem, h200(), {}, kWithHint);
  for (const Schedule &schedule : wide)
    if (read.writer->covers(schedule)) {
      pool.push_back(schedule);
      readings.push_back(reader.read(schedule));
    }
  ASSERT_EQ(pool.size(), before.schedules.size());
  Trie wideMask(now, pool, readings);
  std::vector<Tried> received;
  for (auto [tried, reading] :
       llvm::zip(resultsOf(before, 3), llvm::ArrayRef(readings)))
    received.push_back({reading, tried.logSeconds});
  Writer after(*read.writer, now, wideMask, received);
  std::mt19937_64 dice(1);
  for (int draws = 0; draws < 50; ++draws)
    EXPECT_EQ(after.draw(dice).schedule.numbers().back(), 1);
  for (auto [schedule, same] : llvm::zip_equal(before.schedules, pool))
    EXPECT_NEAR(*after.logOddsOf(same), *writer.logOddsOf(schedule), 1e-9);
}

TEST(Writer, OldWeightsWriteNoNewKind) {
  static const Kind *const kBefore[] = {&MmaSync::kind()};
  Model old(kWriterShape, 1, kBefore);
  old.writer = opinionated(8, kBefore);
  Model model = llvm::cantFail(Model::parse(old.str()));
  Space space(problemOf(1024, 1024, 1024), h200(), {}, allKinds());
  for (const Schedule &schedule : space.listed())
    EXPECT_EQ(model.writer->covers(schedule),
              &schedule.kind() == &MmaSync::kind());
  std::optional<Schedule> written = writtenSchedule(model, space);
  ASSERT_TRUE(written);
  EXPECT_EQ(&written->kind(), &MmaSync::kind());
  auto policy = makeLearnedPolicy(model, space, 1, {false, /*writes=*/true});
  for (int round = 0; round < 6; ++round)
    for (const Schedule &schedule : policy->propose(8)) {
      EXPECT_EQ(&schedule.kind(), &MmaSync::kind());
      policy->receive(schedule, okIn(timeOf(schedule)));
    }
}

} // namespace
