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
  // Machine::run reports this.
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

/// Ends beyond those of the operand are 0; Machine::run reports the access.
static void placeSegment(SegmentOp op, const LaunchValues &launch,
                         llvm::function_ref<int64_t(Value)> in,
                         llvm::function_ref<void(Value, Register)> out) {
  auto endOf = [&](int64_t segment) {
    return segment < int64_t(launch.ends.size()) ? launch.ends[segment] : 0;
  };
  SegmentOfTile tile = segmentOf(
      in(op.getTile()), endOf,
      std::min<int64_t>(in(op.getGroups()), launch.ends.size() + 1),
      in(op.getRows()), in(op.getDepth()), op.getHeight(), in(op.getColumns()));
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

bool Machine::run(Agent &agent, Operation *op) {
  auto in = [&](Value value) { return number(agent, value); };
  auto out = [&](Value value, Register contents) {
    agent.registers[program.registerOf(value)] = contents;
  };
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
  if (placeOp(op, launch, agent.grid, in, out))
    return true;
  // A mutant's wait that returns too early must not read unwritten memory.
  if (values && isScopeLeader(agent) && verdict.findings.empty())
    values->run(*this, agent, op);
  bool goesOn = true;
  auto reads = [&](int block, ArrayRef<ByteRange> ranges) {
    readShared(agent, block, ranges, byThreads(agent));
  };
  auto writes = [&](ArrayRef<ByteRange> ranges) {
    for (ByteRange range : ranges)
      if (!inShared(agent, range))
        return;
    writeShared(agent, agent.block, ranges, byThreads(agent));
  };
  auto inSlot = [&](Value ring, Value index,
                    llvm::function_ref<Ranges(SlotPlace)> ranges, auto then) {
    if (auto place = slot(agent, ring, index))
      then(ranges(*place));
  };
  const Step &step = program.steps[agent.at];
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](BarriersInitOp init) { this->init(agent, init); })
      .Case([&](AwaitOp await) { goesOn = this->await(agent, await); })
      .Case([&](ExpectOp expect) { this->expect(agent, expect); })
      .Case([&](ArriveOp arrive) { this->arrive(agent, arrive); })
      .Case([&](BarrierOp) { goesOn = meet(agent, 0, program.threads); })
      .Case([&](GroupBarrierOp) {
        const Role &role = program.roles[step.role];
        goesOn = meet(agent, role.firstWarp / 4 + 1 + agent.group,
                      role.groupThreads);
      })
      .Case([&](RoleBarrierOp) {
        const Role &role = program.roles[step.role];
        goesOn = meet(agent, 15 - role.firstWarp / 4, role.warps * kWarpSize);
      })
      .Case([&](ClusterSyncOp) {
        clusterArrive(agent);
        goesOn = clusterWait(agent);
      })
      .Case([&](ClusterArriveOp) { clusterArrive(agent); })
      .Case([&](ClusterWaitOp) { goesOn = clusterWait(agent); })
      .Case([&](ProxyFenceOp) {
        // Covers the writes of the fencing threads themselves.
        release(agent);
        agent.knowledge.fenced.learn({agent.number, agent.now - 1});
      })
      .Case([&](DependWaitOp) { agent.knowledge.learn({depended, 1}); })
      // Both start operations that no agent waits for.
      .Case<DependReleaseOp, MapPrefetchOp>([&](auto) {})
      .Case([&](LoadOp load) { this->load(agent, load); })
      .Case([&](PrefetchOp prefetch) { this->prefetch(agent, prefetch); })
      .Case([&](StoreAsyncOp store) { storeAsync(agent, store); })
      .Case([&](StoreCommitOp) {
        agent.storeGroups += isScopeLeader(agent);
        if (recorder && isScopeLeader(agent))
          recordCommit(agent, op);
      })
      .Case([&](StoreWaitOp wait) { waitForStores(agent, wait); })
      .Case([&](MmaFenceOp) { agent.lastMmaFence = agent.order; })
      .Case([&](MmaAsyncOp mma) { mmaAsync(agent, mma); })
      .Case([&](MmaFetchedOp mma) { mmaFetched(agent, mma); })
      .Case([&](MmaCommitOp) { commitProducts(agent); })
      .Case([&](MmaWaitOp wait) { goesOn = waitForProducts(agent, wait); })
      .Case([&](CopyOp copy) { this->copy(agent, copy); })
      .Case([&](CopyCommitOp) {
        ++agent.copyGroups;
        if (recorder)
          recordCommit(agent, op);
      })
      .Case([&](CopyWaitOp wait) {
        if (agent.copyGroups > wait.getPending())
          agent.knowledge.learn(
              {agent.copies, agent.copyGroups - wait.getPending()});
      })
      .Case([&](ReadOp read) { readFragment(agent, read); })
      .Case([&](SplitOp op) { split(agent, op); })
      .Case<MmaOp, FmaOp>([&](auto product) {
        if (auto mma = dyn_cast<MmaOp>(op))
          multiplyFragments(agent, mma);
        else
          useAccumulators(agent, product);
        for (Value fragment : {product.getA(), product.getB()})
          expectWritten(agent, fragment);
      })
      .Case<ZeroOp, AccUndefinedOp, AccAddOp, SliceOp>(
          [&](auto op) { useAccumulators(agent, op); })
      .Case([&](EpilogueOp epilogue) {
        useAccumulators(agent, epilogue);
        if (llvm::none_of(epilogue.getInputs().getTypes(),
                          llvm::IsaPred<OperandType>))
          return;
        touchGlobal(agent);
        checkOperands(agent, epilogue);
      })
      .Case([&](StoreOp store) {
        useAccumulators(agent, store);
        this->store(agent, store);
      })
      .Case([&](StoreLinesOp store) { storeLines(agent, store); })
      .Case([&](CopyLinesOp copy) { copyLines(agent, copy); })
      .Case([&](TransposeLinesOp copy) { transposeLines(agent, copy); })
      .Case([&](StageOp stage) {
        useAccumulators(agent, stage);
        inSlot(
            stage.getRing(), stage.getSlot(),
            [&](SlotPlace place) {
              return stagedRanges(stage, place, in(stage.getLine()));
            },
            writes);
      })
      .Case([&](UnstageOp unstage) {
        useAccumulators(agent, unstage);
        inSlot(
            unstage.getRing(), unstage.getSlot(),
            [&](SlotPlace place) {
              return stagedRanges(unstage, place, in(unstage.getLine()));
            },
            [&](ArrayRef<ByteRange> ranges) { reads(agent.block, ranges); });
      })
      .Case([&](PartialPutOp put) {
        useAccumulators(agent, put);
        writes(putRanges(put, in(put.getPartial()), in(put.getLine()),
                         in(put.getColumn())));
      })
      .Case([&](PartialSumOp sum) {
        useAccumulators(agent, sum);
        PartialType type = sum.getPartial().getType();
        for (int block : sharersOf(agent, sum))
          for (int64_t part = 0; part < int64_t(sum.getParts()); ++part)
            reads(block,
                  partialRanges(type, number(agent, sum.getPartial()),
                                number(agent, sum.getLine()) +
                                    part * (type.getRows() / sum.getParts()),
                                sum.getAcc().getType().getRows(), /*first=*/0,
                                type.getCols()));
      })
      .Case([&](SumsPutOp put) {
        useAccumulators(agent, put);
        putSums(agent, put);
      })
      .Case([&](SumsTotalOp total) {
        useAccumulators(agent, total);
        totalSums(agent, total);
      })
      .Case([&](CountArriveOp count) { countArrive(agent, count); })
      .Case([&](CountAwaitOp count) { goesOn = countAwait(agent, count); })
      .Case([&](CountLeaveOp count) { countLeave(agent, count); })
      .Default([&](Operation *unknown) {
        complain(agent, Fault::notModelled,
                 formatv("not modelled: op {0}", unknown->getName()));
      });
  return goesOn;
}
