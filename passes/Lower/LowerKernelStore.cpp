//===- LowerKernelStore.cpp - Registers to global memory -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.store`. Stores are guarded, with one test for tiles that lie in
// C as a whole.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Lower/ElementPlaces.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

/// One thread's stores.
class StoreEmitter {
public:
  StoreEmitter(StoreOp op, StoreOp::Adaptor adaptor, OpBuilder &builder)
      : emit(builder, op.getLoc()), type(op.getAcc().getType()),
        places(emit, op, type, adaptor.getLine(), adaptor.getColumn()),
        firstLine(emit.index(adaptor.getLine())),
        firstColumn(emit.index(adaptor.getColumn())), acc(adaptor.getAcc()),
        start(emit.field(adaptor.getMatrix(), 0)),
        lines(emit.index(emit.field(adaptor.getMatrix(), 1))),
        width(emit.index(emit.field(adaptor.getMatrix(), 2))),
        stride(emit.index(emit.field(adaptor.getMatrix(), 3))),
        bytes(type.getElement().getIntOrFloatBitWidth() / 8),
        together(
            std::min(type.getRun() ? type.getRun() : 2,
                     std::max<int64_t>(
                         op.getMatrix().getType().getAlign() / bytes, 1))) {}

  void run() {
    OpBuilder &b = emit.builder;
    // An unsigned sum does not wrap: tiles start below 2^31.
    Value rowsInside = fits(firstLine, type.getRows(), lines);
    Value colsInside = fits(firstColumn, type.getCols(), width);
    Value whole = arith::AndIOp::create(b, emit.loc, rowsInside, colsInside);
    auto branch =
        scf::IfOp::create(b, emit.loc, whole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (int64_t i = 0; i < type.getElements(); i += together)
      storeTogether(i);
    b.setInsertionPointToStart(branch.elseBlock());
    for (int64_t i = 0; i < type.getElements(); ++i)
      storeClipped(i);
  }

private:
  /// first + count <= limit.
  Value fits(IndexValue first, int64_t count, IndexValue limit) {
    return arith::CmpIOp::create(emit.builder, emit.loc,
                                 arith::CmpIPredicate::ule, first + count,
                                 limit);
  }

  Value addressOf(int64_t index) {
    Type i64 = emit.builder.getI64Type();
    IndexValue element =
        places.row(index).to(i64) * stride + places.col(index).to(i64);
    return emit.element(start, element, type.getElement());
  }

  void storeOne(int64_t index) {
    LLVM::StoreOp::create(emit.builder, emit.loc, emit.field(acc, index),
                          addressOf(index), bytes);
  }

  /// Stores the element `index` and the neighbours to its right that the same
  /// thread has.
  void storeTogether(int64_t index) {
    LLVM::StoreOp::create(emit.builder, emit.loc,
                          emit.asWhole(emit.neighbours(acc, index, together)),
                          addressOf(index), together * bytes);
  }

  void storeClipped(int64_t index) {
    OpBuilder &b = emit.builder;
    Value inside =
        arith::AndIOp::create(b, emit.loc, places.row(index).lessThan(lines),
                              places.col(index).lessThan(width));
    auto branch = scf::IfOp::create(b, emit.loc, inside);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    storeOne(index);
  }

  KernelEmitter emit;
  AccType type;
  ElementPlaces places;
  IndexValue firstLine, firstColumn;
  Value acc, start;
  IndexValue lines, width, stride;
  int64_t bytes;
  /// The number of neighbouring elements that one store may write.
  int64_t together;
};

void lowerStore(StoreOp op, StoreOp::Adaptor adaptor, KernelLowering &emit) {
  StoreEmitter(op, adaptor, emit.builder).run();
}

} // namespace

void hone::populateStorePatterns(const TypeConverter &types,
                                 RewritePatternSet &patterns) {
  addLowerings<lowerStore>(types, patterns);
}
