//===- SeparateResults.cpp - An allocation for each result ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's pass that turns results into arguments erases the allocation of
// each result. For two results with one allocation it would do so twice.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Passes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hone {
#define GEN_PASS_DEF_SEPARATERESULTS
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

/// Copies each value that `op` returns a second time.
static void separate(func::ReturnOp op) {
  llvm::SmallPtrSet<Operation *, 4> returned;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto alloc = operand.get().getDefiningOp<memref::AllocOp>();
    if (!alloc || returned.insert(alloc).second)
      continue;
    Value copy = memref::AllocOp::create(builder, op.getLoc(), alloc.getType(),
                                         alloc.getDynamicSizes(),
                                         alloc.getSymbolOperands());
    memref::CopyOp::create(builder, op.getLoc(), alloc, copy);
    operand.set(copy);
  }
}

namespace {
struct SeparateResultsPass
    : hone::impl::SeparateResultsBase<SeparateResultsPass> {
  void runOnOperation() override {
    getOperation()->walk([](func::ReturnOp op) { separate(op); });
  }
};
} // namespace
