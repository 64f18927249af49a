//===- MatchSplit.cpp - Separation of a product from fused ops ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes ops that upstream's fusion moved into the body of a contraction out
// again. c + f(x, ...) * g(y, ...) becomes an elementwise op for each factor
// that is not a plain element, and c + a * b on their results. A result has the
// type of the factor before its extension for the product. An input that is
// read with strides or by windows, as by a convolution, becomes one that single
// loops read (MatchWindows.cpp).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Match/MatchContraction.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

namespace {
class Splitter {
public:
  Splitter(RewriterBase &rewriter, linalg::LinalgOp op, const Product &product,
           bool prefersWindows, std::string &why)
      : rewriter(rewriter), op(op), product(product),
        prefersWindows(prefersWindows), why(why), loc(op.getLoc()) {}

  FailureOr<linalg::LinalgOp> split();

private:
  FailureOr<PlainFactor> makeFactor(Value factor);
  FailureOr<PlainFactor> makeElementwise(Value factor);
  std::string refuseExpression(Value factor);
  Value yieldFactor(OpBuilder &builder, Value factor, ValueRange elements,
                    ArrayRef<unsigned> inputs);
  linalg::LinalgOp makePlain(const PlainFactor &left, const PlainFactor &right);
  LogicalResult refuse(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  const Product &product;
  const bool prefersWindows;
  std::string &why;
  Location loc;
};
} // namespace

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// The indexing map of an access whose pieces are all whole loops.
static AffineMap mapOf(const Access &access, unsigned loops,
                       MLIRContext *context) {
  SmallVector<AffineExpr> results;
  for (const Pieces &pieces : access.dims)
    results.push_back(pieces.empty()
                          ? getAffineConstantExpr(0, context)
                          : getAffineDimExpr(pieces.front().loop, context));
  return AffineMap::get(loops, 0, results, context);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::string Splitter::refuseExpression(Value factor) {
  if (!op.hasPureTensorSemantics())
    return "it computes a factor in its body, which only tensors are split for";
  if (auto extension = factor.getDefiningOp<arith::ExtUIOp>();
      extension && toFactorType(extension.getIn().getType()))
    return "a factor is an unsigned i8, which no kernel multiplies; use "
           "arith.extsi where it is signed";
  if (factor.getDefiningOp<arith::SubIOp>() && !toFactorType(factor.getType()))
    return "a factor is an integer less a zero point that is not a scalar, or "
           "its sums have an unknown length";
  if (!toElementType(factor.getType()) || !toFactorType(factor.getType()))
    return "a factor is not f16, bf16 or f32";
  for (Operation *inner : expressionOf(factor, op.getBlock()))
    if (isa<linalg::IndexOp>(inner) || inner->getNumRegions() != 0)
      return ("a factor is computed with '" + inner->getName().getStringRef() +
              "'")
          .str();
  if (llvm::is_contained(inputsOf(factor, op), op.getNumDpsInputs()))
    return "a factor is computed from the sum";
  return "";
}

/// Clones the expression of a factor.
Value Splitter::yieldFactor(OpBuilder &builder, Value factor,
                            ValueRange elements, ArrayRef<unsigned> inputs) {
  IRMapping mapping;
  for (auto [index, element] : llvm::zip(inputs, elements))
    mapping.map(op.getBlock()->getArgument(index), element);
  llvm::SetVector<Operation *> expression = expressionOf(factor, op.getBlock());
  for (Operation &inner : op.getBlock()->without_terminator())
    if (expression.contains(&inner))
      builder.clone(inner, mapping);
  return mapping.lookupOrDefault(factor);
}

FailureOr<PlainFactor> Splitter::makeElementwise(Value factor) {
  if (std::string reason = refuseExpression(factor); !reason.empty())
    return refuse(reason);
  SmallVector<unsigned> inputs = inputsOf(factor, op);
  SmallVector<Access> accesses;
  llvm::SmallSetVector<unsigned, 4> used;
  for (unsigned index : inputs) {
    FailureOr<Access> access = accessOf(op, index);
    if (failed(access))
      return refuse(
          "a factor is computed from an input whose index is not a loop");
    accesses.push_back(*access);
    for (const Pieces &pieces : access->dims)
      for (const Piece &piece : pieces)
        used.insert(piece.loop);
  }
  // The result is written in the order of one of the inputs. If no input has
  // all loops, the result would be larger than each of them.
  auto *shape = llvm::find_if(accesses, [&](const Access &access) {
    return static_cast<size_t>(llvm::count_if(access.dims, [](const Pieces &p) {
             return !p.empty();
           })) == used.size();
  });
  if (shape == accesses.end())
    return refuse("no input of a factor has all the factor's dimensions");

  SmallVector<AffineExpr> loopToDim(op.getNumLoops(),
                                    rewriter.getAffineConstantExpr(0));
  SmallVector<AffineExpr> written;
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, pieces] : llvm::enumerate(shape->dims)) {
    if (pieces.empty())
      continue;
    unsigned loop = pieces.front().loop;
    loopToDim[loop] = rewriter.getAffineDimExpr(written.size());
    written.push_back(rewriter.getAffineDimExpr(loop));
    sizes.push_back(tensor::getMixedSize(rewriter, loc, shape->value, dim));
  }
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  for (const Access &access : accesses) {
    values.push_back(access.value);
    maps.push_back(
        mapOf(access, op.getNumLoops(), op.getContext())
            .replaceDimsAndSymbols(loopToDim, {}, written.size(), 0));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(written.size()));
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, factor.getType());
  auto elementwise = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), values, empty, maps,
      SmallVector<utils::IteratorType>(written.size(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &builder, Location, ValueRange elements) {
        linalg::YieldOp::create(builder, loc,
                                yieldFactor(builder, factor, elements, inputs));
      });
  return PlainFactor{
      elementwise.getResult(0),
      AffineMap::get(op.getNumLoops(), 0, written, op.getContext())};
}

FailureOr<PlainFactor> Splitter::makeFactor(Value factor) {
  auto argument = dyn_cast<BlockArgument>(factor);
  if (argument && argument.getOwner() == op.getBlock() &&
      argument.getArgNumber() < op.getNumDpsInputs())
    return readByLoops(rewriter, op, argument.getArgNumber(), prefersWindows,
                       why);
  return makeElementwise(factor);
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

linalg::LinalgOp Splitter::makePlain(const PlainFactor &left,
                                     const PlainFactor &right) {
  OpOperand *init = op.getDpsInitOperand(0);
  Block *body = op.getBlock();
  Value yielded = body->getTerminator()->getOperand(0);
  auto build = [&](OpBuilder &builder, Location, ValueRange elements) {
    IRMapping mapping;
    mapping.map(product.left, elements[0]);
    mapping.map(product.right, elements[1]);
    mapping.map(op.getRegionOutputArgs().front(), elements[2]);
    llvm::SetVector<Operation *> needed = expressionOf(yielded, body);
    llvm::SetVector<Operation *> inLeft = expressionOf(product.left, body);
    llvm::SetVector<Operation *> inRight = expressionOf(product.right, body);
    for (Operation &inner : body->without_terminator())
      if (needed.contains(&inner) && !inLeft.contains(&inner) &&
          !inRight.contains(&inner))
        builder.clone(inner, mapping);
    linalg::YieldOp::create(builder, loc, mapping.lookup(yielded));
  };
  auto plain = linalg::GenericOp::create(
      rewriter, loc, op->getResultTypes(), ValueRange{left.value, right.value},
      init->get(),
      ArrayRef{left.map, right.map, op.getMatchingIndexingMap(init)},
      op.getIteratorTypesArray(), build);
  copyPins(op, plain);
  return cast<linalg::LinalgOp>(plain.getOperation());
}

FailureOr<linalg::LinalgOp> Splitter::split() {
  if (product.left == product.right)
    return refuse("it sums squares, which is not a product of two matrices");
  FailureOr<PlainFactor> left = makeFactor(product.left);
  if (failed(left))
    return failure();
  FailureOr<PlainFactor> right = makeFactor(product.right);
  if (failed(right))
    return failure();
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!left->map.isFunctionOfDim(loop) && !right->map.isFunctionOfDim(loop) &&
        !written.isFunctionOfDim(loop))
      return refuse("dimension d" + Twine(loop) + " is in neither A, B nor C");
  return makePlain(*left, *right);
}

void match::copyPins(Operation *from, Operation *to) {
  for (StringRef name :
       {HoneDialect::kScheduleAttrName, HoneDialect::kRangesAttrName,
        HoneDialect::kProductsAttrName, HoneDialect::kNumbersAttrName})
    if (Attribute pinned = from->getAttr(name))
      to->setAttr(name, pinned);
}

FailureOr<linalg::LinalgOp>
match::split(RewriterBase &rewriter, linalg::LinalgOp op,
             const Product &product, bool prefersWindows, std::string &why) {
  rewriter.setInsertionPoint(op);
  return Splitter(rewriter, op, product, prefersWindows, why).split();
}
