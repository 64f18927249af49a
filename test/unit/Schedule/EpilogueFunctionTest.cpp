//===- EpilogueFunctionTest.cpp - Tests of the text of an epilogue --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An epilogue's text is part of a key: one function has one text, of any
// length, and it reads back. The parser refuses any other text without worse
// effects.
//
//===----------------------------------------------------------------------===//

#include "RandomValues.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <chrono>

using namespace hone;
using namespace hone::test;

namespace {

/// A problem with results of f16 and sums of f32.
Problem plain() {
  Problem problem;
  problem.c = ElementType::f16;
  return problem;
}

std::string canonical(llvm::StringRef text, const Problem &problem = plain()) {
  auto function = EpilogueFunction::parse(text, problem);
  return function ? function->str()
                  : "error: " + llvm::toString(function.takeError());
}

std::string errorOfFunction(llvm::StringRef text,
                            const Problem &problem = plain()) {
  return messageOf(EpilogueFunction::parse(text, problem));
}

TEST(EpilogueFunction, OpsAreInOrder) {
  EXPECT_TRUE(llvm::is_sorted(epilogueOps(),
                              [](const ScalarOp *one, const ScalarOp *other) {
                                return one->shortName() < other->shortName();
                              }));
  for (const ScalarOp *op : epilogueOps())
    EXPECT_EQ(findEpilogueOp(op->shortName()), op);
  for (const char *name : {"", "add", "addfx", "zzz"})
    EXPECT_EQ(findEpilogueOp(name), nullptr);
}

TEST(EpilogueFunction, CanonicalTextsReadBack) {
  for (const char *text :
       {"addf(acc, n:f32)", "mn:f32", "0.5:f32", "0x7FC00000:f32",
        "addf(acc, n:f32) | maximumf($0, -0:f32)",
        "extf(n:f16):f32 | addf(acc, $0)",
        "cmpf<olt fast>(acc, n:f32) | mulf<nnan,nsz>(acc, n:f32@2) | "
        "select($0, $1, scalar:f32)",
        "select(true, acc, nm:f32)", "truncf<downward>(acc):f16",
        "exp(acc) | tanh($0) | addf($1, $0) | $0"})
    EXPECT_EQ(canonical(text), text == llvm::StringRef("exp(acc) | tanh($0) | "
                                                       "addf($1, $0) | $0")
                                   ? "exp(acc)"
                                   : text);
  Problem batched = plain();
  batched.batch = 4;
  EXPECT_EQ(canonical("addf(acc, bn:f32)", batched), "addf(acc, bn:f32)");
}

TEST(EpilogueFunction, OneFunctionHasOneText) {
  // Spaces, numbers, and the order and repetition of steps.
  EXPECT_EQ(canonical(" addf( acc,n:f32 )|maximumf ($0,0.000:f32) "),
            "addf(acc, n:f32) | maximumf($0, 0:f32)");
  EXPECT_EQ(canonical("tanh(acc) | exp(acc) | exp(acc) | addf($2, $0)"),
            "exp(acc) | tanh(acc) | addf($0, $1)");
  EXPECT_EQ(canonical("mulf(acc, 5.0e-1:f32)"), "mulf(acc, 0.5:f32)");
  EXPECT_EQ(canonical("mulf(acc, 0x3F000000:f32)"), "mulf(acc, 0.5:f32)");
  EXPECT_EQ(canonical("mulf<nsz, nnan>(acc, acc)"), "mulf<nnan,nsz>(acc, acc)");
  EXPECT_EQ(
      canonical("mulf<afn,contract,arcp,nsz,ninf,nnan,reassoc>(acc, acc)"),
      "mulf<fast>(acc, acc)");
  // Operands of a kind, by their use.
  EXPECT_EQ(canonical("addf(acc, n:f32@2) | mulf($0, n:f32)"),
            "addf(acc, n:f32) | mulf($0, n:f32@2)");
  EXPECT_EQ(canonical("addf(acc, n:f32@7) | mulf($0, m:f32@7)"),
            "addf(acc, n:f32) | mulf($0, m:f32)");
  // Conversions that the store does anyway, and steps without effect.
  EXPECT_EQ(canonical("exp(acc) | truncf($0):f16"), "exp(acc)");
  EXPECT_EQ(canonical("acc"), "");
}

TEST(EpilogueFunction, SaysWhichOperandsItNeeds) {
  auto function = llvm::cantFail(EpilogueFunction::parse(
      "addf(acc, n:f32@3) | mulf(acc, m:f32@2) | addf($0, n:f32)", plain()));
  EXPECT_EQ(function.operandsByUse(), (llvm::SmallVector<size_t>{3, 1}));
  EXPECT_TRUE(EpilogueFunction().operandsByUse().empty());
}

TEST(EpilogueFunction, RefusesOtherFunctions) {
  constexpr llvm::StringLiteral kValue =
      "expected 'epilogue' to name a value, as in 'acc', '$0', 'n:f32' or "
      "'0.5:f32', but got ";
  auto noValue = [&](llvm::StringRef text) {
    return (kValue + "'" + text + "'").str();
  };
  EXPECT_EQ(errorOfFunction("relu"), noValue("relu"));
  EXPECT_EQ(errorOfFunction(""), noValue(""));
  EXPECT_EQ(
      errorOfFunction("relu(acc)"),
      "expected 'epilogue' to be made of absf, addf, addi, ceil, cmpf, cmpi, "
      "copysign, divf, erf, exp, exp2, extf, extsi, extui, floor, fma, "
      "fptosi, log, log2, maximumf, maxnumf, maxsi, minimumf, minnumf, minsi, "
      "mulf, muli, negf, round, roundeven, rsqrt, select, shli, shrsi, shrui, "
      "sitofp, sqrt, subf, subi, tanh, trunc, truncf, trunci, but got 'relu'");
  EXPECT_EQ(errorOfFunction("addf(acc)"),
            "expected 'epilogue' to have 2 operands in addf, but got 1");
  EXPECT_EQ(errorOfFunction("addf()"),
            "expected 'epilogue' to have 2 operands in addf, but got 0");
  EXPECT_EQ(errorOfFunction("addf(acc, $0)"),
            "expected 'epilogue' to name one of 0 earlier steps, but got '$0'");
  EXPECT_EQ(errorOfFunction("exp(acc) | addf(acc, $18446744073709551616)"),
            "expected 'epilogue' to name one of 1 earlier steps, but got "
            "'$18446744073709551616'");
  EXPECT_EQ(errorOfFunction("addf(acc, addf(acc, acc))"),
            "expected 'epilogue' to have 2 operands in addf, but got 3");
  EXPECT_EQ(errorOfFunction("exp(exp(acc))"), noValue("exp(acc)"));
  for (const char *step : {"addf(acc, acc", "addf(acc, acc)x", "(", ")("})
    EXPECT_NE(errorOfFunction(step), "") << step;
  EXPECT_EQ(errorOfFunction("acc | exp(acc)"),
            "expected 'epilogue' to have steps as in 'addf(acc, n:f32)', but "
            "got 'acc'");
  EXPECT_EQ(errorOfFunction("addf(acc, n:f16)"),
            "expected 'epilogue' to have types that addf takes, but got (f32, "
            "f16)");
  EXPECT_EQ(errorOfFunction("extf(acc)"),
            "expected 'epilogue' to have types that extf takes, but got (f32)");
  EXPECT_EQ(errorOfFunction("extf(n:f16):bf16"),
            "expected 'epilogue' to have types that extf takes, but got "
            "(f16):'bf16'");
  EXPECT_EQ(errorOfFunction("exp(acc):f32"),
            "expected 'epilogue' to have types that exp takes, but got "
            "(f32):'f32'");
  EXPECT_EQ(errorOfFunction("cmpf(acc, acc)").substr(0, 45),
            "expected 'epilogue' to compare by one of fals");
  EXPECT_EQ(errorOfFunction("addf<quick>(acc, acc)"),
            "expected 'epilogue' to have attributes that addf takes, but got "
            "'quick'");
  EXPECT_EQ(errorOfFunction("select<fast>(true, acc, acc)"),
            "expected 'epilogue' to have attributes that select takes, but got "
            "'fast'");
  EXPECT_EQ(errorOfFunction("cmpf<olt>(acc, acc)"),
            "expected 'epilogue' to end in f16 or a type that rounds to it, "
            "but got i1");
  EXPECT_EQ(errorOfFunction("n:bf16"),
            "expected 'epilogue' to end in f16 or a type "
            "that rounds to it, but got bf16");
  EXPECT_EQ(errorOfFunction("addf(acc, b:f32)"),
            "expected 'epilogue' to have operands with dimensions of C, but "
            "got 'b:f32' in a problem without a batch");
  for (const char *value :
       {"nn:f32", "k:f32", ":f32", "n:f64", "n:f32@0", "n:f32@x", "n:f32@",
        "128:i8", "n:i64", "1:i1", "--1:f32", "0x:f32", "0x123456789:f32",
        "0x10000:f16", "+:f32", ".:f32"})
    EXPECT_EQ(errorOfFunction(value), noValue(value));
  EXPECT_NE(errorOfFunction(std::string(65, '1') + ":f32"), "");
}

TEST(EpilogueFunction, IntegersKeepTheirTypes) {
  Problem problem = plain();
  problem.a.type = problem.b.type = problem.c = ElementType::i8;
  problem.acc = ElementType::i32;
  // A truncation is not a rounding, and the text has it.
  for (const char *text :
       {"trunci(acc):i8", "extsi(n:i8):i32 | addi(acc, $0) | trunci($1):i8",
        "sitofp(acc):f32 | roundeven($0) | fptosi($1):i8",
        "extsi(acc):i64 | muli($0, -4611686018427387904:i64) | "
        "extui(n:i8):i64 | shrsi($1, $2) | trunci($3):i8",
        "cmpi<ult>(acc, -1:i32) | trunci(acc):i8 | select($0, $1, -128:i8)"})
    EXPECT_EQ(canonical(text, problem), text);
  auto refused = [&](const char *text) {
    return llvm::toString(EpilogueFunction::parse(text, problem).takeError());
  };
  EXPECT_EQ(refused("addi(acc, 1:i32)"),
            "expected 'epilogue' to end in i8, but got i32");
  for (const char *text :
       {"trunci(acc):i32", "extsi(acc):i8", "fptosi(acc):i8", "sitofp(acc):i8",
        "extsi(acc):f32", "trunci<downward>(acc):i8",
        "sitofp(acc):f32 | fptosi<fast>($0):i8", "cmpi<olt>(acc, acc)",
        "addi(acc, 1:i64) | trunci($0):i8", "extui(true):i8"})
    EXPECT_NE(refused(text).find("expected 'epilogue'"), std::string::npos)
        << text;
}

TEST(EpilogueFunction, RandomFunctionsReadBack) {
  Random random;
  size_t longest = 0;
  for (int i = 0; i < 2000; ++i) {
    Problem problem = random.problem();
    std::string text = random.epilogue(problem, 200).str();
    longest = std::max(longest, text.size());
    if (!text.empty()) {
      ASSERT_EQ(canonical(text, problem), text);
    }
  }
  EXPECT_GT(longest, 400u);
}

/// The same function in another form: repeated steps, unused steps, and other
/// numbers of operands.
EpilogueFunction disguised(const EpilogueFunction &function, Random &random) {
  EpilogueFunction result;
  std::vector<std::vector<size_t>> places;
  auto one = [&](size_t place) {
    return places[place][random.below(places[place].size())];
  };
  for (const EpilogueValue &value : function.values) {
    EpilogueValue copy = value;
    copy.number = 1000 - value.number;
    places.emplace_back();
    for (uint64_t times = 1 + random.below(2); times; --times) {
      for (auto [i, argument] : llvm::enumerate(value.arguments))
        copy.arguments[i] = one(argument);
      places.back().push_back(result.add(copy));
    }
    EpilogueValue waste;
    waste.kind = EpilogueValue::step;
    waste.op = findEpilogueOp("negf");
    waste.type = value.type;
    waste.arguments = {places.back().front()};
    result.add(waste);
  }
  result.setResult(one(function.result()));
  return result;
}

TEST(EpilogueFunction, WhatIsSaidOtherwiseHasTheSameText) {
  Random random;
  for (int i = 0; i < 1000; ++i) {
    Problem problem = random.problem();
    EpilogueFunction function = random.epilogue(problem, 40);
    // A rounding only for the store is left out once.
    if (EpilogueFunction other = disguised(function, random);
        function.result() + 1 == function.values.size() ||
        !function.values[function.result()].op ||
        function.values[function.result()].op->form != ScalarOp::narrowing)
      EXPECT_EQ(other.str(), function.str());
  }
}

TEST(EpilogueFunction, MutatedTextIsRefusedOrCanonical) {
  Random random;
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    Problem problem = random.problem();
    std::string text = random.mutate(random.epilogue(problem, 20).str());
    auto function = EpilogueFunction::parse(text, problem);
    if (!function) {
      std::string message = llvm::toString(function.takeError());
      EXPECT_TRUE(llvm::StringRef(message).starts_with("expected ")) << text;
      EXPECT_TRUE(llvm::all_of(message, llvm::isPrint)) << message;
      EXPECT_LT(message.size(), 500u);
      continue;
    }
    ++parsed;
    std::string now = function->str();
    if (!now.empty())
      EXPECT_EQ(canonical(now, problem), now) << text;
  }
  EXPECT_GT(parsed, 300);
}

/// Any length is read in a time that grows with it.
TEST(EpilogueFunction, LongTextsAreReadInTime) {
  auto start = std::chrono::steady_clock::now();
  std::string chain = "addf(acc, n:f32)", many = chain;
  for (int i = 0; i < 100000; ++i) {
    chain += " | addf($" + std::to_string(i) + ", $" + std::to_string(i) + ")";
    many += " | addf($" + std::to_string(i) + ", n:f32@" +
            std::to_string(100001 - i) + ")";
  }
  EXPECT_EQ(canonical(chain), chain);
  std::string renamed = canonical(many);
  EXPECT_EQ(canonical(renamed), renamed);
  for (const std::string &text :
       {std::string(4000000, '9'), std::string(4000000, '('),
        std::string(4000000, '|'), std::string(4000000, ','),
        "exp(" + std::string(4000000, '9') + ":f32)"}) {
    std::string error = errorOfFunction(text);
    EXPECT_NE(error, "");
    EXPECT_LT(error.size(), 500u);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

} // namespace
