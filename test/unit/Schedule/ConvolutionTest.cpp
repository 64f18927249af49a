//===- ConvolutionTest.cpp - Tests of the names of convolutions -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Convolution.h"
#include "hone/Schedule/Spelling.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

Problem convolved(const std::string &text, llvm::StringRef layout = "nn") {
  Problem form;
  llvm::cantFail(setLayout(form, layout));
  return llvm::cantFail(Convolution::parse(text)).in(form);
}

std::string refusalOf(const std::string &text) {
  return llvm::toString(Convolution::parse(text).takeError());
}

/// test/tools/tune-convolution.test compares the problem with a program's.
TEST(ConvolutionTest, IsAProblem) {
  EXPECT_EQ(convolved("conv:8x28x28x64:96x3x3:1:1").str(),
            "m = 6272, n = 96, k = 576, a = f16:m[8*50176, 28*x, 28*y] "
            "k[3*x, 3*y, 64*1] x[28*1792, low 1] y[28*64, low 1]:16, b = "
            "f16:row:16, acc = f32, c = f16:16, init = zero");
  Problem odd = convolved("conv:1x9x7x12:20x2x3:2", "nt");
  EXPECT_EQ(odd.m, 4 * 3);
  EXPECT_EQ(odd.k, 72);
  EXPECT_EQ(odd.a.align, 8);
  EXPECT_EQ(odd.b.align, 16);
  EXPECT_EQ(odd.alignC, 8);
}

TEST(ConvolutionTest, OfOneElementIsAMatrix) {
  Problem problem = convolved("conv:8x28x28x64:96x1x1");
  EXPECT_TRUE(problem.hasMatrices());
  EXPECT_EQ(problem.str(), withExtents(Problem(), 6272, 96, 64).str());
  EXPECT_EQ(Convolution::of(problem), std::nullopt);
  EXPECT_FALSE(convolved("conv:8x28x28x64:96x1x1:2").hasMatrices());
}

TEST(ConvolutionTest, HasOneName) {
  for (const char *text :
       {"conv:8x28x28x64:96x3x3:1:1", "conv:2x14x14x32:8x3x5:2:1",
        "conv:8x29x29x64:96x1x1:2", "conv:1x9x9x8:4x3x3"}) {
    Problem problem = convolved(text);
    EXPECT_EQ(llvm::cantFail(Convolution::parse(text)).str(), text);
    std::optional<Convolution> of = Convolution::of(problem);
    ASSERT_TRUE(of) << text;
    EXPECT_EQ(of->str(), text);
  }
  EXPECT_EQ(llvm::cantFail(Convolution::parse("conv:1x9x9x8:4x3x3:1:0")).str(),
            "conv:1x9x9x8:4x3x3");
  // Padding on one side has no such name.
  Problem problem = convolved("conv:8x28x28x64:96x3x3:1:1");
  problem.a.access = llvm::cantFail(OperandAccess::parse(
      "m[8*50176, 28*x, 28*y] k[3*x, 3*y, 64*1] x[28*1792, low 2] "
      "y[28*64, low 1]"));
  EXPECT_EQ(Convolution::of(problem), std::nullopt);
}

TEST(ConvolutionTest, SaysWhatIsWrong) {
  for (const char *text :
       {"", "8x28x28x64:96x3x3", "conv:8x28x28:96x3x3", "conv:8x28x28x64:96x3",
        "conv:8x28x28x64:96x3x3:0", "conv:8x28x28x64:96x3x3:1:-1",
        "conv:8x28x28x64:96x3x3:1:1:1", "conv:8x28x28x9999999:96x3x3",
        "conv:8x28x28x64"})
    EXPECT_EQ(refusalOf(text).find("expected a convolution, but got '" +
                                   std::string(text) + "'; use e.g. conv:32x"),
              0u)
        << refusalOf(text);
  EXPECT_EQ(refusalOf("conv:1x2x9x8:4x3x3"),
            "expected windows that fit the image, but got "
            "'conv:1x2x9x8:4x3x3'; use smaller filters, or more padding");
  EXPECT_NE(refusalOf("conv:1048576x1048576x8x8:4x1x1").find("expected extent"),
            std::string::npos);
}

} // namespace
