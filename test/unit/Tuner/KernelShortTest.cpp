//===- KernelShortTest.cpp - Tests of kernels in few words ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelShort.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

constexpr llvm::StringLiteral kKernel =
    "gpu.func @f(%arg0: !kernel.map<64 x 64 x f16, rank = 2>) {\n"
    "  %c4_i32 = arith.constant 4 : i32\n"
    "  %c0_i32 = arith.constant 0 : i32\n"
    "  %a = kernel.ring at 0 : <4 of 1>\n"
    "    kernel.load %arg0 : <64 x 64 x f16, rank = 2> to <4 of 1>\n"
    "  %x = kernel.slice %y : <64 x 8 x f32> -> <64 x 8 x f32>\n"
    "  gpu.return\n"
    "}\n";

TEST(KernelShort, HasLettersForTypes) {
  Shorthand shorthand(kKernel);
  EXPECT_EQ(shorthand.legend(),
            "<A>: <64 x 64 x f16, rank = 2>\n<B>: <64 x 8 x f32>\n");
  EXPECT_EQ(shorthand.kernel(kKernel),
            "gpu.func @f(%arg0: !kernel.map<A>) {\n"
            " // %cN_i32 = arith.constant N : i32 for N = 4, 0\n"
            " %a = kernel.ring at 0 : <4 of 1>\n"
            "  kernel.load %arg0 : <A> to <4 of 1>\n"
            " %x = kernel.slice %y : <B> -> <B>\n"
            " gpu.return\n"
            "}");
}

TEST(KernelShort, LosesNothing) {
  Shorthand shorthand(kKernel);
  EXPECT_EQ(shorthand.restore(shorthand.shorten(kKernel)), kKernel);
  // An answer may have whole types, and letters that stand for nothing.
  EXPECT_EQ(shorthand.restore(kKernel), kKernel);
  EXPECT_EQ(shorthand.restore("x <C> <a> <AB> -> <A"), "x <C> <a> <AB> -> <A");
}

TEST(KernelShort, TakesNoOtherBrackets) {
  for (const char *text : {"", "<", "<<>>", "a -> b < c", "<4 of 1> <4 of 1>",
                           "array<i32: 416, 1, 1> array<i32: 416, 1, 1>",
                           "<4 x 4 x f32, w = <1>> <4 x 4 x f32, w = <1>>",
                           "<4 x 4 x f32,\n> <4 x 4 x f32,\n>"})
    EXPECT_EQ(Shorthand(text).legend(), "") << text;
}

TEST(KernelShort, HasNoMoreTypesThanLetters) {
  std::string text;
  for (int twice = 0; twice < 2; ++twice)
    for (int number = 100; number < 200; ++number)
      text += "<" + std::to_string(number) + " x 64 x f16>\n";
  Shorthand shorthand(text);
  EXPECT_EQ(shorthand.restore(shorthand.shorten(text)), text);
  EXPECT_NE(shorthand.legend().find("<Z>: <125 x"), std::string::npos);
}

TEST(LineDifferences, AreRunsOfLines) {
  std::string rest = "\nd\n" + std::string(100, '\n');
  EXPECT_EQ(lineDifferences("a" + rest, "a" + rest), "");
  EXPECT_EQ(lineDifferences("a\nb\nc" + rest + "k", "a\nb\nX" + rest),
            " b\n-c\n+X\n d\n \n-k\n+\n");
  // At the ends, and where little is the same.
  EXPECT_EQ(lineDifferences("a\n" + std::string(40, '\n'),
                            "b\na\n" + std::string(40, '\n')),
            " \n+b\n a\n");
  EXPECT_EQ(lineDifferences("a\nb\nc", "x\ny\nz"), "");
  EXPECT_EQ(lineDifferences(std::string(10000, '\n'), std::string(9999, '\n')),
            "");
}

} // namespace
