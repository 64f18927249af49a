//===- MistakesOrders.cpp - Other orders of additions ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of the same products in another order: for some blocks, for some sizes,
// or for all. The values are right, so these are mistakes only where numbers
// are invariant.
//
//===----------------------------------------------------------------------===//

#include "MistakeList.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::test;
using llvm::Twine;

namespace {
/// A coordinate of K in a loop over steps: the product of a step's number and
/// the step's extent.
struct StepCoordinate {
  scf::ForOp loop;
  Value number;
  int64_t ahead = 0; ///< steps after the loop's own

  static std::optional<StepCoordinate> of(Operation *op);
  /// The first and last number of the loop.
  Value first(OpBuilder &builder) const;
  Value last(OpBuilder &builder) const;
};
} // namespace

static std::optional<int64_t> constantOf(Value value) {
  IntegerAttr number;
  if (auto op = value.getDefiningOp<arith::ConstantOp>())
    number = dyn_cast<IntegerAttr>(op.getValue());
  return number ? std::optional(number.getInt()) : std::nullopt;
}

std::optional<StepCoordinate> StepCoordinate::of(Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  if (!isa<arith::MulIOp>(op) || !loop || constantOf(loop.getUpperBound()) ||
      !op->getResult(0).getType().isInteger(32))
    return std::nullopt;
  StepCoordinate found{loop, op->getOperand(0)};
  if (found.number == loop.getInductionVar())
    return found;
  auto sum = found.number.getDefiningOp<arith::AddIOp>();
  auto ahead = sum ? constantOf(sum.getRhs()) : std::nullopt;
  if (!ahead || sum.getLhs() != loop.getInductionVar())
    return std::nullopt;
  found.ahead = *ahead;
  return found;
}

Value StepCoordinate::first(OpBuilder &builder) const {
  return arith::AddIOp::create(builder, number.getLoc(),
                               scf::ForOp(loop).getLowerBound(),
                               constantLike(builder, number, ahead));
}

Value StepCoordinate::last(OpBuilder &builder) const {
  return arith::SubIOp::create(builder, number.getLoc(),
                               scf::ForOp(loop).getUpperBound(),
                               constantLike(builder, number, 1));
}

/// The loop's steps from the last to the first.
static Value turned(OpBuilder &builder, const StepCoordinate &at) {
  Value sum = arith::AddIOp::create(builder, at.number.getLoc(),
                                    at.first(builder), at.last(builder));
  return arith::SubIOp::create(builder, at.number.getLoc(), sum, at.number);
}

/// The third and the fourth step of the loop, exchanged where both exist. The
/// first two would give the same sum: additions commute.
static Value exchanged(OpBuilder &builder, const StepCoordinate &at) {
  Location loc = at.number.getLoc();
  Value one = constantLike(builder, at.number, 1);
  Value third = arith::AddIOp::create(builder, loc, at.first(builder),
                                      constantLike(builder, at.number, 2));
  Value fourth = arith::AddIOp::create(builder, loc, third, one);
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b).getResult();
  };
  auto select = [&](Value when, Value value, Value otherwise) {
    return arith::SelectOp::create(builder, loc, when, value, otherwise)
        .getResult();
  };
  Value isThird = compare(arith::CmpIPredicate::eq, at.number, third);
  Value isFourth = compare(arith::CmpIPredicate::eq, at.number, fourth);
  Value exist = compare(arith::CmpIPredicate::ule, fourth, at.last(builder));
  Value other = select(isThird, fourth, select(isFourth, third, at.number));
  return select(exist, other, at.number);
}

using Reorder = Value (*)(OpBuilder &, const StepCoordinate &);
using Where = llvm::function_ref<Value(OpBuilder &, Operation *)>;

/// Steps in another order where a condition holds.
static void reorder(Operation *op, Reorder order, Where where) {
  OpBuilder builder(op);
  StepCoordinate at = *StepCoordinate::of(op);
  Value other = order(builder, at);
  op->setOperand(0,
                 arith::SelectOp::create(builder, op->getLoc(),
                                         where(builder, op), other, at.number));
}

static Value isSet(OpBuilder &builder, Value number, int64_t bit) {
  Location loc = number.getLoc();
  Value bits = arith::AndIOp::create(builder, loc, number,
                                     constantLike(builder, number, bit));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bits,
                               constantLike(builder, number, 0));
}

/// The row of the tile that is computed.
static Value tileRow(Operation *op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  DominanceInfo dominance(kernel);
  Value row;
  kernel.walk([&](TileOp tile) {
    if (dominance.properlyDominates(tile, op))
      row = tile.getTileM();
  });
  return row;
}

static Value always(OpBuilder &builder, Operation *op) {
  return arith::ConstantOp::create(builder, op->getLoc(),
                                   builder.getBoolAttr(true));
}

static Value inOddRows(OpBuilder &builder, Operation *op) {
  return isSet(builder, tileRow(op), 1);
}

static Value extentOf(Operation *op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  for (Value argument : kernel.getArguments())
    if (argument.getType().isInteger(32))
      return argument;
  return nullptr;
}

static Value atSomeSizes(OpBuilder &builder, Operation *op) {
  return isSet(builder, extentOf(op), 16);
}

/// Sizes that no trial has.
static Value atLargeSizes(OpBuilder &builder, Operation *op) {
  Value extent = extentOf(op);
  return arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::ugt,
                               extent, constantLike(builder, extent, 50'000));
}

/// Steps of K.
static void listStepOrders(MistakeList &list) {
  if (!StepCoordinate::of(list.op) || !extentOf(list.op) || !tileRow(list.op))
    return;
  struct Named {
    const char *name;
    Reorder order;
  };
  struct Place {
    const char *name;
    Value (*where)(OpBuilder &, Operation *);
  };
  for (Named order : {Named{"turned", turned}, Named{"exchanged", exchanged}})
    for (Place place :
         {Place{"everywhere", always}, Place{"in odd rows of tiles", inOddRows},
          Place{"at some sizes", atSomeSizes},
          Place{"at large sizes", atLargeSizes}}) {
      list.addWrong(Cause::orders, order.name, place.name,
                    [order, place](Operation *op) {
                      reorder(op, order.order, place.where);
                    });
    }
}

/// Instructions of a step: two that follow each other in one sum.
static void listInstructionOrders(MistakeList &list) {
  if (auto mma = dyn_cast<MmaAsyncOp>(list.op)) {
    auto before = mma.getAcc().getDefiningOp<MmaAsyncOp>();
    if (before && before.getStep() != mma.getStep())
      list.addWrong(Cause::orders, "instructions", "exchanged",
                    [](Operation *op) {
                      auto mma = cast<MmaAsyncOp>(op);
                      auto before = mma.getAcc().getDefiningOp<MmaAsyncOp>();
                      uint32_t step = mma.getStep();
                      mma.setStep(before.getStep());
                      before.setStep(step);
                    });
  }
  auto mma = dyn_cast<MmaOp>(list.op);
  auto before = mma ? mma.getAcc().getDefiningOp<MmaOp>() : MmaOp();
  if (before && before.getA() != mma.getA())
    list.addWrong(Cause::orders, "instructions", "exchanged",
                  [](Operation *op) {
                    auto mma = cast<MmaOp>(op);
                    auto before = mma.getAcc().getDefiningOp<MmaOp>();
                    for (unsigned factor : {0, 1}) {
                      Value value = mma->getOperand(factor);
                      mma->setOperand(factor, before->getOperand(factor));
                      before->setOperand(factor, value);
                    }
                  });
}

void hone::test::listOrders(MistakeList &list) {
  listStepOrders(list);
  listInstructionOrders(list);
}
