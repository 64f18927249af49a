//===- ExplorerSettle.cpp - Invisible steps of the exploration ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, branches, commits, and waits for completed operations: taken at
// once.
//
//===----------------------------------------------------------------------===//

#include "../Values/Values.h"
#include "Explorer.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

static bool isUnderWay(const ExploreState &state, UnderWay::Kind kind,
                       int owner, int64_t below) {
  return llvm::any_of(state.underWay, [&](const UnderWay &event) {
    return event.kind == kind && event.owner == owner && event.number < below;
  });
}

bool Explorer::isOver(const ExploreState &state, int number,
                      Operation *op) const {
  const AgentState &agent = state.agents[number];
  const Member &member = roster[number];
  if (auto wait = dyn_cast<CopyWaitOp>(op))
    return !isUnderWay(state, UnderWay::copies, number,
                       agent.copyGroups - int64_t(wait.getPending()));
  if (auto wait = dyn_cast<StoreWaitOp>(op))
    return !member.leads(program.steps[agent.at]) ||
           !isUnderWay(state, UnderWay::stores, number,
                       agent.storeGroups - int64_t(wait.getPending()));
  if (auto wait = dyn_cast<MmaWaitOp>(op)) {
    int64_t wanted = agent.productGroups - int64_t(wait.getPending());
    for (const Member &other : roster)
      if (other.groupNumber == member.groupNumber &&
          state.agents[other.number].productGroups < wanted)
        return false;
    return !isUnderWay(state, UnderWay::products, member.groupNumber, wanted);
  }
  return false;
}

bool Explorer::takeInvisible(ExploreState &state, int number, Operation *op) {
  AgentState &agent = state.agents[number];
  auto in = [&](Value value) { return this->number(state, number, value); };
  auto out = [&](Value value, Register contents) {
    agent.registers[program.registerOf(value)] = contents;
  };
  if (placeOp(op, launch, roster[number].grid, in, out))
    return true;
  if (isa<MmaFenceOp, ProxyFenceOp, DependWaitOp, DependReleaseOp,
          MapPrefetchOp, PrefetchOp, ZeroOp, AccUndefinedOp, AccAddOp, MmaOp,
          FmaOp, SliceOp, EpilogueOp, StoreOp, CopyLinesOp, TransposeLinesOp>(
          op))
    return true;
  // Ops that another thread executes for the whole group.
  auto arrive = dyn_cast<ArriveOp>(op);
  if (!roster[number].leads(program.steps[agent.at]) &&
      (isa<BarriersInitOp, ExpectOp, LoadOp, StoreAsyncOp>(op) ||
       (arrive && !arrive.isRemote())))
    return true;
  if (isa<CopyCommitOp>(op))
    return ++agent.copyGroups;
  if (isa<StoreCommitOp>(op)) {
    agent.storeGroups += roster[number].leads(program.steps[agent.at]);
    return true;
  }
  if (isa<MmaCommitOp>(op))
    return ++agent.productGroups;
  return isa<CopyWaitOp, StoreWaitOp, MmaWaitOp>(op) &&
         isOver(state, number, op);
}

void Explorer::settle(ExploreState &state, int number) {
  AgentState &agent = state.agents[number];
  while (!agent.ended && !agent.meets) {
    const Step &step = program.steps[agent.at];
    auto in = [&](int i) { return agent.registers[step.in[i]].number; };
    switch (step.kind) {
    case Step::compute:
      if (!compute(step, agent.registers)) {
        complain(state, number, Fault::bounds,
                 "divides by zero, or steps by 0 or less");
        agent.ended = true;
        return;
      }
      ++agent.at;
      continue;
    case Step::move: {
      SmallVector<Register> moved;
      for (int from : step.in)
        moved.push_back(agent.registers[from]);
      for (auto [to, contents] : llvm::zip_equal(step.out, moved))
        agent.registers[to] = contents;
      ++agent.at;
      continue;
    }
    case Step::test:
      agent.at = int32_t(in(0)) < int32_t(in(1)) ? agent.at + 1 : step.target;
      continue;
    case Step::branch:
      agent.at = in(0) ? agent.at + 1 : step.target;
      continue;
    case Step::jump:
      agent.at = step.target;
      continue;
    case Step::enter: {
      const Member &member = roster[number];
      bool isMine =
          member.role >= 0 && program.roles[member.role].op == step.op;
      if (isMine && !step.out.empty())
        agent.registers[step.out[0]].number = member.group;
      agent.at = isMine ? agent.at + 1 : step.target;
      continue;
    }
    case Step::event:
      if (!takeInvisible(state, number, step.op))
        return;
      ++agent.at;
      continue;
    case Step::end:
      agent.ended = true;
      if (agent.clusterPhase != state.clusterPhase)
        ++state.clusterGone;
      if (state.clusterHere &&
          state.clusterHere + state.clusterGone == int(roster.size())) {
        ++state.clusterPhase;
        state.clusterHere = 0;
      }
      continue;
    }
  }
}
