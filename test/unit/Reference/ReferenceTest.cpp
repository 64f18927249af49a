//===- ReferenceTest.cpp --------------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Reference.h"
#include "hone/Driver/Compile.h"
#include "hone/Reference/Call.h"
#include "hone/Reference/RandomData.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace hone;

/// No CPU has 8-bit floats; their reference is in f64 like any other.
TEST(ReferenceTest, ReadsFloatsOf8Bits) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
func.func @f(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x4xf8E5M2>) -> tensor<4x4xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4x4xbf16>
  %i = linalg.fill ins(%zero : bf16) outs(%e : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf8E4M3FN>, tensor<8x4xf8E5M2>) outs(%i : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %0 : tensor<4x4xbf16>
})",
                                                        context.get());
  Signature signature = llvm::cantFail(Signature::read(*module, "", {}));
  std::vector<Values> data = makeData(signature, Inputs::normal, /*seed=*/3);
  auto program = llvm::cantFail(ReferenceProgram::create(*module));
  auto memory = Memory::host();
  Call call(program->getJit(), signature, *memory, /*isReference=*/true);
  llvm::cantFail(call.prepare(data));
  llvm::cantFail(call.run());
  Outcome outcome = llvm::cantFail(call.outcome());
  const Values &sums = outcome.arrays.front().elements;
  ASSERT_EQ(sums.size(), 16u);
  for (size_t row = 0; row < 4; ++row)
    for (size_t col = 0; col < 4; ++col) {
      double sum = 0;
      for (size_t k = 0; k < 8; ++k)
        sum += data[0][row * 8 + k] * data[1][k * 4 + col];
      EXPECT_DOUBLE_EQ(sums[row * 4 + col], sum);
    }
}
