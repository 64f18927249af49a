//===- LowerKernelFma.cpp - Shared memory to threads that multiply --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.read` of fragments with a depth to loads of 16 bytes, and
// `kernel.fma` to a chain of fused multiply-adds for each sum. AddressMap.h
// maps the lanes to elements.
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

Value hone::readOwn(ReadOp op, ReadOp::Adaptor adaptor, KernelLowering &emit) {
  FragmentType type = op.getFragment().getType();
  RingType ring = op.getRing().getType();
  IndexValue slot = emit.slotOf(adaptor.getRing(), adaptor.getSlot(), ring);
  auto place = placeOf(emit.threadOf(op), type.getWarpsN());
  IndexValue first =
      (type.isA() ? place.warpM : place.warpN) * type.getWarpRows();
  Type chunk = VectorType::get(type.getDepth(), type.getElement());

  SmallVector<Value> elements;
  int64_t rows = ownRows(type.getWarpRows(), type.isA());
  for (int64_t row = 0; row < rows; ++row) {
    IndexValue offset =
        ownChunk(place.lane, first, row, emit.i32(op.getStep()), type.isA(),
                 ring.getLineBytes(), ring.getLines());
    Value read = LLVM::LoadOp::create(emit.builder, emit.loc, chunk,
                                      emit.shared(slot + offset), kChunkBytes);
    for (int64_t k = 0; k < type.getDepth(); ++k)
      elements.push_back(LLVM::ExtractElementOp::create(emit.builder, emit.loc,
                                                        read, emit.i32(k)));
  }
  return emit.packAs(type, elements);
}

/// Every sum takes its products in the order of k. The products of one k are
/// adjacent, so that none waits for the one before it.
static Value lowerFma(FmaOp op, FmaOp::Adaptor adaptor, KernelLowering &emit) {
  AccType acc = op.getAcc().getType();
  int64_t depth = op.getA().getType().getDepth();
  SmallVector<Value> sums;
  for (int64_t i = 0; i < acc.getElements(); ++i)
    sums.push_back(emit.field(adaptor.getAcc(), i));
  for (int64_t k = 0; k < depth; ++k)
    for (auto [i, sum] : llvm::enumerate(sums)) {
      OwnProduct own = ownProduct(i, acc.getWarpCols());
      Value a = emit.field(adaptor.getA(), own.row * depth + k);
      Value b = emit.field(adaptor.getB(), own.col * depth + k);
      sum = LLVM::FMAOp::create(emit.builder, emit.loc, a, b, sum);
    }
  return emit.packAs(acc, sums);
}

void hone::populateFmaPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns) {
  addLowerings<lowerFma>(types, patterns);
}
