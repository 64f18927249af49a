//===- HostScalars.cpp - Scalars that the host can compute ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostScalars.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Rest/HostScalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace hone;

bool hone::isScalarTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1 &&
         tensor.getElementType().isIntOrIndexOrFloat();
}

/// The tensor of which `op` is another shape; null for other ops.
static Value reshapedBy(Operation *op) {
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op))
    return op->getOperand(0);
  return {};
}

/// True for an op of a body that is the same on the host, on scalars.
static bool isPlainScalarOp(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 && isPure(op) &&
         op->getResult(0).getType().isIntOrIndexOrFloat() &&
         llvm::all_of(op->getOperandTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

constexpr unsigned kMaxDepth = 32;

static bool canCompute(Value tensor, const llvm::SetVector<Value> &known,
                       unsigned depth);

/// True if the op computes its one element from elements of the host.
static bool canComputeGeneric(linalg::GenericOp op,
                              const llvm::SetVector<Value> &known,
                              unsigned depth) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&operand))
      continue;
    Type type = operand.get().getType();
    if (isa<TensorType>(type) && !canCompute(operand.get(), known, depth))
      return false;
  }
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &op) {
    return isPlainScalarOp(&op) && !isa<linalg::IndexOp>(op);
  });
}

static bool canCompute(Value tensor, const llvm::SetVector<Value> &known,
                       unsigned depth) {
  if (!isScalarTensor(tensor.getType()) || depth == kMaxDepth)
    return false;
  if (known.contains(tensor))
    return true;
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return false;
  if (Value source = reshapedBy(op))
    return canCompute(source, known, depth + 1);
  if (isa<tensor::FromElementsOp, linalg::FillOp, tensor::SplatOp>(op))
    return true;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return canComputeGeneric(generic, known, depth + 1);
  DenseElementsAttr elements;
  return matchPattern(tensor, m_Constant(&elements));
}

bool hone::canHostCompute(Value tensor, const llvm::SetVector<Value> &known) {
  return canCompute(tensor, known, 0);
}

//===----------------------------------------------------------------------===//
// The scalar
//===----------------------------------------------------------------------===//

/// The element of a tensor for which canCompute holds with nothing known. The
/// insertion point must be dominated by the tensor.
static Value elementOf(OpBuilder &builder, Value tensor) {
  Operation *op = tensor.getDefiningOp();
  Location loc = op->getLoc();
  if (Value source = reshapedBy(op))
    return elementOf(builder, source);
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op))
    return elements.getElements().front();
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.value();
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return splat.getInput();
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)))
    return arith::ConstantOp::create(
        builder, loc,
        cast<TypedAttr>(*elements.getValues<Attribute>().begin()));
  auto generic = cast<linalg::GenericOp>(op);
  IRMapping mapping;
  for (OpOperand &operand : generic->getOpOperands())
    if (generic.payloadUsesValueFromOperand(&operand))
      mapping.map(generic.getMatchingBlockArgument(&operand),
                  isa<TensorType>(operand.get().getType())
                      ? elementOf(builder, operand.get())
                      : operand.get());
  for (Operation &inner : generic.getBody()->without_terminator())
    builder.clone(inner, mapping);
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  return mapping.lookupOrDefault(
      generic.getBody()->getTerminator()->getOperand(number));
}

static LogicalResult extractKnown(tensor::ExtractOp op,
                                  PatternRewriter &rewriter) {
  if (!canHostCompute(op.getTensor(), {}))
    return rewriter.notifyMatchFailure(
        op, "expected a tensor whose element the host can compute");
  rewriter.replaceOp(op, elementOf(rewriter, op.getTensor()));
  return success();
}

/// An input of one element of the host is a scalar of the body.
static LogicalResult inlineScalar(linalg::GenericOp op,
                                  PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "expected tensors");
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto elements = input->get().getDefiningOp<tensor::FromElementsOp>();
    if (!elements || !isScalarTensor(elements.getType()) ||
        !op.payloadUsesValueFromOperand(input))
      continue;
    rewriter.modifyOpInPlace(op, [&] {
      op.getMatchingBlockArgument(input).replaceAllUsesWith(
          elements.getElements().front());
    });
    return success();
  }
  return rewriter.notifyMatchFailure(op, "expected an input of one element");
}

/// Where the tensor itself is needed, a kernel writes the element: a store of
/// the host would be in shared memory.
static LogicalResult fillInstead(tensor::FromElementsOp op,
                                 PatternRewriter &rewriter) {
  if (!isScalarTensor(op.getType()))
    return rewriter.notifyMatchFailure(op, "expected one element");
  bool isInput = llvm::any_of(op->getUses(), [](OpOperand &use) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    return isa<tensor::ExtractOp>(use.getOwner()) ||
           (generic && generic.isDpsInput(&use));
  });
  if (isInput)
    return rewriter.notifyMatchFailure(op, "expected no user that takes a "
                                           "scalar");
  auto type = cast<RankedTensorType>(op.getType());
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                        type.getElementType());
  rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getElements().front(),
                                              empty);
  return success();
}

void hone::populateHostScalarPatterns(RewritePatternSet &patterns) {
  patterns.add(extractKnown);
}

void hone::populateScalarOperandPatterns(RewritePatternSet &patterns) {
  patterns.add(inlineScalar).add(fillInstead);
}
