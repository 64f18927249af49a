//===- LaunchArgsTest.cpp - Tests of the arguments that the host passes ---===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Build/LaunchArgs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hone;

namespace {

class LaunchArgsTest : public testing::Test {
protected:
  LaunchArgsTest() {
    context.loadDialect<func::FuncDialect, memref::MemRefDialect>();
  }

  /// The operands of the return of a function with this text.
  OperandRange parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    function = *module->getOps<func::FuncOp>().begin();
    return function.getBody().front().getTerminator()->getOperands();
  }
  Value parseArgument(const std::string &type) {
    return parse("func.func @f(%m: " + type + ") -> " + type +
                 " {\n  return %m : " + type + "\n}")[0];
  }

  /// The matrix m, in floats, as seen by a kernel that loads 16 bytes.
  static LaunchArgs argsOf(Value matrix) {
    LaunchArgs args;
    args.addAddress("a", matrix);
    args.addExtent("m", matrix, 0);
    args.addExtent("k", matrix, 1);
    args.addStep("lda", matrix, /*dim=*/0, /*inner=*/1, /*unit=*/4);
    return args;
  }
  bool implies(const std::string &type, const std::string &condition) {
    return argsOf(parseArgument(type)).facts().implies(condition);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

TEST_F(LaunchArgsTest, OneRowHasAStepThatTheCopyEngineTakes) {
  EXPECT_TRUE(implies("memref<1x1001xf32>", "lda == 1004"));
  EXPECT_TRUE(implies("memref<1x1000xf32>", "lda == 1000"));
  EXPECT_TRUE(implies("memref<1x3xf32, strided<[7, 1]>>", "lda == 4"));
  EXPECT_TRUE(implies("memref<1x3xf32, strided<[?, 1]>>", "lda == 4"));
  EXPECT_TRUE(implies("memref<1x?xf32>",
                      "lda % 4 == 0 && lda >= k && lda > 0 && m == 1"));
  EXPECT_TRUE(implies("memref<1x0xf32>", "lda > 0"));
}

TEST_F(LaunchArgsTest, SeveralRowsHaveTheStrideOfTheMemref) {
  EXPECT_TRUE(implies("memref<2x1001xf32>", "lda == 1001"));
  EXPECT_TRUE(implies("memref<?x1001xf32>", "lda == 1001"));
  EXPECT_TRUE(implies("memref<?x?xf32>", "lda == k && lda >= 0"));
  EXPECT_FALSE(implies("memref<?x?xf32>", "lda > 0"));
  EXPECT_FALSE(implies("memref<?x?xf32, strided<[?, 1]>>", "lda >= 0"));
}

TEST_F(LaunchArgsTest, AddressesAreAlignedAsFarAsTypesSay) {
  EXPECT_TRUE(implies("memref<2x4xf32>", "a % 16 == 0"));
  EXPECT_TRUE(
      implies("memref<2x4xf32, strided<[4, 1], offset: 6>>", "a % 8 == 0"));
  EXPECT_FALSE(
      implies("memref<2x4xf32, strided<[4, 1], offset: 6>>", "a % 16 == 0"));
  EXPECT_TRUE(
      implies("memref<2x4xf32, strided<[4, 1], offset: ?>>", "a % 4 == 0"));
  EXPECT_FALSE(
      implies("memref<2x4xf32, strided<[4, 1], offset: ?>>", "a % 8 == 0"));
}

TEST_F(LaunchArgsTest, SlicesAreAlignedAsTheirStridesAre) {
  Value slice = parse(R"(
    func.func @f(%all: memref<8x2x6xf32>, %i: index)
        -> memref<2x6xf32, strided<[6, 1], offset: ?>> {
      %one = memref.subview %all[%i, 0, 0] [1, 2, 6] [1, 1, 1]
          : memref<8x2x6xf32> to memref<2x6xf32, strided<[6, 1], offset: ?>>
      return %one : memref<2x6xf32, strided<[6, 1], offset: ?>>
    })")[0];
  EXPECT_TRUE(argsOf(slice).facts().implies("a % 16 == 0"));
  slice = parse(R"(
    func.func @f(%all: memref<8x6xf32>, %i: index)
        -> memref<2x6xf32, strided<[6, 1], offset: ?>> {
      %two = memref.subview %all[%i, 0] [2, 6] [1, 1]
          : memref<8x6xf32> to memref<2x6xf32, strided<[6, 1], offset: ?>>
      return %two : memref<2x6xf32, strided<[6, 1], offset: ?>>
    })")[0];
  EXPECT_TRUE(argsOf(slice).facts().implies("a % 8 == 0"));
  EXPECT_FALSE(argsOf(slice).facts().implies("a % 16 == 0"));
}

TEST_F(LaunchArgsTest, APlanWhoseLastGuardMayFailIsAnError) {
  LaunchArgs args = argsOf(parseArgument("memref<?x1001xf32>"));
  LaunchPlan plan;
  plan.args = args.getNames();
  plan.alternatives.resize(2);
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(succeeded(verifyLastAlternative(function, plan, args)));
  plan.alternatives.back().guard = "a % 16 == 0 && lda > 0";
  EXPECT_TRUE(succeeded(verifyLastAlternative(function, plan, args)));
  plan.alternatives.back().guard = "a % 16 == 0 && lda % 4 == 0";
  EXPECT_TRUE(failed(verifyLastAlternative(function, plan, args)));
  EXPECT_NE(said.find("asks 'lda % 4 == 0'"), std::string::npos) << said;
  plan.alternatives.back().guard = "1";
  plan.alternatives.back().extent = "m";
  plan.alternatives.back().max = 64;
  EXPECT_TRUE(failed(verifyLastAlternative(function, plan, args)));
  EXPECT_NE(said.find("asks 'm <= 64'"), std::string::npos) << said;
}

} // namespace
