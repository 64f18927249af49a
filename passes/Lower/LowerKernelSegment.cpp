//===- LowerKernelSegment.cpp - Segments of ragged rows -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over all segments, in every thread. Its loads do not depend on each
// other, so they are in flight together, and all threads read one address.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

/// The values that the loop hands on.
struct SegmentState {
  Value start; ///< of the next segment's rows
  Value left;  ///< tiles before the one that is asked for; "negative" after it
  SmallVector<Value, 6> results;

  SmallVector<Value> all() const {
    SmallVector<Value> values = {start, left};
    llvm::append_range(values, results);
    return values;
  }
  static SegmentState of(ValueRange values) {
    return {values[0], values[1], SmallVector<Value, 6>(values.drop_front(2))};
  }
};

static Value endOf(KernelEmitter &emit, Value ends, Value number) {
  Type type = emit.builder.getI32Type();
  Value at = emit.index(number).to(emit.builder.getI64Type());
  return LLVM::LoadOp::create(emit.builder, emit.loc, type,
                              emit.element(ends, at, type));
}

/// No end is before the rows of its segment, or after all rows.
static Value clamped(KernelEmitter &emit, Value end, Value start, Value rows) {
  Value after = arith::MaxSIOp::create(emit.builder, emit.loc, end, start);
  return arith::MinSIOp::create(emit.builder, emit.loc, after, rows);
}

/// A loop over the segments up to the one that is asked for.
struct LowerSegmentBounds : OpConversionPattern<SegmentBoundsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SegmentBoundsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    Value zero = emit.i32(0);
    Value count = (emit.index(adaptor.getSegment()) + 1)
                      .min(emit.index(adaptor.getGroups()));
    auto loop = scf::ForOp::create(rewriter, op.getLoc(), zero, count,
                                   emit.i32(1), ValueRange{zero, zero});
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value start = loop.getRegionIterArg(1);
      Value end = endOf(emit, adaptor.getEnds(), loop.getInductionVar());
      scf::YieldOp::create(
          rewriter, op.getLoc(),
          ValueRange{start, clamped(emit, end, start, adaptor.getRows())});
    }
    Value end = loop.getResult(1);
    Value exists = emit.index(adaptor.getSegment())
                       .lessThan(emit.index(adaptor.getGroups()));
    Value first = arith::SelectOp::create(rewriter, op.getLoc(), exists,
                                          loop.getResult(0), end);
    rewriter.replaceOp(op, {first, end});
    return success();
  }
};

struct LowerSegment : OpConversionPattern<SegmentOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SegmentOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    Value zero = emit.i32(0), rows = adaptor.getRows();
    // Of a number beyond all tiles.
    SegmentState start = {
        zero, adaptor.getTile(), {zero, rows, rows, zero, zero, emit.i32(1)}};
    auto loop =
        scf::ForOp::create(rewriter, op.getLoc(), zero, adaptor.getGroups(),
                           emit.i32(1), start.all());
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value number = loop.getInductionVar();
      SegmentState state = SegmentState::of(loop.getRegionIterArgs());
      Value end = clamped(emit, endOf(emit, adaptor.getEnds(), number),
                          state.start, rows);
      SegmentState next =
          pass(emit, op, adaptor, state, end, number, adaptor.getDepth());
      scf::YieldOp::create(rewriter, op.getLoc(), next.all());
    }
    // The rows after all segments.
    SegmentState last =
        pass(emit, op, adaptor, SegmentState::of(loop.getResults()), rows, zero,
             zero);
    // Beyond them, tiles are numbered from there.
    Value isBeyond = arith::CmpIOp::create(
        rewriter, op.getLoc(), arith::CmpIPredicate::sge, last.left, zero);
    Value &number =
        last.results[cast<OpResult>(op.getNumber()).getResultNumber()];
    number = arith::SelectOp::create(rewriter, op.getLoc(), isBeyond, last.left,
                                     number);
    rewriter.replaceOp(op, last.results);
    return success();
  }

private:
  /// Goes on to the end of a segment, and keeps it if the tile is one of its
  /// own: the tiles left are then fewer than it has.
  static SegmentState pass(KernelEmitter &emit, SegmentOp op, OpAdaptor adaptor,
                           const SegmentState &state, Value end, Value segment,
                           Value depth) {
    OpBuilder &b = emit.builder;
    Value rows = arith::SubIOp::create(b, emit.loc, end, state.start);
    IndexValue height =
        (emit.index(rows) + (op.getHeight() - 1)) / int64_t(op.getHeight());
    Value tiles =
        arith::MulIOp::create(b, emit.loc, height, adaptor.getColumns());
    Value here = emit.index(state.left).lessThan(emit.index(tiles));
    SegmentState next = {
        end, arith::SubIOp::create(b, emit.loc, state.left, tiles), {}};
    Value found[] = {segment, state.start, end, depth, state.left, height};
    for (auto [now, until] : llvm::zip_equal(found, state.results))
      next.results.push_back(
          arith::SelectOp::create(b, emit.loc, here, now, until));
    return next;
  }
};

} // namespace

void hone::populateSegmentPatterns(const TypeConverter &types,
                                   RewritePatternSet &patterns) {
  patterns.add<LowerSegment, LowerSegmentBounds>(types, patterns.getContext());
}
