//===- Canonicalize.cpp - Canonical form of matmuls -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch of one element is not a batch: reshapes around the matmul have it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hone;

namespace {
/// An operand, and a letter for each of its dimensions.
struct LetteredOperand {
  Value value;
  std::string letters;
};
} // namespace

/// The groups of dimensions that collapse dimension `unit`, of one element,
/// into a neighbor.
static SmallVector<ReassociationIndices> groupsWithout(int64_t rank,
                                                       int64_t unit) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim > 0 && (dim == unit + 1 || (dim == unit && dim + 1 == rank)))
      groups.back().push_back(dim);
    else if (rank > 1)
      groups.push_back({dim});
  return groups;
}

/// True if the dimension of that letter, if there is one, can be dropped.
static bool canDrop(const LetteredOperand &operand, char letter) {
  size_t dim = operand.letters.find(letter);
  if (dim == std::string::npos)
    return true;
  auto type = cast<ShapedType>(operand.value.getType());
  if (type.getDimSize(dim) != 1)
    return false;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return !tensor.getEncoding();
  return memref::CollapseShapeOp::isGuaranteedCollapsible(
      cast<MemRefType>(type), groupsWithout(type.getRank(), dim));
}

/// The operand without that dimension. Its later batches take the letters
/// before theirs.
static void drop(OpBuilder &builder, Location loc, LetteredOperand &operand,
                 char letter) {
  std::string &letters = operand.letters;
  size_t dim = letters.find(letter), number = kBatchLetters.find(letter);
  auto type = cast<ShapedType>(operand.value.getType());
  if (dim != std::string::npos) {
    auto groups = groupsWithout(type.getRank(), dim);
    operand.value = isa<RankedTensorType>(type)
                        ? Value(tensor::CollapseShapeOp::create(
                              builder, loc, operand.value, groups))
                        : Value(memref::CollapseShapeOp::create(
                              builder, loc, operand.value, groups));
    letters.erase(dim, 1);
  }
  for (char &each : letters)
    if (size_t own = kBatchLetters.find(each);
        own != StringRef::npos && own > number)
      each = kBatchLetters[own - 1];
}

namespace {
struct DropUnitBatch : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    // A schedule is one of a problem with this batch, and ends of ragged rows
    // are those of its batches.
    if (op.getScheduleAttr() || op.getRangesAttr() || op.getRagged())
      return failure();
    SmallVector<LetteredOperand> operands = {{op.getA(), op.getLettersA()},
                                             {op.getB(), op.getLettersB()},
                                             {op.getC(), op.getLettersC()}};
    for (auto [i, value] : llvm::enumerate(op.getEpilogueOperands()))
      operands.push_back({value, op.getDimsOf(i).str()});
    for (char batch : op.getBatches())
      if (llvm::all_of(operands, [&](const LetteredOperand &operand) {
            return canDrop(operand, batch);
          })) {
        rewrite(op, operands, batch, rewriter);
        return success();
      }
    return failure();
  }

private:
  static void rewrite(MatmulOp op, SmallVector<LetteredOperand> &operands,
                      char batch, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    auto before = op.getC().getType();
    auto groups =
        groupsWithout(before.getRank(), operands[2].letters.find(batch));
    SmallVector<Value> epilogue;
    SmallVector<Attribute> dims;
    for (LetteredOperand &operand : operands)
      drop(rewriter, loc, operand, batch);
    for (const LetteredOperand &operand : llvm::drop_begin(operands, 3)) {
      epilogue.push_back(operand.value);
      dims.push_back(DimsAttr::get(op.getContext(), operand.letters));
    }
    auto matmul =
        MatmulOp::create(rewriter, loc, op, operands[0].value,
                         operands[1].value, operands[2].value, epilogue);
    matmul.setLetters(operands[0].letters, operands[1].letters,
                      operands[2].letters);
    matmul.setEpilogueDimsAttr(rewriter.getArrayAttr(dims));
    if (op->getNumResults() == 0)
      return rewriter.eraseOp(op);
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, before, matmul->getResult(0), groups,
        tensor::getMixedSizes(rewriter, loc, op.getC()));
  }
};
} // namespace

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropUnitBatch>(context);
}
