//===- LowerKernelSegment.cpp - Segments of ragged rows -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in every thread, where all threads read the same addresses. The search
// for a tile first passes eight segments at a time: their ends are in flight
// together, and their tiles are added up before one comparison. It then passes
// the last segments before the tile's one by one.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

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
SmallVector<Value> lowerSegmentBounds(SegmentBoundsOp,
                                      SegmentBoundsOp::Adaptor adaptor,
                                      KernelLowering &emit) {
  Value zero = emit.i32(0);
  Value count = (emit.index(adaptor.getSegment()) + 1)
                    .min(emit.index(adaptor.getGroups()));
  auto loop = scf::ForOp::create(emit.builder, emit.loc, zero, count,
                                 emit.i32(1), ValueRange{zero, zero});
  {
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointToStart(loop.getBody());
    Value start = loop.getRegionIterArg(1);
    Value end = endOf(emit, adaptor.getEnds(), loop.getInductionVar());
    scf::YieldOp::create(
        emit.builder, emit.loc,
        ValueRange{start, clamped(emit, end, start, adaptor.getRows())});
  }
  Value end = loop.getResult(1);
  Value exists = emit.index(adaptor.getSegment())
                     .lessThan(emit.index(adaptor.getGroups()));
  Value first = arith::SelectOp::create(emit.builder, emit.loc, exists,
                                        loop.getResult(0), end);
  return {first, end};
}

/// A search for the segment of a tile.
class SegmentSearcher {
public:
  SegmentSearcher(KernelEmitter &emit, SegmentOp op,
                  SegmentOp::Adaptor operands)
      : emit(emit), b(emit.builder), loc(emit.loc), op(op), operands(operands) {
  }

  SmallVector<Value> find() {
    Value zero = emit.i32(0);
    State state = {zero, zero, operands.getTile()};
    if (ValueRange after = operands.getAfter(); !after.empty())
      state = {after[0], after[1],
               emit.index(state.left) - emit.index(after[2])};
    return resultsOf(pass(pass(state, 8), 1));
  }

private:
  /// The next segment, its first row, and the tiles from there on to the one
  /// that is searched for.
  struct State {
    Value segment, first, left;
    static State of(ValueRange values) {
      return {values[0], values[1], values[2]};
    }
  };

  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(b, loc, predicate, left, right);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value tilesOf(Value first, Value end) {
    return (emit.index(end) - emit.index(first) + (op.getHeight() - 1)) /
           int64_t(op.getHeight());
  }

  /// Passes `count` segments at a time, as long as that many end before the
  /// tile.
  State pass(State state, int64_t count) {
    SmallVector<Value, 3> initial = {state.segment, state.first, state.left};
    auto loop = scf::WhileOp::create(
        b, loc, ValueRange(initial).getTypes(), initial,
        [&](OpBuilder &, Location, ValueRange values) {
          State now = State::of(values);
          Value following = emit.index(now.segment) + count;
          Value exist = compare(arith::CmpIPredicate::sle, following,
                                operands.getGroups());
          auto branch = scf::IfOp::create(
              b, loc, exist,
              [&](OpBuilder &, Location) { passAll(now, following, count); },
              [&](OpBuilder &, Location) {
                Value no =
                    arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
                scf::YieldOp::create(b, loc,
                                     {no, now.segment, now.first, now.left});
              });
          scf::ConditionOp::create(b, loc, branch.getResult(0),
                                   branch.getResults().drop_front());
        },
        [&](OpBuilder &, Location, ValueRange values) {
          scf::YieldOp::create(b, loc, values);
        });
    return State::of(loop.getResults());
  }

  /// Yields whether `count` segments end before the tile, and the state after
  /// them if they do.
  void passAll(State now, Value following, int64_t count) {
    SmallVector<Value> raw;
    for (int64_t i = 0; i < count; ++i)
      raw.push_back(
          endOf(emit, operands.getEnds(), emit.index(now.segment) + i));
    Value end = now.first;
    IndexValue tiles = emit.index(emit.i32(0));
    for (Value one : raw) {
      Value first = end;
      end = clamped(emit, one, first, operands.getRows());
      tiles = tiles + emit.index(tilesOf(first, end));
    }
    Value passed = tiles * emit.index(operands.getColumns());
    Value areBefore = compare(arith::CmpIPredicate::uge, now.left, passed);
    Value left = arith::SubIOp::create(b, loc, now.left, passed);
    scf::YieldOp::create(b, loc,
                         {areBefore, select(areBefore, following, now.segment),
                          select(areBefore, end, now.first),
                          select(areBefore, left, now.left)});
  }

  /// Of the tile's segment; of the rows after all segments; or of a tile beyond
  /// these.
  SmallVector<Value> resultsOf(State at) {
    Value rows = operands.getRows(), zero = emit.i32(0);
    Value exists =
        compare(arith::CmpIPredicate::slt, at.segment, operands.getGroups());
    auto branch = scf::IfOp::create(
        b, loc, exists,
        [&](OpBuilder &, Location) {
          Value raw = endOf(emit, operands.getEnds(), at.segment);
          scf::YieldOp::create(b, loc, clamped(emit, raw, at.first, rows));
        },
        [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, rows); });
    Value end = branch.getResult(0);
    Value height = tilesOf(at.first, end);
    Value tiles = emit.index(height) * emit.index(operands.getColumns());
    Value isBeyond = compare(arith::CmpIPredicate::uge, at.left, tiles);
    Value beyond = arith::SubIOp::create(b, loc, at.left, tiles);
    return {at.segment,
            select(isBeyond, rows, at.first),
            end,
            select(exists, operands.getDepth(), zero),
            select(isBeyond, beyond, at.left),
            select(isBeyond, emit.i32(1), height)};
  }

  KernelEmitter &emit;
  OpBuilder &b;
  Location loc;
  SegmentOp op;
  SegmentOp::Adaptor operands;
};

SmallVector<Value> lowerSegment(SegmentOp op, SegmentOp::Adaptor adaptor,
                                KernelLowering &emit) {
  return SegmentSearcher(emit, op, adaptor).find();
}

} // namespace

void hone::populateSegmentPatterns(const TypeConverter &types,
                                   RewritePatternSet &patterns) {
  addLowerings<lowerSegment, lowerSegmentBounds>(types, patterns);
}
