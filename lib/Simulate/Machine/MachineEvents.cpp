//===- MachineEvents.cpp - Dispatch of ops to their effects ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the ops that are modelled; every other op of kernel IR is a
// finding. An op that polls memory and branches on the value would need more
// than one run. The counters here are awaited until all agents have counted, so
// the value that is read does not depend on time (CounterBarrier).
//
//===----------------------------------------------------------------------===//

#include "../Values/Values.h"
#include "Machine.h"
#include "dialects/Kernel/AddressMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// A grid without tiles or bands without rows, which have no tile to compute,
/// or more tiles than i32 can count, whose products would wrap around.
static bool isOutOfRange(TileOp op, llvm::function_ref<int64_t(Value)> in) {
  return llvm::any_of(
      ValueRange{op.getTilesM(), op.getTilesN(), op.getGroup()},
      [&](Value value) { return in(value) < 1 || in(value) > INT32_MAX; });
}

static void placeTile(TileOp op, int64_t block,
                      llvm::function_ref<int64_t(Value)> in,
                      llvm::function_ref<void(Value, Register)> out) {
  // Machine::checkPlace reports this.
  if (isOutOfRange(op, in)) {
    for (Value result : op->getResults())
      out(result, {0, {}});
    return;
  }
  int64_t index = op.getIndex() ? in(op.getIndex()) : block;
  auto tile = tileOf<int64_t>(
      index, in(op.getTilesM()), in(op.getTilesN()), in(op.getGroup()),
      [](int64_t a, int64_t b) { return std::min(a, b); });
  out(op.getTileM(), {tile.tileM, {}});
  out(op.getTileN(), {tile.tileN, {}});
  out(op.getBatch(), {tile.batch, {}});
}

/// Ends beyond those of the operand are 0; Machine::checkPlace reports the
/// access.
static void placeSegment(SegmentOp op, const LaunchValues &launch,
                         llvm::function_ref<int64_t(Value)> in,
                         llvm::function_ref<void(Value, Register)> out) {
  auto endOf = [&](int64_t segment) {
    return segment < int64_t(launch.ends.size()) ? launch.ends[segment] : 0;
  };
  SegmentSearch from;
  if (OperandRange after = op.getAfter(); !after.empty())
    from = {in(after[0]), in(after[1]), in(after[2])};
  SegmentOfTile tile =
      segmentOf(in(op.getTile()), endOf,
                std::min<int64_t>(in(op.getGroups()), launch.ends.size() + 1),
                in(op.getRows()), in(op.getDepth()), op.getHeight(),
                in(op.getColumns()), from);
  out(op.getSegment(), {tile.segment, {}});
  out(op.getFirst(), {tile.first, {}});
  out(op.getEnd(), {tile.end, {}});
  out(op.getDepthOfTile(), {tile.depth, {}});
  out(op.getNumber(), {tile.number, {}});
  out(op.getRowsOfTiles(), {tile.rowsOfTiles, {}});
}

static void placeBounds(SegmentBoundsOp op, const LaunchValues &launch,
                        llvm::function_ref<int64_t(Value)> in,
                        llvm::function_ref<void(Value, Register)> out) {
  auto [first, end] = boundsOf(
      in(op.getSegment()), [&](int64_t at) { return launch.ends[at]; },
      std::min<int64_t>(in(op.getGroups()), launch.ends.size()),
      in(op.getRows()));
  out(op.getFirst(), {first, {}});
  out(op.getEnd(), {end, {}});
}

/// True if the ends are those of the operand.
template <typename OpT>
static bool readsEnds(OpT op, const LaunchValues &launch,
                      llvm::function_ref<int64_t(Value)> in) {
  const OperandRegion *segments = launch.find("segments");
  return segments && in(op.getEnds()) == segments->base &&
         in(op.getGroups()) <= int64_t(launch.ends.size());
}

bool simulate::placeOp(Operation *op, const LaunchValues &launch, int64_t block,
                       llvm::function_ref<int64_t(Value)> in,
                       llvm::function_ref<void(Value, Register)> out) {
  auto bytesOf = [](Type type) {
    return int64_t(type.getIntOrFloatBitWidth() / 8);
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<RingOp, BarriersOp, PartialOp>([&](auto place) {
        out(place->getResult(0), {int64_t(place.getOffset()), {}});
        return true;
      })
      .Case([&](SumsOp sums) {
        out(sums.getSums(),
            {in(sums.getWorkspace()) + int64_t(sums.getOffset()), {}});
        return true;
      })
      .Case([&](CountersOp counters) {
        out(counters.getCounters(), {in(counters.getWorkspace()), {}});
        return true;
      })
      .Case([&](TileOp tile) {
        placeTile(tile, block, in, out);
        return true;
      })
      .Case([&](SegmentOp segment) {
        placeSegment(segment, launch, in, out);
        return true;
      })
      .Case([&](SegmentBoundsOp bounds) {
        placeBounds(bounds, launch, in, out);
        return true;
      })
      .Case([&](WorkerOp worker) {
        int64_t size = worker.getBlocks();
        out(worker.getWorker(), {block / size, {}});
        out(worker.getWorkers(), {launch.grid / size, {}});
        return true;
      })
      .Case([&](ClusterRankOp rank) {
        out(rank.getRank(), {block % launch.cluster, {}});
        return true;
      })
      .Case([&](MatrixOp matrix) {
        Type element = matrix.getMatrix().getType().getElement();
        out(matrix.getMatrix(),
            {in(matrix.getBuffer()) + in(matrix.getOffset()) * bytesOf(element),
             {in(matrix.getLines()), in(matrix.getWidth()),
              in(matrix.getStride())}});
        return true;
      })
      .Case([&](OperandOp operand) {
        Type element = operand.getOperand().getType().getElement();
        out(operand.getOperand(),
            {in(operand.getBuffer()) +
                 in(operand.getOffset()) * bytesOf(element),
             {in(operand.getRowStride()), in(operand.getColStride()), 0}});
        return true;
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Whether the agent goes on, for ops at which it may wait.
std::optional<bool> Machine::mayWait(Agent &agent, Operation *op) {
  using GoesOn = std::optional<bool>;
  auto role = [&]() -> const Role & {
    return program.roles[program.steps[agent.at].role];
  };
  return llvm::TypeSwitch<Operation *, GoesOn>(op)
      .Case([&](AwaitOp op) { return await(agent, op); })
      .Case([&](MmaWaitOp op) { return waitForProducts(agent, op); })
      .Case([&](BarrierOp) { return meet(agent, 0, program.threads); })
      .Case([&](GroupBarrierOp) {
        return meet(agent, role().firstWarp / 4 + 1 + agent.group,
                    role().groupThreads);
      })
      .Case([&](RoleBarrierOp) {
        return meet(agent, 15 - role().firstWarp / 4, role().warps * kWarpSize);
      })
      .Case([&](ClusterSyncOp) {
        clusterArrive(agent);
        return clusterWait(agent);
      })
      .Case([&](ClusterWaitOp) { return clusterWait(agent); })
      .Case([&](CountAwaitOp op) { return countAwait(agent, op); })
      .Default([](Operation *) { return GoesOn(); });
}

/// Signals, and waits for events that are certain. False for other ops, as in
/// the functions below.
bool Machine::signal(Agent &agent, Operation *op) {
  bool isSignal = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ArriveOp op) { arrive(agent, op); })
      .Case([&](ExpectOp op) { expect(agent, op); })
      .Case([&](BarriersInitOp op) { init(agent, op); })
      .Case([&](ClusterArriveOp) { clusterArrive(agent); })
      .Case([&](ProxyFenceOp) {
        // Covers the writes of the fencing threads themselves.
        release(agent);
        agent.knowledge.fenced.learn({agent.number, agent.now - 1});
      })
      .Case([&](DependWaitOp) { agent.knowledge.learn({depended, 1}); })
      // Both start operations that no agent waits for.
      .Case<DependReleaseOp, MapPrefetchOp>([&](auto) {})
      .Case([&](CountArriveOp op) { countArrive(agent, op); })
      .Case([&](CountLeaveOp op) { countLeave(agent, op); })
      .Default([&](Operation *) { isSignal = false; });
  return isSignal;
}

/// Copies between memories, by engines and by threads.
bool Machine::transfer(Agent &agent, Operation *op) {
  bool isTransfer = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LoadOp op) { load(agent, op); })
      .Case([&](PrefetchOp op) { prefetch(agent, op); })
      .Case([&](StoreAsyncOp op) { storeAsync(agent, op); })
      .Case([&](StoreCommitOp) {
        agent.storeGroups += isScopeLeader(agent);
        if (recorder && isScopeLeader(agent))
          recordCommit(agent, op);
      })
      .Case([&](StoreWaitOp op) { waitForStores(agent, op); })
      .Case([&](CopyOp op) { copy(agent, op); })
      .Case([&](CopyCommitOp) {
        ++agent.copyGroups;
        if (recorder)
          recordCommit(agent, op);
      })
      .Case([&](CopyWaitOp op) {
        if (agent.copyGroups > op.getPending())
          agent.knowledge.learn(
              {agent.copies, agent.copyGroups - op.getPending()});
      })
      .Case([&](StoreLinesOp op) { storeLines(agent, op); })
      .Case([&](CopyLinesOp op) { copyLines(agent, op); })
      .Case([&](TransposeLinesOp op) { transposeLines(agent, op); })
      .Default([&](Operation *) { isTransfer = false; });
  return isTransfer;
}

/// Products and their factors.
bool Machine::multiply(Agent &agent, Operation *op) {
  bool isProduct = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](MmaAsyncOp op) { mmaAsync(agent, op); })
      .Case([&](MmaFetchedOp op) { mmaFetched(agent, op); })
      .Case([&](MmaFenceOp) { agent.lastMmaFence = agent.order; })
      .Case([&](MmaCommitOp) { commitProducts(agent); })
      .Case([&](ReadOp op) { readFragment(agent, op); })
      .Case([&](SplitOp op) { split(agent, op); })
      .Case<MmaOp, FmaOp>([&](auto product) {
        if (auto mma = dyn_cast<MmaOp>(op))
          multiplyFragments(agent, mma);
        else
          useAccumulators(agent, product);
        for (Value fragment : {product.getA(), product.getB()})
          expectWritten(agent, fragment);
      })
      .Default([&](Operation *) { isProduct = false; });
  return isProduct;
}

/// Sums that threads compute with, store, and pass to other threads.
bool Machine::passSums(Agent &agent, Operation *op) {
  if (!isa<ZeroOp, AccUndefinedOp, AccAddOp, SliceOp, EpilogueOp, StoreOp,
           StageOp, UnstageOp, PartialPutOp, PartialSumOp, SumsPutOp,
           SumsTotalOp>(op))
    return false;
  useAccumulators(agent, op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](EpilogueOp op) {
        if (llvm::none_of(op.getInputs().getTypes(),
                          llvm::IsaPred<OperandType>))
          return;
        touchGlobal(agent);
        checkOperands(agent, op);
      })
      .Case([&](StoreOp op) { store(agent, op); })
      .Case<StageOp, UnstageOp>([&](auto op) { stage(agent, op); })
      .Case([&](PartialPutOp op) { putPartial(agent, op); })
      .Case([&](PartialSumOp op) { sumPartials(agent, op); })
      .Case([&](SumsPutOp op) { putSums(agent, op); })
      .Case([&](SumsTotalOp op) { totalSums(agent, op); });
  return true;
}

void Machine::checkPlace(Agent &agent, Operation *op) {
  auto in = [&](Value value) { return number(agent, value); };
  if (auto tile = dyn_cast<TileOp>(op); tile && isOutOfRange(tile, in))
    complain(agent, Fault::bounds,
             "divides by numbers of tiles or of a band's rows that are not "
             "positive i32");
  llvm::TypeSwitch<Operation *>(op).Case<SegmentOp, SegmentBoundsOp>(
      [&](auto segment) {
        touchGlobal(agent);
        if (!readsEnds(segment, launch, in))
          complain(
              agent, Fault::bounds,
              "reads ends of segments outside of the operand that has them");
      });
}

bool Machine::run(Agent &agent, Operation *op) {
  auto in = [&](Value value) { return number(agent, value); };
  auto out = [&](Value value, Register contents) {
    agent.registers[program.registerOf(value)] = contents;
  };
  checkPlace(agent, op);
  if (placeOp(op, launch, agent.grid, in, out))
    return true;
  // A mutant's wait that returns too early must not read unwritten memory.
  if (values && isScopeLeader(agent) && verdict.findings.empty())
    values->run(*this, agent, op);
  if (multiply(agent, op))
    return true;
  if (std::optional<bool> goesOn = mayWait(agent, op))
    return *goesOn;
  if (!signal(agent, op) && !transfer(agent, op) && !passSums(agent, op))
    complain(agent, Fault::notModelled,
             formatv("not modelled: op {0}", op->getName()));
  return true;
}
