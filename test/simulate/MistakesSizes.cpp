//===- MistakesSizes.cpp - Mistakes that only large sizes show ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correct at every size of a trial, and wrong at larger ones: loops that end
// early, steps that do not advance, and arithmetic with undefined results.
//
//===----------------------------------------------------------------------===//

#include "MistakeList.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::test;
using llvm::Twine;

static bool hasConstant(Value value) {
  return value.getDefiningOp<arith::ConstantOp>() != nullptr;
}

/// Another extent than those that bound the loop, and a number.
static Value otherSize(OpBuilder &builder, Operation *op, unsigned argument,
                       int64_t more) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  Value extent = kernel.getArgument(argument);
  return arith::AddIOp::create(builder, op->getLoc(), extent,
                               constantLike(builder, extent, more));
}

/// The first argument of the kernel that is an integer of 32 bits.
static std::optional<unsigned> firstExtent(Operation *op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (type.isInteger(32))
      return i;
  return std::nullopt;
}

/// Replaces operand `number` by min(itself, the result of `limit`).
static void limitOperand(Operation *op, unsigned number,
                         llvm::function_ref<Value(OpBuilder &)> limit) {
  OpBuilder builder(op);
  op->setOperand(number, arith::MinUIOp::create(builder, op->getLoc(),
                                                op->getOperand(number),
                                                limit(builder)));
}

/// A loop over steps or tiles that ends early.
static void listEnds(MistakeList &list) {
  auto loop = dyn_cast<scf::ForOp>(list.op);
  constexpr unsigned kEnd = 1;
  if (!loop || hasConstant(loop.getUpperBound()) ||
      !loop.getUpperBound().getType().isInteger(32))
    return;
  for (int64_t max : {40, 1000, 1 << 20})
    list.addWrong(Cause::clips, "ends", "at " + Twine(max),
                  [max](Operation *op) {
                    limitOperand(op, kEnd, [&](OpBuilder &builder) {
                      return constantLike(builder, op->getOperand(kEnd), max);
                    });
                  });
  for (int64_t mask : {63, 1023})
    list.addWrong(Cause::clips, "ends", "by the bits of " + Twine(mask),
                  [mask](Operation *op) {
                    OpBuilder builder(op);
                    Value end = op->getOperand(kEnd);
                    op->setOperand(kEnd, arith::AndIOp::create(
                                             builder, op->getLoc(), end,
                                             constantLike(builder, end, mask)));
                  });
  if (auto extent = firstExtent(loop))
    list.addWrong(Cause::clips, "ends", "where another size does",
                  [extent](Operation *op) {
                    limitOperand(op, kEnd, [&](OpBuilder &builder) {
                      return otherSize(builder, op, *extent, 5000);
                    });
                  });
}

/// A coordinate that stays the same from some step on, or an event that is
/// repeated in a loop that begins late.
static void listLoopSteps(MistakeList &list) {
  auto loop = list.op->getParentOfType<scf::ForOp>();
  if (!loop || hasConstant(loop.getUpperBound()))
    return;
  Value step = loop.getInductionVar();
  if (isa<arith::MulIOp>(list.op) && list.op->getOperand(0) == step)
    for (int64_t max : {50, 2000})
      list.addWrong(Cause::shares, "stands", "from step " + Twine(max),
                    [max](Operation *op) {
                      limitOperand(op, 0, [&](OpBuilder &builder) {
                        return constantLike(builder, op->getOperand(0), max);
                      });
                    });
  if (isa<ArriveOp>(list.op) && step.getType().isInteger(32))
    for (int64_t first : {60, 3000})
      list.addWrong(
          Cause::counts, "comes again", "from step " + Twine(first),
          [first](Operation *op) {
            OpBuilder builder(op);
            Value step = op->getParentOfType<scf::ForOp>().getInductionVar();
            auto again = scf::ForOp::create(
                builder, op->getLoc(), constantLike(builder, step, first), step,
                constantLike(builder, step, 1));
            builder.setInsertionPointToStart(again.getBody());
            builder.clone(*op);
          });
}

/// Shifts by more bits than there are.
static void listBoundShifts(MistakeList &list) {
  if (isa<arith::ShLIOp, arith::ShRUIOp>(list.op))
    list.addWrong(Cause::shares, "shift", "by 40 more",
                  [](Operation *op) { addToOperand(op, 1, 40); });
}

/// Sums that stay in the tensor cores, and registers with their values from
/// before a wait.
static void listSums(MistakeList &list) {
  if (auto mma = dyn_cast<MmaOp>(list.op); mma && mma.getApart())
    list.addWrong(Cause::clears, "sums", "are not apart",
                  [](Operation *op) { cast<MmaOp>(op).setApart(false); });
  auto slice = dyn_cast<SliceOp>(list.op);
  if (slice && slice.getAcc().getDefiningOp<MmaWaitOp>())
    list.addWrong(
        Cause::waits, "slice", "of before the wait", [](Operation *op) {
          auto result = cast<OpResult>(op->getOperand(0));
          Operation *wait = result.getOwner();
          op->setOperand(0, wait->getOperand(result.getResultNumber()));
        });
}

void hone::test::listSizes(MistakeList &list) {
  listEnds(list);
  listLoopSteps(list);
  listBoundShifts(list);
  listSums(list);
}
