//===- EdgeTest.cpp - Tests of the last tiles' position -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles move back inside the matrix where that saves lines and no element is
// read after a double store. The tests check where, and the resulting facts of
// a block.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Schedule.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

Problem problemOf(llvm::StringRef extents, llvm::StringRef orders = "row col",
                  llvm::StringRef rest = "init = zero") {
  auto [a, b] = orders.split(' ');
  return llvm::cantFail(Problem::parse(
      llvm::formatv("{0}, a = f16:{1}:16, b = f16:{2}:16, acc = f32, c = "
                    "f16:16, {3}",
                    extents, a, b, rest)
          .str()));
}

bool standsBack(llvm::StringRef schedule, const Problem &problem) {
  Schedule before = llvm::cantFail(parseSchedule(schedule));
  Schedule after = settled(before, problem);
  EXPECT_FALSE(check(after, &problem)) << toString(after);
  // Settling twice changes nothing.
  EXPECT_EQ(after, settled(after, problem));
  return WarpSpecialized(after).standsBack;
}

constexpr llvm::StringLiteral kTile =
    "ws, tile = 128x64x64, consumers = 1x1, persistent = no";

TEST(Edge, IsWithinWhereTilesReachBeyond) {
  EXPECT_TRUE(standsBack(kTile, problemOf("m = 450, n = 64, k = 64")));
  EXPECT_TRUE(standsBack(kTile, problemOf("m = 128, n = 72, k = 64")));
  EXPECT_TRUE(standsBack(kTile, problemOf("m = ?, n = 64, k = 64")));
  EXPECT_FALSE(standsBack(kTile, problemOf("m = 512, n = 64, k = 72")));
  // A matrix smaller than a tile stays in one tile.
  EXPECT_FALSE(standsBack(kTile, problemOf("m = 100, n = 56, k = 64")));
}

/// Four blocks have rows of three tiles: one of them has none.
TEST(Edge, IsOfClusters) {
  std::string four = (kTile + ", cluster = 4x1").str();
  EXPECT_FALSE(standsBack(kTile, problemOf("m = 384, n = 64, k = 64")));
  EXPECT_TRUE(standsBack(four, problemOf("m = 384, n = 64, k = 64")));
}

TEST(Edge, IsBeyondWhereResultsAreRead) {
  EXPECT_FALSE(standsBack(
      kTile, problemOf("m = 450, n = 64, k = 64", "row col", "init = read")));
  EXPECT_FALSE(standsBack(
      kTile, problemOf("m = 450, n = 64, k = 64", "row col",
                       "init = zero, epilogue = \"addf(acc, mn:f32)\"")));
  EXPECT_TRUE(standsBack(
      kTile, problemOf("m = 450, n = 64, k = 64", "row col",
                       "init = zero, epilogue = \"addf(acc, n:f32)\"")));
}

/// Each tile cuts K where a worker's run ends.
TEST(Edge, IsBeyondWhereWorkersShareSums) {
  EXPECT_FALSE(standsBack("ws, tile = 128x128x64, streams = yes",
                          problemOf("m = 450, n = 64, k = 64")));
}

TEST(Edge, IsAlongExtentsThatNumberLines) {
  Problem problem = problemOf("m = 450, n = 200, k = 64", "row row");
  Schedule schedule = settled(llvm::cantFail(parseSchedule(kTile)), problem);
  EXPECT_EQ(blockFacts(problem, schedule).standsBack,
            (std::array<bool, 2>{true, false}));
  EXPECT_FALSE(
      standsBack(kTile, problemOf("m = 450, n = 200, k = 64", "col row")));
  EXPECT_FALSE(
      standsBack(kTile, problemOf("m = 128, n = 200, k = 64", "row row")));
}

/// Threads store 16 bytes at once, so columns start with these.
TEST(Edge, IsBeyondWhereATileIsNoLongerThanAStore) {
  Problem problem = problemOf("m = 64, n = 4100, k = 64");
  EXPECT_FALSE(standsBack("ws, tile = 64x8x64, consumers = 1x1", problem));
  EXPECT_TRUE(standsBack("ws, tile = 64x16x64, consumers = 1x1", problem));
}

TEST(Edge, OtherKindsHaveNone) {
  Problem problem = problemOf("m = 450, n = 64, k = 64");
  Schedule schedule = llvm::cantFail(parseSchedule("mma_sync"));
  EXPECT_EQ(settled(schedule, problem), schedule);
}

} // namespace
