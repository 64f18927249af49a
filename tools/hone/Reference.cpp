//===- Reference.cpp - What a module computes, in f64 ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types are replaced everywhere: on values, in attributes, in constants. A
// conversion between float types is then one from f64 to f64, and goes.
//
// A sum runs over its terms in the order of the program; only which sums are
// advanced together is changed, so that large problems do not take minutes.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "Compile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace hone;

static APFloat toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// Replaces float types inside of types and attributes.
static AttrTypeReplacer makeReplacer() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FloatType type) -> Type {
    return Float64Type::get(type.getContext());
  });
  replacer.addReplacement([](FloatAttr attr) -> Attribute {
    return FloatAttr::get(Float64Type::get(attr.getContext()),
                          toDouble(attr.getValue()));
  });
  // The data of a constant has the width of its type.
  replacer.addReplacement(
      [](DenseElementsAttr attr)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        if (!isa<FloatType>(attr.getElementType()))
          return std::nullopt;
        auto type = attr.getType().clone(Float64Type::get(attr.getContext()));
        auto widen = [](const APFloat &value) {
          return toDouble(value).bitcastToAPInt();
        };
        auto floats = cast<DenseFPElementsAttr>(attr);
        return std::pair<Attribute, WalkResult>(
            floats.mapValues(type.getElementType(), widen), WalkResult::skip());
      });
  return replacer;
}

/// An op that sees the bits of its operands is another op on f64.
static llvm::Error refuseBitCasts(ModuleOp module) {
  llvm::Error error = llvm::Error::success();
  module.walk([&](arith::BitcastOp op) {
    if (!error)
      error = llvm::createStringError(
          "expected a function that does not depend on the bits of its floats, "
          "but got arith.bitcast");
  });
  return error;
}

/// Makes the last parallel loop of a reduction the innermost one: neighbouring
/// elements of the result, and not of a column that is far apart in memory.
static void interchangeLoops(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::GenericOp> ops;
  module.walk([&](linalg::GenericOp op) { ops.push_back(op); });
  for (linalg::GenericOp op : ops) {
    SmallVector<unsigned> parallel, order;
    op.getParallelDims(parallel);
    if (parallel.empty() || parallel.size() == op.getNumLoops())
      continue;
    for (unsigned i = 0; i < op.getNumLoops(); ++i)
      if (i != parallel.back())
        order.push_back(i);
    order.push_back(parallel.back());
    rewriter.setInsertionPoint(op);
    (void)linalg::interchangeGenericOp(rewriter, op, order);
  }
}

llvm::Expected<OwningOpRef<ModuleOp>> hone::makeReference(ModuleOp module) {
  if (llvm::Error error = refuseBitCasts(module))
    return std::move(error);
  OwningOpRef<ModuleOp> copy = module.clone();
  AttrTypeReplacer replacer = makeReplacer();
  replacer.recursivelyReplaceElementsIn(*copy, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  IRRewriter rewriter(module.getContext());
  copy->walk([&](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      rewriter.replaceOp(op, op->getOperands());
  });
  if (failed(verify(*copy)))
    return llvm::createStringError(
        "expected a module that means the same on f64");
  auto passes = [](OpPassManager &pm) {
    addBufferization(pm);
    pm.addPass(createLinalgGeneralizeNamedOpsPass());
  };
  if (llvm::Error error = runPasses(*copy, passes))
    return std::move(error);
  interchangeLoops(*copy);
  return copy;
}
