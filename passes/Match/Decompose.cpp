//===- Decompose.cpp - Decomposition of composite linalg ops --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op like linalg.softmax has no loops of its own. It stands for several ops,
// into which it can be decomposed as long as it is on tensors.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Passes.h"

namespace hone {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;

namespace {
struct DecomposePass : hone::impl::DecomposeBase<DecomposePass> {
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::AggregatedOpInterface> ops;
    getOperation()->walk([&](linalg::AggregatedOpInterface op) {
      if (llvm::all_of(op->getResultTypes(), llvm::IsaPred<TensorType>) &&
          op->getNumResults() > 0)
        ops.push_back(op);
    });
    for (linalg::AggregatedOpInterface op : ops) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
      // An op that cannot be decomposed stays as it is.
      if (succeeded(parts))
        rewriter.replaceOp(op, *parts);
    }
  }
};
} // namespace
