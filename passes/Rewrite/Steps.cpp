//===- Steps.cpp - Rewrites of the loop over K ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When consumers begin it, and how many of its steps are written out.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Rewrite/Menu.h"
#include "passes/Rewrite/Parts.h"

using namespace mlir;
using namespace hone;
using namespace hone::rewrite;
using namespace hone::kernel;

static Value i32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

//===----------------------------------------------------------------------===//
// Skew
//===----------------------------------------------------------------------===//

/// The op in the role's own block that has the loop in it, or is it.
static Operation *outermost(Multiplying &multiplying) {
  Block *body = &multiplying.role().getBody().front();
  return body->findAncestorOpInBlock(*multiplying.loop);
}

static Outcome checkSkew(Multiplying &multiplying, int64_t slots) {
  RoleOp role = multiplying.role();
  if (!role || role.getWarps() <= 4 || role.getOneThread())
    return Refusal{multiplying.loop,
                   "expected several groups that multiply, but got one"};
  if (multiplying.await.getBarriers().getType().getSlots() <= slots)
    return Refusal{
        multiplying.await,
        "expected more slots than the first group is ahead, but got " +
            std::to_string(
                multiplying.await.getBarriers().getType().getSlots())};
  Operation *outer = outermost(multiplying);
  if (multiplying.loop != outer && !isa<scf::ForOp>(outer))
    return Refusal{outer, "expected a loop over tiles, but got another op"};
  Value steps = multiplying.loop.getUpperBound();
  if (outer->isAncestor(steps.getParentRegion()->getParentOp()))
    return Refusal{multiplying.loop,
                   "expected as many steps for each tile, but got a number "
                   "that is known with the tile only"};
  // Whose turn comes by a barrier is behind anyway.
  for (auto await : multiplying.loop->getBlock()->getOps<AwaitOp>())
    if (await->isBeforeInBlock(multiplying.loop))
      return Refusal{await, "expected groups that begin together, but got one "
                            "that waits for its turn"};
  return std::nullopt;
}

/// skew(n): before their first step all groups but the first wait until the slot
/// of step n is full, or the last one's. The first group has then been let in n
/// slots earlier.
Outcome hone::rewrite::skewConsumers(gpu::GPUFuncOp kernel, StringRef value) {
  Multiplying multiplying;
  if (Outcome refused = find(kernel, multiplying))
    return refused;
  int64_t slots;
  if (value.getAsInteger(10, slots))
    return Refusal{kernel,
                   "expected a number of slots, but got '" + value.str() + "'"};
  if (Outcome refused = checkSkew(multiplying, slots))
    return refused;
  Operation *outer = outermost(multiplying);
  Location loc = outer->getLoc();
  OpBuilder builder(outer);
  Value zero = i32(builder, loc, 0), one = i32(builder, loc, 1);
  Value waits = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      multiplying.role().getBody().front().getArgument(0), zero);
  // Who has no tile would wait for nobody.
  if (auto tiles = dyn_cast<scf::ForOp>(outer); tiles != multiplying.loop) {
    Value hasTile =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              tiles.getLowerBound(), tiles.getUpperBound());
    waits = arith::AndIOp::create(builder, loc, waits, hasTile);
  }
  auto branch = scf::IfOp::create(builder, loc, waits);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value last = arith::SubIOp::create(builder, loc,
                                     multiplying.loop.getUpperBound(), one);
  Value slot =
      arith::MinUIOp::create(builder, loc, i32(builder, loc, slots), last);
  AwaitOp::create(builder, loc, multiplying.await.getBarriers(), slot, zero);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Peeling and unrolling
//===----------------------------------------------------------------------===//

static bool isConstant(Value value, int64_t wanted) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) &&
         constant.getSExtValue() == wanted;
}

/// Whether it is false in the first step and true in all others.
static bool isLaterStep(Value condition, scf::ForOp loop) {
  auto compares = condition.getDefiningOp<arith::CmpIOp>();
  return compares && compares.getPredicate() == arith::CmpIPredicate::ne &&
         compares.getLhs() == loop.getInductionVar() &&
         isConstant(compares.getRhs(), 0);
}

/// Replaces a branch that is always taken with what is in it.
static void inlineBranch(IRRewriter &rewriter, scf::IfOp branch) {
  Block *block = branch.thenBlock();
  rewriter.eraseOp(block->getTerminator());
  rewriter.inlineBlockBefore(block, branch);
  rewriter.eraseOp(branch);
}

/// The first step, before the loop; in neither is a question whether a step is
/// the first one.
static void peelFirst(scf::ForOp loop) {
  IRRewriter rewriter(loop);
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  for (auto [argument, initial] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    first.map(argument, initial);
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto branch = dyn_cast<scf::IfOp>(&op);
    if (branch && isLaterStep(branch.getCondition(), loop))
      continue;
    rewriter.clone(op, first);
  }
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  SmallVector<Value> behind =
      llvm::map_to_vector(yield.getOperands(), [&](Value value) {
        return first.lookupOrDefault(value);
      });
  loop.getInitArgsMutable().assign(behind);
  loop.setLowerBound(i32(rewriter, loop.getLoc(), 1));
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    if (auto product = dyn_cast<MmaAsyncOp>(&op);
        product && product.getKeep() && isLaterStep(product.getKeep(), loop))
      product.getKeepMutable().clear();
    else if (auto branch = dyn_cast<scf::IfOp>(&op);
             branch && isLaterStep(branch.getCondition(), loop))
      inlineBranch(rewriter, branch);
  }
}

/// unroll(peel), unroll(n).
Outcome hone::rewrite::unrollSteps(gpu::GPUFuncOp kernel, StringRef value) {
  Multiplying multiplying;
  if (Outcome refused = find(kernel, multiplying))
    return refused;
  scf::ForOp loop = multiplying.loop;
  if (!isConstant(loop.getLowerBound(), 0) || !isConstant(loop.getStep(), 1))
    return Refusal{loop, "expected a loop from 0 in steps of 1, but got "
                         "another one"};
  if (value == "peel") {
    for (auto branch : loop.getBody()->getOps<scf::IfOp>())
      if (branch.elseBlock() || branch.getNumResults())
        return Refusal{branch, "expected branches without an alternative, but "
                               "got one"};
    peelFirst(loop);
    return std::nullopt;
  }
  int64_t steps;
  if (value.getAsInteger(10, steps))
    return Refusal{kernel,
                   "expected a number of steps, but got '" + value.str() + "'"};
  if (failed(loopUnrollByFactor(loop, steps)))
    return Refusal{loop, "expected a loop that can be unrolled, but got "
                         "another one"};
  return std::nullopt;
}
