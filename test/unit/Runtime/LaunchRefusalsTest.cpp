//===- LaunchRefusalsTest.cpp - Tests of refused launches -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The status and the message after a call of the driver that failed, and after
// a wrong plan or argument.
//
//===----------------------------------------------------------------------===//

#include "LaunchFixture.h"

using namespace hone;
using namespace hone::test;

namespace {

TEST_F(LaunchTest, ErrorsHaveTheCallsName) {
  ASSERT_EQ(launch({16, 300, 65}), HONE_OK);
  fake.failures["cuLaunchKernelEx"] = 1;
  EXPECT_EQ(launch({16, 300, 65}), HONE_CUDA_ERROR);
  EXPECT_STREQ(honeLastError(), "cuLaunchKernelEx: invalid argument "
                                "(CUDA_ERROR_INVALID_VALUE)");
  ASSERT_EQ(captured.errors.size(), 1u);
  fake.failures = {{"cuLaunchKernelEx", 2}};
  EXPECT_EQ(launch({16, 300, 65}), HONE_OUT_OF_MEMORY);
  fake.failures = {{"cuCtxGetCurrent", 700}};
  EXPECT_EQ(launch({16, 300, 65}), HONE_CUDA_ERROR);
  EXPECT_STREQ(honeLastError(),
               "cuCtxGetCurrent: an illegal memory access was encountered "
               "(CUDA_ERROR_ILLEGAL_ADDRESS)");
  fake.failures.clear();
  EXPECT_EQ(launch({16, 300, 65}), HONE_OK);
  EXPECT_EQ(captured.errors.size(), 3u);
}

TEST_F(LaunchTest, BadPlans) {
  EXPECT_EQ(launch({1}, "hone-plan 2\nargs x\nnonsense"), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(), "launch plan, line 3: expected 'alternative', "
                                "but got 'nonsense'");
  EXPECT_EQ(slot, nullptr);
  ASSERT_EQ(launch({16, 300, 65}), HONE_OK);
  EXPECT_EQ(launch({16, 300}), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(), "expected 3 arguments, but got 2");
  EXPECT_EQ(honeLaunch(&slot, kLaunchPlan, nullptr, -1), HONE_BAD_PLAN);
}

TEST_F(LaunchTest, BadArguments) {
  fake.paramSizes.clear();
  const std::tuple<const char *, int64_t, const char *> table[] = {
      {"grid x ; 1 ; 1\n", -1,
       "expected a grid of at most 2147483647 x 65535 x 65535 for 'fast', but "
       "got -1 x 1 x 1"},
      {"grid 1 ; x ; 1\n", 65536,
       "expected a grid of at most 2147483647 x 65535 x 65535 for 'fast', but "
       "got 1 x 65536 x 1"},
      {"grid 1 ; 100 / x ; 1\n", 0,
       "expected '100 / x' to have a value, but got a division by zero"},
      {"grid x * 2 ; 1 ; 1\n", INT64_MAX,
       "expected 'x * 2' to have a value, but got an overflow"},
      {"block 32 ; x ; 1\n", 33,
       "expected a block of 1 to 1024 threads for 'fast', but got 32 x 33 x 1"},
      {"block x ; x ; x\n", int64_t(1) << 40,
       "expected a block of 1 to 1024 threads for 'fast', but got "
       "1099511627776 x 1099511627776 x 1099511627776"},
      {"param i32 x\n", int64_t(1) << 31,
       "expected 'x' to fit in 32 bits, but got 2147483648"},
      {"param i32 x\n", int64_t(1) << 32,
       "expected 'x' to fit in 32 bits, but got 4294967296"},
      {"workspace x - 1\n", 0,
       "expected a workspace of 0 or more bytes, but got -1"},
  };
  for (auto [lines, x, expected] : table) {
    std::string plan = planOf(lines);
    if (!strncmp(lines, "workspace", 9))
      plan = std::string("hone-plan 2\nargs x\nalternative 1\n") + lines +
             "launch fast\n";
    EXPECT_EQ(launch({x}, plan), HONE_BAD_PLAN) << lines;
    EXPECT_STREQ(honeLastError(), expected);
    honeRelease(&slot);
  }
  EXPECT_TRUE(fake.launches.empty());
}

TEST_F(LaunchTest, ThePlanMustFitTheKernel) {
  fake.knowParams();
  fake.paramSizes["fast"] = {8, 4};
  EXPECT_EQ(launch({1}, planOf("param ptr x\nparam i32 x\n")), HONE_OK);
  honeRelease(&slot);
  EXPECT_EQ(launch({1}, planOf("param ptr x\n")), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(), "expected a plan with a parameter 2 of 4 bytes "
                                "for 'fast', but got none");
  honeRelease(&slot);
  EXPECT_EQ(launch({1}, planOf("param ptr x\nparam i64 x\n")), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(), "expected a plan with a parameter 2 of 4 bytes "
                                "for 'fast', but got 8");
  honeRelease(&slot);
  EXPECT_EQ(launch({1}, planOf("param ptr x\nparam f32 x\nparam ptr x\n")),
            HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(),
               "expected 'fast' to have a parameter 3, but got fewer "
               "(cuFuncGetParamInfo: invalid argument "
               "(CUDA_ERROR_INVALID_VALUE))");
}

} // namespace
