//===- ZeroPointSums.cpp - Sums that zero points are multiplied with ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ZeroPoints.h.
//
//===----------------------------------------------------------------------===//

#include "ZeroPoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// The sums of a constant's elements, modulo 2^32; null if the factor is not
/// a constant.
static Value sumConstant(OpBuilder &builder, Location loc, const Factor &factor,
                         ArrayRef<unsigned> kept, RankedTensorType type) {
  DenseIntElementsAttr elements;
  if (!matchPattern(factor.tensor, m_Constant(&elements)) ||
      !type.hasStaticShape())
    return {};
  // The offset in the sums for one step along each dimension of the tensor.
  ArrayRef<int64_t> shape = elements.getType().getShape();
  SmallVector<int64_t> steps(shape.size(), 0);
  int64_t step = 1;
  for (unsigned loop : llvm::reverse(kept))
    for (auto [dim, expr] : llvm::enumerate(factor.map.getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == loop) {
        steps[dim] = step;
        step *= shape[dim];
      }
  SmallVector<uint32_t> sums(type.getNumElements(), 0);
  SmallVector<int64_t> place(shape.size(), 0);
  for (APInt element : elements.getValues<APInt>()) {
    int64_t at = 0;
    for (auto [index, step] : llvm::zip_equal(place, steps))
      at += index * step;
    sums[at] += uint32_t(element.getSExtValue());
    for (int64_t dim = shape.size(); dim-- > 0;)
      if (++place[dim] < shape[dim])
        break;
      else
        place[dim] = 0;
  }
  SmallVector<int32_t> whole(sums.begin(), sums.end());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(whole)));
}

SmallVector<utils::IteratorType> match::loopsOf(size_t parallel,
                                                size_t reductions) {
  SmallVector<utils::IteratorType> loops(parallel,
                                         utils::IteratorType::parallel);
  loops.append(reductions, utils::IteratorType::reduction);
  return loops;
}

void match::writeProduct(OpBuilder &builder, Location loc, ValueRange args) {
  Type sum = args[2].getType();
  Value a = arith::ExtSIOp::create(builder, loc, sum, args[0]);
  Value b = arith::ExtSIOp::create(builder, loc, sum, args[1]);
  Value product = arith::MulIOp::create(builder, loc, a, b);
  linalg::YieldOp::create(
      builder, loc,
      Value(arith::AddIOp::create(builder, loc, args[2], product)));
}

Sums match::sumUp(OpBuilder &builder, linalg::LinalgOp op, const Factor &factor,
                  ArrayRef<unsigned> reductions) {
  Location loc = op.getLoc();
  Type i32 = builder.getI32Type();
  Sums sums;
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    for (auto [dim, expr] : llvm::enumerate(factor.map.getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == loop &&
          !llvm::is_contained(reductions, loop)) {
        sums.loops.push_back(loop);
        sizes.push_back(match::sizeOf(builder, loc, factor.tensor, dim));
      }
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, i32);
  auto type = cast<RankedTensorType>(empty.getType());
  sums.tensor = sumConstant(builder, loc, factor, sums.loops, type);
  if (sums.tensor)
    return sums;
  size_t kept = sums.loops.size(), count = kept + reductions.size();
  SmallVector<AffineExpr> dims(op.getNumLoops(),
                               builder.getAffineConstantExpr(0));
  SmallVector<AffineExpr> sumDims, oneDims;
  for (auto [i, loop] : llvm::enumerate(sums.loops))
    sumDims.push_back(dims[loop] = builder.getAffineDimExpr(i));
  SmallVector<int64_t> extents;
  for (auto [i, loop] : llvm::enumerate(reductions)) {
    oneDims.push_back(dims[loop] = builder.getAffineDimExpr(kept + i));
    extents.push_back(op.getStaticLoopRanges()[loop]);
  }
  auto onesType = RankedTensorType::get(extents, builder.getI8Type());
  Value ones = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(onesType, int8_t(1)));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value start = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  MLIRContext *context = builder.getContext();
  AffineMap maps[] = {AffineMap::get(count, 0, oneDims, context),
                      factor.map.replaceDimsAndSymbols(dims, {}, count, 0),
                      AffineMap::get(count, 0, sumDims, context)};
  sums.tensor = linalg::GenericOp::create(
                    builder, loc, TypeRange(type),
                    ValueRange{ones, factor.tensor}, ValueRange(start), maps,
                    loopsOf(kept, reductions.size()), writeProduct)
                    .getResult(0);
  return sums;
}
