//===- MachineDistanceTest.cpp - Tests of distances between GPUs ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/MachineDistance.h"
#include "LawCases.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using hone::test::lawArch;

TEST(MachineDistance, ANameDoesNotMatter) {
  Arch copy = lawArch("h200");
  copy.name = copy.chip = "copy";
  EXPECT_EQ(machineDistance(copy, lawArch("h200")), 0);
}

TEST(MachineDistance, EveryNumberMatters) {
  const Arch whole = lawArch("h200");
  for (auto change : {+[](Arch &arch) { arch.processors /= 2; },
                      +[](Arch &arch) { arch.memoryGBs /= 2; },
                      +[](Arch &arch) { arch.cacheBytes /= 2; },
                      +[](Arch &arch) { arch.peakTflops /= 2; }}) {
    Arch other = whole;
    change(other);
    EXPECT_GT(machineDistance(whole, other), 0.9);
    EXPECT_EQ(machineDistance(whole, other), machineDistance(other, whole));
  }
}

TEST(MachineDistance, APartHasTheProductsOfItsProcessors) {
  EXPECT_NEAR(machineDistance(lawArch("h200/66"), lawArch("h200")), 1, 1e-9);
  EXPECT_NEAR(machineDistance(lawArch("h100/66"), lawArch("h200/66")),
              machineDistance(lawArch("h100"), lawArch("h200")), 1e-9);
}

TEST(MachineDistance, OtherInstructionSetsAreInfinitelyFar) {
  for (llvm::StringRef name : {"a100", "sm_90", "rtx4090", "host"})
    EXPECT_TRUE(std::isinf(machineDistance(lawArch(name), lawArch("h200"))));
  Arch unknown = lawArch("h200");
  unknown.memoryGBs = 0;
  EXPECT_TRUE(std::isinf(machineDistance(unknown, lawArch("h200"))));
}
