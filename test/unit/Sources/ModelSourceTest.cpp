//===- ModelSourceTest.cpp - Tests of the cost model's choice -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every GPU gets a legal choice that is no slower than the default by the
// estimate. An arch that the model was not fitted to gets none.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/ModelSource.h"
#include "../Search/Fixtures.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Space/CostModel.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

TEST(ModelSource, ChoosesOnEveryGpu) {
  for (llvm::StringRef name : {"sm_80", "rtx3090", "rtx4090", "rtx5090"})
    for (const Problem &problem :
         {problemOf(2048, 2048, 2048), problemOf(64, 4096, 4096, Order::row)}) {
      Arch arch = archOf(name);
      std::optional<Schedule> chosen = guessSchedule(problem, arch);
      ASSERT_TRUE(chosen) << name.str();
      EXPECT_EQ(chosen->kind().name, "mma_sync");
      EXPECT_EQ(check(*chosen, &problem, &arch).value_or("legal"), "legal");
      EXPECT_LT(estimateSeconds(problem, arch, *chosen),
                estimateSeconds(problem, arch, defaultSchedule(problem, arch)))
          << name.str();
    }
}

TEST(ModelSource, HasNoChoiceForWhatItWasNotFittedTo) {
  Problem problem = problemOf(256, 256, 256);
  EXPECT_FALSE(guessSchedule(problem, archOf("host")));
  problem.m = kDynamic;
  EXPECT_FALSE(guessSchedule(problem, archOf("a100")));
  problem.m = 256;
  llvm::cantFail(setTypes(problem, "i8:i32"));
  EXPECT_FALSE(guessSchedule(problem, archOf("a100")));
}

} // namespace
