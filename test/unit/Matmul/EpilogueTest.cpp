//===- EpilogueTest.cpp - Tests of an epilogue's rounding allowance -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that rounds the steps of an epilogue as the program specifies is
// within the allowance; a kernel that leaves a step out is not.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Epilogue.h"
#include "hone/Driver/Compile.h"
#include "hone/Matmul/GemmData.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <random>

using namespace hone;

namespace {

class EpilogueSteps : public testing::Test {
protected:
  EpilogueSteps() : context(makeContext()) {}

  /// The results for 4096 normal sums, computed like a reference.
  std::vector<Inexact<double>> resultsOf(llvm::StringRef epilogue) {
    Problem problem;
    problem.m = problem.n = problem.k = 64;
    problem.epilogue = epilogue.str();
    GemmTask task = llvm::cantFail(GemmTask::of(*context, problem));
    std::mt19937_64 dice(1);
    std::normal_distribution<double> normal;
    std::vector<Inexact<double>> results;
    for (int i = 0; i < 4096; ++i) {
      sums.push_back(normal(dice));
      results.push_back(task.finish(sums.back(), {}));
    }
    return results;
  }

  std::unique_ptr<mlir::MLIRContext> context;
  std::vector<double> sums;
};

double inF16(double value) { return roundTo(ElementType::f16, value); }

TEST_F(EpilogueSteps, OfOneThatStoresNothingNarrowerIsSmall) {
  double steps = roundingOfSteps(
      resultsOf("mulf(acc, 3.0:f32) | addf($0, 1.0:f32)"), ElementType::f16);
  EXPECT_LT(steps, 0.1 * unitRoundoff(ElementType::f16));
}

TEST_F(EpilogueSteps, MakesBytesAsTheReferenceDoes) {
  Problem problem;
  problem.m = problem.n = problem.k = 64;
  problem.a.type = problem.b.type = problem.c = ElementType::i8;
  problem.acc = ElementType::i32;
  problem.epilogue = requantizedText();
  GemmTask task = llvm::cantFail(GemmTask::of(*context, problem));
  EXPECT_EQ(requantize(250, 0.01f), 2); // 2.5, to even
  EXPECT_EQ(requantize(350, -0.01f), -4);
  EXPECT_EQ(requantize(-1e9, 1), -127);
  for (int sum = -20000; sum <= 20000; sum += 7) {
    double factor = float(0.01);
    Inexact<double> wanted = task.finish(sum, factor);
    // Next to a half the reference is uncertain, and has an error bound for it.
    EXPECT_LE(unitsOff(ElementType::i8, requantize(sum, factor), wanted), 1)
        << sum;
  }
}

TEST_F(EpilogueSteps, EveryRoundingCounts) {
  // Five roundings, all to f16.
  std::string text = "truncf(acc):f16";
  for (int step = 0; step < 4; ++step)
    text += llvm::formatv(" | mulf(${0}, 1.299804688:f16)", step).str();
  std::vector<Inexact<double>> results = resultsOf(text);
  double allowed = roundingOfSteps(results, ElementType::f16);
  double worst = 0, worstWithoutOne = 0;
  for (auto [sum, result] : llvm::zip_equal(sums, results)) {
    double value = inF16(sum), before = 0;
    for (int step = 0; step < 4; ++step) {
      before = value;
      value = inF16(value * 1.299804688);
    }
    worst = std::max(worst, std::abs(value - result.value));
    worstWithoutOne =
        std::max(worstWithoutOne, std::abs(before - result.value));
  }
  EXPECT_LT(worst, allowed);
  EXPECT_GT(worstWithoutOne, 10 * allowed);
  // Four units of the largest step would not cover more and more steps; and the
  // allowance is at most the sum over the steps.
  EXPECT_LT(allowed, 40 * unitRoundoff(ElementType::f16) * 15);
}

/// At a jump of a step, rounding before it may change the result by any amount.
/// The allowance elsewhere must stay small.
TEST_F(EpilogueSteps, JumpsAreExcluded) {
  std::vector<Inexact<double>> results =
      resultsOf("truncf(acc):f16 | cmpf<ogt>($0, 0:f16) | "
                "select($1, 100.0:f16, 0:f16) | addf($0, $2)");
  EXPECT_LT(roundingOfSteps(results, ElementType::f16), 2);
}

TEST_F(EpilogueSteps, WithoutResultsThereAreNone) {
  EXPECT_EQ(roundingOfSteps({}, ElementType::f16), 0);
  EXPECT_EQ(
      roundingOfSteps({{1, std::numeric_limits<double>::infinity()}, {0, 0}},
                      ElementType::f16),
      0);
}

} // namespace
