//===- JitTest.cpp - Tests of functions that run in the process -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results of every kind, symbols of the caller, math on scalars
// and on vectors, and errors. A module that cannot run is an error, never an
// abort.
//
//===----------------------------------------------------------------------===//

#include "hone/Jit/Jit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;

namespace {

class JitTest : public ::testing::Test {
protected:
  JitTest() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::linalg::LinalgDialect, mlir::LLVM::LLVMDialect,
                        mlir::math::MathDialect, mlir::memref::MemRefDialect,
                        mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                        mlir::vector::VectorDialect>();
  }

  llvm::Expected<std::unique_ptr<Jit>> compile(llvm::StringRef text,
                                               const JitOptions &options = {}) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return llvm::createStringError("does not parse");
    return Jit::create(*module, options);
  }
  /// Compiles and calls `@f`; the error is the empty string on success.
  std::string call(llvm::StringRef text, JitArguments &arguments,
                   const JitOptions &options = {}) {
    auto jit = compile(text, options);
    if (!jit)
      return llvm::toString(jit.takeError());
    return llvm::toString((*jit)->invoke("f", arguments));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(JitTest, scalarsGoInAndOut) {
  JitArguments arguments;
  float result = 0;
  arguments.add(int64_t(3));
  arguments.add(0.5f);
  arguments.addResult(&result);
  EXPECT_EQ(call(R"(
    func.func @f(%i: i64, %x: f32) -> f32 {
      %0 = arith.sitofp %i : i64 to f32
      %1 = arith.addf %0, %x : f32
      return %1 : f32
    })",
                 arguments),
            "");
  EXPECT_EQ(result, 3.5f);
}

TEST_F(JitTest, memrefsHaveSizesAndStrides) {
  float data[12] = {};
  JitArguments arguments;
  arguments.addMemRef(data, {2, 3}, {6, 2});
  EXPECT_EQ(call(R"(
    func.func @f(%m: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
      %x = arith.constant 1.0 : f32
      linalg.fill ins(%x : f32) outs(%m : memref<?x?xf32, strided<[?, ?], offset: ?>>)
      return
    })",
                 arguments),
            "");
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(data[i], i % 2 == 0 ? 1.0f : 0.0f) << i;
}

TEST_F(JitTest, memrefsComeBack) {
  JitArguments arguments;
  llvm::ArrayRef<int64_t> result = arguments.addMemRefResult(2);
  arguments.add(int64_t(5));
  EXPECT_EQ(call(R"(
    func.func @f(%n: index) -> memref<?x3xf32> {
      %m = memref.alloc(%n) : memref<?x3xf32>
      return %m : memref<?x3xf32>
    })",
                 arguments),
            "");
  EXPECT_NE(result[1], 0);
  EXPECT_EQ(result.slice(3), (llvm::ArrayRef<int64_t>{5, 3, 3, 1}));
  free(reinterpret_cast<void *>(result[0]));
}

TEST_F(JitTest, copiesBetweenStridedMemrefsNeedNoRunnerLibrary) {
  float from[4] = {1, 2, 3, 4}, to[4] = {};
  JitArguments arguments;
  arguments.addMemRef(from, {2, 2}, {2, 1});
  arguments.addMemRef(to, {2, 2}, {1, 2});
  EXPECT_EQ(call(R"(
    func.func @f(%a: memref<2x2xf32, strided<[?, ?]>>,
                 %b: memref<2x2xf32, strided<[?, ?]>>) {
      memref.copy %a, %b : memref<2x2xf32, strided<[?, ?]>>
                        to memref<2x2xf32, strided<[?, ?]>>
      return
    })",
                 arguments),
            "");
  EXPECT_EQ(llvm::ArrayRef<float>(to), (llvm::ArrayRef<float>{1, 3, 2, 4}));
}

TEST_F(JitTest, symbolsOfTheCallerAreFound) {
  static int calls;
  calls = 0;
  JitOptions options;
  options.symbols["countMe"] = reinterpret_cast<void *>(+[] { ++calls; });
  JitArguments arguments;
  EXPECT_EQ(call(R"(
    llvm.func @countMe()
    func.func @f() {
      llvm.call @countMe() : () -> ()
      return
    })",
                 arguments, options),
            "");
  EXPECT_EQ(calls, 1);
}

TEST_F(JitTest, globalConstructorsRun) {
  static int calls;
  calls = 0;
  JitOptions options;
  options.symbols["countMe"] = reinterpret_cast<void *>(+[] { ++calls; });
  auto jit = compile(R"(
    llvm.func @countMe()
    llvm.func @ctor() {
      llvm.call @countMe() : () -> ()
      llvm.return
    }
    llvm.mlir.global_ctors ctors = [@ctor], priorities = [0 : i32], data = [#llvm.zero]
    )",
                     options);
  ASSERT_TRUE(bool(jit)) << llvm::toString(jit.takeError());
  EXPECT_EQ(calls, 1);
}

TEST_F(JitTest, theModuleStaysAsItIs) {
  auto jit = compile("func.func @f(%x: f32) { return }");
  ASSERT_TRUE(bool(jit)) << llvm::toString(jit.takeError());
  EXPECT_FALSE(module->getOps<mlir::func::FuncOp>().empty());
}

//===----------------------------------------------------------------------===//
// Math
//===----------------------------------------------------------------------===//

/// Largest error of a math function on a vector, relative to values above one
/// and absolute below.
TEST_F(JitTest, vectorMathIsClose) {
  struct Function {
    const char *name;
    double (*reference)(double);
    double from, to;
  };
  const Function functions[] = {
      {"exp", std::exp, -80, 80},     {"expm1", std::expm1, -10, 10},
      {"log", std::log, 1e-6, 1e6},   {"log2", std::log2, 1e-6, 1e6},
      {"log1p", std::log1p, -.9, 10}, {"tanh", std::tanh, -12, 12},
      {"erf", std::erf, -5, 5},       {"sin", std::sin, -100, 100},
      {"exp2", std::exp2, -80, 80},   {"sqrt", std::sqrt, 0, 1e6}};
  for (const Function &function : functions) {
    auto jit = compile(llvm::formatv(R"(
      func.func @f(%m: memref<16xf32>) {{
        %c0 = arith.constant 0 : index
        %0 = vector.load %m[%c0] : memref<16xf32>, vector<16xf32>
        %1 = math.{0} %0 : vector<16xf32>
        vector.store %1, %m[%c0] : memref<16xf32>, vector<16xf32>
        return
      })",
                                     function.name)
                           .str());
    ASSERT_TRUE(bool(jit)) << llvm::toString(jit.takeError());
    double worst = 0;
    for (int step = 0; step < 2000; ++step) {
      float x[16], y[16];
      for (int i = 0; i < 16; ++i)
        x[i] = y[i] = function.from +
                      (function.to - function.from) * (step * 16 + i) / 32000.0;
      JitArguments arguments;
      arguments.addMemRef(y, {16});
      ASSERT_EQ(llvm::toString((*jit)->invoke("f", arguments)), "");
      for (int i = 0; i < 16; ++i) {
        double right = function.reference(x[i]);
        worst = std::max(worst, std::abs(y[i] - right) /
                                    std::max(1.0, std::abs(right)));
      }
    }
    EXPECT_LT(worst, 1e-6) << function.name;
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(JitTest, whatIsNotBufferizedIsAnError) {
  JitArguments arguments;
  std::string error = call(R"(
    func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
      %1 = tensor.cast %0 : tensor<?xf32> to tensor<4xf32>
      return %1 : tensor<4xf32>
    })",
                           arguments);
  EXPECT_EQ(error.rfind("expected a module of bufferized host code", 0), 0u)
      << error;
}

TEST_F(JitTest, anUnknownFunctionIsAnError) {
  auto jit = compile("func.func @f() { return }");
  ASSERT_TRUE(bool(jit)) << llvm::toString(jit.takeError());
  auto function = (*jit)->lookup("g");
  ASSERT_FALSE(bool(function));
  EXPECT_EQ(llvm::toString(function.takeError())
                .rfind("expected a public function, but got 'g'", 0),
            0u);
}

TEST_F(JitTest, anUnknownSymbolIsAnError) {
  JitArguments arguments;
  std::string error = call(R"(
    llvm.func @nobodyHasThis()
    func.func @f() {
      llvm.call @nobodyHasThis() : () -> ()
      return
    })",
                           arguments);
  EXPECT_NE(error, "");
}

} // namespace
