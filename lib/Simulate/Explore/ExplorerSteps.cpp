//===- ExplorerSteps.cpp - Effects of events without clocks ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visible steps on a model of the hardware: counts, one bit for the phase, and
// pending operations.
//
//===----------------------------------------------------------------------===//

#include "../Values/Values.h"
#include "Explorer.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Accesses of the next step
//===----------------------------------------------------------------------===//

SlotPlace Explorer::slotOf(const ExploreState &state, int agent, Value ring,
                           Value slot) const {
  auto type = cast<RingType>(ring.getType());
  return {type, number(state, agent, ring) +
                    number(state, agent, slot) * type.getSlotBytes()};
}

SmallVector<int64_t, 4> Explorer::blocksOf(const ExploreState &state, int agent,
                                           Value mask, int64_t count) const {
  auto ranks = ranksOf(
      mask ? std::optional(number(state, agent, mask)) : std::nullopt, count);
  llvm::erase_if(ranks, [&](int64_t rank) { return rank >= launch.cluster; });
  return ranks;
}

SmallVector<int64_t, 4> Explorer::receiversOf(const ExploreState &state,
                                              int agent, LoadOp op) const {
  if (op.getParts() == 1)
    return {roster[agent].block};
  return blocksOf(state, agent, op.getBlocks(), op.getParts());
}

Touches Explorer::touchesOf(const ExploreState &state, int agent) const {
  const Step &step = program.steps[state.agents[agent].at];
  const Member &member = roster[agent];
  Touches touches;
  auto add = [&](int block, ArrayRef<ByteRange> ranges, bool writes) {
    for (ByteRange range : ranges)
      touches.push_back({block, range, writes});
  };
  auto in = [&](Value value) { return number(state, agent, value); };
  if (step.kind != Step::event)
    return touches;
  llvm::TypeSwitch<Operation *>(step.op)
      .Case([&](LoadOp op) {
        if (!member.leads(step))
          return;
        SlotPlace slot = slotOf(state, agent, op.getRing(), op.getSlot());
        int64_t width = slot.ring.getPanelWidth();
        for (int block : receiversOf(state, agent, op))
          for (const LoadBox &box :
               boxesOf(op, slot.base, op.getPart() ? in(op.getPart()) : 0))
            add(block,
                {{box.shared,
                  box.shared + op.getMap().getType().getLines() * width}},
                true);
      })
      .Case([&](CopyOp op) {
        SlotPlace slot = slotOf(state, agent, op.getRing(), op.getSlot());
        add(member.block, slot.lines(0, slot.ring.getLines()), true);
      })
      .Case([&](ReadOp op) {
        add(member.block,
            readRanges(op, slotOf(state, agent, op.getRing(), op.getSlot()),
                       op.getRows() ? in(op.getRows()) : 0),
            false);
      })
      .Case([&](MmaAsyncOp op) {
        add(member.block,
            stepRanges(slotOf(state, agent, op.getRingA(), op.getSlotA()),
                       op.getStep(), op.getTransposedA(), in(op.getRows()), 64),
            false);
        add(member.block,
            stepRanges(slotOf(state, agent, op.getRingB(), op.getSlotB()),
                       op.getStep(), op.getTransposedB(), in(op.getCols()),
                       op.getAcc().getType().getCols()),
            false);
      })
      .Case([&](MmaFetchedOp op) {
        add(member.block,
            stepRanges(slotOf(state, agent, op.getRingB(), op.getSlotB()),
                       op.getStep(), op.getTransposedB(), in(op.getCols()),
                       op.getAcc().getType().getCols()),
            false);
      })
      .Case([&](StoreAsyncOp op) {
        if (member.leads(step))
          add(member.block,
              slotOf(state, agent, op.getRing(), op.getSlot())
                  .lines(in(op.getFrom()), op.getMap().getType().getLines()),
              false);
      })
      .Case([&](StoreLinesOp op) {
        add(member.block,
            slotOf(state, agent, op.getRing(), op.getSlot())
                .lines(in(op.getFrom()), op.getLines()),
            false);
      })
      .Case([&](StageOp op) {
        add(member.block,
            stagedRanges(op, slotOf(state, agent, op.getRing(), op.getSlot()),
                         in(op.getLine())),
            true);
      })
      .Case([&](UnstageOp op) {
        add(member.block,
            stagedRanges(op, slotOf(state, agent, op.getRing(), op.getSlot()),
                         in(op.getLine())),
            false);
      })
      .Case([&](PartialPutOp op) {
        add(member.block,
            putRanges(op, in(op.getPartial()), in(op.getLine()),
                      in(op.getColumn())),
            true);
      })
      .Case([&](PartialSumOp op) {
        PartialType type = op.getPartial().getType();
        int64_t lines = type.getRows() / op.getParts();
        int64_t first = op.getFirst() ? in(op.getFirst()) : 0;
        for (int64_t i = 0; i < int64_t(op.getBlocks()); ++i)
          for (int64_t part = 0; part < int64_t(op.getParts()); ++part)
            add(op.getBlocks() == 1 ? member.block
                                    : first + i * int64_t(op.getStride()),
                partialRanges(type, in(op.getPartial()),
                              in(op.getLine()) + part * lines,
                              op.getAcc().getType().getRows(), /*first=*/0,
                              type.getCols()),
                false);
      });
  return touches;
}

//===----------------------------------------------------------------------===//
// Visible steps
//===----------------------------------------------------------------------===//

std::pair<int, int64_t> Explorer::barrierOf(const ExploreState &state,
                                            int agent, int block,
                                            Value barriers, Value slot) const {
  return {block, number(state, agent, barriers) +
                     number(state, agent, slot) * BarriersType::kBarrierBytes};
}

bool Explorer::isReady(const ExploreState &state, int agent) const {
  const AgentState &self = state.agents[agent];
  Operation *op = program.steps[self.at].op;
  if (self.meets || visibility[self.at] == Visibility::waits)
    return false;
  if (auto await = dyn_cast<AwaitOp>(op)) {
    auto barrier =
        state.barriers.find(barrierOf(state, agent, roster[agent].block,
                                      await.getBarriers(), await.getSlot()));
    return barrier != state.barriers.end() &&
           barrier->second.parity !=
               bool(number(state, agent, await.getPhase()) & 1);
  }
  if (isa<ClusterSyncOp, ClusterWaitOp>(op))
    return self.clusterPhase < 0 ? isa<ClusterSyncOp>(op)
                                 : self.clusterPhase < state.clusterPhase;
  return true;
}

void Explorer::endPhase(PhaseState &barrier) {
  if (barrier.missing || barrier.pending)
    return;
  barrier.parity = !barrier.parity;
  barrier.missing = barrier.arrivals;
}

void Explorer::arrive(ExploreState &state, int agent, int block, int64_t at,
                      int64_t bytes) {
  auto found = state.barriers.find({block, at});
  if (found == state.barriers.end())
    return complain(state, agent, Fault::barrier,
                    "arrives at a barrier that is not initialised");
  --found->second.missing;
  found->second.pending += bytes;
  endPhase(found->second);
}

void Explorer::meet(ExploreState &state, int agent, int64_t id,
                    int64_t wanted) {
  int block = roster[agent].block;
  MeetingState &meeting = state.meetings[{block, id}];
  meeting.wanted = wanted;
  meeting.present += roster[agent].threads;
  state.agents[agent].meets = true;
  if (meeting.present < wanted)
    return;
  meeting.present = 0;
  const Step &mine = program.steps[state.agents[agent].at];
  for (const Member &member : roster) {
    AgentState &other = state.agents[member.number];
    if (!other.meets || member.block != block)
      continue;
    const Step &step = program.steps[other.at];
    bool isSame = step.op->getName() == mine.op->getName() &&
                  (!isa<GroupBarrierOp>(step.op) ||
                   member.groupNumber == roster[agent].groupNumber);
    if (isSame) {
      other.meets = false;
      ++other.at;
    }
  }
}

void Explorer::clusterArrive(ExploreState &state, int agent) {
  state.agents[agent].clusterPhase = state.clusterPhase;
  if (++state.clusterHere + state.clusterGone < int(roster.size()))
    return;
  ++state.clusterPhase;
  state.clusterHere = 0;
}

/// Products and copies of one group count as one.
void Explorer::start(ExploreState &state, UnderWay event) {
  for (UnderWay &each : state.underWay)
    if (event.kind != UnderWay::load && each.kind == event.kind &&
        each.owner == event.owner && each.number == event.number &&
        each.step == event.step)
      return;
  state.underWay.push_back(std::move(event));
}

void Explorer::startLoad(ExploreState &state, int agent, LoadOp op) {
  Touches all = touchesOf(state, agent);
  for (int block : receiversOf(state, agent, op)) {
    UnderWay event;
    event.kind = UnderWay::load;
    event.owner = agent;
    event.block = block;
    event.step = state.agents[agent].at;
    event.barrier =
        barrierOf(state, agent, event.block, op.getBarriers(), op.getSlot())
            .second;
    for (const Touch &touch : all)
      if (touch.block == event.block) {
        event.touches.push_back(touch);
        event.bytes += touch.range.end - touch.range.begin;
      }
    if (!state.barriers.count({event.block, event.barrier}))
      complain(state, agent, Fault::barrier,
               "signals a barrier that is not initialised");
    state.underWay.push_back(std::move(event));
  }
}

void Explorer::act(ExploreState &state, int number) {
  AgentState &agent = state.agents[number];
  const Member &member = roster[number];
  const Step &step = program.steps[agent.at];
  bool leads = member.leads(step), goesOn = true;
  Touches touches = touchesOf(state, number);
  auto engine = [&](UnderWay::Kind kind, int owner, int group) {
    UnderWay event;
    event.kind = kind;
    event.owner = owner;
    event.number = group;
    event.block = member.block;
    event.step = agent.at;
    event.touches = touches;
    start(state, std::move(event));
  };
  auto requireFilled = [&] {
    for (const Touch &touch : touches)
      if (!state.isFilled(touch.block, touch.range))
        complain(state, number, Fault::unfilled,
                 "reads shared memory that was never written");
  };
  llvm::TypeSwitch<Operation *>(step.op)
      .Case([&](BarriersInitOp op) {
        for (Value barriers : op.getBarriers())
          for (int64_t i = 0;
               leads && i < cast<BarriersType>(barriers.getType()).getSlots();
               ++i) {
            int64_t count =
                cast<BarriersType>(barriers.getType()).getArrivals();
            state.barriers[{member.block,
                            this->number(state, number, barriers) +
                                i * BarriersType::kBarrierBytes}] = {
                false, count, count, 0};
          }
      })
      .Case([&](ExpectOp op) {
        if (leads)
          arrive(state, number, member.block,
                 barrierOf(state, number, 0, op.getBarriers(), op.getSlot())
                     .second,
                 op.getBytes());
      })
      .Case([&](ArriveOp op) {
        int64_t at =
            barrierOf(state, number, 0, op.getBarriers(), op.getSlot()).second;
        if (op.isRemote())
          for (int block :
               blocksOf(state, number, op.getBlocks(), op.getEverywhere())) {
            if ((block == 0) == leads)
              arrive(state, number, block, at, 0);
          }
        else if (leads)
          arrive(state, number, member.block, at, 0);
      })
      .Case([&](BarrierOp) {
        goesOn = false;
        meet(state, number, 0, program.threads);
      })
      .Case([&](GroupBarrierOp) {
        const Role &role = program.roles[step.role];
        goesOn = false;
        meet(state, number, role.firstWarp / 4 + 1 + member.group,
             role.groupThreads);
      })
      .Case([&](RoleBarrierOp) {
        const Role &role = program.roles[step.role];
        goesOn = false;
        meet(state, number, 15 - role.firstWarp / 4, role.warps * 32);
      })
      .Case([&](ClusterSyncOp) {
        if (agent.clusterPhase < 0) {
          clusterArrive(state, number);
          goesOn = false;
        } else {
          agent.clusterPhase = -1;
        }
      })
      .Case([&](ClusterArriveOp) { clusterArrive(state, number); })
      .Case([&](ClusterWaitOp) { agent.clusterPhase = -1; })
      .Case([&](LoadOp op) {
        if (leads)
          startLoad(state, number, op);
      })
      .Case([&](CopyOp) { engine(UnderWay::copies, number, agent.copyGroups); })
      .Case([&](UnstageOp) { requireFilled(); })
      .Case<MmaAsyncOp, MmaFetchedOp>([&](auto) {
        requireFilled();
        engine(UnderWay::products, member.groupNumber, agent.productGroups);
      })
      .Case([&](StoreAsyncOp) {
        if (leads)
          engine(UnderWay::stores, number, agent.storeGroups);
      })
      .Case<StageOp, PartialPutOp>([&](auto) {
        for (const Touch &touch : touches)
          state.fill(touch.block, touch.range);
      })
      .Case<CountArriveOp, CountAwaitOp, CountLeaveOp>([&](auto op) {
        complain(state, number, Fault::notModelled,
                 formatv("not modelled: op {0}, which waits for other clusters",
                         op->getName()));
      });
  if (goesOn)
    ++agent.at;
}

void Explorer::complete(ExploreState &state, int index) {
  UnderWay event = std::move(state.underWay[index]);
  state.underWay.erase(state.underWay.begin() + index);
  // A group of products, copies or stores completes as a whole.
  if (event.kind != UnderWay::load)
    llvm::erase_if(state.underWay, [&](const UnderWay &each) {
      bool isSame = each.kind == event.kind && each.owner == event.owner &&
                    each.number == event.number;
      if (isSame && each.kind == UnderWay::copies)
        for (const Touch &touch : each.touches)
          state.fill(touch.block, touch.range);
      return isSame;
    });
  for (const Touch &touch : event.touches)
    if (touch.writes)
      state.fill(touch.block, touch.range);
  if (event.kind != UnderWay::load)
    return;
  auto barrier = state.barriers.find({event.block, event.barrier});
  if (barrier == state.barriers.end())
    return;
  barrier->second.pending -= event.bytes;
  endPhase(barrier->second);
}
