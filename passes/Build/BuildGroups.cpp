//===- BuildGroups.cpp - Loops over groups of ragged rows -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the host a product of ragged rows is a loop over its groups, and a product
// of no k for the rows of no group:
//
//   scf.for %g iter_args(%start = 0)
//     %end = min(max(%ends[%g], %start), %m)
//     hone.matmul ins(%a[%start to %end], %b[%g]) outs(%c[%start to %end])
//   hone.matmul ins(%a[%start to %m, no k], %b[0, no k]) ...
//
// A ragged sum is the first loop, on segments of k, with a C for each group.
// Rows that are read through an index are copied first.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/BuildKernel.h"

using namespace mlir;
using namespace hone;

namespace {

/// The part of a ragged product that has one B, or one C.
struct GroupPart {
  Value start, rows;
  OpFoldResult group;
  bool hasDepth; ///< else k is 0
};

class Groups {
public:
  Groups(RewriterBase &rewriter, MatmulOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  SmallVector<MatmulOp, 2> peel() {
    rewriter.setInsertionPoint(op);
    Value zero = index(0), one = index(1), groups = extent(op.getEnds(), 0);
    Value rows = op.isRaggedSum()
                     ? extent(op.getA(), op.getLettersA().find('k'))
                     : extent(op.getC(), op.getLettersC().find('m'));
    auto loop = scf::ForOp::create(rewriter, loc, zero, groups, one, zero);
    SmallVector<MatmulOp, 2> parts;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value group = loop.getInductionVar(), start = loop.getRegionIterArg(0);
      Value end = endOf(group, start, rows);
      Value count = arith::SubIOp::create(rewriter, loc, end, start);
      parts.push_back(create({start, count, group, /*hasDepth=*/true}));
      scf::YieldOp::create(rewriter, loc, end);
    }
    if (op.isRaggedSum()) {
      rewriter.eraseOp(op);
      return parts;
    }
    Value start = loop.getResult(0);
    Value count = arith::SubIOp::create(rewriter, loc, rows, start);
    parts.push_back(
        create({start, count, rewriter.getIndexAttr(0), /*hasDepth=*/false}));
    rewriter.eraseOp(op);
    return parts;
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  Value extent(Value memref, int64_t dim) {
    return memref::DimOp::create(rewriter, loc, memref, dim);
  }

  /// No end is before the rows of its group, or after all rows.
  Value endOf(Value group, Value start, Value rows) {
    Value end = memref::LoadOp::create(rewriter, loc, op.getEnds(), group);
    end =
        arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), end);
    end = arith::MaxSIOp::create(rewriter, loc, end, start);
    return arith::MinSIOp::create(rewriter, loc, end, rows);
  }

  /// `memref`, with dimensions `letters`, cut to the part.
  Value cut(const GroupPart &part, Value memref, StringRef letters) {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<OpFoldResult> offsets(letters.size(), rewriter.getIndexAttr(0)),
        strides(letters.size(), rewriter.getIndexAttr(1)),
        sizes = memref::getMixedSizes(rewriter, loc, memref);
    SmallVector<int64_t> shape;
    for (auto [dim, letter] : llvm::enumerate(letters)) {
      if (letter == (op.isRaggedSum() ? 'k' : 'm'))
        offsets[dim] = part.start, sizes[dim] = part.rows;
      if (letter == 'k' && !part.hasDepth)
        sizes[dim] = index(0);
      if (kBatchLetters.contains(letter))
        offsets[dim] = part.group, sizes[dim] = rewriter.getIndexAttr(1);
      else
        // No constant, as an extent of a type is at least 1.
        shape.push_back(isa<Value>(sizes[dim]) ? ShapedType::kDynamic
                                               : type.getDimSize(dim));
    }
    if (letters.empty())
      return memref;
    auto slice = memref::SubViewOp::inferRankReducedResultType(
        shape, type, offsets, sizes, strides);
    return memref::SubViewOp::create(rewriter, loc, slice, memref, offsets,
                                     sizes, strides);
  }

  MatmulOp create(const GroupPart &part) {
    std::string a = op.getLettersA(), b = op.getLettersB();
    SmallVector<Value> further;
    for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
      further.push_back(cut(part, operand, op.getDimsOf(i)));
    Value sliceA = cut(part, op.getA(), a), sliceB = cut(part, op.getB(), b);
    Value sliceC = cut(part, op.getC(), op.getLettersC());
    auto matmul =
        MatmulOp::create(rewriter, loc, op, sliceA, sliceB, sliceC, further);
    matmul.removeRaggedAttr();
    // The batch of B or C was the group.
    StringRef group = kBatchLetters.take_front();
    std::string c = op.getLettersC();
    matmul.setLetters(a, StringRef(b).ltrim(group), StringRef(c).ltrim(group));
    return matmul;
  }

  RewriterBase &rewriter;
  MatmulOp op;
  Location loc;
};

} // namespace

/// A copy of the rows of the index, with zeros where it has no row's number.
static Value gatherRows(RewriterBase &rewriter, MatmulOp op) {
  Location loc = op.getLoc();
  Value a = op.getA(), index = op.getIndex();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  Value start = number(0), one = number(1);
  Value lines = memref::DimOp::create(rewriter, loc, a, 0),
        depth = memref::DimOp::create(rewriter, loc, a, 1),
        count = memref::DimOp::create(rewriter, loc, index, 0);
  ShapedType typeA = op.getA().getType();
  SmallVector<int64_t> shape = {op.getIndex().getType().getDimSize(0),
                                typeA.getDimSize(1)};
  SmallVector<Value> sizes;
  for (auto [extent, size] : {std::pair(shape[0], count), {shape[1], depth}})
    if (ShapedType::isDynamic(extent))
      sizes.push_back(size);
  Type element = typeA.getElementType();
  Value rows = memref::AllocOp::create(rewriter, loc,
                                       MemRefType::get(shape, element), sizes);
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  OpBuilder::InsertionGuard guard(rewriter);
  auto loop = scf::ForOp::create(rewriter, loc, start, count, one);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value line =
      memref::LoadOp::create(rewriter, loc, index, loop.getInductionVar());
  line =
      arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), line);
  // Without signs, a negative number is large.
  Value isLine = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                       line, lines);
  auto branch = scf::IfOp::create(rewriter, loc, isLine, /*withElse=*/true);
  for (bool copies : {true, false}) {
    rewriter.setInsertionPointToStart(copies ? branch.thenBlock()
                                             : branch.elseBlock());
    auto along = scf::ForOp::create(rewriter, loc, start, depth, one);
    rewriter.setInsertionPointToStart(along.getBody());
    Value k = along.getInductionVar(), value = zero;
    if (copies)
      value = memref::LoadOp::create(rewriter, loc, a, ValueRange{line, k});
    memref::StoreOp::create(rewriter, loc, value, rows,
                            ValueRange{loop.getInductionVar(), k});
  }
  return rows;
}

MatmulOp hone::copyRows(RewriterBase &rewriter, MatmulOp op) {
  rewriter.setInsertionPoint(op);
  Value rows = gatherRows(rewriter, op);
  auto matmul = MatmulOp::create(rewriter, op.getLoc(), op, rows, op.getB(),
                                 op.getC(), op.getFurther().drop_back());
  matmul.removeGatherAttr();
  memref::DeallocOp::create(rewriter, op.getLoc(), rows);
  rewriter.eraseOp(op);
  return matmul;
}

SmallVector<MatmulOp, 2> hone::peelGroups(RewriterBase &rewriter, MatmulOp op) {
  return Groups(rewriter, op).peel();
}
