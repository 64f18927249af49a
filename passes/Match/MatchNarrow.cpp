//===- MatchNarrow.cpp - Extensions as ops of their own -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of elementwise ops joins the op that rounds to f16 with the op that
// extends the result for an f32 product. The f16 is then nowhere in memory, and
// the product looks like one of f32. The extension becomes an op of its own
// again, and the product looks through it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Match/MatchContraction.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// The narrow value that an elementwise generic extends to `value`; null if
/// there is none, or if the generic only extends an input.
static Value narrowElement(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumLoops() != op.getNumParallelLoops())
    return {};
  unsigned index = cast<OpResult>(value).getResultNumber();
  Value yielded = op.getBlock()->getTerminator()->getOperand(index);
  Value narrow = skipExtensions(yielded);
  if (narrow == yielded || isa<BlockArgument>(narrow) ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(index)))
    return {};
  return narrow;
}

/// Writes `op` with the elements of `narrow` as result `index`.
static linalg::GenericOp yieldNarrow(RewriterBase &rewriter,
                                     linalg::GenericOp op, unsigned index,
                                     Value narrow) {
  Location loc = op.getLoc();
  SmallVector<Value> outputs = op.getOutputs();
  outputs[index] = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, outputs[index]),
      narrow.getType());
  auto build = [&](OpBuilder &builder, Location, ValueRange elements) {
    IRMapping mapping;
    mapping.map(op.getBlock()->getArguments(), elements);
    for (Operation &inner : op.getBlock()->without_terminator())
      builder.clone(inner, mapping);
    SmallVector<Value> yielded;
    for (Value value : op.getBlock()->getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    yielded[index] = mapping.lookupOrDefault(narrow);
    linalg::YieldOp::create(builder, loc, yielded);
  };
  return linalg::GenericOp::create(
      rewriter, loc, ValueRange(outputs).getTypes(), op.getInputs(), outputs,
      op.getIndexingMapsArray(), op.getIteratorTypesArray(), build);
}

/// Splits the extension off the op that computes `value`.
static void splitExtension(RewriterBase &rewriter, Value value, Value narrow) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  unsigned index = cast<OpResult>(value).getResultNumber();
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  linalg::GenericOp narrowed = yieldNarrow(rewriter, op, index, narrow);
  SmallVector<Value> results = narrowed.getResults();
  auto type = cast<RankedTensorType>(value.getType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  auto extended = linalg::GenericOp::create(
      rewriter, loc, type, results[index], op.getOutputs()[index],
      ArrayRef{identity, identity},
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &builder, Location, ValueRange elements) {
        Value wide = convertScalar(builder, loc, elements.front(),
                                   type.getElementType());
        linalg::YieldOp::create(builder, loc, wide);
      });
  results[index] = extended.getResult(0);
  rewriter.replaceOp(op, results);
}

/// The types of the values of `accesses`, and `hidden` if not null.
static SmallVector<Type> typesOf(ArrayRef<Access> accesses, Value hidden) {
  SmallVector<Type> types;
  for (const Access &access : accesses)
    types.push_back(access.elementType());
  if (hidden)
    types.push_back(hidden.getType());
  return types;
}

/// True if a kernel multiplies these types.
static bool areFactors(Type one, Type other) {
  std::optional<ElementType> left = toFactorType(one),
                             right = toFactorType(other);
  return left && right &&
         (areMultiplied(*left, *right) || areMultiplied(*right, *left));
}

void match::exposeNarrow(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || !op.hasPureTensorSemantics())
    return;
  std::array<SmallVector<Access>, 2> accesses = {accessesOf(op, 0),
                                                 accessesOf(op, 1)};
  if (accesses[0].empty() || accesses[1].empty())
    return;
  std::array<Value, 2> values, hidden;
  std::array<SmallVector<Type>, 2> types;
  for (unsigned index : {0, 1}) {
    values[index] = accesses[index].back().value;
    hidden[index] = narrowElement(values[index]);
    types[index] = typesOf(accesses[index], hidden[index]);
  }
  // An extension that does not matter to the product stays in place.
  for (unsigned index : {0, 1})
    if (hidden[index] && toFactorType(hidden[index].getType()) &&
        llvm::any_of(types[!index],
                     [&](Type other) {
                       return areFactors(hidden[index].getType(), other);
                     }) &&
        (index == 0 || values[0] != values[1]))
      splitExtension(rewriter, values[index], hidden[index]);
}
