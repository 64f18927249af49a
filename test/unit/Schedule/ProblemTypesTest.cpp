//===- ProblemTypesTest.cpp - Tests of the types of a problem -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProblemTexts.h"

using namespace hone;
using namespace hone::test;

namespace {

/// Exact products have the same text as in older versions.
TEST(Problem, SaysHowF32IsMultipliedIfNotExactly) {
  Problem problem = llvm::cantFail(Problem::parse(
      "m = 1, n = 2, k = 3, a = f32:col:4, b = f32:row:8, acc = f32, "
      "c = f32:4, init = read"));
  EXPECT_EQ(problem.products, Products::exact);
  std::string exact = problem.str();
  for (auto [products, text] :
       {std::pair(Products::tf32x3, "tf32x3"), {Products::tf32, "tf32"}}) {
    problem.products = products;
    EXPECT_EQ(problem.str(),
              "m = 1, n = 2, k = 3, a = f32:col:4, b = f32:row:8, acc = f32, "
              "products = " +
                  std::string(text) + ", c = f32:4, init = read");
    EXPECT_TRUE(llvm::cantFail(Problem::parse(problem.str())) == problem);
  }
  EXPECT_EQ(errorOfProblem(exact + ", products = exact"),
            "expected 'products' to be tf32x3, tf32, blocks or short, but got "
            "'exact'; leave it out where products are exact");
  EXPECT_EQ(errorOfProblem(kPlain.str() + ", products = tf32"),
            "expected 'products' with a and b of f32, or blocks or short with "
            "8-bit floats, but got tf32 with bf16 and bf16; leave it out");
}

/// Deterministic numbers have the same text as in older versions.
TEST(Problem, SaysWhichRunsGiveTheSameBits) {
  std::string plain = kPlain.str();
  Problem problem = llvm::cantFail(Problem::parse(plain));
  EXPECT_TRUE(problem.numbers.isDefault());
  for (const char *text :
       {"free", "invariant", "invariant:2", "invariant:16"}) {
    problem.numbers = llvm::cantFail(Numbers::parse(text));
    EXPECT_EQ(problem.numbers.str(), text);
    EXPECT_EQ(problem.str(), plain + ", numbers = " + text);
    EXPECT_TRUE(llvm::cantFail(Problem::parse(problem.str())) == problem);
    EXPECT_EQ(problem.open().numbers, problem.numbers);
    EXPECT_EQ(problem.withUsualNumbers().str(), plain);
  }
  EXPECT_EQ(errorOfProblem(plain + ", numbers = deterministic"),
            "expected 'numbers' to be free or invariant, but got "
            "'deterministic'; leave it out");
  for (const char *text : {"exact", "free:2", "invariant-2"})
    EXPECT_EQ(errorOfProblem(plain + ", numbers = " + text),
              "expected 'numbers' to be free, deterministic, invariant or "
              "invariant:PARTS, but got '" +
                  std::string(text) + "'");
  for (const char *parts : {"1", "3", "32", "0", ""})
    EXPECT_EQ(errorOfProblem(plain + ", numbers = invariant:" + parts),
              "expected the parts of 'numbers' to be 2, 4, 8 or 16, but got '" +
                  std::string(parts) + "'; use invariant for one part");
}

TEST(Problem, MultipliesBothKindsOf8Bits) {
  std::string text =
      "m = 1, n = 2, k = 3, a = f8E4M3FN:row:1, b = f8E5M2:col:1, acc = f32, "
      "products = short, c = f32:4, init = zero";
  Problem problem = llvm::cantFail(Problem::parse(text));
  EXPECT_EQ(problem.products, Products::shortSums);
  EXPECT_EQ(problem.b.type, ElementType::e5m2);
  EXPECT_EQ(problem.str(), text);
  EXPECT_TRUE(areMultiplied(ElementType::e5m2, ElementType::e4m3));
  EXPECT_TRUE(areMultiplied(ElementType::f16, ElementType::f16));
  EXPECT_FALSE(areMultiplied(ElementType::f16, ElementType::bf16));
  EXPECT_FALSE(areMultiplied(ElementType::e4m3, ElementType::i8));
  EXPECT_FALSE(areMultiplied(ElementType::e4m3, ElementType::f16));
  EXPECT_FALSE(areMultiplied(ElementType::f32, ElementType::i8));
  EXPECT_TRUE(areMultiplied(ElementType::bf16, ElementType::i8));
  EXPECT_TRUE(isConverted(ElementType::f16, ElementType::e5m2));
  EXPECT_FALSE(isConverted(ElementType::e4m3, ElementType::e5m2));
  EXPECT_EQ(
      errorOfProblem("m = 1, n = 2, k = 3, a = f8E4M3FN:row:1, b = i8:col:1, "
                     "acc = f32, products = short, c = f32:4, init = zero"),
      "expected 'products' with a and b of f32, or blocks or short with "
      "8-bit floats, but got short with f8E4M3FN and i8; leave it out");
}

/// The short names; each has one meaning.
TEST(Problem, HasShortNamesOfTypes) {
  for (llvm::StringRef types :
       {"f16:f32", "tf32x3:f32", "f8E4M3FN:f16", "f8E4M3FN/f8E5M2:f32",
        "f8E5M2/f8E4M3FN:bf16", "f8E4M3FN.short:f32",
        "f8E4M3FN/f8E5M2.short:f16", "i8:i32", "f16/i8:f16",
        "bf16/f8E4M3FN:f32"}) {
    Problem problem;
    ASSERT_FALSE(bool(setTypes(problem, types))) << types.str();
    EXPECT_EQ(typesOf(problem), types.str());
  }
  for (llvm::StringRef types :
       {"f16/bf16:f32", "f16/f16:f32", "f8E4M3FN/i8:f32", "f16.short:f32",
        "f8E4M3FN.blocks:f32", "f8E4M3FN/:f32", "i8.short:i32"}) {
    Problem problem;
    EXPECT_EQ(llvm::toString(setTypes(problem, types)),
              "expected types, but got '" + types.str() +
                  "'; use e.g. f16:f32");
  }
}

TEST(Problem, HasFactorsOf8Bits) {
  std::string text =
      "m = 1, n = 2, k = 3, a = f8E4M3FN:row:1, b = f8E4M3FN:col:1, acc = f32, "
      "products = blocks, c = f32:4, init = zero";
  Problem problem = llvm::cantFail(Problem::parse(text));
  EXPECT_EQ(problem.a.type, ElementType::e4m3);
  EXPECT_EQ(problem.str(), text);
  EXPECT_EQ(sizeOf(problem.a.type), 1);
  EXPECT_EQ(
      errorOfProblem(llvm::StringRef(text).split(", c =").first.str() +
                     ", c = f8E5M2:1, init = zero"),
      "expected element type of 'c' to be one of f16, bf16, f32, i8, i32, but "
      "got 'f8E5M2'");
}

TEST(Problem, AddsIntegersInI32) {
  std::string text =
      "m = 1, n = 2, k = 3, a = i8:row:1, b = i8:col:1, acc = i32, c = i32:4, "
      "init = zero";
  Problem problem = llvm::cantFail(Problem::parse(text));
  EXPECT_EQ(problem.str(), text);
  EXPECT_EQ(problem.a.type, ElementType::i8);
  EXPECT_EQ(sizeOf(problem.a.type), 1);
  EXPECT_EQ(accumulatorOf(problem.a.type), problem.acc);
  EXPECT_TRUE(isInteger(problem.c));
  EXPECT_TRUE(permissionsOf(problem.a.type).empty());
  EXPECT_EQ(errorOfProblem(text + ", products = blocks"),
            "expected 'products' with a and b of f32, or blocks or short with "
            "8-bit floats, but got blocks with i8 and i8; leave it out");
}

TEST(Problem, MakesFloatsOfIntegerSums) {
  std::string text =
      "m = 1, n = 2, k = 3, a = i8:row:1, b = i8:col:1, acc = i32, c = f16:2, "
      "init = zero, epilogue = ";
  Problem problem = llvm::cantFail(Problem::parse(
      text + "\"addi(acc, n:i32) | maxsi($0, -5:i32) | sitofp($1):f32 | "
             "mulf($2, m:f32)\""));
  EXPECT_EQ(problem.epilogue, "addi(acc, n:i32) | maxsi($0, -5:i32) | "
                              "sitofp($1):f32 | mulf($2, m:f32)");
  EXPECT_EQ(errorOfProblem(text + "\"mulf(acc, m:f32)\""),
            "expected 'epilogue' to have types that mulf takes, but got (i32, "
            "f32)");
  EXPECT_EQ(errorOfProblem(text + "\"addi(acc, 1:i32)\""),
            "expected 'epilogue' to end in f16 or a type that rounds to it, "
            "but got i32");
  EXPECT_EQ(errorOfProblem(text + "\"maxsi(acc, 0.5:i32)\""),
            "expected 'epilogue' to name a value, as in 'acc', '$0', 'n:f32' "
            "or '0.5:f32', but got '0.5:i32'");
  EXPECT_EQ(errorOfProblem(text + "\"sitofp(acc):i32\""),
            "expected 'epilogue' to have types that sitofp takes, but got "
            "(i32):'i32'");
}

} // namespace
