//===- MatmulKernelTest.cpp - Loaded kernels of matmuls -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/MatmulKernel.h"
#include "hone/Driver/Compile.h"
#include "test/unit/Runtime/FakeDriver.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace hone;
using namespace hone::test;

static constexpr const char *kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry product(.param .u64 a) { ret; }
)";
static constexpr const char *kPlan = R"(hone-plan 2
args a m
alternative 1
launch product
grid m ; 1 ; 1
block 32 ; 1 ; 1
param ptr a
)";

/// A launch reads the image long after the kernel was made, and after other
/// memory was allocated.
TEST(MatmulKernelTest, KeepsItsImages) {
  FakeDriver fake;
  auto compiled = compiledKernel({kPtx}, kPlan);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  auto kernel = MatmulKernel::create(std::move(*compiled));
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  const std::vector<std::string> other(100, std::string(strlen(kPtx), '-'));
  llvm::Error error = (*kernel)->launch({64, 7});
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  ASSERT_EQ(fake.launches.size(), 1u);
  EXPECT_EQ(fake.launches[0].entry, "product");
}

/// Both launch the kernel that the first one loaded, and the second has another
/// plan.
TEST(MatmulKernelTest, SharesImagesWithSiblings) {
  FakeDriver fake;
  auto compiled = compiledKernel({kPtx}, kPlan);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  auto kernel = MatmulKernel::create(std::move(*compiled));
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  LaunchPlan plan = (*kernel)->plan();
  plan.alternatives[0].launches[0].block[0] = "64";
  auto sibling = (*kernel)->sibling(std::move(plan));
  for (MatmulKernel *one : {kernel->get(), sibling.get()}) {
    llvm::Error error = one->launch({64, 7});
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }
  ASSERT_EQ(fake.launches.size(), 2u);
  EXPECT_EQ(fake.launches[0].config.block[0], 32u);
  EXPECT_EQ(fake.launches[1].config.block[0], 64u);
}
