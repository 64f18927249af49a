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

void lowerBarriersInit(BarriersInitOp op, BarriersInitOp::Adaptor adaptor,
                       KernelLowering &emit) {
  emit.inFirstThreads(op, 1, [&](IndexValue) {
    for (auto [barriers, address] :
         llvm::zip_equal(op.getBarriers(), adaptor.getBarriers())) {
      auto type = cast<BarriersType>(barriers.getType());
      for (int64_t slot = 0; slot < type.getSlots(); ++slot)
        NVVM::MBarrierInitOp::create(
            emit.builder, emit.loc, barrierAt(emit, address, emit.i32(slot)),
            emit.i32(type.getArrivals()), /*predicate=*/Value());
    }
    NVVM::FenceMbarrierInitOp::create(emit.builder, emit.loc);
  });
}

void lowerAwait(AwaitOp, AwaitOp::Adaptor adaptor, KernelLowering &emit) {
  // The maximum time for which the hardware may suspend the thread, in
  // nanoseconds.
  constexpr int64_t kLongest = 10'000'000;
  Value barrier = barrierAt(emit, adaptor.getBarriers(), adaptor.getSlot());
  NVVM::MBarrierTryWaitParityOp::create(emit.builder, emit.loc, barrier,
                                        adaptor.getPhase(), emit.i32(kLongest));
}

void lowerExpect(ExpectOp op, ExpectOp::Adaptor adaptor, KernelLowering &emit) {
  Value barrier = barrierAt(emit, adaptor.getBarriers(), adaptor.getSlot());
  emit.inFirstThreads(op, 1, [&](IndexValue) {
    NVVM::MBarrierArriveExpectTxOp::create(
        emit.builder, emit.loc, TypeRange(), barrier, emit.i32(op.getBytes()),
        NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
  });
}

struct LowerArrive {
  static void lower(ArriveOp op, ArriveOp::Adaptor adaptor,
                    KernelLowering &emit) {
    Value barrier = barrierAt(emit, adaptor.getBarriers(), adaptor.getSlot());
    // Thread i arrives in block i.
    int64_t blocks = adaptor.getBlocks() ? kMaxBlocks : op.getEverywhere();
    emit.inFirstThreads(op, blocks, [&](IndexValue thread) {
      if (!adaptor.getBlocks())
        return arrive(emit, barrier, blocks > 1 ? Value(thread) : Value());
      auto branch = scf::IfOp::create(
          emit.builder, emit.loc, isMember(emit, adaptor.getBlocks(), thread));
      OpBuilder::InsertionGuard guard(emit.builder);
      emit.builder.setInsertionPointToStart(branch.thenBlock());
      arrive(emit, barrier, thread);
    });
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

void lowerGroupBarrier(GroupBarrierOp op, GroupBarrierOp::Adaptor,
                       KernelLowering &emit) {
  auto role = op->getParentOfType<RoleOp>();
  // Barrier 0 is the block's; a group's barrier is 1 plus its index.
  int64_t first = role.getFirstWarp() / 4 + 1;
  IndexValue id =
      emit.index(op->getParentOfType<RoleOp>().getBody().getArgument(0)) +
      first;
  NVVM::BarrierOp::create(emit.builder, emit.loc, TypeRange(), id,
                          emit.i32(role.getGroupThreads()),
                          NVVM::BarrierReductionAttr(), Value());
}

void lowerRoleBarrier(RoleBarrierOp op, RoleBarrierOp::Adaptor,
                      KernelLowering &emit) {
  auto role = op->getParentOfType<RoleOp>();
  // Groups use the numbers 1 to 8 at most; roles count down from the last.
  constexpr int64_t kLast = 15;
  int64_t id = kLast - role.getFirstWarp() / 4;
  NVVM::BarrierOp::create(emit.builder, emit.loc, TypeRange(), emit.i32(id),
                          emit.i32(role.getWarps() * kWarpSize),
                          NVVM::BarrierReductionAttr(), Value());
}

void lowerProxyFence(ProxyFenceOp op, ProxyFenceOp::Adaptor,
                     KernelLowering &emit) {
  MLIRContext *context = op.getContext();
  NVVM::FenceProxyOp::create(
      emit.builder, emit.loc,
      NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void lowerMapPrefetch(MapPrefetchOp op, MapPrefetchOp::Adaptor adaptor,
                      KernelLowering &emit) {
  emit.inFirstThreads(op, 1, [&](IndexValue) {
    NVVM::PrefetchOp::create(emit.builder, emit.loc, /*cacheLevel=*/nullptr,
                             /*evictPriority=*/nullptr, adaptor.getMap(),
                             /*predicate=*/Value(),
                             /*tensormap=*/emit.builder.getUnitAttr(),
                             /*uniform=*/nullptr, /*in_param_space=*/nullptr);
  });
}

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

struct LowerLoad {
  static void lower(LoadOp op, LoadOp::Adaptor adaptor, KernelLowering &emit) {
    RingType ring = op.getRing().getType();
    Boxes boxes(emit, op, adaptor);
    IndexValue slot = emit.slotOf(adaptor.getRing(), adaptor.getSlot(), ring) +
                      boxes.first * ring.getPanelWidth();
    Value barrier = barrierAt(emit, adaptor.getBarriers(), adaptor.getSlot());
    emit.inFirstThreads(op, 1, [&](IndexValue) {
      boxes.forEach([&](ValueRange at, int64_t place) {
        loadBox(boxes, op, adaptor.getMap(), slot + place, at, barrier,
                adaptor.getBlocks());
      });
    });
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

void lowerPrefetch(PrefetchOp op, PrefetchOp::Adaptor adaptor,
                   KernelLowering &emit) {
  Boxes boxes(emit, op, adaptor);
  emit.inFirstThreads(op, 1, [&](IndexValue) {
    boxes.forEach([&](ValueRange at, int64_t) {
      NVVM::CpAsyncBulkTensorPrefetchOp::create(
          emit.builder, emit.loc, adaptor.getMap(), at, boxes.offsets,
          boxes.mode(), /*l2CacheHint=*/Value());
    });
  });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void lowerStoreAsync(StoreAsyncOp op, StoreAsyncOp::Adaptor adaptor,
                     KernelLowering &emit) {
  RingType ring = op.getRing().getType();
  IndexValue from = emit.slotOf(adaptor.getRing(), adaptor.getSlot(), ring) +
                    emit.index(adaptor.getFrom()) * ring.getPanelWidth();
  int64_t width = op.getMap().getType().getWidth();
  emit.inFirstThreads(op, 1, [&](IndexValue) {
    for (int64_t panel = 0; panel < ring.getPanels(); ++panel) {
      SmallVector<Value> at = {emit.index(adaptor.getColumn()) + panel * width,
                               adaptor.getLine()};
      llvm::append_range(at, adaptor.getBatches());
      Value place = emit.shared(from + panel * ring.getPanelBytes());
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          emit.builder, emit.loc, adaptor.getMap(), place, at,
          /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
          /*predicate=*/Value());
    }
  });
}

void lowerStoreCommit(StoreCommitOp op, StoreCommitOp::Adaptor,
                      KernelLowering &emit) {
  emit.inFirstThreads(op, 1, [&](IndexValue) {
    NVVM::CpAsyncBulkCommitGroupOp::create(emit.builder, emit.loc);
  });
}

void lowerStoreWait(StoreWaitOp op, StoreWaitOp::Adaptor,
                    KernelLowering &emit) {
  emit.inFirstThreads(op, 1, [&](IndexValue) {
    NVVM::CpAsyncBulkWaitGroupOp::create(
        emit.builder, emit.loc, emit.builder.getI32IntegerAttr(op.getPending()),
        op.getWritten() ? UnitAttr() : emit.builder.getUnitAttr());
  });
}

} // namespace

void hone::populateAsyncPatterns(const TypeConverter &types,
                                 RewritePatternSet &patterns) {
  addLowerings<lowerPlace<BarriersOp>, lowerBarriersInit, lowerAwait,
               lowerExpect, LowerArrive::lower, lowerGroupBarrier,
               lowerRoleBarrier, lowerProxyFence, lowerMapPrefetch,
               LowerLoad::lower, lowerPrefetch, lowerStoreAsync,
               lowerStoreCommit, lowerStoreWait>(types, patterns);
}
