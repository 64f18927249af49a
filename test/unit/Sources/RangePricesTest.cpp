//===- RangePricesTest.cpp - Tests of prices at any value of an extent ----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times of candidates at measured values, and the prices between these.
// RangedSourceTest.cpp tests plans made with such prices.
//
//===----------------------------------------------------------------------===//

#include "lib/Sources/RangePrices.h"
#include "../Search/Fixtures.h"
#include "hone/Space/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using hone::test::h200;
using namespace hone::detail;

namespace {

constexpr size_t kWinner = 0, kOther = 1;

Problem rangedProblem(int64_t m) {
  Problem problem;
  problem.m = m;
  problem.n = 5376;
  problem.k = 2048;
  problem.b.order = Order::col;
  return problem;
}

Schedule scheduleOf(const char *text) {
  return llvm::cantFail(parseSchedule(text));
}

/// The measured times of any problem.
class Times : public Lookup {
public:
  void add(int64_t m, const Schedule &schedule, Grade grade, double seconds) {
    Record record;
    record.problem = rangedProblem(m);
    record.arch = "h200";
    record.schedule = settled(schedule, record.problem);
    record.times = {seconds, seconds, seconds, 9};
    record.grade = grade;
    records.push_back(std::move(record));
  }
  std::optional<Found> find(const Problem &, const std::string &) override {
    return std::nullopt;
  }
  const std::vector<Problem> &problems(const std::string &) override {
    return none;
  }
  std::vector<Record> measured(const Problem &problem,
                               const std::string &) override {
    std::vector<Record> here;
    llvm::copy_if(records, std::back_inserter(here), [&](const Record &record) {
      return record.problem == problem;
    });
    return here;
  }
  std::string name() const override { return "times"; }

private:
  std::vector<Record> records;
  std::vector<Problem> none;
};

/// Two candidates; the first one won at `values`.
class RangePricesTest : public testing::Test {
protected:
  RangePrices pricesOf(llvm::ArrayRef<int64_t> values) {
    RangePrices prices(arch, rule, judge);
    for (int64_t value : values)
      prices.addOwner(value, rangedProblem(value), kWinner, Basis::exact);
    prices.setCandidates(candidates);
    prices.addTimes(times);
    prices.spreadTimes();
    return prices;
  }
  /// The same for 24 and 32 rows, with finals of both.
  RangePrices stairOf(double winner, double otherAt24, double otherAt32) {
    for (auto [value, other] : {std::pair(24, otherAt24), {32, otherAt32}}) {
      times.add(value, candidates[kWinner], Grade::chosen, winner);
      times.add(value, candidates[kOther], Grade::finalist, other);
    }
    return pricesOf({24, 32});
  }
  /// Seconds.
  static double at(const RangePrices &prices, size_t candidate, int64_t value) {
    return std::exp2(prices.at(candidate, rangedProblem(value), value));
  }

  Arch arch = h200();
  RangeRule rule;
  RangeJudge judge;
  std::vector<Schedule> candidates = {
      scheduleOf("ws, side = b, tile = 32x128x64, persistent = no"),
      scheduleOf("ws, side = b, tile = 24x128x64, persistent = no")};
  Times times;
};

TEST_F(RangePricesTest, AreTheTimesOfFinals) {
  times.add(32, candidates[kWinner], Grade::chosen, 8e-6);
  times.add(32, candidates[kOther], Grade::finalist, 9e-6);
  RangePrices prices = pricesOf({32});
  EXPECT_NEAR(at(prices, kWinner, 32), 8e-6, 1e-11);
  EXPECT_NEAR(at(prices, kOther, 32), 9e-6, 1e-11);
}

/// A candidate of a final has no trial time: the best of the other candidates
/// is no winner.
TEST_F(RangePricesTest, AScheduleOutsideOfTheFinalCountsAsItsMiddle) {
  Schedule third = scheduleOf("ws, side = b, tile = 40x128x64"),
           fourth = scheduleOf("ws, side = b, tile = 48x128x64");
  times.add(32, candidates[kWinner], Grade::chosen, 8e-6);
  times.add(32, third, Grade::finalist, 8.4e-6);
  times.add(32, fourth, Grade::finalist, 9e-6);
  // Its trial ran on a cooler chip.
  times.add(32, candidates[kOther], Grade::trial, 7e-6);
  EXPECT_NEAR(at(pricesOf({32}), kOther, 32), 8.4e-6, 1e-11);
  candidates.push_back(scheduleOf("ws, side = b, tile = 56x128x64"));
  times.add(32, candidates.back(), Grade::trial, 14e-6);
  EXPECT_NEAR(at(pricesOf({32}), 2, 32), 16.8e-6, 1e-11);
}

TEST_F(RangePricesTest, TrialsAloneCompare) {
  times.add(32, candidates[kWinner], Grade::trial, 8e-6);
  times.add(32, candidates[kOther], Grade::trial, 9e-6);
  EXPECT_NEAR(at(pricesOf({32}), kOther, 32), 9e-6, 1e-11);
}

/// 25 rows are two tiles of 24, as 32 are.
TEST_F(RangePricesTest, AStepIsAsHighAsWhereItWasTimed) {
  RangePrices prices = stairOf(7.8e-6, 7.6e-6, 9.7e-6);
  auto modelled = [&](int64_t value) {
    return estimateSeconds(rangedProblem(value), arch, candidates[kOther]);
  };
  EXPECT_NEAR(at(prices, kOther, 25), modelled(25) * 9.7e-6 / modelled(32),
              1e-9);
  EXPECT_GT(at(prices, kOther, 25), at(prices, kWinner, 25));
  // One tile at all three.
  EXPECT_NEAR(at(prices, kWinner, 25), 7.8e-6, 1e-7);
}

/// A lower step is not extrapolated.
TEST_F(RangePricesTest, AStepIsNeverLowerThanTheLine) {
  RangePrices prices = stairOf(7.5e-6, 9.7e-6, 7.6e-6);
  EXPECT_GT(at(prices, kOther, 25), 9e-6);
}

} // namespace
