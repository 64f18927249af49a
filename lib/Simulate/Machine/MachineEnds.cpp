//===- MachineEnds.cpp - Ends and findings of a run -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks after the last event, and reports of findings.
//
//===----------------------------------------------------------------------===//

#include "../Values/Values.h"
#include "Machine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void Machine::end(Agent &agent) {
  agent.state = Agent::ended;
  Clock &atEnd = blocks[agent.block].atEnd;
  agent.knowledge.learn(nowOf(agent));
  atEnd.join(agent.knowledge.past);
  // The cluster waits for threads that have not ended.
  MeetingBarrier &cluster = clusterOf(agent);
  if (agent.clusterPhase != cluster.meetings() && cluster.leave(1))
    finishMeeting(cluster);
}

/// depend_c2. A kernel waits only for the previous one, so that one must not
/// end before its predecessors. A broken depend_c1 is reported elsewhere.
void Machine::checkDependence() {
  if (!launch.mayOverlap || !verdict.passed())
    return;
  for (const Agent &agent : agents) {
    if (blocks[agent.block].atEnd.includes({depended, 1}))
      continue;
    Place at = atEndOf(program);
    at.block = agent.grid;
    verdict.findings.push_back(
        {Fault::depend,
         "has a block that may end before the kernels before are done, for "
         "which the next kernel does not wait; expected a kernel.depend.wait "
         "in every block",
         at});
    return;
  }
}

void Machine::checkEnds() {
  for (BlockState &block : blocks)
    for (auto &[line, access] : block.outstanding) {
      auto [number, event] = access;
      if (block.atEnd.includes({line, number}))
        continue;
      Place at = placeOf(event);
      if (known
              .insert({int(Fault::gone), program.steps[events[event].step].op,
                       nullptr})
              .second)
        verdict.findings.push_back(
            {Fault::gone,
             "uses a block's shared memory, but that block is not certain to "
             "be there until it has: expected a wait before the block ends",
             at});
    }
}

/// The event that an agent waits for in vain, and its description.
std::pair<Fault, std::string> Machine::describeWait(const Agent &agent) const {
  Operation *op = program.steps[agent.at].op;
  if (isa<kernel::MmaWaitOp>(op))
    return {Fault::deadlock,
            "waits for products that other threads of its group never start"};
  if (isa<kernel::CountAwaitOp>(op))
    return {Fault::deadlock, "waits forever for groups that never count"};
  if (!isa<kernel::AwaitOp>(op)) {
    auto *meeting = static_cast<const MeetingBarrier *>(agent.barrier);
    return {Fault::deadlock, formatv("waits forever: {0} of {1} have come",
                                     meeting->here(), meeting->wantedNow())};
  }
  auto *barrier = static_cast<const PhaseBarrier *>(agent.barrier);
  int64_t count = barrier->countOf(), missing = barrier->stillMissing();
  bool isPart = missing < count || barrier->bytesLanded();
  return {isPart ? Fault::count : Fault::deadlock,
          formatv("waits forever for the end of phase {0}: {1} of {2} have "
                  "arrived, {3} of {4} announced bytes land",
                  agent.awaited, count - missing, count, barrier->bytesLanded(),
                  barrier->bytesAnnounced())};
}

void Machine::checkCounters() {
  for (auto &[index, counter] : counters)
    if (std::string why = counter.leftover(); !why.empty())
      verdict.findings.push_back({Fault::count, why, atEndOf(program)});
}

void Machine::reportStuck() {
  for (const Agent &agent : agents)
    if (agent.state != Agent::ended) {
      auto [fault, text] = describeWait(agent);
      complain(agent, fault, text);
    }
}

void Machine::finish() {
  verdict.minRounds = rounds.empty() ? 0 : rounds.begin()->second;
  for (auto &[slot, count] : rounds) {
    verdict.minRounds = std::min(verdict.minRounds, count);
    verdict.maxRounds = std::max(verdict.maxRounds, count);
  }
  if (!verdict.findings.empty())
    return;
  if (auto missing = output.missing()) {
    auto [batch, row, col] = *missing;
    verdict.findings.push_back(
        {Fault::coverage,
         formatv("element ({0}, {1}) of batch {2} of the result is never "
                 "written",
                 row, col, batch),
         atEndOf(program)});
  }
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

int Machine::event(const Agent &agent) {
  events.push_back({int(agent.at), agent.role, agent.group, agent.grid,
                    agent.isLeader, loops.size()});
  for (int loop : program.steps[agent.at].loops)
    loops.push_back(int32_t(agent.registers[loop].number));
  return events.size() - 1;
}

Place Machine::placeOf(int number) const {
  const Event &event = events[number];
  const Step &step = program.steps[event.step];
  Place place =
      placeOfStep(program, step, event.grid, event.group, event.isLeader);
  auto first = loops.begin() + event.loops;
  place.steps.assign(first, first + step.loops.size());
  return place;
}

void Machine::complain(const Agent &agent, Fault fault, std::string text,
                       int other) {
  const Operation *op = program.steps[agent.at].op;
  const Operation *otherOp =
      other < 0 ? nullptr : program.steps[events[other].step].op;
  if (verdict.findings.size() >= maxFindings ||
      !known.insert({int(fault), op, otherOp}).second)
    return;
  Finding finding = {fault, std::move(text), placeOf(event(agent))};
  if (other >= 0) {
    finding.other = placeOf(other);
    finding.otherText = "which is not ordered with this";
  }
  verdict.findings.push_back(std::move(finding));
}

bool Machine::isScopeLeader(const Agent &agent) const {
  return agent.leads(program.steps[agent.at]);
}

uint64_t Machine::instanceOf(const Agent &agent) const {
  // The group of a role, or the block.
  uint64_t scope = program.steps[agent.at].role >= 0
                       ? agent.groupNumber + blocks.size()
                       : agent.block;
  return scope << 44 | uint64_t(agent.at) << 28 | agent.counts[agent.at];
}

void Machine::release(Agent &agent) {
  agent.knowledge.learn(nowOf(agent));
  ++agent.now;
}

void Machine::wait(Agent &agent, const void *barrier, int64_t what) {
  agent.state = Agent::waiting;
  agent.barrier = barrier;
  agent.awaited = what;
}

void Machine::goOn(Agent &agent) {
  if (recorder)
    recordEvent(agent);
  agent.state = Agent::running;
  agent.barrier = nullptr;
  ++agent.at;
}
