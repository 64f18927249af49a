//===- SinkScalars.cpp - Scalars that the device computes -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `tensor.extract` in host code would wait for the device. Where a linalg op
// takes the scalar, its body extracts it instead; ops on tensors that take one
// become linalg ops: fills, pads, choices between tensors, and slices at an
// offset.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Rest/HostScalars.h"
#include "passes/Rest/Rest.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// The ops outside of a body that compute scalars, from extractions on.
class Chain {
public:
  /// Adds the ops of `scalar`, if it depends on an extraction.
  void add(Value scalar) {
    if (reads(scalar))
      take(scalar);
  }
  bool isEmpty() const { return ops.empty(); }
  /// Clones the ops.
  void clone(OpBuilder &builder, IRMapping &mapping) const {
    for (Operation *op : ops)
      builder.clone(*op, mapping);
  }

private:
  static bool isLink(Operation *op) {
    return op && (isa<tensor::ExtractOp>(op) ||
                  (op->getNumOperands() > 0 && op->getNumResults() == 1 &&
                   isRestScalar(op)));
  }
  static bool reads(Value scalar) {
    Operation *op = scalar.getDefiningOp();
    if (!isLink(op) || !scalar.getType().isIntOrIndexOrFloat())
      return false;
    return isa<tensor::ExtractOp>(op) || llvm::any_of(op->getOperands(), reads);
  }
  void take(Value scalar) {
    Operation *op = scalar.getDefiningOp();
    if (!reads(scalar) || ops.contains(op))
      return;
    llvm::for_each(op->getOperands(), [&](Value own) { take(own); });
    ops.insert(op);
  }

  llvm::SetVector<Operation *> ops;
};

static Chain chainOf(ValueRange scalars) {
  Chain chain;
  llvm::for_each(scalars, [&](Value scalar) { chain.add(scalar); });
  return chain;
}

/// The values of mixed offsets.
static SmallVector<Value> valuesIn(ArrayRef<OpFoldResult> mixed) {
  SmallVector<Value> values;
  for (OpFoldResult each : mixed)
    if (auto value = dyn_cast<Value>(each))
      values.push_back(value);
  return values;
}

/// An op over all elements of `into`, whose body is given the mapping of
/// `chain`.
static linalg::GenericOp createMap(
    OpBuilder &builder, Location loc, const Chain &chain, ValueRange inputs,
    Value into,
    function_ref<Value(OpBuilder &, const IRMapping &, ValueRange)> body) {
  auto type = cast<RankedTensorType>(into.getType());
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, TypeRange(type), inputs, into, maps, loops,
      [&](OpBuilder &inside, Location, ValueRange arguments) {
        IRMapping mapping;
        chain.clone(inside, mapping);
        linalg::YieldOp::create(inside, loc, body(inside, mapping, arguments));
      });
}

static Value indexOf(OpBuilder &builder, Location loc, OpFoldResult index,
                     const IRMapping &mapping) {
  if (auto value = dyn_cast<Value>(index))
    return mapping.lookupOrDefault(value);
  return arith::ConstantIndexOp::create(builder, loc,
                                        *getConstantIntValue(index));
}

/// The numbers of a constant shape; nothing for others.
static std::optional<SmallVector<int64_t>>
constantsOf(ArrayRef<OpFoldResult> mixed) {
  return getConstantIntValues(mixed);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static LogicalResult sinkIntoBody(linalg::GenericOp op,
                                  PatternRewriter &rewriter) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  Chain chain = chainOf(captured.getArrayRef());
  if (!op.hasPureTensorSemantics() || chain.isEmpty())
    return rewriter.notifyMatchFailure(op, "expected a scalar of the device");
  rewriter.setInsertionPointToStart(op.getBody());
  IRMapping mapping;
  rewriter.modifyOpInPlace(op, [&] {
    chain.clone(rewriter, mapping);
    for (Value value : captured)
      if (Value inside = mapping.lookupOrNull(value))
        value.replaceUsesWithIf(inside, [&](OpOperand &use) {
          return op.getBody() == use.getOwner()->getBlock() &&
                 use.getOwner() != inside.getDefiningOp();
        });
  });
  return success();
}

static LogicalResult sinkIntoFill(linalg::FillOp op,
                                  PatternRewriter &rewriter) {
  Value scalar = op.value();
  Chain chain = chainOf(scalar);
  if (!op.hasPureTensorSemantics() || chain.isEmpty())
    return rewriter.notifyMatchFailure(op, "expected a scalar of the device");
  auto map = createMap(rewriter, op.getLoc(), chain, {}, op.output(),
                       [&](OpBuilder &, const IRMapping &mapping, ValueRange) {
                         return mapping.lookup(scalar);
                       });
  rewriter.replaceOp(op, map);
  return success();
}

static LogicalResult sinkIntoSelect(arith::SelectOp op,
                                    PatternRewriter &rewriter) {
  Value scalar = op.getCondition();
  Chain chain = chainOf(scalar);
  if (!isa<RankedTensorType>(op.getType()) || chain.isEmpty())
    return rewriter.notifyMatchFailure(
        op, "expected a choice of tensors by the device");
  Location loc = op.getLoc();
  auto map = createMap(
      rewriter, loc, chain, op.getTrueValue(), op.getFalseValue(),
      [&](OpBuilder &builder, const IRMapping &mapping,
          ValueRange arguments) -> Value {
        return arith::SelectOp::create(builder, loc, mapping.lookup(scalar),
                                       arguments[0], arguments[1]);
      });
  rewriter.replaceOp(op, map);
  return success();
}

static LogicalResult sinkIntoPad(tensor::PadOp op, PatternRewriter &rewriter) {
  Value scalar = op.getConstantPaddingValue();
  auto type = op.getResultType();
  auto source = op.getSourceType();
  if (!scalar || chainOf(scalar).isEmpty() || !type.hasStaticShape() ||
      !source.hasStaticShape() || !constantsOf(op.getMixedLowPad()))
    return rewriter.notifyMatchFailure(
        op, "expected padding by a scalar of the device, of known extents");
  Location loc = op.getLoc();
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  Value filled =
      linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0);
  SmallVector<OpFoldResult> sizes, steps;
  for (int64_t size : source.getShape()) {
    sizes.push_back(rewriter.getIndexAttr(size));
    steps.push_back(rewriter.getIndexAttr(1));
  }
  rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
      op, op.getSource(), filled, op.getMixedLowPad(), sizes, steps);
  return success();
}

static LogicalResult gatherSlice(tensor::ExtractSliceOp op,
                                 PatternRewriter &rewriter) {
  SmallVector<Value> offsets = valuesIn(op.getMixedOffsets());
  Chain chain = chainOf(offsets);
  auto strides = constantsOf(op.getMixedStrides());
  if (chain.isEmpty() || !op.getType().hasStaticShape() || !strides)
    return rewriter.notifyMatchFailure(
        op, "expected a slice of known extents at an offset of the device");
  Location loc = op.getLoc();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value empty = tensor::EmptyOp::create(rewriter, loc, op.getType().getShape(),
                                        op.getType().getElementType());
  auto map = createMap(
      rewriter, loc, chain, {}, empty,
      [&](OpBuilder &builder, const IRMapping &mapping, ValueRange) -> Value {
        SmallVector<Value> at;
        int64_t loop = 0;
        for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
          Value index = indexOf(builder, loc, offset, mapping);
          if (!dropped[dim]) {
            Value step = linalg::IndexOp::create(builder, loc, loop++);
            Value stride =
                arith::ConstantIndexOp::create(builder, loc, (*strides)[dim]);
            step = arith::MulIOp::create(builder, loc, step, stride);
            index = arith::AddIOp::create(builder, loc, index, step);
          }
          at.push_back(index);
        }
        return tensor::ExtractOp::create(builder, loc, op.getSource(), at);
      });
  rewriter.replaceOp(op, map);
  return success();
}

static LogicalResult scatterSlice(tensor::InsertSliceOp op,
                                  PatternRewriter &rewriter) {
  SmallVector<Value> offsets = valuesIn(op.getMixedOffsets());
  Chain chain = chainOf(offsets);
  auto sizes = constantsOf(op.getMixedSizes());
  bool isPlain = op.hasUnitStride() && sizes &&
                 op.getSourceType().hasStaticShape() &&
                 !llvm::is_contained(*sizes, 0);
  if (chain.isEmpty() || !isPlain)
    return rewriter.notifyMatchFailure(
        op, "expected a slice of known extents at an offset of the device");
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Location loc = op.getLoc();
  auto map = createMap(
      rewriter, loc, chain, {}, op.getDest(),
      [&](OpBuilder &builder, const IRMapping &mapping,
          ValueRange arguments) -> Value {
        auto number = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(builder, loc, value);
        };
        Value isInside;
        SmallVector<Value> at;
        for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
          Value index = arith::SubIOp::create(
              builder, loc, linalg::IndexOp::create(builder, loc, dim),
              indexOf(builder, loc, offset, mapping));
          Value own =
              arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                    index, number((*sizes)[dim]));
          isInside = isInside
                         ? arith::AndIOp::create(builder, loc, isInside, own)
                               .getResult()
                         : own;
          if (!dropped[dim])
            at.push_back(arith::MinUIOp::create(builder, loc, index,
                                                number((*sizes)[dim] - 1)));
        }
        Value element =
            tensor::ExtractOp::create(builder, loc, op.getSource(), at);
        return arith::SelectOp::create(builder, loc, isInside, element,
                                       arguments[0]);
      });
  rewriter.replaceOp(op, map);
  return success();
}

void hone::populateSinkScalarPatterns(RewritePatternSet &patterns) {
  patterns.add(sinkIntoBody)
      .add(sinkIntoFill)
      .add(sinkIntoSelect)
      .add(sinkIntoPad)
      .add(gatherSlice)
      .add(scatterSlice);
}
