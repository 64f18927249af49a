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

TEST(OpReference, HasAFormAndASummaryOfEachOp) {
  std::string text = opReference("kernel.mma.async %a\nkernel.cluster.sync\n");
  auto lines = linesOf(text);
  ASSERT_EQ(lines.size() % 2, 0u);
  for (size_t at = 0; at < lines.size(); at += 2) {
    EXPECT_TRUE(lines[at].starts_with("kernel.")) << lines[at].str();
    EXPECT_TRUE(lines[at + 1].starts_with("    ")) << lines[at + 1].str();
    EXPECT_FALSE(lines[at].contains('`')) << lines[at].str();
  }
  for (const char *line :
       {"kernel.await $barriers [ $slot ] phase $phase : type($barriers)",
        "kernel.cluster.sync", "    Wait for the end of a phase"})
    EXPECT_TRUE(llvm::is_contained(lines, line)) << line;
}

TEST(OpReference, HasOpsOfTheKernelAndThoseThatMayBeAdded) {
  std::string few = opReference(""), more = opReference("%x = kernel.mma %a");
  // One entry for each name of the list: all are ops.
  EXPECT_EQ(linesOf(few).size(), 2 * 15u);
  EXPECT_EQ(linesOf(more).size(), 2 * 16u);
  EXPECT_EQ(few.find("kernel.segment"), std::string::npos);
  EXPECT_EQ(opReference("kernel.no.op "), few);
}

} // namespace
