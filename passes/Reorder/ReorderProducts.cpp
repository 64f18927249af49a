//===- ReorderProducts.cpp - Products in the order that costs least -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors first: a product that becomes narrow may then share rows.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "passes/Passes.h"
#include "passes/Reorder/Reorder.h"

namespace hone {
#define GEN_PASS_DEF_REORDERPRODUCTS
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {
struct ReorderProductsPass
    : hone::impl::ReorderProductsBase<ReorderProductsPass> {
  using ReorderProductsBase::ReorderProductsBase;

  void runOnOperation() override {
    if (reorder == Reorder::kept)
      return markAllAnalysesPreserved();
    IRRewriter rewriter(&getContext());
    bool hasChanged = reorder::reorderFactors(rewriter, getOperation(),
                                              reorder == Reorder::all);
    hasChanged |= reorder::reorderGathers(rewriter, getOperation());
    if (!hasChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
