//===- CauseTest.cpp - Tests of classes of failures -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/Cause.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

TEST(Cause, FollowsFromStatusAndReason) {
  EXPECT_EQ(causeOf(Measurement()), "");
  for (const auto &[status, reason, cause] :
       {std::tuple(Status::illegal, "schedule_c48: expected rings", "law 48"),
        {Status::illegal, "expected one group of products", "rewrite"},
        {Status::illegal, "", "rewrite"},
        {Status::compileError, "'kernel.stage' overwrites [overwritten; ...]",
         "proof"},
        {Status::compileError, "ptxas: spills 8 bytes and reads 8 back",
         "spill"},
        {Status::compileError, "ptxas: waits for all memory", "assembler"},
        {Status::compileError, "the compiler ended: [1] []; [A;", "build"},
        {Status::wrong, "ptxas: spills 1", "wrong"},
        {Status::fault, "", "fault"},
        {Status::timeout, "no answer", "timeout"}})
    EXPECT_EQ(causeOf(failed(status, reason)), cause) << reason;
}

} // namespace
