//===- MachineTimeline.cpp - Events for a timeline ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names agents, barriers and slots for the recorder.
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

/// "producer 0", "consumer 1, followers"
static std::string nameOf(const Program &program, const Agent &agent) {
  std::string name =
      agent.role < 0
          ? "threads"
          : formatv("{0} {1}", RoleOp(program.roles[agent.role].op).getName(),
                    agent.group)
                .str();
  return agent.isLeader ? name : name + ", followers";
}

void Machine::recordAgents() {
  recorder->finishCluster();
  for (const Agent &agent : agents)
    recorder->addAgent(agent.number, agent.grid, nameOf(program, agent));
}

void Machine::recordEvent(const Agent &agent) {
  const Step &step = program.steps[agent.at];
  std::vector<int64_t> steps;
  for (int loop : step.loops)
    steps.push_back(int32_t(agent.registers[loop].number));
  std::string at;
  if (auto await = dyn_cast<AwaitOp>(step.op))
    at = formatv(" barriers at {0}", number(agent, await.getBarriers()));
  recorder->done(agent.number, step.op->getName().getStringRef(), at,
                 std::move(steps), agent.knowledge.past);
}

void Machine::recordArrival(const Agent &agent, int block, Value barriers,
                            Value slot, Epoch end, bool isLoad) {
  int64_t grid = agent.grid - agent.block + block;
  recorder->arrive(agent.number, end, grid,
                   formatv("barrier {0} at byte {1}", number(agent, slot),
                           number(agent, barriers)));
  auto load = dyn_cast<LoadOp>(program.steps[agent.at].op);
  if (isLoad && load)
    recorder->load(agent.number, end, grid,
                   formatv("slot {0} of the ring at byte {1}",
                           number(agent, load.getSlot()),
                           number(agent, load.getRing())));
}

void Machine::recordSlot(const Agent &agent, Value ring, int64_t index) {
  Operation *op = program.steps[agent.at].op;
  if (isa<LoadOp>(op))
    return;
  bool isProduct = isa<MmaAsyncOp, MmaFetchedOp>(op);
  // A may be in another ring or in registers; B is in a ring.
  Value ringB;
  if (auto mma = dyn_cast<MmaAsyncOp>(op))
    ringB = mma.getRingB();
  if (auto mma = dyn_cast<MmaFetchedOp>(op))
    ringB = mma.getRingB();
  if (ring == ringB && isScopeLeader(agent))
    recorder->product(groups[agent.groupNumber].products);
  recorder->touch(
      agent.number, agent.grid,
      formatv("slot {0} of the ring at byte {1}", index, number(agent, ring)),
      isProduct);
}

void Machine::recordCommit(const Agent &agent, Operation *op) {
  if (isa<MmaCommitOp>(op))
    recorder->commitProducts(agent.number, {groups[agent.groupNumber].products,
                                            agent.productGroups});
  else if (isa<StoreCommitOp>(op))
    recorder->commit(agent.number, "stores",
                     {agent.storesRead, agent.storesWritten},
                     agent.storeGroups);
  else
    recorder->commit(agent.number, "copies", {agent.copies}, agent.copyGroups);
}
