//===- Walk.cpp - Path of one thread through a kernel ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and arithmetic; see Walk.h.
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "Values/Values.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

Finding simulate::pastLimit(const Program &program) {
  return {Fault::limit,
          "has threads with more steps than a proof may follow: nothing is "
          "proven",
          atEndOf(program)};
}

Walk::Walk(const Program &program, const LaunchValues &launch,
           const Member &member)
    : program(program), launch(launch), member(member),
      registers(program.registers) {
  for (auto [i, param] : llvm::enumerate(launch.params))
    registers[i].number = param.map ? int64_t(i) : param.value;
}

void Walk::run(int64_t &left, Visitor visit) {
  size_t at = 0;
  while (program.steps[at].kind != Step::end && left-- > 0 &&
         visit(*this, program.steps[at]))
    at = next(at);
}

size_t Walk::next(size_t at) {
  const Step &step = program.steps[at];
  switch (step.kind) {
  case Step::compute:
    // The run reports the fault.
    if (!compute(step, registers))
      return program.steps.size() - 1;
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
    return int32_t(input(step, 0)) < int32_t(input(step, 1)) ? at + 1
                                                             : step.target;
  case Step::branch:
    return input(step, 0) ? at + 1 : step.target;
  case Step::jump:
    return step.target;
  case Step::enter: {
    bool isMine = member.role >= 0 && program.roles[member.role].op == step.op;
    if (isMine && !step.out.empty())
      registers[step.out[0]].number = member.group;
    return isMine ? at + 1 : step.target;
  }
  case Step::event:
    placeOp(
        step.op, launch, member.grid,
        [&](Value value) { return number(value); },
        [&](Value value, Register contents) {
          registers[program.registerOf(value)] = contents;
        });
    return at + 1;
  case Step::end:
    return at;
  }
  llvm_unreachable("a step");
}

int64_t Walk::result(const Step &step) {
  Register before = registers[step.out[0]];
  int64_t number = compute(step, registers) ? registers[step.out[0]].number : 0;
  registers[step.out[0]] = before;
  return number;
}

simulate::Place Walk::placeOf(const Step &step) const {
  return placeOfStep(program, step, member.grid, member.group,
                     /*isLeader=*/true);
}
