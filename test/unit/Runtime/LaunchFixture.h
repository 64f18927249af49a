//===- LaunchFixture.h - Kernels and plans for tests of launches *- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image of two kernels, a plan of an alternative for each, and the fake
// driver.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_RUNTIME_LAUNCHFIXTURE_H
#define HONE_TEST_UNIT_RUNTIME_LAUNCHFIXTURE_H

#include "FakeDriver.h"
#include "gtest/gtest.h"
#include <cstring>

namespace hone::test {

inline constexpr const char *kLaunchPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry fast(.param .u64 a) { ret; }
.visible .entry	slow2(.param .u64 a) { ret; }
.visible .entry
slow ( .param .u64 a) { ret; }
)";

inline constexpr const char *kLaunchPlan = R"(hone-plan 2
args a m n
alternative a % 16 == 0
launch fast
grid ceildiv(m, 128) ; ceildiv(n, 64) ; 1
block 128 ; 2 ; 1
param ptr a
param i32 m
param i64 m * n
param f32 1065353216
alternative m < 1000
launch slow
grid m ; 1 ; 1
block 32 ; 1 ; 1
param ptr a
)";

template <typename T>
std::string bytesOf(T value) {
  return std::string(reinterpret_cast<char *>(&value), sizeof(value));
}

class LaunchTest : public testing::Test {
protected:
  void SetUp() override {
    image = honeRegisterImage(kLaunchPtx, strlen(kLaunchPtx));
    fake.paramSizes["fast"] = {8, 4, 8, 4};
    fake.paramSizes["slow"] = {8};
  }
  void TearDown() override {
    honeRelease(&slot);
    EXPECT_EQ(slot, nullptr);
    honeUnregisterImage(image);
  }

  int32_t launch(std::vector<int64_t> args,
                 const std::string &plan = kLaunchPlan) {
    return honeLaunch(&slot, plan.c_str(), args.data(), args.size());
  }

  /// One launch of the entry `fast` with these lines.
  static std::string planOf(const std::string &lines) {
    return "hone-plan 2\nargs x\nalternative 1\nlaunch fast\n" + lines;
  }

  FakeDriver fake;
  CapturedErrors captured;
  HoneKernel *slot = nullptr;
  void *image = nullptr;
};

} // namespace hone::test

#endif // HONE_TEST_UNIT_RUNTIME_LAUNCHFIXTURE_H
