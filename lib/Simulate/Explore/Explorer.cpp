//===- Explorer.cpp - Every order of a cluster's events -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search, depth first; ExplorerSteps.cpp has the effects of the events.
//
//===----------------------------------------------------------------------===//

#include "Explorer.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

Explorer::Explorer(const Program &program, const LaunchValues &launch,
                   Exploration &result, int64_t maxStates,
                   llvm::function_ref<void(int64_t)> progress)
    : program(program), launch(launch), result(result), maxStates(maxStates),
      progress(progress), roster(rosterOf(program, launch, 0)),
      live(program.liveRegisters()) {
  for (const Step &step : program.steps) {
    bool isEvent = step.kind == Step::event;
    visibility.push_back(isEvent ? visibilityOf(step.op) : Visibility::hidden);
    engines.push_back(isEvent ? engineOf(step.op) : kernel::Engine::none);
  }
}

void Explorer::run() {
  result.complete = true;
  search();
  result.complete &= !stop || !result.findings.empty();
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

ExploreState Explorer::startState() {
  ExploreState start;
  start.filled.resize(launch.cluster);
  start.agents.resize(roster.size());
  for (AgentState &agent : start.agents) {
    agent.registers.resize(program.registers);
    for (auto [i, param] : llvm::enumerate(launch.params))
      agent.registers[i].number = param.map ? int64_t(i) : param.value;
  }
  return start;
}

/// Settles a state, and adds it to the path unless it is known.
void Explorer::enter(std::vector<Frame> &path, ExploreState state) {
  for (size_t agent = 0; agent < roster.size(); ++agent)
    settle(state, agent);
  auto key = state.key(live);
  Key known = {key[0], key[1]};
  if (auto found = orders.find(known); found != orders.end()) {
    if (!path.empty())
      path.back().orders += found->second;
    return;
  }
  orders[known] = 0;
  constexpr int64_t kStatesPerReport = 4096;
  if (progress && result.states % kStatesPerReport == 0)
    progress(result.states);
  ++result.states;
  checkConflicts(state);
  Frame frame;
  frame.key = known;
  frame.choices = enabled(state);
  frame.state = std::move(state);
  if (frame.choices.empty()) {
    frame.orders = 1;
    for (size_t i = 0; i < roster.size(); ++i)
      if (!frame.state.agents[i].ended)
        complain(frame.state, i, Fault::deadlock,
                 "waits forever in some order of events");
  }
  path.push_back(std::move(frame));
}

/// Removes the last state of the path, whose transitions are all tried.
void Explorer::leave(std::vector<Frame> &path) {
  double count = path.back().orders;
  orders[path.back().key] = count;
  path.pop_back();
  if (!path.empty())
    path.back().orders += count;
  else
    result.logOrders = std::log10(std::max(count, 1.0));
}

void Explorer::search() {
  std::vector<Frame> path;
  enter(path, startState());
  while (!path.empty() && !stop) {
    Frame &frame = path.back();
    if (frame.next == frame.choices.size()) {
      leave(path);
      continue;
    }
    if (result.states >= maxStates) {
      stop = true;
      result.complete = false;
      break;
    }
    int choice = frame.choices[frame.next++];
    ExploreState state = frame.state;
    ++result.steps;
    if (choice < int(roster.size()))
      act(state, choice);
    else
      complete(state, choice - roster.size());
    enter(path, std::move(state));
  }
}

/// Only the agent that waits for a group observes its completion, and until
/// then the group can only conflict with more accesses: it completes when its
/// owner has reached that wait.
bool Explorer::isAwaited(const ExploreState &state,
                         const UnderWay &event) const {
  return llvm::any_of(roster, [&](const Member &member) {
    const AgentState &agent = state.agents[member.number];
    if (agent.ended)
      return false;
    if (visibility[agent.at] != Visibility::waits)
      return false;
    kernel::Engine engine = engines[agent.at];
    if (event.kind == UnderWay::products)
      return engine == kernel::Engine::products &&
             member.groupNumber == event.owner;
    return engine == (event.kind == UnderWay::copies
                          ? kernel::Engine::copies
                          : kernel::Engine::stores) &&
           member.number == event.owner;
  });
}

/// Groups complete in order, once all operations of a group have started, and
/// as a whole: the first entry represents the group.
bool Explorer::mayComplete(const ExploreState &state, size_t index) const {
  const UnderWay &event = state.underWay[index];
  if (event.kind == UnderWay::load)
    return true;
  for (size_t i = 0; i < state.underWay.size(); ++i) {
    const UnderWay &other = state.underWay[i];
    if (other.kind == event.kind && other.owner == event.owner &&
        (other.number < event.number ||
         (other.number == event.number && i < index)))
      return false;
  }
  for (const Member &member : roster) {
    const AgentState &agent = state.agents[member.number];
    bool isOwner = event.kind == UnderWay::products
                       ? member.groupNumber == event.owner
                       : member.number == event.owner;
    int started = event.kind == UnderWay::products ? agent.productGroups
                  : event.kind == UnderWay::copies ? agent.copyGroups
                                                   : agent.storeGroups;
    if (isOwner && started <= event.number)
      return false;
  }
  return isAwaited(state, event);
}

llvm::SmallVector<int> Explorer::enabled(const ExploreState &state) const {
  llvm::SmallVector<int> choices;
  int agents = roster.size();
  for (int agent = 0; agent < agents; ++agent)
    if (!state.agents[agent].ended && isReady(state, agent))
      choices.push_back(agent);
  for (size_t i = 0; i < state.underWay.size(); ++i)
    if (mayComplete(state, i))
      choices.push_back(agents + i);
  return choices;
}

//===----------------------------------------------------------------------===//
// Faults of a state
//===----------------------------------------------------------------------===//

/// True if both are parts of one op's execution.
static bool isTogether(const Member &a, const Member &b,
                       const ExploreState &state, const Program &program,
                       const llvm::BitVector &live) {
  const AgentState &x = state.agents[a.number], &y = state.agents[b.number];
  bool inGroup = program.steps[x.at].role >= 0;
  if (x.at != y.at || a.block != b.block ||
      (inGroup && a.groupNumber != b.groupNumber))
    return false;
  return llvm::all_of(live.set_bits(), [&](unsigned i) {
    return x.registers[i].number == y.registers[i].number;
  });
}

void Explorer::checkConflicts(const ExploreState &state) {
  for (const UnderWay &event : state.underWay)
    for (const Touch &touch : event.touches)
      if (llvm::all_of(roster, [&](const Member &member) {
            return member.block != touch.block ||
                   state.agents[member.number].ended;
          }))
        complain(state, roster.front().number, Fault::gone,
                 "a block may end while an engine accesses its memory");
  std::vector<Touches> next;
  for (size_t i = 0; i < roster.size(); ++i)
    next.push_back(state.agents[i].ended ? Touches() : touchesOf(state, i));
  for (size_t i = 0; i < roster.size(); ++i) {
    if (next[i].empty())
      continue;
    for (size_t j = i + 1; j < roster.size(); ++j)
      if (conflict(next[i], next[j]) &&
          !isTogether(roster[i], roster[j], state, program,
                      live[state.agents[i].at]))
        complain(state, i, Fault::overwritten,
                 formatv("may touch the same bytes at the same time as {0}",
                         placeOf(state, j).str()));
    for (const UnderWay &event : state.underWay) {
      // The operations that the agent's own group has started as part of the
      // same copy.
      bool isSame =
          event.kind == UnderWay::copies &&
          event.step == int(state.agents[i].at) &&
          roster[event.owner].block == roster[i].block &&
          (program.steps[event.step].role < 0 ||
           roster[event.owner].groupNumber == roster[i].groupNumber) &&
          event.number == state.agents[i].copyGroups;
      if (!isSame && conflict(next[i], event.touches))
        complain(state, i, Fault::overwritten,
                 "may touch bytes that an engine accesses");
    }
  }
}

Place Explorer::placeOf(const ExploreState &state, int number) const {
  const Member &member = roster[number];
  const AgentState &agent = state.agents[number];
  const Step &step = program.steps[agent.at];
  Place place =
      placeOfStep(program, step, member.grid, member.group, member.isLeader);
  for (int loop : step.loops)
    place.steps.push_back(int32_t(agent.registers[loop].number));
  return place;
}

void Explorer::complain(const ExploreState &state, int agent, Fault fault,
                        std::string text) {
  if (!result.findings.empty())
    return;
  result.findings.push_back({fault, std::move(text), placeOf(state, agent)});
  // One faulty order is enough.
  stop = true;
}

llvm::Expected<Exploration>
simulate::explore(const Subject &subject, const Trial &trial, int64_t maxStates,
                  llvm::function_ref<void(int64_t)> progress) {
  Program program(subject.kernel);
  Exploration result;
  if (!program.unknown.empty())
    return llvm::createStringError(
        formatv("not modelled: op {0}", program.unknown[0]->getName()));
  auto launch = evaluate(subject, trial);
  if (!launch)
    return launch.takeError();
  // A single worker shares no tile.
  if (program.meetsAcrossClusters && launch->grid > launch->cluster)
    return llvm::createStringError(
        "not modelled: op kernel.count.await; every order is walked through "
        "for one cluster only");
  if (program.isPersistent)
    launch->grid = std::min(launch->grid, trial.maxClusters * launch->cluster);
  Explorer(program, *launch, result, maxStates, progress).run();
  return result;
}
