//===- KernelQuestionTest.cpp - Tests of questions for kernels ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelQuestion.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

std::vector<llvm::StringRef> linesOf(llvm::StringRef text) {
  auto lines = llvm::split(text.rtrim(), '\n');
  return {lines.begin(), lines.end()};
}

/// The kernel shows the forms of its own ops.
TEST(OpReference, HasASummaryOfEachOpAndTheFormOfOthers) {
  std::string text = opReference("kernel.mma.async %a\nkernel.cluster.sync\n");
  auto lines = linesOf(text);
  for (const char *line :
       {"kernel.await $barriers [ $slot ] phase $phase : type($barriers): Wait "
        "for the end of a phase",
        "mma.async: The tensor cores start acc + a * b over one step of two "
        "slots"})
    EXPECT_TRUE(llvm::is_contained(lines, line)) << line;
}

TEST(OpReference, HasOpsOfTheKernelAndThoseThatMayBeAdded) {
  std::string few = opReference(""), more = opReference("%x = kernel.mma %a");
  // One entry for each name of the list: all are ops.
  EXPECT_EQ(linesOf(few).size(), 15u);
  EXPECT_EQ(linesOf(more).size(), 16u);
  EXPECT_EQ(few.find("kernel.segment"), std::string::npos);
  EXPECT_EQ(opReference("kernel.no.op "), few);
}

} // namespace
