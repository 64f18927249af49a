//===- CatalogueTest.cpp - Tests of the catalogue of schedules ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A catalogue is legal, has no repetition, and has the same kernels for every
// shape. A shortlist begins with the default and has the requested length.
//
//===----------------------------------------------------------------------===//

#include "hone/Space/Catalogue.h"
#include "../Search/Fixtures.h"
#include "hone/Space/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hone;
using namespace hone::test;

namespace {

TEST(Catalogue, IsLegalAndEachOnce) {
  for (llvm::StringRef chip : {"h200", "a100", "rtx4090"})
    for (Order order : {Order::row, Order::col})
      for (int64_t extent : {1, 64, 1000, 8192}) {
        Arch arch = llvm::cantFail(Arch::lookup(chip));
        Problem problem = problemOf(extent, extent, extent, order);
        std::set<std::string> seen;
        for (const Schedule &schedule : catalogue(problem, arch)) {
          EXPECT_FALSE(check(schedule, &problem, &arch).has_value())
              << toString(schedule);
          EXPECT_TRUE(seen.insert(toString(schedule)).second)
              << toString(schedule);
        }
        EXPECT_GT(seen.size(), 20u) << chip.str();
      }
}

TEST(Catalogue, ShapesShareKernels) {
  std::set<std::string> small, large;
  for (const Schedule &one : catalogue(problemOf(64, 64, 64), h200()))
    small.insert(compileTimeText(one));
  for (const Schedule &one : catalogue(problemOf(8192, 8192, 64), h200()))
    large.insert(compileTimeText(one));
  // Few rows have special kernels.
  EXPECT_GT(small.size(), large.size());
  EXPECT_TRUE(
      std::includes(small.begin(), small.end(), large.begin(), large.end()));
}

TEST(Catalogue, IsEmptyWhereNoFamilyRuns) {
  Problem problem = problemOf(64, 64, 64);
  problem.a.type = problem.b.type = ElementType::e4m3;
  EXPECT_TRUE(catalogue(problem, h200()).empty());
  EXPECT_TRUE(shortlist(problem, h200(), 4).empty());
}

TEST(Shortlist, BeginsWithTheDefault) {
  for (int64_t extent : {64, 512, 4096}) {
    Problem problem = problemOf(extent, extent, extent);
    std::vector<Schedule> chosen = shortlist(problem, h200(), 8);
    ASSERT_EQ(chosen.size(), 8u);
    EXPECT_EQ(toString(chosen.front()),
              toString(defaultSchedule(problem, h200())));
    // A kernel that others use as well may cost a little more.
    constexpr double kOfNewKernel = 1.005;
    EXPECT_TRUE(llvm::is_sorted(
        llvm::ArrayRef(chosen).drop_front(),
        [&](const Schedule &first, const Schedule &second) {
          return estimateSeconds(problem, h200(), first) * kOfNewKernel <
                 estimateSeconds(problem, h200(), second);
        }));
  }
}

TEST(Shortlist, CanHaveTheWholeCatalogue) {
  Problem problem = problemOf(512, 512, 512);
  std::set<std::string> all, chosen;
  for (const Schedule &schedule : catalogue(problem, h200()))
    all.insert(toString(settled(schedule, problem)));
  for (const Schedule &schedule : shortlist(problem, h200(), 100000))
    chosen.insert(toString(schedule));
  all.insert(toString(defaultSchedule(problem, h200())));
  EXPECT_TRUE(
      std::includes(chosen.begin(), chosen.end(), all.begin(), all.end()));
  EXPECT_GT(chosen.size(), all.size());
}

} // namespace
