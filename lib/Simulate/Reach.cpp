//===- Reach.cpp - Use of the workspace at full device size ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one thread of each group of every block, one after the other; see
// Reach.h.
//
//===----------------------------------------------------------------------===//

#include "Reach.h"
#include "Walk.h"
#include "Workspace.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

/// The fault in an op's use of the workspace, or an empty string.
static std::string faultOfStep(const Workspace &workspace, Walk &walk,
                               Operation *op) {
  auto sums = [&](Value value, int64_t first, int64_t after) -> std::string {
    auto type = cast<SumsType>(value.getType());
    int64_t bytes = type.getRows() * type.getCols() * 4;
    if (first >= after)
      return "";
    return workspace.faultOfData(walk.number(value) + first * bytes,
                                 (after - first) * bytes);
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](SumsPutOp put) {
        int64_t slot = walk.number(put.getSlot());
        return sums(put.getSums(), slot, slot + 1);
      })
      .Case([&](SumsTotalOp total) {
        return sums(total.getSums(), walk.number(total.getFirst()),
                    walk.number(total.getEnd()));
      })
      .Case<CountArriveOp, CountAwaitOp, CountLeaveOp>([&](auto count) {
        constexpr int64_t kBytes = 4;
        return workspace.faultOfCounter(walk.number(count.getCounters()) +
                                        walk.number(count.getIndex()) * kBytes);
      })
      .Default([](Operation *) { return ""; });
}

/// The roles, by number, that use the workspace; -1 for code outside of roles.
static llvm::SmallVector<int> rolesOf(const Program &program) {
  llvm::SmallVector<int> roles;
  for (const Step &step : program.steps)
    if (step.kind == Step::event &&
        hasKernelEffect(step.op,
                        [](const Effect &effect) {
                          return effect.memory == Memory::workspace;
                        }) &&
        !llvm::is_contained(roles, step.role))
      roles.push_back(step.role);
  return roles;
}

void simulate::checkReach(const Program &program, const LaunchValues &launch,
                          Verdict &verdict) {
  llvm::SmallVector<int> roles = rolesOf(program);
  Workspace workspace(launch);
  int64_t left = kMaxWalked;
  auto look = [&](Walk &walk, const Step &step) {
    std::string why =
        step.kind == Step::event ? faultOfStep(workspace, walk, step.op) : "";
    if (!why.empty())
      verdict.findings.push_back(
          {Fault::bounds, std::move(why), walk.placeOf(step)});
    return verdict.passed();
  };
  for (int64_t i = 0; !roles.empty() && i < launch.grid / launch.cluster; ++i)
    for (const Member &member : rosterOf(program, launch, i))
      if (member.isLeader && verdict.passed() && left > 0 &&
          (llvm::is_contained(roles, member.role) ||
           llvm::is_contained(roles, -1)))
        Walk(program, launch, member).run(left, look);
  if (left <= 0)
    verdict.findings.push_back(pastLimit(program));
}
