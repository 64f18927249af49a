//===- ScaledProduct.cpp - The product, and its scale after it ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ScaleMover.h.
//
//===----------------------------------------------------------------------===//

#include "ScaleMover.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// A tensor of C's shape.
Value ScaleMover::newTensor(Type element) {
  Value c = op.getDpsInits().front();
  return tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, c), element);
}

/// The f32 sums of products with `unscaled` as operand `index`, starting at
/// zero.
linalg::LinalgOp ScaleMover::makeSum(unsigned index, Value unscaled) {
  Type f32 = rewriter.getF32Type();
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
  Value start =
      linalg::FillOp::create(rewriter, loc, zero, newTensor(f32)).getResult(0);
  SmallVector<Value> inputs = op.getDpsInputs();
  inputs[index] = unscaled;
  auto build = [&](OpBuilder &builder, Location, ValueRange elements) {
    Value left = convertScalar(builder, loc, elements[0], f32);
    Value right = convertScalar(builder, loc, elements[1], f32);
    Value product = arith::MulFOp::create(builder, loc, left, right);
    Value sum = arith::AddFOp::create(builder, loc, elements[2], product);
    linalg::YieldOp::create(builder, loc, sum);
  };
  auto sum = linalg::GenericOp::create(rewriter, loc, start.getType(), inputs,
                                       start, op.getIndexingMapsArray(),
                                       op.getIteratorTypesArray(), build);
  copyPins(op, sum);
  return cast<linalg::LinalgOp>(sum.getOperation());
}

/// True if every element of `start` is +0.0.
static bool isZero(Value start) {
  auto type = cast<RankedTensorType>(start.getType());
  FailureOr<Source> source = resolveSource(
      start,
      AffineMap::getMultiDimIdentityMap(type.getRank(), start.getContext()));
  return succeeded(source) && isZeroToAdd(source->constant);
}

/// `sum` times the scale, plus the start value of the op.
Value ScaleMover::multiplySum(Value sum, const Scale &scale) {
  Value c = op.getDpsInits().front();
  Type result = getElementTypeOrSelf(c.getType()), f32 = rewriter.getF32Type();
  AffineMap identity =
      rewriter.getMultiDimIdentityMap(cast<ShapedType>(c.getType()).getRank());
  SmallVector<Value> inputs = {sum};
  SmallVector<AffineMap> maps = {identity};
  const Source &source = scale.source;
  bool isTensor =
      !source.constant && isa<RankedTensorType>(source.value.getType());
  if (isTensor) {
    inputs.push_back(source.value);
    maps.push_back(scale.map);
  }
  bool adds = !isZero(c);
  if (adds) {
    inputs.push_back(c);
    maps.push_back(identity);
  }
  maps.push_back(identity);
  auto build = [&](OpBuilder &builder, Location, ValueRange elements) {
    Value by = isTensor ? elements[1]
               : source.constant
                   ? arith::ConstantOp::create(builder, loc, source.constant)
                         .getResult()
                   : source.value;
    for (Type type : source.casts)
      by = convertScalar(builder, loc, by, type);
    by = convertScalar(builder, loc, by, f32);
    Value value = arith::MulFOp::create(builder, loc, elements[0], by);
    if (adds)
      value = arith::AddFOp::create(
          builder, loc,
          convertScalar(builder, loc, elements[inputs.size() - 1], f32), value);
    linalg::YieldOp::create(builder, loc,
                            convertScalar(builder, loc, value, result));
  };
  return linalg::GenericOp::create(
             rewriter, loc, c.getType(), inputs, newTensor(result), maps,
             SmallVector<utils::IteratorType>(identity.getNumDims(),
                                              utils::IteratorType::parallel),
             build)
      .getResult(0);
}
