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

//===----------------------------------------------------------------------===//
// Visible or private
//===----------------------------------------------------------------------===//

Engine simulate::engineOf(Operation *op) {
  auto effects = dyn_cast<KernelEffectsOpInterface>(op);
  for (const Effect &effect : effects ? effects.getKernelEffects() : Effects())
    if (effect.kind == EffectKind::commit ||
        effect.kind == EffectKind::waitCommitted)
      return effect.engine;
  return Engine::none;
}

/// Other agents of the cluster cannot observe it: a fence only orders accesses
/// of its own agent, and clusters do not share registers or elements of global
/// memory.
static bool isPrivate(const Effect &effect) {
  return effect.kind == EffectKind::fence || effect.memory == Memory::none ||
         effect.memory == Memory::registers ||
         effect.memory == Memory::global ||
         effect.memory == Memory::tensorMap ||
         effect.memory == Memory::launches;
}

Visibility simulate::visibilityOf(Operation *op) {
  auto isKind = [&](EffectKind kind) {
    return hasKernelEffect(
        op, [&](const Effect &effect) { return effect.kind == kind; });
  };
  if (isKind(EffectKind::address))
    return Visibility::place;
  if (isKind(EffectKind::commit))
    return Visibility::commits;
  if (isKind(EffectKind::waitCommitted))
    return Visibility::waits;
  if (!hasKernelEffect(op,
                       [](const Effect &effect) { return !isPrivate(effect); }))
    return Visibility::hidden;
  return hasKernelEffect(op,
                         [](const Effect &effect) {
                           return effect.executor != Executor::leader;
                         })
             ? Visibility::forAll
             : Visibility::forGroup;
}

void Explorer::commit(ExploreState &state, int number) {
  AgentState &agent = state.agents[number];
  switch (engines[agent.at]) {
  case Engine::copies:
    ++agent.copyGroups;
    return;
  case Engine::stores:
    agent.storeGroups += roster[number].leads(program.steps[agent.at]);
    return;
  case Engine::products:
    ++agent.productGroups;
    return;
  case Engine::none:
    return;
  }
}

bool Explorer::takeInvisible(ExploreState &state, int number,
                             const Step &step) {
  AgentState &agent = state.agents[number];
  auto in = [&](Value value) { return this->number(state, number, value); };
  auto out = [&](Value value, Register contents) {
    agent.registers[program.registerOf(value)] = contents;
  };
  switch (visibility[agent.at]) {
  case Visibility::place:
    return placeOp(step.op, launch, roster[number].grid, in, out);
  case Visibility::hidden:
    return true;
  case Visibility::commits:
    commit(state, number);
    return true;
  case Visibility::waits:
    return isOver(state, number, step.op);
  case Visibility::forGroup:
    return !roster[number].leads(step);
  case Visibility::forAll:
    return false;
  }
  llvm_unreachable("every visibility returns");
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
      if (!takeInvisible(state, number, step))
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
