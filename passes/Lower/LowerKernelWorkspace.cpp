//===- LowerKernelWorkspace.cpp - Sums in global memory -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers tiles that workers share through the launch's workspace. A count is a
// fence for the whole GPU and an addition. A wait is a load with acquire
// semantics. Threads that met at a barrier before a count, or after a wait, are
// covered too. The fence is an instruction of its own because the back end
// drops the order of an atomic addition.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/PartialMap.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

/// Memory order that reaches every block.
static constexpr StringLiteral kDevice = "device";

namespace {

Value lowerSums(SumsOp op, SumsOp::Adaptor adaptor, KernelLowering &emit) {
  return emit.element(adaptor.getWorkspace(), emit.i64(op.getOffset()),
                      emit.builder.getI8Type());
}

Value lowerCounters(CountersOp, CountersOp::Adaptor adaptor, KernelLowering &) {
  return adaptor.getWorkspace();
}

/// The start of a slot of sums.
Value slotAt(KernelEmitter &emit, Value sums, Value slot, SumsType type) {
  IndexValue element = emit.index(slot).to(emit.builder.getI64Type()) *
                       (type.getRows() * type.getCols());
  return emit.element(sums, element, emit.builder.getI32Type());
}

/// Two adjacent sums of a thread are one write; those of four lanes fill a
/// sector.
void lowerSumsPut(SumsPutOp op, SumsPutOp::Adaptor adaptor,
                  KernelLowering &emit) {
  AccType acc = op.getAcc().getType();
  SumsType type = op.getSums().getType();
  IndexValue thread = emit.threadOf(op), lane = thread % kWarpSize;
  auto place = placeOf(thread, acc.getWarpsN());
  IndexValue line =
      emit.index(adaptor.getLine()) + place.warpM * acc.getWarpRows();
  IndexValue col =
      emit.index(adaptor.getColumn()) + place.warpN * acc.getWarpCols();
  Value slot = slotAt(emit, adaptor.getSums(), adaptor.getSlot(), type);
  for (int64_t i = 0; i < acc.getElements(); i += 2) {
    auto [row, column] = elementOf(lane, i, acc.getWarpCols());
    IndexValue element = ((line + row) * type.getCols() + (col + column))
                             .to(emit.builder.getI64Type());
    LLVM::StoreOp::create(emit.builder, emit.loc,
                          emit.neighbours(adaptor.getAcc(), i, 2),
                          emit.element(slot, element, acc.getElement()),
                          /*alignment=*/8);
  }
}

/// One thread's part of the total of some slots.
class TotalEmitter {
public:
  TotalEmitter(SumsTotalOp op, SumsTotalOp::Adaptor adaptor, OpBuilder &builder)
      : emit(builder, op.getLoc()), sums(op.getSums().getType()),
        type(op.getAcc().getType()),
        together(std::min(type.getRun(), kChunkSums)), start(adaptor.getSums()),
        thread(emit.threadOf(op)), firstLine(emit.index(adaptor.getLine())) {}

  /// The sums of the slots from `first` to before `after`. Additions are in
  /// order, so several slots are read at a time. Past the end, the last slot is
  /// read again and not added.
  SmallVector<Value> run(Value first, Value after) {
    OpBuilder &b = emit.builder;
    int64_t vectors = type.getElements() / together;
    IndexValue last = emit.index(after) + int64_t(-1);
    auto loop = scf::ForOp::create(b, emit.loc, first, after, emit.i32(kAtOnce),
                                   SmallVector<Value>(vectors, nothing()));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      IndexValue slot = emit.index(loop.getInductionVar());
      SmallVector<Value> state(loop.getRegionIterArgs());
      addSlots(slot, last, state);
      scf::YieldOp::create(b, emit.loc, state);
    }
    SmallVector<Value> elements;
    for (Value vector : loop.getResults())
      for (int64_t j = 0; j < together; ++j)
        elements.push_back(
            LLVM::ExtractElementOp::create(b, emit.loc, vector, emit.i32(j)));
    return elements;
  }

private:
  static constexpr int64_t kAtOnce = 8;

  VectorType vectorType() {
    return VectorType::get(together, type.getElement());
  }

  /// The neutral element of the sum, which keeps even a negative zero.
  Value nothing() {
    OpBuilder &b = emit.builder;
    Attribute zero = isa<IntegerType>(type.getElement())
                         ? Attribute(b.getI32IntegerAttr(0))
                         : Attribute(b.getF32FloatAttr(-0.0f));
    return arith::ConstantOp::create(
        b, emit.loc, DenseElementsAttr::get(vectorType(), zero));
  }

  /// Adds `kAtOnce` slots from `slot` on, but none after `last`.
  void addSlots(IndexValue slot, IndexValue last, SmallVector<Value> &state) {
    OpBuilder &b = emit.builder;
    SmallVector<SmallVector<Value>> loaded;
    for (int64_t i = 0; i < kAtOnce; ++i)
      loaded.push_back(loadSlot((slot + i).min(last)));
    for (int64_t i = 0; i < kAtOnce; ++i)
      for (auto [sum, next] : llvm::zip_equal(state, loaded[i])) {
        Value added = emit.add(sum, next);
        sum =
            i == 0
                ? added
                : Value(arith::SelectOp::create(
                      b, emit.loc, (slot + i).lessThan(last + 1), added, sum));
      }
  }

  /// This thread's part of a slot, in vectors.
  SmallVector<Value> loadSlot(Value slot) {
    OpBuilder &b = emit.builder;
    Value base = slotAt(emit, start, slot, sums);
    SmallVector<Value> vectors;
    for (int64_t i = 0; i < type.getElements(); i += together) {
      auto [line, col] = runElementOf(thread, i, type.getThreads(),
                                      type.getCols(), type.getRun());
      IndexValue element =
          ((firstLine + line) * sums.getCols() + col).to(b.getI64Type());
      vectors.push_back(LLVM::LoadOp::create(
          b, emit.loc, vectorType(),
          emit.element(base, element, type.getElement()), together * 4));
    }
    return vectors;
  }

  KernelEmitter emit;
  SumsType sums;
  AccType type;
  /// The number of sums that are read at once.
  int64_t together;
  Value start;
  IndexValue thread, firstLine;
};

Value lowerSumsTotal(SumsTotalOp op, SumsTotalOp::Adaptor adaptor,
                     KernelLowering &emit) {
  SmallVector<Value> total = TotalEmitter(op, adaptor, emit.builder)
                                 .run(adaptor.getFirst(), adaptor.getEnd());
  return emit.packAs(op.getAcc().getType(), total);
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// Calls `write` with the address of an op's counter, in the group's first
/// thread.
template <typename Op>
void onCounter(Op op, typename Op::Adaptor adaptor, KernelLowering &emit,
               function_ref<void(Value)> write) {
  OpBuilder &b = emit.builder;
  emit.inFirstThreads(op, 1, [&](IndexValue) {
    IndexValue index = emit.index(adaptor.getIndex()).to(b.getI64Type());
    write(emit.element(adaptor.getCounters(), index, b.getI32Type()));
  });
}

/// Adds one and returns the old value.
Value count(KernelEmitter &emit, Value counter) {
  return LLVM::AtomicRMWOp::create(emit.builder, emit.loc,
                                   LLVM::AtomicBinOp::add, counter, emit.i32(1),
                                   LLVM::AtomicOrdering::monotonic, kDevice);
}

void lowerCountArrive(CountArriveOp op, CountArriveOp::Adaptor adaptor,
                      KernelLowering &emit) {
  onCounter(op, adaptor, emit, [&](Value counter) {
    LLVM::FenceOp::create(emit.builder, emit.loc, LLVM::AtomicOrdering::acq_rel,
                          kDevice);
    count(emit, counter);
  });
}

struct LowerCountAwait {
  static void lower(CountAwaitOp op, CountAwaitOp::Adaptor adaptor,
                    KernelLowering &emit) {
    onCounter(op, adaptor, emit,
              [&](Value counter) { poll(emit, counter, adaptor.getCount()); });
  }

private:
  static void poll(KernelEmitter &emit, Value counter, Value min) {
    OpBuilder &b = emit.builder;
    auto loop = scf::WhileOp::create(b, emit.loc, TypeRange(), ValueRange());
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&loop.getBefore());
    Value seen = LLVM::LoadOp::create(
        b, emit.loc, b.getI32Type(), counter, /*alignment=*/4,
        /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire, kDevice);
    Value isLess = emit.index(seen).lessThan(emit.index(min));
    scf::ConditionOp::create(b, emit.loc, isLess, ValueRange());
    b.createBlock(&loop.getAfter());
    scf::YieldOp::create(b, emit.loc);
  }
};

/// Resets the counter once all workers have left. None of them reads it after
/// that, and the next kernel starts after this one.
void lowerCountLeave(CountLeaveOp op, CountLeaveOp::Adaptor adaptor,
                     KernelLowering &emit) {
  onCounter(op, adaptor, emit, [&](Value counter) {
    IndexValue before = emit.index(count(emit, counter));
    IndexValue last = emit.index(adaptor.getCount()) * 2 + int64_t(-1);
    Value isLast = arith::CmpIOp::create(
        emit.builder, emit.loc, arith::CmpIPredicate::eq, before, last);
    auto branch = scf::IfOp::create(emit.builder, emit.loc, isLast);
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointToStart(branch.thenBlock());
    LLVM::StoreOp::create(emit.builder, emit.loc, emit.i32(0), counter,
                          /*alignment=*/4);
  });
}

} // namespace

void hone::populateWorkspacePatterns(const TypeConverter &types,
                                     RewritePatternSet &patterns) {
  addLowerings<lowerSums, lowerCounters, lowerSumsPut, lowerSumsTotal,
               lowerCountArrive, LowerCountAwait::lower, lowerCountLeave>(
      types, patterns);
}
