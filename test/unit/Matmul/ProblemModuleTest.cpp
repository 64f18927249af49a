//===- ProblemModuleTest.cpp - Tests of programs made of a problem --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's matmul has the problem that it was written for.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/ProblemModule.h"
#include "../Schedule/RandomValues.h"
#include "dialects/Hone/Hone.h"
#include "hone/Matmul/MatmulKernel.h"
#include "hone/Reference/Epilogue.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

Problem parsed(const std::string &text) {
  return llvm::cantFail(Problem::parse(text));
}

/// Programs of one context.
struct ProblemModuleTest : testing::Test {
  llvm::Expected<ProblemModule> programOf(const Problem &problem,
                                          llvm::StringRef batchesB = "") {
    return ProblemModule::of(*context, problem, batchesB);
  }

  std::string errorOf(const std::string &epilogue);

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
};

/// The only matmul of a program.
MatmulOp matmulIn(const ProblemModule &program) {
  MatmulOp matmul;
  mlir::ModuleOp(*program.module).walk([&](MatmulOp op) { matmul = op; });
  return matmul;
}

/// The problem of the only matmul of a program, except its alignments: unknown
/// strides prove none.
Problem problemIn(const ProblemModule &program) {
  return matmulIn(program).getProblem().open(kBestAlign);
}

std::string textOf(const ProblemModule &program) {
  std::string text;
  llvm::raw_string_ostream(text) << *program.module;
  return text;
}

constexpr const char *kPlain = "m = 128, n = 256, k = 64, a = f16:row:16, "
                               "b = f16:col:16, acc = f32, c = f16:16, "
                               "init = zero";

std::string with(const std::string &epilogue) {
  return std::string(kPlain) + ", epilogue = \"" + epilogue + "\"";
}

TEST_F(ProblemModuleTest, HasTheProblem) {
  for (const std::string &text : {
           std::string(kPlain),
           std::string("m = 8, n = 8, k = 8, a = bf16:col:2, b = bf16:row:16, "
                       "acc = f32, c = f32:16, init = read"),
           std::string("batch = 3, m = 8, n = 8, k = 8, a = f16:row:16, "
                       "b = f16:row:16:shared, acc = f32, c = f16:16, "
                       "init = zero"),
           std::string("m = 8, n = 8, k = 8, a = i8:row:16, b = i8:col:16, "
                       "acc = i32, c = i32:16, init = read"),
           std::string("m = 8, n = 8, k = 8, a = i8:row:16, b = i8:col:16, "
                       "acc = i32, c = bf16:16, init = zero, epilogue = "
                       "\"addi(acc, n:i32) | maxsi($0, -5:i32) | "
                       "sitofp($1):f32 | mulf($2, m:f32)\""),
           with("addf(acc, n:f32)"),
           with("extf(n:f16):f32 | addf(acc, $0) | maximumf($1, 0:f32)"),
           with("cmpf<olt>(acc, n:f32) | mulf<fast>(acc, n:f32@2) | "
                "select($0, $1, scalar:f32)"),
           with("mn:f32"),
           with("extf(mn:f16):f32 | addf(acc, $0)"),
           with("mulf(acc, 0.5:f32) | mulf(acc, 0.707106769:f32) | "
                "erf($1) | addf($2, 1:f32) | mulf($0, $3)"),
           with("truncf<downward>(acc):f16 | addf($0, m:f16) | negf($1)"),
           with("mulf(acc, -0.25:f32) | select(true, $0, 0xFF800000:f32)"),
           with("mulf(acc, 1.00000001E-10:f32) | fma($0, acc, n:f32) | "
                "tanh($1)"),
       }) {
    Problem problem = parsed(text);
    auto program = programOf(problem);
    ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
    EXPECT_EQ(problemIn(*program).str(), problem.open(kBestAlign).str())
        << textOf(*program);
  }
}

/// Problems of benchmarks and checks are those of programs with the same
/// matmul.
TEST_F(ProblemModuleTest, HasTheEpiloguesThatHaveNames) {
  for (ElementType out :
       {ElementType::f16, ElementType::bf16, ElementType::f32})
    for (Epilogue epilogue : {Epilogue::biasRelu, Epilogue::biasGeluErf,
                              Epilogue::biasGeluTanh, Epilogue::residual}) {
      Problem problem = parsed(kPlain);
      problem.c = out;
      problem.epilogue = canonicalText(epilogue, out);
      EXPECT_EQ(namedEpilogue(problem), epilogue);
      auto program = programOf(problem);
      ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
      EXPECT_EQ(problemIn(*program).str(), problem.open(kBestAlign).str());
    }
  EXPECT_EQ(namedEpilogue(parsed(kPlain)), std::nullopt);
}

TEST_F(ProblemModuleTest, NumbersOperandsByKind) {
  auto program = llvm::cantFail(
      programOf(parsed(with("extf(m:f16):f32 | mulf(acc, n:f32@2) | "
                            "addf($0, $1) | addf($2, n:f32)"))));
  ASSERT_EQ(program.operands.size(), 3u);
  EXPECT_EQ(program.operands[0].dims, "m");
  EXPECT_EQ(program.operands[0].type, ElementType::f16);
  EXPECT_EQ(program.operands[1].dims, "n");
  EXPECT_EQ(program.operands[2].dims, "n");
}

/// From a text to a program and back, for any computation.
TEST_F(ProblemModuleTest, HasAnyEpilogue) {
  test::Random random;
  for (int i = 0; i < 200; ++i) {
    Problem problem = parsed(kPlain);
    problem.batch = random.flip() ? std::optional<int64_t>(4) : std::nullopt;
    problem.epilogue =
        random.epilogue(problem, random.oneOf({5, 20, 200})).str();
    auto program = programOf(problem);
    ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
    EXPECT_EQ(problemIn(*program).str(), problem.open(kBestAlign).str())
        << textOf(*program);
  }
}

std::string ProblemModuleTest::errorOf(const std::string &epilogue) {
  auto program = programOf(parsed(with(epilogue)));
  return program ? "" : llvm::toString(program.takeError());
}

TEST_F(ProblemModuleTest, SaysWhatCanNotBeReadBack) {
  EXPECT_NE(errorOf(std::string(300, 'x') + " ... #1234").find("older hones"),
            std::string::npos);
  Problem unread = parsed(kPlain);
  unread.epilogue = "relu";
  auto program = programOf(unread);
  ASSERT_FALSE(bool(program));
  EXPECT_NE(llvm::toString(program.takeError()).find("to name a value"),
            std::string::npos);
}

TEST_F(ProblemModuleTest, SaysHowLinesAreAlignedWhereStridesDoNot) {
  Problem problem = parsed(kPlain);
  auto program = programOf(problem);
  ASSERT_TRUE(bool(program));
  EXPECT_EQ(textOf(*program).find("hone.lines"), std::string::npos);
  problem.a.align = 8, problem.b.align = 2;
  program = programOf(problem);
  ASSERT_TRUE(bool(program));
  EXPECT_NE(textOf(*program).find("{hone.lines = array<i64: 8, 2, 16>}"),
            std::string::npos)
      << textOf(*program);
}

TEST_F(ProblemModuleTest, WhatIsMeasuredIsTheKernelForTheProblemsLines) {
  Problem problem = parsed(kPlain);
  problem.m = 14, problem.a.align = 8, problem.b.align = 4;
  Schedule schedule = llvm::cantFail(parseSchedule("small"));
  KernelRequest request = KernelRequest::of(problem, schedule);
  EXPECT_EQ(request.problem.m, kDynamic);
  auto program = programOf(request.problem);
  ASSERT_TRUE(bool(program));
  EXPECT_NE(textOf(*program).find("{hone.lines = array<i64: 8, 4, 16>}"),
            std::string::npos)
      << textOf(*program);
}

TEST_F(ProblemModuleTest, ExtentsAreNoPartOfAKernelAndAlignmentIs) {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  Schedule schedule = llvm::cantFail(parseSchedule("small, group = 8"));
  Schedule other = llvm::cantFail(parseSchedule("small, group = 4"));
  Problem problem = parsed(kPlain), larger = problem;
  larger.m = 4096;
  EXPECT_EQ(kernelKey(problem, schedule, arch), kernelKey(larger, other, arch));
  Problem odd = larger;
  odd.a.align = 2;
  EXPECT_NE(kernelKey(odd, other, arch), kernelKey(larger, other, arch));
  larger.c = ElementType::f32;
  EXPECT_NE(kernelKey(problem, schedule, arch),
            kernelKey(larger, schedule, arch));
}

} // namespace
