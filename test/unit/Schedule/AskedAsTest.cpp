//===- AskedAsTest.cpp - Tests of a machine with another's rates ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine keeps its limits and gets the rates of the chip given for it.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/AskedAs.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

Arch archOf(llvm::StringRef name) { return llvm::cantFail(Arch::lookup(name)); }

TEST(AskedAs, AChipIsAskedAsItself) {
  for (llvm::StringRef name : {"h200", "sm_90a", "sm_90", "h200/64"}) {
    Arch machine = archOf(name);
    std::optional<Arch> known = askedAs(machine, "h200");
    ASSERT_TRUE(known) << name.str();
    EXPECT_EQ(known->chip, machine.chip);
    EXPECT_EQ(known->isa, machine.isa);
    EXPECT_EQ(known->memoryGBs, machine.memoryGBs);
  }
}

/// With the same number of processors: all of the chip's numbers.
TEST(AskedAs, AnotherHopperHasTheRatesOfTheChip) {
  Arch h200 = archOf("h200");
  for (llvm::StringRef name : {"h100", "h100-nvl", "h800", "gh200"}) {
    std::optional<Arch> known = askedAs(archOf(name), "h200");
    ASSERT_TRUE(known) << name.str();
    EXPECT_EQ(known->chip, "h200");
    EXPECT_EQ(known->processors, h200.processors);
    EXPECT_EQ(known->clusters, h200.clusters);
    EXPECT_EQ(known->memoryGBs, h200.memoryGBs);
    EXPECT_EQ(known->peakTflops, h200.peakTflops);
    EXPECT_EQ(known->clockGHz, h200.clockGHz);
    EXPECT_EQ(known->cacheBytes, h200.cacheBytes);
  }
}

TEST(AskedAs, FewerProcessorsAreAPartOfTheChip) {
  for (llvm::StringRef name : {"h20", "h100-pcie", "h100/64"}) {
    Arch machine = archOf(name);
    std::optional<Arch> known = askedAs(machine, "h200");
    ASSERT_TRUE(known) << name.str();
    EXPECT_EQ(known->chip, "h200/" + std::to_string(machine.processors));
    EXPECT_EQ(known->processors, machine.processors);
    EXPECT_LE(known->residentClusters(16), machine.processors / 16);
    EXPECT_EQ(known->peakTflops, archOf(known->chip).peakTflops);
  }
}

TEST(AskedAs, LimitsAreTheMachines) {
  Arch machine = archOf("h100");
  machine.sharedPerBlock = 1000;
  machine.sharedPerProcessor = 2000;
  machine.threadsPerProcessor = 512;
  machine.registersPerProcessor = 4096;
  machine.clusters = {60, 20, 10, 1};
  std::optional<Arch> known = askedAs(machine, "h200");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->sharedPerBlock, 1000);
  EXPECT_EQ(known->sharedPerProcessor, 2000);
  EXPECT_EQ(known->threadsPerProcessor, 512);
  EXPECT_EQ(known->registersPerProcessor, 4096);
  EXPECT_EQ(known->residentClusters(16), 1);
}

/// A higher number of processors than the chip's is kept too: a grid fills
/// them.
TEST(AskedAs, MoreProcessorsAreKept) {
  Arch machine = archOf("h100");
  machine.processors = 144;
  std::optional<Arch> known = askedAs(machine, "h200");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->processors, 144);
}

TEST(AskedAs, AnotherInstructionSetIsNotAsked) {
  for (llvm::StringRef name : {"a100", "rtx3090", "l40s", "rtx4090", "host"})
    EXPECT_FALSE(askedAs(archOf(name), "h200")) << name.str();
  EXPECT_FALSE(askedAs(archOf("h100"), "a100"));
  EXPECT_FALSE(askedAs(archOf("h100"), "no such chip"));
}

} // namespace
