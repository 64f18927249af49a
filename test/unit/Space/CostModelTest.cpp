//===- CostModelTest.cpp - Tests of the cost model's guarantees -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The estimate is not a measurement, but it grows with the work, no schedule
// exceeds the roofline, and none takes no time.
//
//===----------------------------------------------------------------------===//

#include "hone/Space/CostModel.h"
#include "../Search/Fixtures.h"
#include "hone/Schedule/Convolution.h"
#include "hone/Schedule/Host.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "hone/Space/Catalogue.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

Problem square(int64_t extent) {
  Problem problem;
  problem.m = problem.n = problem.k = extent;
  return problem;
}

TEST(CostModel, IsAboveTheRoofline) {
  for (int64_t extent : {64, 1000, 4096, 16384}) {
    Problem problem = square(extent);
    for (const Schedule &schedule : catalogue(problem, h200()))
      EXPECT_GT(estimateSeconds(problem, h200(), schedule),
                rooflineSeconds(problem, h200()))
          << extent << ": " << toString(schedule);
  }
}

/// One group of all rows costs about as much as a product of them, and groups
/// that have no row are not read.
TEST(CostModel, CountsTheTilesOfGroups) {
  Problem plain = square(4096), ragged = plain;
  ragged.groups = 1;
  WarpSpecialized knobs;
  knobs.tile = {128, 256, 64};
  knobs.consumers = {2, 1};
  Schedule schedule = knobs;
  double seconds = estimateSeconds(plain, h200(), schedule);
  EXPECT_NEAR(estimateSeconds(ragged, h200(), schedule), seconds,
              0.1 * seconds);
  auto of = [&](int64_t rows, int64_t groups) {
    ragged.m = rows;
    ragged.groups = groups;
    return estimateSeconds(ragged, h200(), schedule);
  };
  EXPECT_LT(of(8, 64), 0.3 * of(512, 64));
  EXPECT_LT(of(4096, 8), of(4096, 64));
}

/// From the extents where tiles lie inside the matrix: tiles outside have no
/// work, but take time.
TEST(CostModel, GrowsWithTheWork) {
  for (const Schedule &schedule : catalogue(square(4096), h200()))
    for (int64_t extent = 2048; extent < 16384; extent *= 2)
      EXPECT_LE(estimateSeconds(square(extent), h200(), schedule),
                estimateSeconds(square(2 * extent), h200(), schedule))
          << extent << ": " << toString(schedule);
}

/// If one processor gets two tiles and the others one, the time is that of two.
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

/// Windows that overlap are read from the image, not from a matrix of them. The
/// copy engine loads the channels of one pixel at a step.
TEST(CostModel, ReadsTheImageOfWindows) {
  auto termsOf = [](const char *name, bool isImage) {
    Problem problem = llvm::cantFail(Convolution::parse(name)).in(Problem());
    if (!isImage)
      problem.a.access.reset();
    Schedule schedule = llvm::cantFail(
        parseSchedule("ws, side = a, tile = 128x64x64, consumers = 2x1, "
                      "persistent = yes, stages = 4"));
    return costTerms(problem, h200(), schedule);
  };
  // 2 bytes of images, filters and results, over those with nine times A.
  double image = 32 * 56 * 56 * 64, filters = 576 * 64;
  const char *name = "conv:32x56x56x64:64x3x3:1:1";
  EXPECT_NEAR(termsOf(name, true).bus / termsOf(name, false).bus,
              (2 * image + filters) / (10 * image + filters), 1e-3);
  EXPECT_EQ(termsOf(name, true).steps, termsOf(name, false).steps);
  EXPECT_EQ(termsOf("conv:32x56x56x72:64x3x3:1:1", true).steps,
            2 * termsOf(name, true).steps);
}

/// The copy engine fills memory outside the matrix more slowly than it copies
/// the inside: with the same tiles fewer rows take longer (measured: 52.8 us
/// for 300 rows of 2048x8192, 25.8 for 384).
TEST(CostModel, ChargesWhatLiesOutside) {
  auto secondsOf = [](int64_t m, llvm::StringRef schedule) {
    Problem problem;
    problem.m = m, problem.n = 2048, problem.k = 8192;
    return estimateSeconds(problem, h200(),
                           llvm::cantFail(parseSchedule(schedule)));
  };
  llvm::StringRef three = "ws, side = b, tile = 128x64x64, consumers = 1x1, "
                          "persistent = yes, stages = 7",
                  fitting = "ws, side = b, tile = 104x64x64, consumers = 1x1, "
                            "persistent = yes, stages = 7";
  EXPECT_GT(secondsOf(300, three), 1.3 * secondsOf(384, three));
  EXPECT_LT(secondsOf(300, fitting), secondsOf(384, three));
  // A cluster has all its rows: the second block has only zeros.
  llvm::StringRef cluster = "ws, side = b, tile = 64x64x64, consumers = 1x1, "
                            "persistent = no, cluster = 2x1, stages = 13";
  EXPECT_GT(secondsOf(64, cluster), secondsOf(128, cluster));
  // Tiles that move back copy nothing outside, if the matrix has a whole tile.
  std::string within = (three + ", edge = within").str();
  EXPECT_LE(secondsOf(300, within), secondsOf(384, three));
  EXPECT_DOUBLE_EQ(secondsOf(100, within), secondsOf(100, three));
  // Threads that copy by themselves copy nothing outside.
  llvm::StringRef threads = "mma_sync, tile = 128x64x64";
  EXPECT_LE(secondsOf(300, threads), secondsOf(384, threads));
}

/// Packing takes a launch, and the time of the copied bytes.
TEST(CostModel, ChargesCopies) {
  Problem problem = square(4096);
  auto secondsOf = [&](llvm::StringRef pack) {
    return estimateSeconds(
        problem, h200(),
        llvm::cantFail(parseSchedule(("ws, pack = " + pack).str())));
  };
  double none = secondsOf("none"), one = secondsOf("a"), both = secondsOf("ab");
  EXPECT_EQ(one, secondsOf("b"));
  // Bytes are read and written once, at the bus's rate at most.
  double bytes = 2.0 * 4096 * 4096 * 2;
  EXPECT_GT(both - one, 0.999 * bytes / (h200().memoryGBs * 1e9));
  EXPECT_GT(one - none, both - one);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// A core with 512-bit vectors, on any test machine.
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

/// Measured: with deeper blocks of K, C crosses the caches
/// less often; rows beyond the problem's are wasted work.
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

/// One sum in registers is a chain of dependent ops: a single vector is slow.
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

/// A kind that does not run on an arch has an estimate too.
TEST(CostModel, TakesAnyKind) {
  Host knobs;
  knobs.tile = {192, 256, 64};
  BlockFacts facts = blockFacts(square(4096), knobs);
  EXPECT_EQ(facts.tile, knobs.tile);
  EXPECT_GT(estimateSeconds(square(4096), h200(), knobs), 0);
}

/// The clock scales the time of work on the chip.
TEST(CostModel, HasCoefficients) {
  CostCoefficients slow;
  // At such a low clock the clock is the limit, and not power.
  slow.clockFraction /= 4;
  Schedule schedule = defaultSchedule(square(4096), h200());
  EXPECT_GT(estimateSeconds(square(4096), h200(), schedule, slow),
            2 * estimateSeconds(square(4096), h200(), schedule));
}

} // namespace
