//===- DrawTest.cpp - Tests of schedules drawn for a problem --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drawn schedules keep the laws, differ, are the same every time, include tiles
// that fit, and are never worse than the catalogue by the model's estimate.
//
//===----------------------------------------------------------------------===//

#include "hone/Space/Draw.h"
#include "../Search/Fixtures.h"
#include "hone/Schedule/Host.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Space.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hone;
using namespace hone::test;

namespace {

/// Layers of models, odd sizes, powers of two; few rows and many.
std::vector<Problem> manyProblems() {
  return {problemOf(200, 12288, 4096), problemOf(900, 2816, 2048, Order::row),
          problemOf(577, 1024, 4096),  problemOf(203, 2048, 1408),
          problemOf(1, 4096, 4096),    problemOf(96, 5120, 25600, Order::row),
          problemOf(4096, 4096, 4096), problemOf(64, 64, 64),
          problemOf(5000, 5000, 5000)};
}

TEST(Draw, KeepsTheLawsAndRepeatsNothing) {
  for (llvm::StringRef chip : {"h200", "a100"})
    for (const Problem &problem : manyProblems()) {
      Arch arch = archOf(chip);
      std::set<std::string> seen;
      for (const Priced &one : drawn(problem, arch, quickDraw())) {
        EXPECT_EQ(check(one.schedule, &problem, &arch).value_or("legal"),
                  "legal");
        EXPECT_FALSE(checkMemory(one.schedule, problem));
        EXPECT_TRUE(seen.insert(toString(one.schedule)).second);
        EXPECT_EQ(one.seconds, estimateSeconds(problem, arch, one.schedule));
      }
      EXPECT_EQ(seen.size(), quickDraw().max) << problem.str();
    }
}

int64_t largestCluster(llvm::ArrayRef<Schedule> schedules,
                       const Problem &problem) {
  int64_t largest = 0;
  for (const Schedule &schedule : schedules) {
    BlockFacts facts = blockFacts(problem, schedule);
    largest =
        std::max(largest, facts.cluster[0] * facts.cluster[1] * facts.splits);
  }
  return largest;
}

TEST(Draw, ProposesNoClusterThatAPartRefuses) {
  Problem problem = problemOf(128, 64, 16384);
  Arch whole = archOf("h200"), part = archOf("h200/64");
  EXPECT_EQ(largestCluster(catalogue(problem, whole), problem), 16);
  EXPECT_EQ(largestCluster(catalogue(problem, part), problem), 8);
  std::vector<Schedule> all;
  for (const Priced &one : drawn(problem, part, quickDraw()))
    all.push_back(one.schedule);
  EXPECT_LE(largestCluster(all, problem), 8);
}

TEST(Draw, IsTheSameEveryTime) {
  Problem problem = problemOf(900, 2816, 2048);
  std::vector<Priced> one = drawn(problem, archOf("h200")),
                      other = drawn(problem, archOf("h200"));
  ASSERT_EQ(one.size(), other.size());
  for (auto [first, second] : llvm::zip_equal(one, other))
    EXPECT_EQ(toString(first.schedule), toString(second.schedule));
}

/// By the model's estimate, up to the gain that a new kernel must have.
TEST(Draw, IsNoWorseThanTheCatalogue) {
  Arch arch = archOf("h200");
  for (const Problem &problem : manyProblems()) {
    double best = HUGE_VAL;
    for (const Schedule &schedule : catalogue(problem, arch))
      best = std::min(best, estimateSeconds(problem, arch, schedule));
    EXPECT_LE(drawn(problem, arch, quickDraw()).front().seconds, best * 1.006)
        << problem.str();
  }
}

/// Where the extents have no common divisors, tiles still fit.
TEST(Draw, FindsTilesThatFit) {
  Arch arch = archOf("h200");
  Problem problem = problemOf(200, 12288, 4096);
  auto wasted = [&](const Schedule &schedule) {
    int64_t rows = blockFacts(problem, schedule).tile[0];
    return (problem.m + rows - 1) / rows * rows - problem.m;
  };
  auto isTight = [&](const Priced &one) { return wasted(one.schedule) < 32; };
  std::vector<Priced> list = drawn(problem, arch);
  EXPECT_GT(llvm::count_if(llvm::ArrayRef(list).take_front(32), isTight), 4);
  for (const Schedule &schedule : catalogue(problem, arch))
    if (blockFacts(problem, schedule).tile[0] > 32) {
      EXPECT_GE(wasted(schedule), 32) << toString(schedule);
    }
}

/// Schedules that differ only in slots and in the launch have one cut.
std::string cutOf(const Schedule &schedule) {
  std::string text;
  for (const Schedule::Decided &one : schedule.decided())
    if (one.decision->when == When::compileTime &&
        one.decision->name != "stages")
      text += ", " + one.text();
  return schedule.kind().name.str() + text;
}

/// One wave of 128 blocks along M, of a form that is slow with the tiles of
/// other forms, so no small move leads there.
TEST(Draw, FillsAWave) {
  Problem problem = problemOf(9168, 160, 10232, Order::row);
  auto fillsAWave = [&](const Priced &one) {
    BlockFacts facts = blockFacts(problem, one.schedule);
    return facts.tile[0] == 72 && facts.tile[1] == 192 && facts.splits == 1 &&
           facts.parts == 0;
  };
  EXPECT_TRUE(
      llvm::any_of(drawn(problem, archOf("h200"), quickDraw()), fillsAWave));
}

TEST(Draw, IsDiverse) {
  Arch arch = archOf("h200");
  for (const Problem &problem : manyProblems()) {
    std::map<std::string, int> cuts, tiles, forms;
    std::vector<Priced> list = drawn(problem, arch);
    for (const Priced &one : llvm::ArrayRef(list).take_front(64)) {
      auto [m, n, k] = blockFacts(problem, one.schedule).tile;
      EXPECT_LE(++cuts[cutOf(one.schedule)], 2) << toString(one.schedule);
      EXPECT_LE(++tiles[std::to_string(m) + "x" + std::to_string(n)], 2 * 6);
      ++forms[formOf(one.schedule)];
    }
    EXPECT_GE(tiles.size(), 10u) << problem.str();
    // For a C of a few tiles only small blocks are worth a trial.
    bool isTiny = problem.m * problem.n <= 64 * 64;
    EXPECT_GE(forms.size(), isTiny ? 2u : 3u) << problem.str();
  }
}

/// Kernels that other problems use come first where no other gains.
TEST(Draw, PrefersKernelsThatAreInUse) {
  Arch arch = archOf("h200");
  Problem problem = problemOf(4096, 4096, 4096);
  std::set<std::string> kernels;
  for (const Schedule &schedule : catalogue(problem, arch))
    kernels.insert(compileTimeText(schedule));
  Priced first = drawn(problem, arch).front();
  EXPECT_TRUE(kernels.count(compileTimeText(first.schedule)))
      << toString(first.schedule);
}

TEST(Draw, IsEmptyWhereNoKindRuns) {
  Problem problem = problemOf(64, 64, 64);
  problem.a.type = problem.b.type = ElementType::e4m3;
  EXPECT_TRUE(drawn(problem, archOf("h200")).empty());
  EXPECT_TRUE(sampled(problem, archOf("h200"), 8, 1).empty());
}

/// This includes a kind that the drawing code does not name.
TEST(Draw, TakesTheKindsItIsGiven) {
  const Kind *only[] = {&MmaSync::kind()};
  DrawOptions options = quickDraw();
  options.kinds = only;
  for (const Priced &one :
       drawn(problemOf(300, 500, 700), archOf("h200"), options))
    EXPECT_TRUE(MmaSync::are(one.schedule)) << toString(one.schedule);
  Problem problem = problemOf(300, 500, 700);
  problem.a.type = problem.b.type = problem.c = ElementType::f32;
  std::vector<Priced> vectors = drawn(problem, archOf("host"), quickDraw());
  EXPECT_FALSE(vectors.empty());
  for (const Priced &one : vectors)
    EXPECT_TRUE(Host::are(one.schedule));
}

TEST(Draw, TilesVaryWithTheirCluster) {
  const Problem problem = problemOf(5000, 5000, 5000);
  const Arch arch = archOf("h200");
  const double max = 500e-6;
  auto parse = [](llvm::StringRef text) {
    return llvm::cantFail(parseSchedule(text));
  };
  std::vector<Schedule> variants = tileVariants(
      parse("ws, side = b, tile = 168x256x64, consumers = 1x2, "
            "persistent = yes, cluster = 2x4, stages = 3, group = 32"),
      problem, arch, max);
  // 33 x 20 tiles are five rounds of 132, if blocks share by twos along N.
  EXPECT_TRUE(llvm::is_contained(
      variants,
      parse("ws, side = b, tile = 152x256x64, consumers = 1x2, "
            "persistent = yes, cluster = 1x2, stages = 3, group = 32, "
            "edge = within")));
  // A rarely taken decision makes room for a fourth slot.
  EXPECT_TRUE(llvm::is_contained(
      variants, parse("ws, side = b, tile = 152x256x64, consumers = 1x2, "
                      "persistent = yes, cluster = 1x2, stages = 4, "
                      "group = 32, chunk = 32, edge = within")));
  for (const Schedule &one : variants) {
    EXPECT_EQ(check(one, &problem, &arch).value_or("legal"), "legal");
    EXPECT_LE(estimateSeconds(problem, arch, one), max);
  }
}

TEST(Draw, WhatARareDecisionFreesIsFilled) {
  const std::string before = "ws, side = b, tile = 152x256x64, "
                             "consumers = 1x2, persistent = yes, "
                             "cluster = 1x2, group = 32, stages = ";
  std::vector<Schedule> variants =
      quietVariants(llvm::cantFail(parseSchedule(before + "3")),
                    problemOf(5000, 5000, 5000), archOf("h200"));
  for (llvm::StringRef slots : {"3", "4"})
    EXPECT_TRUE(llvm::is_contained(
        variants, llvm::cantFail(parseSchedule(before + slots.str() +
                                               ", chunk = 32, edge = within"))))
        << slots.str();
}

TEST(Sample, IsHalfTheBestAndHalfRandom) {
  Arch arch = archOf("h200");
  Problem problem = problemOf(900, 2816, 2048);
  std::vector<Schedule> sample = sampled(problem, arch, 64, 7);
  ASSERT_EQ(sample.size(), 64u);
  std::set<std::string> listed, texts;
  for (const Schedule &schedule : catalogue(problem, arch))
    listed.insert(toString(schedule));
  double best = drawn(problem, arch).front().seconds;
  size_t outside = 0, rewritten = 0;
  for (const Schedule &schedule : sample) {
    EXPECT_FALSE(check(schedule, &problem, &arch));
    EXPECT_TRUE(texts.insert(toString(schedule)).second);
    EXPECT_LT(estimateSeconds(problem, arch, schedule), 3.1 * best);
    outside += !listed.count(toString(schedule));
    rewritten += !schedule.rewrites().empty();
  }
  EXPECT_GT(outside, 32u);
  EXPECT_EQ(rewritten, 8u);
  std::vector<Schedule> again = sampled(problem, arch, 64, 7),
                        other = sampled(problem, arch, 64, 8);
  EXPECT_TRUE(sample == again);
  EXPECT_FALSE(sample == other);
}

} // namespace
