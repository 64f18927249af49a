//===- RangedSourceTest.cpp - Tests of kernels and bounds for open extents ===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source with measurements and with sources for known extents. `hone-lab
// ranges` replays how good its answers are.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/RangedSource.h"
#include "../Search/Fixtures.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Sources/ModelSource.h"
#include "hone/Space/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>
#include <set>

using namespace hone;
using hone::test::h200;

namespace {

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

Problem rowsProblem(int64_t m) {
  Problem problem;
  problem.m = m;
  problem.n = problem.k = 4096;
  return problem;
}

const char *const kFew = "ws, side = b, tile = 16x64x128, consumers = 1x1, "
                         "persistent = no, stages = 8";
const char *const kMany = "ws, tile = 128x256x64, consumers = 2x1";

Found foundOf(int64_t m, llvm::StringRef schedule) {
  Found found;
  found.record.problem = rowsProblem(m);
  found.record.arch = "h200";
  found.record.schedule =
      settled(llvm::cantFail(parseSchedule(schedule)), found.record.problem);
  found.record.times = {1e-5, 1e-5, 1e-5, 9};
  return found;
}

/// The answer from a list of measurements, and from nothing else.
std::optional<Answer> ask(std::vector<Found> known, const Problem &problem,
                          RangeRule rule = {}) {
  std::shared_ptr<Lookup> lookup = makeLookup(std::move(known), "list");
  return makeRangedSource({makeExactSource(lookup)}, {lookup}, rule)
      ->ask(problem, h200());
}

TEST(Ranged, StaticMeasurementsServeAnOpenExtent) {
  std::vector<Found> known = {foundOf(16, kFew), foundOf(4096, kMany),
                              foundOf(8192, kMany)};
  auto answer = ask(known, rowsProblem(kDynamic));
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->ranges.size(), 1u);
  // Between the measured values tiles do not fit, and move back.
  auto open = [](const Found &found) {
    return settled(found.record.schedule, rowsProblem(kDynamic));
  };
  EXPECT_EQ(answer->ranges[0].schedule, open(known[0]));
  EXPECT_EQ(answer->schedule, open(known[1]));
  EXPECT_GE(answer->ranges[0].max, 16);
  EXPECT_LT(answer->ranges[0].max, 4096);
  EXPECT_EQ(answer->basis, Basis::rounded);
  EXPECT_EQ(answer->source, "2 kernels by m (list, exact)");
  EXPECT_FALSE(check(*answer, nullptr, nullptr));
}

TEST(Ranged, OneKernelIsOneSchedule) {
  RangeRule rule;
  rule.max = 1;
  auto answer = ask({foundOf(16, kFew), foundOf(4096, kMany)},
                    rowsProblem(kDynamic), rule);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->ranges.empty());
}

TEST(Ranged, TheOrderOfWhatIsKnownDoesNotMatter) {
  std::vector<Found> known = {foundOf(16, kFew), foundOf(300, kMany),
                              foundOf(8192, kMany)};
  std::string forward = ask(known, rowsProblem(kDynamic))->text();
  std::reverse(known.begin(), known.end());
  EXPECT_EQ(ask(known, rowsProblem(kDynamic))->text(), forward);
}

TEST(Ranged, HasNoAnswerElsewhere) {
  std::vector<Found> known = {foundOf(16, kFew)};
  EXPECT_FALSE(ask(known, rowsProblem(16)));
  EXPECT_FALSE(ask({}, rowsProblem(kDynamic)));
  Problem two = rowsProblem(kDynamic);
  two.n = kDynamic;
  EXPECT_FALSE(ask(known, two));
  Problem batched = rowsProblem(kDynamic);
  batched.batch = kDynamic;
  EXPECT_FALSE(ask(known, batched));
  // Another layout is another problem.
  Problem other = rowsProblem(kDynamic);
  other.b.order = Order::col;
  EXPECT_FALSE(ask(known, other));
}

TEST(Ranged, GuessesServeIt) {
  ScheduleSources sources = {std::make_shared<ModelSource>()};
  auto answer =
      makeRangedSource(sources, {})->ask(rowsProblem(kDynamic), h200());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->basis, Basis::guess);
  EXPECT_GE(answer->ranges.size(), 1u);
  EXPECT_LE(answer->ranges.size(), ScheduleRanges::maxRanges);
  Problem asked = rowsProblem(kDynamic);
  Arch arch = h200();
  EXPECT_FALSE(check(*answer, &asked, &arch));
}

/// The schedule of a plan for a value of the open extent.
const Schedule &chosenAt(const Answer &answer, int64_t value) {
  for (const auto &range : answer.ranges)
    if (value <= range.max)
      return range.schedule;
  return answer.schedule;
}

/// A build asks at a tenth of the values. Where it chooses otherwise, its
/// kernels are nearly as fast by the judge's prices.
TEST(Ranged, FewAnswersAreNearlyAsGood) {
  ScheduleSources sources = {std::make_shared<LearnedSource>(kBriefLooks),
                             std::make_shared<ModelSource>()};
  RangeRule few;
  few.asksAll = false;
  Problem problem = rowsProblem(kDynamic);
  auto all =
      makeRangedSource(sources, {}, {}, learnedJudge())->ask(problem, h200());
  auto quick =
      makeRangedSource(sources, {}, few, learnedJudge())->ask(problem, h200());
  ASSERT_TRUE(all && quick);
  Arch arch = h200();
  EXPECT_FALSE(check(*quick, &problem, &arch));
  double loss = 0;
  for (int64_t value : fineRangeLadder()) {
    Problem here = withExtent(problem, 'm', value);
    std::vector<double> prices =
        judgedPrices(Model::shipped(), here, arch,
                     {chosenAt(*quick, value), chosenAt(*all, value)});
    ASSERT_EQ(prices.size(), 2u);
    EXPECT_LT(prices[0] - prices[1], 0.15) << value;
    loss += prices[0] - prices[1];
  }
  EXPECT_LT(loss / double(fineRangeLadder().size()), 0.02);
}

//===----------------------------------------------------------------------===//
// Advice
//===----------------------------------------------------------------------===//

/// Measurements whose times are the cost model's.
class TimedLookup : public Lookup {
public:
  explicit TimedLookup(std::vector<Found> known) : all(std::move(known)) {
    for (Found &found : all) {
      double seconds =
          estimateSeconds(found.record.problem, h200(), found.record.schedule);
      found.record.times = {seconds, seconds, seconds, 9};
      found.record.grade = Grade::chosen;
    }
    list = makeLookup(all, "list");
  }
  std::optional<Found> find(const Problem &problem,
                            const std::string &chip) override {
    return list->find(problem, chip);
  }
  const std::vector<Problem> &problems(const std::string &chip) override {
    return list->problems(chip);
  }
  std::vector<Record> measured(const Problem &problem,
                               const std::string &) override {
    std::vector<Record> records;
    for (const Found &found : all)
      if (found.record.problem == problem)
        records.push_back(found.record);
    return records;
  }
  std::string name() const override { return list->name(); }

private:
  std::vector<Found> all;
  std::shared_ptr<Lookup> list;
};

RangeAdvice adviseOn(std::vector<Found> known,
                     llvm::ArrayRef<int64_t> searched) {
  auto lookup = std::make_shared<TimedLookup>(std::move(known));
  return makeRangedSource({makeExactSource(lookup)}, {lookup})
      ->advise(rowsProblem(kDynamic), h200(), searched);
}

/// 1024 rows are 128 tiles, one round, and 1025 are two.
TEST(RangeAdvice, DoubtsAStairAboveTheLine) {
  RangeAdvice advice =
      adviseOn({foundOf(1024, kMany), foundOf(2048, kMany)}, {1024, 2048});
  ASSERT_FALSE(advice.doubts.empty());
  EXPECT_GT(advice.doubts.front().extent, 1024 * 1.05);
  EXPECT_LT(advice.doubts.front().extent, 1200);
  EXPECT_GT(advice.doubts.front().loss, 0.4);
  for (size_t at = 1; at < advice.doubts.size(); ++at) {
    EXPECT_LE(advice.doubts[at].loss, advice.doubts[at - 1].loss);
    for (size_t other = 0; other < at; ++other)
      EXPECT_GE(std::abs(std::log2(double(advice.doubts[at].extent) /
                                   double(advice.doubts[other].extent))),
                0.08);
  }
}

TEST(RangeAdvice, DoubtsNothingThatWasSearchedAndNothingElsewhere) {
  std::vector<Found> known = {foundOf(1024, kMany), foundOf(1088, kMany),
                              foundOf(2048, kMany)};
  for (const RangeDoubt &doubt : adviseOn(known, {1024, 1088, 2048}).doubts)
    EXPECT_GT(doubt.extent, 1088 * 1.05);
  // A trial at 1088 does not predict the result of a search there.
  RangeAdvice tried = adviseOn(known, {1024, 2048});
  ASSERT_FALSE(tried.doubts.empty());
  EXPECT_LT(tried.doubts.front().extent, 1200);
  // Outside the searched values there is no estimate.
  EXPECT_TRUE(adviseOn(known, {1024}).doubts.empty());
  EXPECT_TRUE(adviseOn(known, {}).doubts.empty());
}

TEST(RangeAdvice, ContestsAreOfUntimedCandidatesThatMayWin) {
  const char *const other =
      "ws, tile = 128x256x64, consumers = 2x1, stages = 3";
  RangeAdvice advice =
      adviseOn({foundOf(16, kFew), foundOf(1024, kMany), foundOf(2048, other)},
               {16, 1024, 2048});
  Arch arch = h200();
  // Tiles of 128 rows are not timed for 16, nor the reverse.
  ASSERT_EQ(advice.contests.size(), 2u);
  EXPECT_EQ(advice.contests[0].extent, 1024);
  EXPECT_EQ(advice.contests[1].extent, 2048);
  const char *const wanted[] = {other, kMany};
  for (auto [contest, text] : llvm::zip(advice.contests, wanted)) {
    Problem here = rowsProblem(contest.extent);
    ASSERT_EQ(contest.schedules.size(), 1u);
    EXPECT_EQ(contest.schedules.front(),
              foundOf(contest.extent, text).record.schedule);
    EXPECT_FALSE(check(contest.schedules.front(), &here, &arch));
  }
  EXPECT_TRUE(adviseOn({}, {}).contests.empty());
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

TEST(Ranged, KnowsWhichExtentIsOpen) {
  EXPECT_EQ(openExtent(rowsProblem(kDynamic)), 'm');
  EXPECT_EQ(openExtent(rowsProblem(1)), std::nullopt);
  Problem problem = rowsProblem(8);
  problem.k = kDynamic;
  EXPECT_EQ(openExtent(problem), 'k');
  problem.n = kDynamic;
  EXPECT_EQ(openExtent(problem), std::nullopt);
}

TEST(Ranged, LinesOfAnOpenExtentAreAsLongAsItIs) {
  Problem problem = rowsProblem(8);
  problem.k = kDynamic;
  problem.a.align = 2;
  EXPECT_EQ(withExtent(problem, 'k', 64).a.align, 16);
  EXPECT_EQ(withExtent(problem, 'k', 65).a.align, 2);
  EXPECT_EQ(withExtent(problem, 'k', 66).a.align, 4);
  // B's lines run along N here.
  EXPECT_EQ(withExtent(problem, 'k', 65).b.align, 16);
  EXPECT_EQ(withExtent(problem, 'k', 65).k, 65);
}

TEST(Ranged, TheLadderClimbs) {
  std::vector<int64_t> ladder = rangeLadder();
  EXPECT_TRUE(llvm::is_sorted(ladder));
  EXPECT_EQ(ladder.front(), 1);
  EXPECT_EQ(ladder.back(), 8192);
  std::vector<int64_t> fine = fineRangeLadder();
  EXPECT_TRUE(llvm::is_sorted(fine));
  EXPECT_EQ(fine.back(), 8192);
  EXPECT_TRUE(
      std::includes(fine.begin(), fine.end(), ladder.begin(), ladder.end()));
  EXPECT_TRUE(llvm::is_contained(fine, 288));
}

} // namespace
