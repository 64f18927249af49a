//===- LowerKernelAsync.cpp - Barriers and the copy engine ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers barriers in shared memory, and the loads and stores of the copy engine
// that report to them. One thread issues most of these ops: the only thread of
// a role of one thread, or the first thread of a group.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

/// The address of barrier `slot`.
static Value barrierAt(KernelEmitter &emit, Value barriers, Value slot) {
  return emit.shared(emit.index(barriers) +
                     emit.index(slot) * BarriersType::kBarrierBytes);
}

namespace {

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

struct LowerBarriersInit : OpConversionPattern<BarriersInitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BarriersInitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    emit.inFirstThreads(op, 1, [&](IndexValue) {
      for (auto [barriers, address] :
           llvm::zip_equal(op.getBarriers(), adaptor.getBarriers())) {
        auto type = cast<BarriersType>(barriers.getType());
        for (int64_t slot = 0; slot < type.getSlots(); ++slot)
          NVVM::MBarrierInitOp::create(
              rewriter, op.getLoc(), barrierAt(emit, address, emit.i32(slot)),
              emit.i32(type.getArrivals()), /*predicate=*/Value());
      }
      NVVM::FenceMbarrierInitOp::create(rewriter, op.getLoc());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerAwait : OpConversionPattern<AwaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AwaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The maximum time for which the hardware may suspend the thread, in
    // nanoseconds.
    constexpr int64_t kLongest = 10'000'000;
    KernelEmitter emit(rewriter, op.getLoc());
    Value barrier = barrierAt(emit, adaptor.getBarriers(), adaptor.getSlot());
    rewriter.replaceOpWithNewOp<NVVM::MBarrierTryWaitParityOp>(
        op, barrier, adaptor.getPhase(), emit.i32(kLongest));
    return success();
  }
};

struct LowerExpect : OpConversionPattern<ExpectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ExpectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    Value barrier = barrierAt(emit, adaptor.getBarriers(), adaptor.getSlot());
    emit.inFirstThreads(op, 1, [&](IndexValue) {
      NVVM::MBarrierArriveExpectTxOp::create(
          rewriter, op.getLoc(), TypeRange(), barrier, emit.i32(op.getBytes()),
          NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerArrive : OpConversionPattern<ArriveOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    Value barrier = barrierAt(emit, adaptor.getBarriers(), adaptor.getSlot());
    // Thread i arrives in block i.
    int64_t blocks = adaptor.getBlocks() ? kMaxBlocks : op.getEverywhere();
    emit.inFirstThreads(op, blocks, [&](IndexValue thread) {
      if (!adaptor.getBlocks())
        return arrive(emit, barrier, blocks > 1 ? Value(thread) : Value());
      auto branch = scf::IfOp::create(
          rewriter, op.getLoc(), isMember(emit, adaptor.getBlocks(), thread));
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      arrive(emit, barrier, thread);
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The maximum number of blocks in a cluster.
  static constexpr int64_t kMaxBlocks = 16;

  /// True if bit `block` of `mask` is set.
  static Value isMember(KernelEmitter &emit, Value mask, Value block) {
    OpBuilder &b = emit.builder;
    Value shifted = LLVM::LShrOp::create(b, emit.loc, mask, block);
    return LLVM::TruncOp::create(b, emit.loc, b.getI1Type(), shifted);
  }

  /// Arrives at this block's barrier or that of another block of the cluster.
  /// The scope is not the cluster: that would fence all memory, and the arrival
  /// only means that slots have been read.
  static void arrive(KernelEmitter &emit, Value barrier, Value block) {
    OpBuilder &b = emit.builder;
    if (!block) {
      NVVM::MBarrierArriveOp::create(b, emit.loc, TypeRange(b.getI64Type()),
                                     barrier, /*count=*/Value());
      return;
    }
    Type remote = LLVM::LLVMPointerType::get(b.getContext(), kClusterSpace);
    Value there = NVVM::MapaOp::create(b, emit.loc, remote, barrier, block);
    NVVM::MBarrierArriveOp::create(b, emit.loc, TypeRange(), there,
                                   /*count=*/Value());
  }
};

struct LowerGroupBarrier : OpConversionPattern<GroupBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(GroupBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    auto role = op->getParentOfType<RoleOp>();
    // Barrier 0 is the block's; a group's barrier is 1 plus its index.
    int64_t first = role.getFirstWarp() / 4 + 1;
    IndexValue id =
        emit.index(op->getParentOfType<RoleOp>().getBody().getArgument(0)) +
        first;
    NVVM::BarrierOp::create(rewriter, op.getLoc(), TypeRange(), id,
                            emit.i32(role.getGroupThreads()),
                            NVVM::BarrierReductionAttr(), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerRoleBarrier : OpConversionPattern<RoleBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RoleBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    auto role = op->getParentOfType<RoleOp>();
    // Groups use the numbers 1 to 8 at most; roles count down from the last.
    constexpr int64_t kLast = 15;
    int64_t id = kLast - role.getFirstWarp() / 4;
    NVVM::BarrierOp::create(rewriter, op.getLoc(), TypeRange(), emit.i32(id),
                            emit.i32(role.getWarps() * kWarpSize),
                            NVVM::BarrierReductionAttr(), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerProxyFence : OpConversionPattern<ProxyFenceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ProxyFenceOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(
        op, NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
        NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

struct LowerMapPrefetch : OpConversionPattern<MapPrefetchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MapPrefetchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    emit.inFirstThreads(op, 1, [&](IndexValue) {
      NVVM::PrefetchOp::create(rewriter, op.getLoc(), /*cacheLevel=*/nullptr,
                               /*evictPriority=*/nullptr, adaptor.getMap(),
                               /*predicate=*/Value(),
                               /*tensormap=*/rewriter.getUnitAttr(),
                               /*uniform=*/nullptr, /*in_param_space=*/nullptr);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// The boxes of a tile, or of this block's part of it.
struct Boxes {
  template <typename OpT>
  Boxes(KernelEmitter &emit, OpT op, typename OpT::Adaptor adaptor)
      : emit(emit), ring(op.getRing().getType()), map(op.getMap().getType()),
        partLines(ring.getLines() / op.getParts()),
        first(adaptor.getPart() ? emit.index(adaptor.getPart()) * partLines
                                : emit.i32(0)),
        line(adaptor.getLine()), column(adaptor.getColumn()),
        batches(adaptor.getBatches()) {
    for (Value offset : adaptor.getOffsets())
      offsets.push_back(LLVM::TruncOp::create(
          emit.builder, emit.loc, emit.builder.getI16Type(), offset));
  }

  /// Calls `each` with the coordinates of every box, and with its offset in the
  /// slot from the part's first line.
  void forEach(llvm::function_ref<void(ValueRange at, int64_t place)> each) {
    for (int64_t panel = 0; panel < ring.getPanels(); ++panel)
      for (int64_t from = 0; from < partLines; from += map.getLines()) {
        // The one box of a window starts at the op's coordinates.
        SmallVector<Value> at = {
            emit.index(column) + panel * map.getWidth(),
            map.getWindow() ? line : emit.index(line) + first + from};
        llvm::append_range(at, batches);
        each(at, panel * ring.getPanelBytes() + from * ring.getPanelWidth());
      }
  }

  KernelEmitter &emit;
  RingType ring;
  MapType map;
  int64_t partLines;
  IndexValue first; ///< line of the part, of the tile and of the slot
  Value line, column;
  ValueRange batches;
  SmallVector<Value> offsets; ///< of a window, as i16

  NVVM::TMALoadMode mode() const {
    return map.getWindow() ? NVVM::TMALoadMode::IM2COL
                           : NVVM::TMALoadMode::TILE;
  }
};

struct LowerLoad : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    RingType ring = op.getRing().getType();
    Boxes boxes(emit, op, adaptor);
    IndexValue slot = emit.index(adaptor.getRing()) +
                      emit.index(adaptor.getSlot()) * ring.getSlotBytes() +
                      boxes.first * ring.getPanelWidth();
    Value barrier = barrierAt(emit, adaptor.getBarriers(), adaptor.getSlot());
    emit.inFirstThreads(op, 1, [&](IndexValue) {
      boxes.forEach([&](ValueRange at, int64_t place) {
        loadBox(boxes, op, adaptor.getMap(), slot + place, at, barrier,
                adaptor.getBlocks());
      });
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void loadBox(const Boxes &boxes, LoadOp op, Value map, Value to,
                      ValueRange at, Value barrier, Value blocks) {
    KernelEmitter &emit = boxes.emit;
    OpBuilder &b = emit.builder;
    Value receivers;
    if (blocks)
      receivers = LLVM::TruncOp::create(b, emit.loc, b.getI16Type(), blocks);
    else if (op.getParts() > 1)
      receivers = LLVM::ConstantOp::create(
          b, emit.loc, b.getI16IntegerAttr((1 << op.getParts()) - 1));
    Type cluster = LLVM::LLVMPointerType::get(b.getContext(), kClusterSpace);
    Value slot =
        LLVM::AddrSpaceCastOp::create(b, emit.loc, cluster, emit.shared(to));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, emit.loc, slot, map, at, barrier, boxes.offsets, receivers,
        /*l2CacheHint=*/Value(), boxes.mode(), /*isCTAOnly=*/false,
        /*group=*/nullptr, /*predicate=*/Value());
  }
};

struct LowerPrefetch : OpConversionPattern<PrefetchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(PrefetchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    Boxes boxes(emit, op, adaptor);
    emit.inFirstThreads(op, 1, [&](IndexValue) {
      boxes.forEach([&](ValueRange at, int64_t) {
        NVVM::CpAsyncBulkTensorPrefetchOp::create(
            rewriter, op.getLoc(), adaptor.getMap(), at, boxes.offsets,
            boxes.mode(), /*l2CacheHint=*/Value());
      });
    });
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

struct LowerStoreAsync : OpConversionPattern<StoreAsyncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    RingType ring = op.getRing().getType();
    IndexValue from = emit.index(adaptor.getRing()) +
                      emit.index(adaptor.getSlot()) * ring.getSlotBytes() +
                      emit.index(adaptor.getFrom()) * ring.getPanelWidth();
    int64_t width = op.getMap().getType().getWidth();
    emit.inFirstThreads(op, 1, [&](IndexValue) {
      for (int64_t panel = 0; panel < ring.getPanels(); ++panel) {
        SmallVector<Value> at = {
            emit.index(adaptor.getColumn()) + panel * width, adaptor.getLine()};
        llvm::append_range(at, adaptor.getBatches());
        Value place = emit.shared(from + panel * ring.getPanelBytes());
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
            rewriter, op.getLoc(), adaptor.getMap(), place, at,
            /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
            /*predicate=*/Value());
      }
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerStoreCommit : OpConversionPattern<StoreCommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreCommitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    emit.inFirstThreads(op, 1, [&](IndexValue) {
      NVVM::CpAsyncBulkCommitGroupOp::create(rewriter, op.getLoc());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerStoreWait : OpConversionPattern<StoreWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    emit.inFirstThreads(op, 1, [&](IndexValue) {
      NVVM::CpAsyncBulkWaitGroupOp::create(
          rewriter, op.getLoc(), rewriter.getI32IntegerAttr(op.getPending()),
          op.getWritten() ? UnitAttr() : rewriter.getUnitAttr());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void hone::populateAsyncPatterns(const TypeConverter &types,
                                 RewritePatternSet &patterns) {
  patterns.add<LowerPlace<BarriersOp>, LowerBarriersInit, LowerAwait,
               LowerExpect, LowerArrive, LowerGroupBarrier, LowerRoleBarrier,
               LowerProxyFence, LowerMapPrefetch, LowerLoad, LowerPrefetch,
               LowerStoreAsync, LowerStoreCommit, LowerStoreWait>(
      types, patterns.getContext());
}
