//===- Steps.cpp - Rewrites of the loop over K ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The skew between consumers, and the peeling and unrolling of steps.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Rewrite/Menu.h"
#include "passes/Rewrite/Parts.h"
#include <numeric>

using namespace mlir;
using namespace hone;
using namespace hone::rewrite;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// Skew
//===----------------------------------------------------------------------===//

/// The op in the role's own block that contains the loop, or the loop itself.
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
  // A consumer that gets its turn by a barrier is late without a skew.
  for (auto await : multiplying.loop->getBlock()->getOps<AwaitOp>())
    if (await->isBeforeInBlock(multiplying.loop))
      return Refusal{await, "expected groups that begin together, but got one "
                            "that waits for its turn"};
  return std::nullopt;
}

/// skew(n): before their first step, all groups but the first wait until the
/// slot of step n is full, or that of the last step. The first group has then
/// been admitted n slots earlier.
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
  // Every worker has a tile: the launch has no more of them than tiles.
  Value waits = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      multiplying.role().getBody().front().getArgument(0), zero);
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
// Comparisons with a constant result
//===----------------------------------------------------------------------===//

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

static bool isConstant(Value value, int64_t wanted) {
  return constantOf(value) == wanted;
}

/// Replaces `question` with a constant.
static void answer(arith::CmpIOp question, bool holds) {
  for (Operation *user : llvm::make_early_inc_range(question->getUsers()))
    if (auto product = dyn_cast<MmaAsyncOp>(user); product && holds)
      product.getKeepMutable().clear();
  OpBuilder builder(question);
  Value truth = arith::ConstantOp::create(builder, question.getLoc(),
                                          builder.getBoolAttr(holds));
  question.replaceAllUsesWith(truth);
  question.erase();
}

/// Folds the branches and selects of the loop that have a constant condition.
static void fold(scf::ForOp loop) {
  RewritePatternSet patterns(loop.getContext());
  scf::IfOp::getCanonicalizationPatterns(patterns, loop.getContext());
  SmallVector<Operation *> ops;
  loop.getBody()->walk([&](Operation *op) { ops.push_back(op); });
  (void)applyOpPatternsGreedily(
      ops, std::move(patterns),
      GreedyRewriteConfig().setStrictness(
          GreedyRewriteStrictness::ExistingAndNewOps));
}

//===----------------------------------------------------------------------===//
// Peeling
//===----------------------------------------------------------------------===//

/// True if the condition is false in the first step and true in all others.
static bool isLaterStep(Value condition, scf::ForOp loop) {
  auto compares = condition.getDefiningOp<arith::CmpIOp>();
  return compares && compares.getPredicate() == arith::CmpIPredicate::ne &&
         compares.getLhs() == loop.getInductionVar() &&
         isConstant(compares.getRhs(), 0);
}

/// Moves the first step out of the loop. Neither part then tests whether a step
/// is the first one.
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
  SmallVector<Value> after =
      llvm::map_to_vector(yield.getOperands(), [&](Value value) {
        return first.lookupOrDefault(value);
      });
  loop.getInitArgsMutable().assign(after);
  loop.setLowerBound(i32(rewriter, loop.getLoc(), 1));
  for (auto question :
       llvm::make_early_inc_range(loop.getBody()->getOps<arith::CmpIOp>()))
    if (isLaterStep(question.getResult(), loop))
      answer(question, true);
  fold(loop);
}

//===----------------------------------------------------------------------===//
// Unrolling
//===----------------------------------------------------------------------===//

namespace {
/// A comparison of a number that grows by one from step to step: the step's own
/// number, or that of its slot, which restarts after the last slot. A copy of
/// the step has only some of the numbers:
///
///   | 4 copies, 6 slots  | copy 0     | 1          | 2          | 3          |
///   |--------------------|------------|------------|------------|------------|
///   | number of the step | 0, 4, 8 .. | 1, 5, 9 .. | 2, 6, 10 ..| 3, 7, 11 ..|
///   | its slot           | 0, 2, 4    | 1, 3, 5    | 0, 2, 4    | 1, 3, 5    |
///
/// so copy 0 and copy 2 never have the last slot, and copy 1 is not step 0.
struct Question {
  arith::CmpIPredicate predicate;
  int64_t with = 0;  ///< it compares with
  int64_t start = 0; ///< the number in the first step of all
  /// The distance between a copy's numbers, and their upper bound.
  int64_t apart = 0, end = std::numeric_limits<int32_t>::max();

  /// The result for the copies from `copy` to `last`, if it is the same for
  /// all.
  std::optional<bool> answerOf(int64_t copy, int64_t last) const {
    std::optional<bool> all;
    for (; copy <= last; ++copy) {
      std::optional<bool> one = answerOf((start + copy) % apart);
      if (!one || (all && *all != *one))
        return std::nullopt;
      all = one;
    }
    return all;
  }

private:
  /// The same for a copy whose numbers start with `min`. After the number
  /// that it is compared with, the result does not change.
  std::optional<bool> answerOf(int64_t min) const {
    bool first = holds(min);
    for (int64_t number = min; number < end; number += apart) {
      if (holds(number) != first)
        return std::nullopt;
      if (number > with)
        break;
    }
    return first;
  }

  bool holds(int64_t number) const {
    return arith::applyCmpPredicate(predicate, APInt(32, number),
                                    APInt(32, with));
  }
};
} // namespace

/// True if the argument is a slot's number, which restarts after `slots` slots.
static bool isSlot(scf::ForOp loop, BlockArgument argument, Value following,
                   int64_t slots) {
  auto select = loop.getTiedLoopYieldedValue(argument)
                    ->get()
                    .getDefiningOp<arith::SelectOp>();
  auto wraps = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                      : arith::CmpIOp();
  return wraps && wraps.getPredicate() == arith::CmpIPredicate::eq &&
         wraps.getLhs() == following && isConstant(wraps.getRhs(), slots) &&
         isConstant(select.getTrueValue(), 0) &&
         select.getFalseValue() == following;
}

/// The question of `compares`, if each of `copies` copies of the step has only
/// some of the numbers.
static std::optional<Question>
questionOf(scf::ForOp loop, arith::CmpIOp compares, int64_t copies) {
  constexpr int64_t kMax = 1 << 16;
  std::optional<int64_t> with = constantOf(compares.getRhs());
  if (!with || *with < 0 || *with > kMax)
    return std::nullopt;
  Question question{compares.getPredicate(), *with};
  question.apart = copies;
  if (compares.getLhs() == loop.getInductionVar())
    return question;
  auto adds = compares.getLhs().getDefiningOp<arith::AddIOp>();
  auto slot = adds ? dyn_cast<BlockArgument>(adds.getLhs()) : BlockArgument();
  if (!slot || slot.getOwner() != loop.getBody() ||
      !isConstant(adds.getRhs(), 1) || !isSlot(loop, slot, adds, *with))
    return std::nullopt;
  std::optional<int64_t> start = constantOf(loop.getTiedLoopInit(slot)->get());
  if (!start)
    return std::nullopt;
  // The comparison tests whether the slot is the last one.
  question.with = question.end = *with;
  --question.with;
  question.start = *start;
  question.apart = std::gcd(copies, *with);
  return question;
}

/// Unrolls the loop and folds the comparisons that are constant in a copy.
static LogicalResult unroll(scf::ForOp loop, int64_t copies) {
  using Compares = SmallVector<arith::CmpIOp, 4>;
  auto comparesOf = [](scf::ForOp loop) {
    return llvm::to_vector_of<arith::CmpIOp, 4>(
        loop.getBody()->getOps<arith::CmpIOp>());
  };
  SmallVector<Compares, 4> all(copies);
  all.front() = comparesOf(loop);
  auto questions = llvm::map_to_vector(all.front(), [&](arith::CmpIOp one) {
    return questionOf(loop, one, copies);
  });
  auto note = [&](unsigned copy, Operation *op, OpBuilder) {
    if (auto compares = dyn_cast<arith::CmpIOp>(op); compares && copy > 0)
      all[copy].push_back(compares);
  };
  auto unrolled = loopUnrollByFactor(loop, copies, note);
  if (failed(unrolled))
    return failure();
  auto settle = [&](Compares &asked, int64_t copy, int64_t last) {
    for (auto [compares, question] : llvm::zip_equal(asked, questions))
      if (auto holds = question ? question->answerOf(copy, last) : std::nullopt)
        answer(compares, *holds);
  };
  for (auto [copy, asked] : llvm::enumerate(all))
    settle(asked, copy, copy);
  // A remainder step is any step of a round but the last.
  if (unrolled->epilogueLoopOp) {
    Compares asked = comparesOf(*unrolled->epilogueLoopOp);
    settle(asked, 0, copies - 2);
    fold(*unrolled->epilogueLoopOp);
  }
  if (unrolled->mainLoopOp)
    fold(*unrolled->mainLoopOp);
  return success();
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
  // In a copy, a comparison of a number that grows may be constant.
  for (auto compares : loop.getBody()->getOps<arith::CmpIOp>())
    if (compares.getLhs() == loop.getInductionVar() &&
        !constantOf(compares.getRhs()))
      return Refusal{compares, "expected steps that are compared with "
                               "constants, but got another number"};
  if (failed(unroll(loop, steps)))
    return Refusal{loop, "expected a loop that can be unrolled, but got "
                         "another one"};
  return std::nullopt;
}
