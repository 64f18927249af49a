//===- CostModelTest.cpp - What the estimate must get right ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The estimate is not a measurement, but it grows with the work, and no
// schedule beats the roofline or is free.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/CostModel.h"
#include "hone/Schedule/Host.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Search/Catalogue.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

Problem square(int64_t extent) {
  Problem problem;
  problem.m = problem.n = problem.k = extent;
  return problem;
}

Arch h200() { return llvm::cantFail(Arch::lookup("h200")); }

TEST(CostModel, IsAboveTheRoofline) {
  for (int64_t extent : {64, 1000, 4096, 16384}) {
    Problem problem = square(extent);
    for (const Schedule &schedule : catalogue(problem, h200()))
      EXPECT_GT(estimateSeconds(problem, h200(), schedule),
                rooflineSeconds(problem, h200()))
          << extent << ": " << toString(schedule);
  }
}

TEST(CostModel, GrowsWithTheWork) {
  for (const Schedule &schedule : catalogue(square(4096), h200()))
    for (int64_t extent = 64; extent < 8192; extent *= 2)
      EXPECT_LE(estimateSeconds(square(extent), h200(), schedule),
                estimateSeconds(square(2 * extent), h200(), schedule))
          << extent << ": " << toString(schedule);
}

/// A tile of which one processor gets two and the others one costs two.
TEST(CostModel, CountsWholeWaves) {
  MmaSync knobs;
  knobs.tile = {128, 128, 32};
  Problem one = square(4096), two = square(4096);
  one.m = 132 * 128;
  two.m = 133 * 128;
  one.n = two.n = 128;
  double ratio =
      estimateSeconds(two, h200(), knobs) / estimateSeconds(one, h200(), knobs);
  EXPECT_GT(ratio, 1.4);
}

/// Copies of operands take a launch, and the time of their bytes.
TEST(CostModel, ChargesCopies) {
  Problem problem = square(4096);
  auto secondsOf = [&](llvm::StringRef pack) {
    return estimateSeconds(
        problem, h200(),
        llvm::cantFail(parseSchedule(("ws, pack = " + pack).str())));
  };
  double none = secondsOf("none"), one = secondsOf("a"), both = secondsOf("ab");
  EXPECT_EQ(one, secondsOf("b"));
  // Read and written once, at the bus's rate at most.
  double bytes = 2.0 * 4096 * 4096 * 2;
  EXPECT_GT(both - one, 0.999 * bytes / (h200().memoryGBs * 1e9));
  EXPECT_GT(one - none, both - one);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// A core with 512-bit vectors, whatever this one has.
Arch wideHost() {
  Arch host = llvm::cantFail(Arch::lookup("host"));
  host.vectorBits = 512;
  host.processors = 1;
  host.peakTflops = 2 * 16 * 2 * host.clockGHz / 1000;
  return host;
}

Problem hostProblem(int64_t m, int64_t n, int64_t k) {
  Problem problem;
  problem.m = m, problem.n = n, problem.k = k;
  problem.a.type = problem.b.type = problem.c = ElementType::f32;
  return problem;
}

TEST(HostCostModel, IsAboveTheRooflineAndGrows) {
  Arch host = wideHost();
  Problem small = hostProblem(100, 100, 100),
          large = hostProblem(900, 900, 900);
  for (const Schedule &schedule : catalogue(large, host)) {
    EXPECT_GT(estimateSeconds(large, host, schedule),
              rooflineSeconds(large, host))
        << toString(schedule);
    EXPECT_LT(estimateSeconds(small, host, schedule),
              estimateSeconds(large, host, schedule))
        << toString(schedule);
  }
}

/// What was measured and is in docs/Host.md: C crosses the caches less often
/// with deeper blocks of K, and more rows than the problem has are wasted.
TEST(HostCostModel, KnowsWhatWasMeasured) {
  Arch host = wideHost();
  Problem large = hostProblem(2048, 2048, 2048),
          row = hostProblem(1, 2048, 512);
  Host shallow, deep, wide, flat;
  shallow.micro = deep.micro = {6, 64};
  shallow.tile = {96, 4096, 256};
  deep.tile = {96, 4096, 1024};
  EXPECT_LT(estimateSeconds(large, host, deep),
            estimateSeconds(large, host, shallow));
  wide.micro = {14, 32}, wide.tile = {112, 4096, 512};
  flat.micro = {1, 64}, flat.tile = {16, 4096, 512};
  EXPECT_LT(estimateSeconds(row, host, flat), estimateSeconds(row, host, wide));
}

/// One sum in registers waits for itself: a single vector is slow.
TEST(HostCostModel, PrefersManySums) {
  Arch host = wideHost();
  Problem problem = hostProblem(512, 512, 512);
  Host one, many;
  one.micro = {1, 16}, one.tile = {64, 4096, 512};
  many.micro = {6, 64}, many.tile = {96, 4096, 512};
  EXPECT_LT(3 * estimateSeconds(problem, host, many),
            estimateSeconds(problem, host, one));
}

TEST(HostCatalogue, HasBlocksThatDiffer) {
  Arch host = wideHost();
  for (int64_t extent : {1, 40, 512, 4096}) {
    Problem problem = hostProblem(extent, extent, extent);
    EXPECT_GE(catalogue(problem, host).size(), 5u) << extent;
    EXPECT_LE(catalogue(problem, host).size(), 200u) << extent;
  }
  // Small problems do not distinguish large blocks.
  EXPECT_LT(catalogue(hostProblem(40, 40, 40), host).size(),
            catalogue(hostProblem(4096, 4096, 4096), host).size());
}

/// A kind that does not run on an arch has an estimate all the same.
TEST(CostModel, TakesAnyKind) {
  Host knobs;
  knobs.tile = {192, 256, 64};
  BlockFacts facts = blockFacts(square(4096), knobs);
  EXPECT_EQ(facts.tile, knobs.tile);
  EXPECT_GT(estimateSeconds(square(4096), h200(), knobs), 0);
}

/// The clock scales what happens on the chip.
TEST(CostModel, HasCoefficients) {
  CostCoefficients slow;
  // So slow that it is the clock that limits, and not power.
  slow.clockFraction /= 4;
  Schedule schedule = defaultSchedule(square(4096), h200());
  EXPECT_GT(estimateSeconds(square(4096), h200(), schedule, slow),
            2 * estimateSeconds(square(4096), h200(), schedule));
}

} // namespace
