//===- HostLoops.cpp - Scalars that loops carry ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop carries a scalar instead of a tensor of one element, if the host can
// compute the first element, and each next one from such elements:
//
//   scf.while (%i = %zero : tensor<i32>)       scf.while (%i = %c0 : i32)
//     %n = tensor.extract %i[]                   %t = tensor.from_elements %i
//     ...                                        ...
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Rest/HostScalars.h"

using namespace mlir;
using namespace hone;

static Value elementAt(OpBuilder &builder, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Location loc = tensor.getLoc();
  SmallVector<Value> zeros;
  if (type.getRank() > 0)
    zeros.assign(type.getRank(),
                 arith::ConstantIndexOp::create(builder, loc, 0));
  return tensor::ExtractOp::create(builder, loc, tensor, zeros);
}

static bool isCandidate(Value tensor) {
  return isScalarTensor(tensor.getType()) &&
         cast<RankedTensorType>(tensor.getType())
             .getElementType()
             .isIntOrIndex();
}

namespace {
/// A value that a loop carries: the argument, and the values that it gets.
struct Carried {
  Value argument;
  SmallVector<Value, 2> sources;
};
} // namespace

/// The arguments that the host can compute.
static llvm::SetVector<Value> findKnown(ArrayRef<Carried> carried) {
  llvm::SetVector<Value> known;
  for (const Carried &each : carried)
    if (isCandidate(each.argument))
      known.insert(each.argument);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Carried &each : carried)
      if (known.contains(each.argument) &&
          !llvm::all_of(each.sources, [&](Value source) {
            return canHostCompute(source, known);
          })) {
        known.remove(each.argument);
        changed = true;
      }
  }
  return known;
}

/// Replaces each of `values` whose argument is known by its element.
static SmallVector<Value> elementsOfKnown(OpBuilder &builder, ValueRange values,
                                          ValueRange arguments,
                                          const llvm::SetVector<Value> &known) {
  SmallVector<Value> all(values);
  for (auto [value, argument] : llvm::zip_equal(all, arguments))
    if (known.contains(argument))
      value = elementAt(builder, value);
  return all;
}

/// `value` as a tensor of type `type`, if it is its element.
static Value asCarried(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::FromElementsOp::create(builder, value.getLoc(), type, value);
}

/// Moves `from` into `to`, whose arguments are scalars where those of `from`
/// are known.
static void moveBlock(RewriterBase &rewriter, Block *from, Block *to) {
  rewriter.setInsertionPointToStart(to);
  SmallVector<Value> arguments;
  for (auto [old, fresh] :
       llvm::zip_equal(from->getArguments(), to->getArguments()))
    arguments.push_back(asCarried(rewriter, fresh, old.getType()));
  rewriter.mergeBlocks(from, to, arguments);
}

/// Replaces the results of `old` by those of `fresh`.
static void replaceResults(RewriterBase &rewriter, Operation *old,
                           Operation *fresh) {
  rewriter.setInsertionPointAfter(fresh);
  SmallVector<Value> results;
  for (auto [result, own] :
       llvm::zip_equal(old->getResults(), fresh->getResults()))
    results.push_back(asCarried(rewriter, own, result.getType()));
  rewriter.replaceOp(old, results);
}

static bool changeFor(RewriterBase &rewriter, scf::ForOp loop) {
  SmallVector<Carried> carried;
  for (auto [argument, first, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(),
                       loop.getYieldedValues()))
    carried.push_back({argument, {first, next}});
  llvm::SetVector<Value> known = findKnown(carried);
  if (known.empty())
    return false;
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> first = elementsOfKnown(rewriter, loop.getInitArgs(),
                                             loop.getRegionIterArgs(), known);
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> next = elementsOfKnown(rewriter, yield.getOperands(),
                                            loop.getRegionIterArgs(), known);
  rewriter.modifyOpInPlace(yield,
                           [&] { yield.getResultsMutable().assign(next); });
  rewriter.setInsertionPoint(loop);
  auto fresh = scf::ForOp::create(
      rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), first, [](OpBuilder &, Location, Value, ValueRange) {},
      loop.getUnsignedCmp());
  moveBlock(rewriter, loop.getBody(), fresh.getBody());
  replaceResults(rewriter, loop, fresh);
  return true;
}

static bool changeWhile(RewriterBase &rewriter, scf::WhileOp loop) {
  Block *before = loop.getBeforeBody(), *after = loop.getAfterBody();
  scf::ConditionOp condition = loop.getConditionOp();
  scf::YieldOp yield = loop.getYieldOp();
  SmallVector<Carried> carried;
  for (auto [argument, first, next] : llvm::zip_equal(
           before->getArguments(), loop.getInits(), yield.getOperands()))
    carried.push_back({argument, {first, next}});
  for (auto [argument, source] :
       llvm::zip_equal(after->getArguments(), condition.getArgs()))
    carried.push_back({argument, {source}});
  llvm::SetVector<Value> known = findKnown(carried);
  if (known.empty())
    return false;
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> first =
      elementsOfKnown(rewriter, loop.getInits(), before->getArguments(), known);
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> next = elementsOfKnown(rewriter, yield.getOperands(),
                                            before->getArguments(), known);
  rewriter.modifyOpInPlace(yield,
                           [&] { yield.getResultsMutable().assign(next); });
  rewriter.setInsertionPoint(condition);
  SmallVector<Value> passed = elementsOfKnown(rewriter, condition.getArgs(),
                                              after->getArguments(), known);
  rewriter.modifyOpInPlace(condition,
                           [&] { condition.getArgsMutable().assign(passed); });
  rewriter.setInsertionPoint(loop);
  auto fresh = scf::WhileOp::create(
      rewriter, loop.getLoc(), TypeRange(ValueRange(passed)), first,
      [](OpBuilder &, Location, ValueRange) {},
      [](OpBuilder &, Location, ValueRange) {});
  moveBlock(rewriter, before, fresh.getBeforeBody());
  moveBlock(rewriter, after, fresh.getAfterBody());
  replaceResults(rewriter, loop, fresh);
  return true;
}

bool hone::carryScalars(func::FuncOp function) {
  // Inner loops first: their results may be sources of an outer one.
  SmallVector<Operation *> loops;
  function.walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::WhileOp>(op))
      loops.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  bool changed = false;
  for (Operation *loop : loops) {
    auto counted = dyn_cast<scf::ForOp>(loop);
    changed |= counted ? changeFor(rewriter, counted)
                       : changeWhile(rewriter, cast<scf::WhileOp>(loop));
  }
  return changed;
}
