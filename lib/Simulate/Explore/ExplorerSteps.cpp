//===- ExplorerSteps.cpp - Effects of events without clocks ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visible steps on a model of the hardware: counts, one bit for the phase, and
// pending operations.
//
//===----------------------------------------------------------------------===//

#include "Explorer.h"
#include "dialects/Kernel/AddressMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

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

void Explorer::initBarriers(ExploreState &state, int agent, BarriersInitOp op) {
  for (Value barriers : op.getBarriers()) {
    auto type = cast<BarriersType>(barriers.getType());
    int64_t count = type.getArrivals();
    for (int64_t i = 0; i < type.getSlots(); ++i)
      state.barriers[{roster[agent].block,
                      number(state, agent, barriers) +
                          i * BarriersType::kBarrierBytes}] = {false, count,
                                                               count, 0};
  }
}

/// Arrivals at other blocks of the cluster are from the leader in its own
/// block, and from others elsewhere.
void Explorer::arriveAt(ExploreState &state, int agent, ArriveOp op) {
  const Member &member = roster[agent];
  bool leads = member.leads(program.steps[state.agents[agent].at]);
  int64_t at =
      barrierOf(state, agent, 0, op.getBarriers(), op.getSlot()).second;
  if (!op.isRemote()) {
    if (leads)
      arrive(state, agent, member.block, at, 0);
    return;
  }
  for (int block : blocksOf(state, agent, op.getBlocks(), op.getEverywhere()))
    if ((block == 0) == leads)
      arrive(state, agent, block, at, 0);
}

/// Steps at a barrier of threads, or of the cluster. Nothing for other ops;
/// false if the agent stays until others have arrived.
std::optional<bool> Explorer::meetOthers(ExploreState &state, int agent,
                                         const Step &step) {
  int &phase = state.agents[agent].clusterPhase;
  auto stayAt = [&](int64_t id, int64_t wanted) {
    meet(state, agent, id, wanted);
    return false;
  };
  auto role = [&]() -> const Role & { return program.roles[step.role]; };
  using GoesOn = std::optional<bool>;
  return llvm::TypeSwitch<Operation *, GoesOn>(step.op)
      .Case([&](BarrierOp) { return stayAt(0, program.threads); })
      .Case([&](GroupBarrierOp) {
        return stayAt(role().firstWarp / 4 + 1 + roster[agent].group,
                      role().groupThreads);
      })
      .Case([&](RoleBarrierOp) {
        return stayAt(15 - role().firstWarp / 4, role().warps * kWarpSize);
      })
      .Case([&](ClusterSyncOp) {
        bool hasMet = phase >= 0;
        if (hasMet)
          phase = -1;
        else
          clusterArrive(state, agent);
        return hasMet;
      })
      .Case([&](ClusterArriveOp) {
        clusterArrive(state, agent);
        return true;
      })
      .Case([&](ClusterWaitOp) {
        phase = -1;
        return true;
      })
      .Default([](Operation *) { return GoesOn(); });
}

/// Steps that arrive at barriers in memory, or access shared memory.
void Explorer::access(ExploreState &state, int agent, const Step &step) {
  AgentState &self = state.agents[agent];
  const Member &member = roster[agent];
  bool leads = member.leads(step);
  Touches touches = touchesOf(state, agent);
  auto engine = [&](UnderWay::Kind kind, int owner, int group) {
    start(state, {kind, owner, group, member.block, /*barrier=*/0, /*bytes=*/0,
                  int(self.at), touches});
  };
  auto requireFilled = [&] {
    for (const Touch &touch : touches)
      if (!state.isFilled(touch.block, touch.range))
        complain(state, agent, Fault::unfilled,
                 "reads shared memory that was never written");
  };
  llvm::TypeSwitch<Operation *>(step.op)
      .Case([&](BarriersInitOp op) {
        if (leads)
          initBarriers(state, agent, op);
      })
      .Case([&](ExpectOp op) {
        if (leads)
          arrive(
              state, agent, member.block,
              barrierOf(state, agent, 0, op.getBarriers(), op.getSlot()).second,
              op.getBytes());
      })
      .Case([&](ArriveOp op) { arriveAt(state, agent, op); })
      .Case([&](LoadOp op) {
        if (leads)
          startLoad(state, agent, op);
      })
      .Case([&](CopyOp) { engine(UnderWay::copies, agent, self.copyGroups); })
      .Case([&](UnstageOp) { requireFilled(); })
      .Case<MmaAsyncOp, MmaFetchedOp>([&](auto) {
        requireFilled();
        engine(UnderWay::products, member.groupNumber, self.productGroups);
      })
      .Case([&](StoreAsyncOp) {
        if (leads)
          engine(UnderWay::stores, agent, self.storeGroups);
      })
      .Case<StageOp, PartialPutOp>([&](auto) {
        for (const Touch &touch : touches)
          state.fill(touch.block, touch.range);
      })
      .Case<CountArriveOp, CountAwaitOp, CountLeaveOp>([&](auto op) {
        complain(state, agent, Fault::notModelled,
                 formatv("not modelled: op {0}, which waits for other clusters",
                         op->getName()));
      });
}

void Explorer::act(ExploreState &state, int agent) {
  const Step &step = program.steps[state.agents[agent].at];
  std::optional<bool> goesOn = meetOthers(state, agent, step);
  if (!goesOn)
    access(state, agent, step);
  if (goesOn.value_or(true))
    ++state.agents[agent].at;
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
