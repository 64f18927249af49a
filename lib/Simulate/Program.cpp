//===- Program.cpp - A kernel as a flat list of steps ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions to steps; see Program.h.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "dialects/Kernel/Modelled.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

Program::Program(gpu::GPUFuncOp kernel) {
  if (DenseI32ArrayAttr size = kernel.getKnownBlockSizeAttr())
    threads = size[0];
  if (auto cluster = kernel->getAttrOfType<DenseI32ArrayAttr>(
          NVVM::NVVMDialect::getClusterDimAttrName()))
    clusterBlocks = cluster[0];
  kernel.walk(
      [&](WorkerOp op) { isPersistent |= !op.getWorkers().use_empty(); });
  standsBack = kernel->hasAttr(kStandsBackAttr);
  kernel.walk([&](CountAwaitOp) { meetsAcrossClusters = true; });
  for (BlockArgument argument : kernel.getArguments())
    number(argument);
  flatten(kernel.getBody().front(), -1);
}

int Program::number(Value value) {
  auto [found, isNew] = numbers.try_emplace(value, registers);
  if (isNew)
    ++registers;
  return found->second;
}

Step &Program::add(Step::Kind kind, Operation *op, int role, ValueRange in,
                   ValueRange out) {
  Step &step = steps.emplace_back();
  step.kind = kind;
  step.op = op;
  step.role = role;
  if (kind == Step::compute)
    prepareStep(step);
  for (Value value : in)
    step.in.push_back(number(value));
  for (Value value : out)
    step.out.push_back(number(value));
  if (kind == Step::event)
    step.loops = loopsAround(op);
  return step;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void Program::flatten(Block &block, int role) {
  for (Operation &op : block)
    flattenOp(op, role);
}

/// A constant of an epilogue that was moved out of its region; the evaluation
/// of the region finds it there.
static bool isMovedConstant(Operation &op) {
  return isa<arith::ConstantOp>(op) &&
         isa<FloatType>(op.getResult(0).getType());
}

void Program::flattenOp(Operation &op, int role) {
  if (isIntegerArithmetic(&op))
    add(Step::compute, &op, role, op.getOperands(), op.getResults());
  else if (isa<scf::ForOp>(op))
    flattenFor(op, role);
  else if (isa<scf::IfOp>(op))
    flattenIf(op, role);
  else if (auto inner = dyn_cast<RoleOp>(op))
    flattenRole(inner);
  else if (isa<gpu::ReturnOp>(op))
    add(Step::end, &op, role);
  else if (isa<KernelEffectsOpInterface>(op))
    flattenEvent(op, role);
  else if (!isa<scf::YieldOp>(op) && !isMovedConstant(op))
    unknown.push_back(&op);
}

void Program::flattenEvent(Operation &op, int role) {
  add(Step::event, &op, role, op.getOperands(), op.getResults());
  if (auto epilogue = dyn_cast<EpilogueOp>(op))
    for (Operation &inner : epilogue.getBody().front())
      if (!kernel::isModelled(&inner))
        unknown.push_back(&inner);
}

void Program::flattenFor(Operation &op, int role) {
  auto loop = cast<scf::ForOp>(op);
  SmallVector<Value> start = {loop.getLowerBound()}, state;
  llvm::append_range(start, loop.getInitArgs());
  Value index = loop.getInductionVar();
  state.push_back(index);
  llvm::append_range(state, loop.getRegionIterArgs());
  add(Step::move, &op, role, start, state);
  int head = steps.size();
  add(Step::test, &op, role, {index, loop.getUpperBound()});
  flatten(*loop.getBody(), role);
  Operation *yield = loop.getBody()->getTerminator();
  add(Step::move, yield, role, yield->getOperands(), loop.getRegionIterArgs());
  Step &next = add(Step::compute, &op, role, {index, loop.getStep()}, {index});
  next.op = &op;
  add(Step::jump, &op, role).target = head;
  steps[head].target = steps.size();
  add(Step::move, &op, role, loop.getRegionIterArgs(), loop.getResults());
}

void Program::flattenIf(Operation &op, int role) {
  auto branch = cast<scf::IfOp>(op);
  int test = steps.size();
  add(Step::branch, &op, role, {branch.getCondition()});
  auto side = [&](Block *block) {
    flatten(*block, role);
    add(Step::move, &op, role, block->getTerminator()->getOperands(),
        branch.getResults());
  };
  side(branch.thenBlock());
  if (!branch.elseBlock()) {
    steps[test].target = steps.size();
    return;
  }
  int over = steps.size();
  add(Step::jump, &op, role);
  steps[test].target = steps.size();
  side(branch.elseBlock());
  steps[over].target = steps.size();
}

void Program::flattenRole(RoleOp op) {
  bool isAlone = isa<gpu::GPUFuncOp>(op->getParentOp());
  if (!isAlone) {
    unknown.push_back(op);
    return;
  }
  int64_t warps = op.getWarps();
  int64_t groups = op.getOneThread() || warps < 4 ? 1 : warps / 4;
  int role = roles.size();
  roles.push_back({op, op.getFirstWarp(), warps, groups, op.getGroupThreads(),
                   op.getOneThread()});
  int test = steps.size();
  Block &body = op.getBody().front();
  add(Step::enter, op, role, {}, body.getArguments());
  flatten(body, role);
  steps[test].target = steps.size();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

SmallVector<int, 2> Program::loopsAround(Operation *op) const {
  SmallVector<int, 2> found;
  while ((op = op->getParentOp()))
    if (auto loop = dyn_cast<scf::ForOp>(op))
      found.insert(found.begin(), registerOf(loop.getInductionVar()));
  return found;
}

std::vector<llvm::BitVector> Program::liveRegisters() const {
  std::vector<llvm::BitVector> live(steps.size() + 1,
                                    llvm::BitVector(registers));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = steps.size(); i-- > 0;) {
      const Step &step = steps[i];
      llvm::BitVector now(registers);
      if (step.kind != Step::end && step.kind != Step::jump)
        now = live[i + 1];
      if (step.target >= 0)
        now |= live[step.target];
      for (int out : step.out)
        now.reset(out);
      for (int in : step.in)
        now.set(in);
      if (now != live[i]) {
        live[i] = std::move(now);
        changed = true;
      }
    }
  }
  return live;
}
