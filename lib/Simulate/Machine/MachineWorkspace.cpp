//===- MachineWorkspace.cpp - Sums and counters in global memory ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that blocks of different clusters exchange, in the order of the
// clocks. Workspace.h checks their addresses.
//
//===----------------------------------------------------------------------===//

#include "../Workspace.h"
#include "Machine.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Ranges Machine::sumsRanges(Agent &agent, Value sums, int64_t slot, int64_t line,
                           int64_t lines, int64_t column, int64_t columns) {
  touchGlobal(agent);
  auto type = cast<SumsType>(sums.getType());
  constexpr int64_t kBytes = 4;
  int64_t start = number(agent, sums) +
                  (slot * type.getRows() + line) * type.getCols() * kBytes;
  int64_t lineBytes = type.getCols() * kBytes;
  if (std::string why = Workspace(launch).faultOfData(start, lines * lineBytes);
      !why.empty()) {
    complain(agent, Fault::bounds, std::move(why));
    return {};
  }
  if (columns == type.getCols())
    return {{start, start + lines * lineBytes}};
  Ranges ranges;
  for (int64_t i = 0; i < lines; ++i) {
    int64_t first = start + i * lineBytes + column * kBytes;
    ranges.push_back({first, first + columns * kBytes});
  }
  return ranges;
}

void Machine::putSums(Agent &agent, SumsPutOp op) {
  AccType acc = op.getAcc().getType();
  Access access = byThreads(agent);
  for (ByteRange range :
       sumsRanges(agent, op.getSums(), number(agent, op.getSlot()),
                  number(agent, op.getLine()), acc.getRows(),
                  number(agent, op.getColumn()), acc.getCols())) {
    if (output.hasFilled(range.begin, range.end - range.begin))
      complain(agent, Fault::overwritten, "overwrites a copied operand");
    workspace.write(range, access, agent.knowledge, complaints(agent));
  }
}

void Machine::totalSums(Agent &agent, SumsTotalOp op) {
  AccType acc = op.getAcc().getType();
  Access access = byThreads(agent);
  for (int64_t slot = number(agent, op.getFirst());
       slot < number(agent, op.getEnd()); ++slot)
    for (ByteRange range :
         sumsRanges(agent, op.getSums(), slot, number(agent, op.getLine()),
                    acc.getRows(), 0, acc.getCols()))
      workspace.read(range, access, agent.knowledge, complaints(agent));
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

CounterBarrier &Machine::counterAt(Agent &agent, Value all, Value index) {
  touchGlobal(agent);
  constexpr int64_t kBytes = 4;
  int64_t address = number(agent, all) + number(agent, index) * kBytes;
  if (std::string why = Workspace(launch).faultOfCounter(address); !why.empty())
    complain(agent, Fault::bounds, std::move(why));
  auto found = counters.find(address);
  if (found == counters.end())
    found = counters.try_emplace(address, lines++).first;
  return found->second;
}

void Machine::countArrive(Agent &agent, CountArriveOp op) {
  if (!isScopeLeader(agent))
    return;
  CounterBarrier &counter = counterAt(agent, op.getCounters(), op.getIndex());
  release(agent);
  counter.arrive(agent.knowledge, complaints(agent));
  for (Agent &other : agents)
    if (other.state == Agent::waiting && other.barrier == &counter &&
        counter.await(other.knowledge, other.awaited, complaints(other)))
      goOn(other);
}

bool Machine::countAwait(Agent &agent, CountAwaitOp op) {
  if (!isScopeLeader(agent))
    return true;
  CounterBarrier &counter = counterAt(agent, op.getCounters(), op.getIndex());
  int64_t count = number(agent, op.getCount());
  if (counter.await(agent.knowledge, count, complaints(agent)))
    return true;
  wait(agent, &counter, count);
  return false;
}

void Machine::countLeave(Agent &agent, CountLeaveOp op) {
  if (isScopeLeader(agent))
    counterAt(agent, op.getCounters(), op.getIndex())
        .leave(agent.knowledge, number(agent, op.getCount()),
               complaints(agent));
}
