//===- Reach.cpp - The workspace at a device's full size ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread of each group of every block, one after the other; see Reach.h.
//
//===----------------------------------------------------------------------===//

#include "Reach.h"
#include "Roster.h"
#include "Values.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

namespace {
/// The way of one thread through a kernel.
class Walk {
public:
  Walk(const Program &program, const LaunchValues &launch, const Member &member,
       Verdict &verdict)
      : program(program), launch(launch), member(member), verdict(verdict),
        workspace(*launch.find("ws")), registers(program.registers) {
    for (auto [i, param] : llvm::enumerate(launch.params))
      registers[i].number = param.map ? int64_t(i) : param.value;
  }

  void run() {
    size_t at = 0;
    while (program.steps[at].kind != Step::end && verdict.passed())
      at = next(at);
  }

private:
  int64_t number(Value value) const {
    return registers[program.registerOf(value)].number;
  }

  /// Takes the step at `at`, and says which comes then.
  size_t next(size_t at) {
    const Step &step = program.steps[at];
    switch (step.kind) {
    case Step::compute:
      if (!compute(step, registers))
        complain(step, "divides by zero");
      return at + 1;
    case Step::move: {
      SmallVector<Register> moved;
      for (int in : step.in)
        moved.push_back(registers[in]);
      for (auto [i, out] : llvm::enumerate(step.out))
        registers[out] = moved[i];
      return at + 1;
    }
    case Step::test:
      return int32_t(registers[step.in[0]].number) <
                     int32_t(registers[step.in[1]].number)
                 ? at + 1
                 : step.target;
    case Step::branch:
      return registers[step.in[0]].number ? at + 1 : step.target;
    case Step::jump:
      return step.target;
    case Step::enter: {
      bool isMine =
          member.role >= 0 && program.roles[member.role].op == step.op;
      if (isMine && !step.out.empty())
        registers[step.out[0]].number = member.group;
      return isMine ? at + 1 : step.target;
    }
    case Step::event:
      look(step);
      return at + 1;
    case Step::end:
      return at;
    }
    llvm_unreachable("a step");
  }

  void look(const Step &step) {
    auto in = [&](Value value) { return number(value); };
    auto out = [&](Value value, Register contents) {
      registers[program.registerOf(value)] = contents;
    };
    if (placeOp(step.op, launch, member.grid, in, out))
      return;
    llvm::TypeSwitch<Operation *>(step.op)
        .Case([&](SumsPutOp put) {
          int64_t slot = number(put.getSlot());
          useSums(step, put.getSums(), slot, slot + 1);
        })
        .Case([&](SumsTotalOp total) {
          useSums(step, total.getSums(), number(total.getFirst()),
                  number(total.getBehind()));
        })
        .Case<CountArriveOp, CountAwaitOp, CountLeaveOp>([&](auto count) {
          useCounter(step, number(count.getCounters()),
                     number(count.getIndex()));
        });
  }

  void useSums(const Step &step, Value sums, int64_t first, int64_t behind) {
    auto type = cast<SumsType>(sums.getType());
    int64_t bytes = type.getRows() * type.getCols() * 4;
    int64_t cleared = launch.workspaceZeroed ? LaunchPlan::clearedBytes : 0;
    int64_t from = number(sums) + first * bytes - workspace.base;
    int64_t end = number(sums) + behind * bytes - workspace.base;
    if (first < behind && (from < cleared || end > workspace.bytes()))
      complain(step, formatv("uses bytes {0} to {1} of the workspace for sums, "
                             "but those from {2} to {3} are there for them",
                             from, end, cleared, workspace.bytes()));
  }

  void useCounter(const Step &step, int64_t counters, int64_t index) {
    constexpr int64_t kBytes = 4;
    int64_t at = counters + index * kBytes - workspace.base;
    if (at < 0 || at + kBytes > LaunchPlan::clearedBytes)
      complain(step,
               formatv("counts {0} bytes from the start of the workspace, of "
                       "which {1} start with zeros",
                       at, LaunchPlan::clearedBytes));
  }

  void complain(const Step &step, std::string text) {
    simulate::Place place = {step.op->getLoc(),
                             step.op->getName().getStringRef().str(),
                             "",
                             member.grid,
                             member.group,
                             "leader",
                             {}};
    if (step.role >= 0)
      place.role = RoleOp(program.roles[step.role].op).getName().str();
    verdict.findings.push_back(
        {Fault::bounds, std::move(text), place, std::nullopt, ""});
  }

  const Program &program;
  const LaunchValues &launch;
  const Member &member;
  Verdict &verdict;
  const simulate::Region &workspace;
  std::vector<Register> registers;
};
} // namespace

/// The roles, by number, that use the workspace; -1 for what is outside of
/// roles.
static llvm::SmallVector<int> rolesOf(const Program &program) {
  llvm::SmallVector<int> roles;
  for (const Step &step : program.steps)
    if (step.kind == Step::event &&
        isa<SumsPutOp, SumsTotalOp, CountArriveOp, CountAwaitOp, CountLeaveOp>(
            step.op) &&
        !llvm::is_contained(roles, step.role))
      roles.push_back(step.role);
  return roles;
}

void simulate::checkReach(const Program &program, const LaunchValues &launch,
                          Verdict &verdict) {
  llvm::SmallVector<int> roles = rolesOf(program);
  for (int64_t i = 0; i < launch.grid / launch.cluster; ++i)
    for (const Member &member : rosterOf(program, launch, i))
      if (member.isLeader && verdict.passed() &&
          (llvm::is_contained(roles, member.role) ||
           llvm::is_contained(roles, -1)))
        Walk(program, launch, member, verdict).run();
}
