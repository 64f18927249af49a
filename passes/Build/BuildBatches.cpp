//===- BuildBatches.cpp - Loops over batches ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel addresses its matrices by two batch strides at most. Further batches
// of a matmul become loops around it, whose launches are independent of each
// other:
//
//   scf.for %x                      hone.matmul of batches b, h, i
//     %a' = subview %a[%x, ...]       ->  the same of b, h, which were h, i
//     hone.matmul ins(%a', ...)
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/BuildKernel.h"

using namespace mlir;
using namespace hone;

/// `letters` without the outermost batch; the others move up.
static std::string withoutOutermost(StringRef letters) {
  std::string result;
  for (char letter : letters) {
    size_t batch = kBatchLetters.find(letter);
    if (batch != 0)
      result += batch == StringRef::npos ? letter : kBatchLetters[batch - 1];
  }
  return result;
}

/// `memref` at `index` of its outermost batch, without that dimension.
static Value sliceOf(RewriterBase &rewriter, Location loc, Value memref,
                     StringRef letters, Value index) {
  size_t batch = letters.find(kBatchLetters[0]);
  if (batch == StringRef::npos)
    return memref;
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      memref::getMixedSizes(rewriter, loc, memref);
  offsets[batch] = index;
  sizes[batch] = rewriter.getIndexAttr(1);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + batch);
  auto slice = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(rewriter, loc, slice, memref, offsets, sizes,
                                   strides);
}

/// Puts one loop around `op`.
static MatmulOp peelOutermost(RewriterBase &rewriter, MatmulOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  std::string a = op.getLettersA(), b = op.getLettersB(), c = op.getLettersC();
  Value count =
      memref::DimOp::create(rewriter, loc, op.getC(), c.find(kBatchLetters[0]));
  auto loop =
      scf::ForOp::create(rewriter, loc, constant(0), count, constant(1));
  rewriter.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  auto slice = [&](Value memref, StringRef letters) {
    return sliceOf(rewriter, loc, memref, letters, index);
  };
  SmallVector<Value> epilogueOperands;
  SmallVector<Attribute> dims;
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands())) {
    epilogueOperands.push_back(slice(operand, op.getDimsOf(i)));
    dims.push_back(DimsAttr::get(rewriter.getContext(),
                                 withoutOutermost(op.getDimsOf(i))));
  }
  auto inner = MatmulOp::create(rewriter, loc, op, slice(op.getA(), a),
                                slice(op.getB(), b), slice(op.getC(), c),
                                epilogueOperands);
  inner.setLetters(withoutOutermost(a), withoutOutermost(b),
                   withoutOutermost(c));
  inner.setEpilogueDimsAttr(rewriter.getArrayAttr(dims));
  rewriter.eraseOp(op);
  return inner;
}

MatmulOp hone::peelBatches(RewriterBase &rewriter, MatmulOp op, size_t max) {
  while (op.getBatches().size() > max)
    op = peelOutermost(rewriter, op);
  return op;
}
