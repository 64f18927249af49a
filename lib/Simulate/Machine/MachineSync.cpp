//===- MachineSync.cpp - Barriers, waits, commits -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interaction of agents. The lowering determines the thread that executes an op
// (LowerKernelAsync.cpp).
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "dialects/Kernel/AddressMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Barriers in memory
//===----------------------------------------------------------------------===//

void Machine::init(Agent &agent, BarriersInitOp op) {
  if (!isScopeLeader(agent))
    return;
  BlockState &block = blocks[agent.block];
  for (Value barriers : op.getBarriers()) {
    auto type = cast<BarriersType>(barriers.getType());
    int64_t offset = number(agent, barriers);
    ByteRange bytes = {offset, offset + type.getBytes()};
    if (!inShared(agent, bytes))
      continue;
    for (int64_t slot = 0; slot < type.getSlots(); ++slot) {
      int64_t at = offset + slot * BarriersType::kBarrierBytes;
      bool isNew = block.barriers
                       .try_emplace(at, lines, type.getArrivals(), nowOf(agent))
                       .second;
      if (isNew)
        ++lines;
      else
        complain(agent, Fault::barrier,
                 formatv("initialises the barrier at byte {0} again", at));
    }
    block.barrierBytes.push_back(bytes);
  }
}

PhaseBarrier *Machine::barrierAt(Agent &agent, int block, Value barriers,
                                 Value slot) {
  auto type = cast<BarriersType>(barriers.getType());
  int64_t index = number(agent, slot);
  if (index >= type.getSlots()) {
    complain(agent, Fault::bounds,
             formatv("uses barrier {0} of {1}", index, type.getSlots()));
    return nullptr;
  }
  int64_t at = number(agent, barriers) + index * BarriersType::kBarrierBytes;
  auto found = blocks[block].barriers.find(at);
  if (found != blocks[block].barriers.end())
    return &found->second;
  complain(agent, Fault::barrier,
           formatv("uses the barrier at byte {0} of block {1} of the cluster, "
                   "which may not be initialised",
                   at, block));
  return nullptr;
}

bool Machine::await(Agent &agent, AwaitOp op) {
  PhaseBarrier *barrier =
      barrierAt(agent, agent.block, op.getBarriers(), op.getSlot());
  if (!barrier)
    return true;
  int64_t parity = number(agent, op.getPhase());
  if (parity != 0 && parity != 1)
    complain(
        agent, Fault::phase,
        formatv("waits for parity {0}, which one bit cannot tell; expected "
                "0 or 1",
                int32_t(parity)));
  barrier->checkWait(agent.knowledge, parity, complaints(agent));
  int64_t meant = barrier->meantBy(parity);
  if (!barrier->isOver(meant)) {
    wait(agent, barrier, meant);
    return false;
  }
  Line products = groups[agent.groupNumber].products;
  barrier->pass(agent.knowledge, nowOf(agent),
                {products, agent.productGroups + 1}, event(agent));
  return true;
}

void Machine::finishPhase(PhaseBarrier &barrier) {
  for (Agent &agent : agents)
    if (agent.state == Agent::waiting && agent.barrier == &barrier) {
      Line products = groups[agent.groupNumber].products;
      barrier.pass(agent.knowledge, nowOf(agent),
                   {products, agent.productGroups + 1}, event(agent));
      goOn(agent);
    }
}

void Machine::expect(Agent &agent, ExpectOp op) {
  if (!isScopeLeader(agent))
    return;
  PhaseBarrier *barrier =
      barrierAt(agent, agent.block, op.getBarriers(), op.getSlot());
  if (!barrier)
    return;
  agent.knowledge.learn(nowOf(agent));
  if (recorder)
    recordArrival(agent, agent.block, op.getBarriers(), op.getSlot(),
                  barrier->end(), /*isLoad=*/false);
  if (barrier->arrive(agent.knowledge, op.getBytes(), complaints(agent)))
    finishPhase(*barrier);
  ++agent.now;
}

SmallVector<int, 4> Machine::sharersOf(Agent &agent, PartialSumOp op) {
  if (op.getBlocks() == 1)
    return {agent.block};
  int64_t first = op.getFirst() ? number(agent, op.getFirst()) : 0;
  int64_t last = first + (op.getBlocks() - 1) * int64_t(op.getStride());
  SmallVector<int, 4> sharers;
  if (last < launch.cluster)
    for (int64_t rank = first; rank <= last; rank += op.getStride())
      sharers.push_back(blockOf(agent, rank));
  else
    complain(agent, Fault::bounds,
             formatv("reads the sums of block {0} of a cluster of {1}", last,
                     launch.cluster));
  return sharers;
}

SmallVector<int64_t, 4> Machine::blocksOf(Agent &agent, Value mask,
                                          int64_t count) {
  SmallVector<int64_t, 4> ranks =
      ranksOf(mask ? std::optional(number(agent, mask)) : std::nullopt, count);
  if (ranks.empty() || ranks.back() < launch.cluster)
    return ranks;
  complain(agent, Fault::bounds,
           formatv("reaches block {0} of a cluster of {1}", ranks.back(),
                   launch.cluster));
  return {};
}

void Machine::arriveAt(Agent &agent, int block, ArriveOp op) {
  PhaseBarrier *barrier =
      barrierAt(agent, block, op.getBarriers(), op.getSlot());
  if (!barrier)
    return;
  agent.knowledge.learn(nowOf(agent));
  if (recorder)
    recordArrival(agent, block, op.getBarriers(), op.getSlot(), barrier->end(),
                  /*isLoad=*/false);
  bool isFar = block != agent.block;
  if (isFar)
    blocks[block].outstanding[agent.number] = {agent.now, event(agent)};
  bool hasEnded =
      isFar ? barrier->arriveFromAfar(agent.knowledge, complaints(agent))
            : barrier->arrive(agent.knowledge, /*bytes=*/0, complaints(agent));
  if (hasEnded)
    finishPhase(*barrier);
}

void Machine::arrive(Agent &agent, ArriveOp op) {
  bool leads = isScopeLeader(agent);
  if (op.isRemote())
    // Thread i arrives in block i; the first is the leader.
    for (int64_t rank : blocksOf(agent, op.getBlocks(), op.getEverywhere())) {
      if ((rank == 0) == leads)
        arriveAt(agent, blockOf(agent, rank), op);
    }
  else if (leads)
    arriveAt(agent, agent.block, op);
  ++agent.now;
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

void Machine::finishMeeting(MeetingBarrier &meeting) {
  for (Agent &agent : agents)
    if (agent.state == Agent::waiting && agent.barrier == &meeting) {
      agent.knowledge.join(meeting.outcome());
      agent.clusterPhase.reset();
      goOn(agent);
    }
}

bool Machine::meet(Agent &agent, int64_t id, int64_t wanted) {
  auto &meetings = blocks[agent.block].meetings;
  auto found = meetings.find(id);
  if (found == meetings.end())
    found = meetings.try_emplace(id, lines++).first;
  MeetingBarrier &meeting = found->second;
  release(agent);
  // The agent itself is woken together with the others.
  wait(agent, &meeting, meeting.meetings());
  if (meeting.arrive(agent.knowledge, agent.threads, wanted, complaints(agent)))
    finishMeeting(meeting);
  return false;
}

void Machine::clusterArrive(Agent &agent) {
  if (agent.clusterPhase)
    complain(agent, Fault::barrier,
             "arrives at the cluster's barrier twice without a wait between");
  release(agent);
  MeetingBarrier &cluster = clusterOf(agent);
  agent.clusterPhase = cluster.meetings();
  if (cluster.arrive(agent.knowledge, 1, perCluster, complaints(agent)))
    finishMeeting(cluster);
}

bool Machine::clusterWait(Agent &agent) {
  if (!agent.clusterPhase) {
    complain(agent, Fault::barrier,
             "waits at the cluster's barrier without having arrived");
    return true;
  }
  MeetingBarrier &cluster = clusterOf(agent);
  if (*agent.clusterPhase < cluster.meetings()) {
    agent.knowledge.join(cluster.outcome());
    agent.clusterPhase.reset();
    return true;
  }
  wait(agent, &cluster, *agent.clusterPhase);
  return false;
}

//===----------------------------------------------------------------------===//
// Products and stores
//===----------------------------------------------------------------------===//

void Machine::commitProducts(Agent &agent) {
  ++agent.productGroups;
  if (recorder)
    recordCommit(agent, program.steps[agent.at].op);
  for (int number : groups[agent.groupNumber].agents) {
    Agent &other = agents[number];
    if (other.state != Agent::waiting)
      continue;
    auto wait = dyn_cast<MmaWaitOp>(program.steps[other.at].op);
    if (wait && finishProducts(other, wait))
      goOn(other);
  }
}

bool Machine::finishProducts(Agent &agent, MmaWaitOp op) {
  Group &group = groups[agent.groupNumber];
  int64_t wanted = int64_t(agent.productGroups) - op.getPending();
  for (int number : group.agents)
    if (int64_t(agents[number].productGroups) < wanted)
      return false;
  if (wanted > 0) {
    agent.knowledge.learn({group.products, uint32_t(wanted)});
    auto after = group.fetched.upper_bound(uint32_t(wanted));
    if (after != group.fetched.begin())
      agent.knowledge.past.join(std::prev(after)->second);
  }
  for (auto [in, out] : llvm::zip_equal(op.getAccs(), op.getResults())) {
    int from = program.registerOf(in), to = program.registerOf(out);
    agent.registers[to] = agent.registers[from];
    // No operation on this value is pending any more.
    if (agent.registers[to].number <= wanted)
      agent.registers[to].number = 0;
    if (values)
      agent.tiles[to] = agent.tiles[from];
  }
  return true;
}

bool Machine::waitForProducts(Agent &agent, MmaWaitOp op) {
  if (finishProducts(agent, op))
    return true;
  wait(agent, &groups[agent.groupNumber], 0);
  return false;
}

void Machine::waitForStores(Agent &agent, StoreWaitOp op) {
  int64_t wanted = int64_t(agent.storeGroups) - op.getPending();
  if (!isScopeLeader(agent) || wanted <= 0)
    return;
  agent.knowledge.learn({agent.storesRead, uint32_t(wanted)});
  if (op.getWritten())
    agent.knowledge.learn({agent.storesWritten, uint32_t(wanted)});
}
