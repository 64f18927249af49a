//===- Effects.cpp - Effects of the kernel ops ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelInterfaces.h. One function is one op, or ops that do the same.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

/// Types of ops that have the same effects.
template <typename Op, typename... Ops>
constexpr bool isOneOf = (std::is_same_v<Op, Ops> || ...);

static Effect generic(EffectKind kind, Memory memory, Value value,
                      Executor executor = Executor::thread,
                      Engine engine = Engine::none) {
  return {kind, memory, executor, Proxy::generic, engine, value};
}

//===----------------------------------------------------------------------===//
// Places, and arithmetic in registers
//===----------------------------------------------------------------------===//

template <typename Op>
static std::enable_if_t<
    isOneOf<Op, TileOp, MatrixOp, OperandOp, RingOp, WorkerOp, ClusterRankOp,
            BarriersOp, PartialOp, SumsOp, CountersOp>,
    Effects>
effectsOf(Op) {
  return {{EffectKind::address}};
}

/// The ops of its region have the effects.
static Effects effectsOf(RoleOp) { return {}; }

template <typename Op>
static std::enable_if_t<
    isOneOf<Op, SplitOp, ZeroOp, FmaOp, AccUndefinedOp, AccAddOp, SliceOp>,
    Effects>
effectsOf(Op) {
  return {{EffectKind::compute, Memory::registers}};
}

static Effects effectsOf(MmaOp) {
  return {{EffectKind::compute, Memory::registers, Executor::warp}};
}

static Effects effectsOf(EpilogueOp op) {
  Effects effects = {{EffectKind::compute, Memory::registers}};
  for (Value operand : op->getOperands())
    if (isa<OperandType>(operand.getType()))
      effects.push_back(generic(EffectKind::read, Memory::global, operand));
  return effects;
}

//===----------------------------------------------------------------------===//
// Loads and stores of threads
//===----------------------------------------------------------------------===//

template <typename Op>
static std::enable_if_t<isOneOf<Op, SegmentOp, SegmentBoundsOp>, Effects>
effectsOf(Op op) {
  return {generic(EffectKind::read, Memory::global, op.getEnds())};
}

static Effects effectsOf(CopyOp op) {
  Effects effects = {generic(EffectKind::read, Memory::global, op.getMatrix(),
                             Executor::thread, Engine::copies),
                     generic(EffectKind::write, Memory::shared, op.getRing(),
                             Executor::thread, Engine::copies)};
  if (op.getIndex())
    effects.push_back(generic(EffectKind::read, Memory::global, op.getIndex()));
  return effects;
}

static Effects effectsOf(ReadOp op) {
  return {
      generic(EffectKind::read, Memory::shared, op.getRing(), Executor::warp)};
}

static Effects effectsOf(StoreOp op) {
  return {generic(EffectKind::write, Memory::global, op.getMatrix())};
}

static Effects effectsOf(StoreLinesOp op) {
  return {generic(EffectKind::read, Memory::shared, op.getRing()),
          generic(EffectKind::write, Memory::global, op.getMatrix())};
}

template <typename Op>
static std::enable_if_t<isOneOf<Op, CopyLinesOp, TransposeLinesOp>, Effects>
effectsOf(Op op) {
  Effects effects = {
      generic(EffectKind::read, Memory::global, op.getSource()),
      generic(EffectKind::write, Memory::global, op.getTarget())};
  if (op.getLow())
    effects.push_back(generic(EffectKind::write, Memory::global, op.getLow()));
  return effects;
}

static Effects effectsOf(StageOp op) {
  return {
      generic(EffectKind::write, Memory::shared, op.getRing(), Executor::warp)};
}

static Effects effectsOf(UnstageOp op) {
  return {
      generic(EffectKind::read, Memory::shared, op.getRing(), Executor::warp)};
}

static Effects effectsOf(PartialPutOp op) {
  return {generic(EffectKind::write, Memory::shared, op.getPartial())};
}

static Effects effectsOf(PartialSumOp op) {
  return {generic(EffectKind::read,
                  op.getBlocks() > 1 ? Memory::cluster : Memory::shared,
                  op.getPartial())};
}

//===----------------------------------------------------------------------===//
// Barriers and fences
//===----------------------------------------------------------------------===//

static Effects effectsOf(BarriersInitOp op) {
  Effects effects;
  for (Value barriers : op.getBarriers())
    effects.push_back(
        generic(EffectKind::init, Memory::shared, barriers, Executor::leader));
  effects.push_back({EffectKind::fence, Memory::cluster, Executor::leader});
  return effects;
}

static Effects effectsOf(AwaitOp op) {
  return {generic(EffectKind::wait, Memory::shared, op.getBarriers())};
}

static Effects effectsOf(ExpectOp op) {
  return {generic(EffectKind::arrive, Memory::shared, op.getBarriers(),
                  Executor::leader),
          generic(EffectKind::expect, Memory::shared, op.getBarriers(),
                  Executor::leader)};
}

/// Several threads share the work of an arrival in several blocks.
static Effects effectsOf(ArriveOp op) {
  if (op.isRemote())
    return {generic(EffectKind::arrive, Memory::cluster, op.getBarriers())};
  return {generic(EffectKind::arrive, Memory::shared, op.getBarriers(),
                  Executor::leader)};
}

template <typename Op>
static std::enable_if_t<isOneOf<Op, BarrierOp, GroupBarrierOp, RoleBarrierOp>,
                        Effects>
effectsOf(Op) {
  return {{EffectKind::meet, Memory::shared, Executor::warp}};
}

static Effects effectsOf(ClusterSyncOp) {
  return {{EffectKind::meet, Memory::cluster}};
}
static Effects effectsOf(ClusterArriveOp) {
  return {{EffectKind::meetArrive, Memory::cluster}};
}
static Effects effectsOf(ClusterWaitOp) {
  return {{EffectKind::meetWait, Memory::cluster}};
}

static Effects effectsOf(ProxyFenceOp) {
  return {{EffectKind::fence, Memory::shared, Executor::thread, Proxy::async}};
}
static Effects effectsOf(MmaFenceOp) {
  return {
      {EffectKind::fence, Memory::registers, Executor::group, Proxy::async}};
}

static Effects effectsOf(DependReleaseOp) {
  return {{EffectKind::arrive, Memory::launches}};
}
static Effects effectsOf(DependWaitOp) {
  return {{EffectKind::wait, Memory::launches}};
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

static Effects effectsOf(MapPrefetchOp op) {
  return {generic(EffectKind::prefetch, Memory::tensorMap, op.getMap(),
                  Executor::leader)};
}

static Effect async(EffectKind kind, Memory memory, Value value,
                    Executor executor, Engine engine = Engine::none) {
  return {kind, memory, executor, Proxy::async, engine, value};
}

static Effects effectsOf(PrefetchOp op) {
  return {async(EffectKind::prefetch, Memory::global, op.getMap(),
                Executor::leader)};
}

static Effects effectsOf(LoadOp op) {
  Memory to = op.getParts() > 1 ? Memory::cluster : Memory::shared;
  return {
      async(EffectKind::read, Memory::global, op.getMap(), Executor::leader),
      async(EffectKind::write, to, op.getRing(), Executor::leader),
      async(EffectKind::land, to, op.getBarriers(), Executor::leader)};
}

static Effects effectsOf(StoreAsyncOp op) {
  return {async(EffectKind::read, Memory::shared, op.getRing(),
                Executor::leader, Engine::stores),
          async(EffectKind::write, Memory::global, op.getMap(),
                Executor::leader, Engine::stores)};
}

static Effect ofProduct(EffectKind kind, Memory memory, Value value) {
  return async(kind, memory, value, Executor::group, Engine::products);
}

static Effects effectsOf(MmaAsyncOp op) {
  return {ofProduct(EffectKind::read, Memory::shared, op.getRingA()),
          ofProduct(EffectKind::read, Memory::shared, op.getRingB()),
          ofProduct(EffectKind::write, Memory::registers, op.getResult())};
}

static Effects effectsOf(MmaFetchedOp op) {
  return {ofProduct(EffectKind::read, Memory::shared, op.getRingB()),
          ofProduct(EffectKind::write, Memory::registers, op.getResult())};
}

static Effects onGroups(EffectKind kind, Engine engine, Executor executor) {
  return {{kind, Memory::none, executor, Proxy::async, engine}};
}

static Effects effectsOf(CopyCommitOp) {
  return onGroups(EffectKind::commit, Engine::copies, Executor::thread);
}
static Effects effectsOf(CopyWaitOp) {
  return onGroups(EffectKind::waitCommitted, Engine::copies, Executor::thread);
}
static Effects effectsOf(StoreCommitOp) {
  return onGroups(EffectKind::commit, Engine::stores, Executor::leader);
}
static Effects effectsOf(StoreWaitOp) {
  return onGroups(EffectKind::waitCommitted, Engine::stores, Executor::leader);
}
static Effects effectsOf(MmaCommitOp) {
  return onGroups(EffectKind::commit, Engine::products, Executor::group);
}
static Effects effectsOf(MmaWaitOp) {
  return onGroups(EffectKind::waitCommitted, Engine::products, Executor::group);
}

//===----------------------------------------------------------------------===//
// The workspace
//===----------------------------------------------------------------------===//

static Effects effectsOf(SumsPutOp op) {
  return {generic(EffectKind::write, Memory::workspace, op.getSums())};
}
static Effects effectsOf(SumsTotalOp op) {
  return {generic(EffectKind::read, Memory::workspace, op.getSums())};
}
/// A thread that awaits the count sees all earlier writes of this thread.
static Effects effectsOf(CountArriveOp op) {
  return {{EffectKind::fence, Memory::workspace, Executor::leader},
          generic(EffectKind::arrive, Memory::workspace, op.getCounters(),
                  Executor::leader)};
}
static Effects effectsOf(CountAwaitOp op) {
  return {generic(EffectKind::wait, Memory::workspace, op.getCounters(),
                  Executor::leader)};
}
/// The last group to leave clears the counter.
static Effects effectsOf(CountLeaveOp op) {
  return {generic(EffectKind::arrive, Memory::workspace, op.getCounters(),
                  Executor::leader),
          generic(EffectKind::write, Memory::workspace, op.getCounters(),
                  Executor::leader)};
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/KernelInterfaces.cpp.inc"

namespace {
template <typename Op>
struct Model : KernelEffectsOpInterface::ExternalModel<Model<Op>, Op> {
  Effects getKernelEffects(Operation *op) const {
    return effectsOf(cast<Op>(op));
  }
};
} // namespace

template <typename... Ops>
static void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

// Not here: kernel.yield, which belongs to its epilogue, and kernel.launch,
// which belongs to the host.
void kernel::attachEffects(MLIRContext *context) {
  attach<TileOp, MatrixOp, OperandOp, RingOp, WorkerOp, ClusterRankOp,
         BarriersOp, PartialOp, SumsOp, CountersOp, RoleOp>(context);
  attach<SplitOp, ZeroOp, MmaOp, FmaOp, AccUndefinedOp, AccAddOp, SliceOp,
         EpilogueOp>(context);
  attach<SegmentOp, SegmentBoundsOp, CopyOp, ReadOp, StoreOp, StoreLinesOp,
         CopyLinesOp, TransposeLinesOp, StageOp, UnstageOp, PartialPutOp,
         PartialSumOp>(context);
  attach<BarriersInitOp, AwaitOp, ExpectOp, ArriveOp, BarrierOp, GroupBarrierOp,
         RoleBarrierOp, ClusterSyncOp, ClusterArriveOp, ClusterWaitOp,
         ProxyFenceOp, MmaFenceOp, DependReleaseOp, DependWaitOp>(context);
  attach<MapPrefetchOp, PrefetchOp, LoadOp, StoreAsyncOp, MmaAsyncOp,
         MmaFetchedOp, CopyCommitOp, CopyWaitOp, StoreCommitOp, StoreWaitOp,
         MmaCommitOp, MmaWaitOp>(context);
  attach<SumsPutOp, SumsTotalOp, CountArriveOp, CountAwaitOp, CountLeaveOp>(
      context);
}
