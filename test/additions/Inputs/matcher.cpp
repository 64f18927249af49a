//===- matcher.cpp - A matcher of operands that are negated twice ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of products, as matcher.patch lets hone-match read them.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Match/MatchContraction.h"

using namespace mlir;

static constexpr StringLiteral kProgram = R"mlir(
  func.func @f(%a: tensor<8x16xf16>, %b: tensor<16x8xf16>,
               %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = arith.negf %a : tensor<8x16xf16>
    %1 = arith.negf %0 : tensor<8x16xf16>
    %2 = arith.negf %b : tensor<16x8xf16>
    %3 = linalg.matmul ins(%1, %2 : tensor<8x16xf16>, tensor<16x8xf16>)
                       outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  })mlir";

int main() {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, tensor::TensorDialect>();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kProgram, &context);
  if (!module)
    return 1;
  module->walk([](linalg::LinalgOp op) {
    for (unsigned index : {0, 1}) {
      Value source = hone::match::accessesOf(op, index).back().value;
      llvm::outs() << "operand " << index << " is read from " << source << "\n";
    }
  });
  return 0;
}
