//===- Loops.cpp - Questions of loops -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Loops.h.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "Origins.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

/// The minimum of `value`, for unsigned numbers that do not wrap around.
static uint64_t minOf(Value value) {
  if (auto number = constantOf(value))
    return *number;
  Operation *op = value.getDefiningOp();
  if (!op)
    return 0;
  auto of = [&](unsigned operand) { return minOf(op->getOperand(operand)); };
  if (isa<arith::MaxUIOp, arith::MaxSIOp>(op))
    return std::max(of(0), of(1));
  if (isa<arith::MinUIOp, arith::MinSIOp>(op))
    return std::min(of(0), of(1));
  if (isa<arith::AddIOp>(op))
    return of(0) + of(1);
  if (isa<arith::MulIOp>(op))
    return of(0) * of(1);
  if (isa<arith::SelectOp>(op))
    return std::min(of(1), of(2));
  if (isa<arith::CeilDivUIOp>(op))
    return of(0) > 0;
  return 0;
}

/// True for a loop with at least one step: by its constants, or because it
/// begins at a worker's first tile, and a launch need not have more workers
/// than tiles.
static bool cannotBePassed(scf::ForOp loop) {
  if (loop.getLowerBound().getDefiningOp<kernel::WorkerOp>())
    return true;
  auto first = constantOf(loop.getLowerBound());
  return first && *first < minOf(loop.getUpperBound());
}

/// Where workers share tiles, a worker without steps or lines of a tile has no
/// part of it. So a loop over a part is always entered.
static bool isOfPart(scf::ForOp loop) {
  bool isShared = false;
  loop->getParentOfType<gpu::GPUFuncOp>().walk(
      [&](kernel::CountAwaitOp) { isShared = true; });
  Origins bounds({loop.getLowerBound(), loop.getUpperBound()});
  return isShared && !bounds.arguments.empty();
}

std::optional<Question> simulate::questionOf(scf::ForOp loop,
                                             const Growing &growing) {
  SmallVector<Value, 3> bounds = {loop.getLowerBound(), loop.getUpperBound(),
                                  loop.getStep()};
  if (llvm::none_of(bounds, [&](Value v) { return growing.contains(v); }))
    return std::nullopt;
  Question question;
  question.isSigned = true;
  // The sharers of a tile's pieces may have one piece each, or several.
  constexpr uint64_t kMaxPieces = 64;
  auto pieces = constantOf(loop.getUpperBound());
  question.kind = Question::rounds;
  if (growing.contains(loop.getStep()) && (!pieces || *pieces > kMaxPieces))
    return question;
  question.kind = Question::trips;
  bool isPart = isOfPart(loop);
  question.needsSecond = !isPart && !cannotBePassed(loop);
  question.isOfStep = !isPart && isOfStep(ValueRange(bounds).take_front(2));
  return question;
}
