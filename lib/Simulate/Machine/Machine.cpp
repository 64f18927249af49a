//===- Machine.cpp - A cluster of blocks, run with clocks -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agents, turns, and the reports of findings. The effects of events are in
// MachineSync.cpp and MachineMemory.cpp.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "../Values/Values.h"
#include "dialects/Kernel/AddressMap.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

Output::Output(const LaunchValues &launch, int64_t m, int64_t n)
    : c(*launch.find("c")), workspace(*launch.find("ws")), m(m), n(n),
      writers(std::max<int64_t>(c.elements(), 0)) {}

int Output::write(int64_t element, int64_t rows, int64_t cols, int64_t stride,
                  int event) {
  int before = -1;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < cols; ++col) {
      int32_t &writer = writers[element + row * stride + col];
      if (writer && before < 0)
        before = writer - 1;
      writer = event + 1;
    }
  return before;
}

std::optional<std::array<int64_t, 3>> Output::missing() const {
  for (int64_t batch = 0; batch < c.batches * c.heads; ++batch)
    for (int64_t row = 0; row < m; ++row)
      for (int64_t col = 0; col < n; ++col)
        if (!writers[c.startOf(batch) + row * c.lineStride + col])
          return {{batch, row, col}};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

/// The cost of an event, and of integer arithmetic.
static constexpr int64_t kEventCost = 256, kStepCost = 4;

/// The same where numbers are computed: a step takes as long as about two
/// products.
static int64_t costOf(Operation *op) {
  constexpr int64_t kRows = 64, kProducts = 2, kOfElement = 4;
  auto product = [](kernel::AccType acc, int64_t rows, Type element) {
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    return kEventCost +
           rows * acc.getCols() * kernel::stepOf(bytes) / kProducts;
  };
  if (auto mma = dyn_cast<kernel::MmaAsyncOp>(op))
    return product(mma.getAcc().getType(), kRows,
                   mma.getRingB().getType().getElement());
  if (auto mma = dyn_cast<kernel::MmaFetchedOp>(op))
    return product(mma.getAcc().getType(), kRows,
                   mma.getRingB().getType().getElement());
  if (auto mma = dyn_cast<kernel::MmaOp>(op))
    return product(mma.getAcc().getType(), mma.getAcc().getType().getRows(),
                   mma.getA().getType().getElement());
  int64_t elements = 0;
  auto take = [&](Type type) {
    if (auto acc = dyn_cast<kernel::AccType>(type))
      elements = std::max(elements, acc.getRows() * acc.getCols());
    if (auto ring = dyn_cast<kernel::RingType>(type))
      elements = std::max(elements, ring.getLines() * ring.getWidth());
  };
  llvm::for_each(op->getOperandTypes(), take);
  llvm::for_each(op->getResultTypes(), take);
  return kEventCost + elements * kOfElement;
}

Machine::Machine(const Program &program, const LaunchValues &launch,
                 Output &output, Verdict &verdict,
                 const SimulateOptions &options, Values *values)
    : program(program), launch(launch), output(output), verdict(verdict),
      recorder(options.timeline ? &options.timeline->recorder() : nullptr),
      maxFindings(options.maxFindings), maxWork(options.maxWork),
      values(values) {
  if (!values)
    return;
  for (const Step &step : program.steps)
    costs.push_back(step.kind == Step::event ? costOf(step.op) : kStepCost);
}

void Machine::makeAgents(int64_t first, int64_t count) {
  agents.clear();
  groups.clear();
  blocks.clear();
  clusters.clear();
  counters.clear();
  workspace = {};
  blocks.resize(launch.cluster * count);
  if (values)
    values->startClusters(blocks.size());
  for (int64_t number = first; number < first + count; ++number) {
    int agentsBefore = agents.size(), groupsBefore = groups.size();
    for (Member member : rosterOf(program, launch, number)) {
      member.number += agentsBefore;
      member.groupNumber += groupsBefore;
      member.block += (number - first) * launch.cluster;
      static_cast<Member &>(agents.emplace_back()) = member;
      if (member.groupNumber == int(groups.size()))
        groups.emplace_back();
      groups.back().agents.push_back(member.number);
    }
    perCluster = agents.size() - agentsBefore;
  }
  lines = agents.size();
  for (Agent &agent : agents) {
    agent.registers.resize(program.registers);
    agent.counts.resize(program.steps.size());
    if (values)
      agent.tiles.resize(program.registers);
    agent.copies = lines++;
    agent.storesRead = lines++;
    agent.storesWritten = lines++;
    for (auto [i, param] : llvm::enumerate(launch.params))
      agent.registers[i].number = param.map ? int64_t(i) : param.value;
  }
  for (Group &group : groups)
    group.products = lines++;
  depended = lines++;
  for (int64_t i = 0; i < count; ++i)
    clusters.emplace_back(lines++);
  if (recorder)
    recordAgents();
}

void Machine::runAll() {
  int64_t clusters = launch.grid / launch.cluster;
  int64_t together = program.meetsAcrossClusters ? clusters : 1;
  for (int64_t first = 0; first < clusters && verdict.passed();
       first += together)
    runClusters(first, together);
}

void Machine::runClusters(int64_t first, int64_t count) {
  makeAgents(first, count);
  verdict.agents = std::max<int64_t>(verdict.agents, agents.size());
  int64_t before = verdict.events;
  for (bool progress = true; progress;) {
    progress = false;
    for (Agent &agent : agents)
      if (agent.state == Agent::running) {
        runAgent(agent);
        progress = true;
      }
    if (verdict.findings.size() >= maxFindings || isSpent)
      return;
  }
  if (llvm::all_of(agents,
                   [](Agent &agent) { return agent.state == Agent::ended; })) {
    checkEnds();
    checkDependence();
    checkCounters();
  } else
    reportStuck();
  // The number of orders of n events, k of each agent: n! / (k! k! ...).
  auto logFactorial = [](double n) {
    return std::lgamma(n + 1) / std::log(10.0);
  };
  double orders = logFactorial(verdict.events - before);
  for (const Agent &agent : agents)
    orders -= logFactorial(agent.order);
  verdict.logOrders += orders;
}

void Machine::runAgent(Agent &agent) {
  while (verdict.findings.size() < maxFindings && step(agent))
    ;
}

bool Machine::spend(Agent &agent, const Step &step) {
  bool isEvent = step.kind == Step::event;
  bool hasNumbers = isEvent && values && isScopeLeader(agent);
  verdict.work += hasNumbers ? costs[agent.at]
                  : isEvent  ? kEventCost
                             : kStepCost;
  if (verdict.work <= maxWork)
    return true;
  complain(agent, Fault::limit,
           formatv("is reached after more work than a proof may take ({0} "
                   "steps of threads): nothing is proven",
                   maxWork));
  isSpent = true;
  return false;
}

bool Machine::compute(Agent &agent, const Step &step) {
  if (simulate::compute(step, agent.registers)) {
    ++agent.at;
    return true;
  }
  if (isa<scf::ForOp>(step.op)) {
    complain(agent, Fault::deadlock, "steps by 0 or less: it never ends");
    agent.state = Agent::ended;
    return false;
  }
  complain(agent, Fault::bounds,
           step.row->is(ScalarOp::shifts)
               ? "shifts by as many bits as the number has, or more: the "
                 "result may be anything"
               : "divides by zero");
  ++agent.at;
  return true;
}

void Machine::move(Agent &agent, const Step &step) {
  SmallVector<Register> moved;
  SmallVector<std::shared_ptr<Tile>> tiles;
  for (int in : step.in) {
    moved.push_back(agent.registers[in]);
    if (values)
      tiles.push_back(agent.tiles[in]);
  }
  for (auto [i, out] : llvm::enumerate(step.out)) {
    agent.registers[out] = moved[i];
    if (values)
      agent.tiles[out] = std::move(tiles[i]);
  }
  ++agent.at;
}

bool Machine::happen(Agent &agent, const Step &step) {
  ++verdict.events;
  ++agent.order;
  ++agent.counts[agent.at];
  if (recorder)
    recorder->begin(agent.number, agent.now);
  if (!run(agent, step.op))
    return false;
  if (recorder)
    recordEvent(agent);
  ++agent.at;
  return true;
}

bool Machine::step(Agent &agent) {
  const Step &step = program.steps[agent.at];
  if (isSpent || !spend(agent, step))
    return false;
  auto &registers = agent.registers;
  switch (step.kind) {
  case Step::compute:
    return compute(agent, step);
  case Step::move:
    move(agent, step);
    return true;
  case Step::test: {
    int64_t at = int32_t(registers[step.in[0]].number);
    int64_t end = int32_t(registers[step.in[1]].number);
    agent.at = at < end ? agent.at + 1 : step.target;
    return true;
  }
  case Step::branch:
    agent.at = registers[step.in[0]].number ? agent.at + 1 : step.target;
    return true;
  case Step::jump:
    agent.at = step.target;
    return true;
  case Step::enter: {
    bool isMine = agent.role >= 0 && program.roles[agent.role].op == step.op;
    if (isMine && !step.out.empty())
      registers[step.out[0]].number = agent.group;
    agent.at = isMine ? agent.at + 1 : step.target;
    return true;
  }
  case Step::event:
    return happen(agent, step);
  case Step::end:
    end(agent);
    return false;
  }
  llvm_unreachable("a step");
}
