//===- Questions.cpp - What a kernel asks of its sizes --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Questions.h.
//
//===----------------------------------------------------------------------===//

#include "Questions.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

std::optional<bool> Question::answer(ArrayRef<uint64_t> values,
                                     unsigned width) const {
  auto isBelow = [&](uint64_t a, uint64_t b) {
    if (!isSigned || width >= 64)
      return isSigned ? int64_t(a) < int64_t(b) : a < b;
    return llvm::SignExtend64(a, width) < llvm::SignExtend64(b, width);
  };
  switch (kind) {
  case truth:
    return values[0] != 0;
  case reach:
    return values[operand] >= least ? std::optional(true) : std::nullopt;
  case trips:
    return isBelow(values[0], values[1]);
  case order:
    if (values[0] == values[1])
      return isSecondIfSame ? std::optional(false) : std::nullopt;
    return isBelow(values[0], values[1]);
  }
  llvm_unreachable("a kind of question");
}

std::string Question::str() const {
  constexpr StringRef kWhere = "at the sizes that prove a kernel";
  switch (kind) {
  case truth:
    return formatv("never {0} {1}", wantsFirst ? "holds" : "fails", kWhere);
  case trips:
    return formatv("is never {0} {1}", wantsFirst ? "entered" : "passed over",
                   kWhere);
  case order:
    return formatv("never has its first operand {0} the second {1}",
                   wantsFirst ? "below" : "above", kWhere);
  case reach:
    return formatv("makes a difference from {0} on, which no size that proves "
                   "a kernel gets to",
                   least);
  }
  llvm_unreachable("a kind of question");
}

//===----------------------------------------------------------------------===//
// What grows with sizes
//===----------------------------------------------------------------------===//

Growing::Growing(gpu::GPUFuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments())
    values.insert(argument);
  size_t before = 0;
  do {
    before = values.size();
    kernel.walk([&](Operation *op) { spread(op); });
  } while (values.size() != before);
}

void Growing::spread(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    bool isLong = contains(loop.getLowerBound()) ||
                  contains(loop.getUpperBound()) || contains(loop.getStep());
    if (isLong)
      values.insert(loop.getInductionVar());
    for (auto [init, argument, yielded, result] :
         llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                         loop.getYieldedValues(), loop.getResults()))
      if (isLong || contains(init) || contains(yielded)) {
        values.insert(argument);
        values.insert(result);
      }
    return;
  }
  bool grows = isa<kernel::WorkerOp, kernel::TileOp>(op) ||
               llvm::any_of(op->getOperands(),
                            [&](Value value) { return contains(value); });
  // What a branch gives.
  if (auto branch = dyn_cast<scf::IfOp>(op))
    for (mlir::Region *region : branch.getRegions())
      for (Block &block : *region)
        for (Value value : block.getTerminator()->getOperands())
          grows |= contains(value);
  if (grows)
    values.insert_range(op->getResults());
}

//===----------------------------------------------------------------------===//
// Whether a question is about a step
//===----------------------------------------------------------------------===//

std::optional<uint64_t> simulate::constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getZExtValue();
}

/// True for a loop over what is left behind one of whole rounds: its first step
/// is `end - end % u`, so that all of its steps are near the end.
static bool isOfRest(scf::ForOp loop) {
  Value end = loop.getUpperBound();
  Operation *first = loop.getLowerBound().getDefiningOp();
  if (auto difference = dyn_cast_or_null<arith::SubIOp>(first)) {
    Operation *rest = difference.getRhs().getDefiningOp();
    return difference.getLhs() == end &&
           isa_and_nonnull<arith::RemUIOp, arith::RemSIOp>(rest) &&
           rest->getOperand(0) == end && constantOf(rest->getOperand(1));
  }
  if (auto product = dyn_cast_or_null<arith::MulIOp>(first)) {
    Operation *rounds = product.getLhs().getDefiningOp();
    return isa_and_nonnull<arith::DivUIOp, arith::DivSIOp>(rounds) &&
           rounds->getOperand(0) == end &&
           constantOf(rounds->getOperand(1)) == constantOf(product.getRhs()) &&
           constantOf(product.getRhs());
  }
  return false;
}

namespace {
/// What values are computed from.
struct Origins {
  /// Loops that may go on: over steps or tiles.
  llvm::DenseSet<Operation *> loops;
  /// Arguments of the kernel.
  llvm::DenseSet<Value> arguments;

  explicit Origins(ValueRange from) {
    SmallVector<Value> values(from);
    llvm::DenseSet<Value> seen;
    while (!values.empty()) {
      Value value = values.pop_back_val();
      if (seen.insert(value).second)
        follow(value, values);
    }
  }

private:
  void follow(Value value, SmallVector<Value> &values) {
    Operation *from = value.getDefiningOp();
    if (auto loop = dyn_cast_or_null<scf::ForOp>(from)) {
      llvm::append_range(values, loop.getInitArgs());
      llvm::append_range(values, loop.getYieldedValues());
    } else if (auto branch = dyn_cast_or_null<scf::IfOp>(from)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      values.push_back(branch.getCondition());
      values.push_back(branch.thenYield().getOperand(number));
      values.push_back(branch.elseYield().getOperand(number));
    } else if (from) {
      llvm::append_range(values, from->getOperands());
    } else {
      followArgument(cast<BlockArgument>(value), values);
    }
  }

  void followArgument(BlockArgument value, SmallVector<Value> &values) {
    Operation *parent = value.getOwner()->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent))
      arguments.insert(value);
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (loop && !isOfRest(loop))
      loops.insert(loop);
    if (loop && value != loop.getInductionVar()) {
      values.push_back(loop.getTiedLoopInit(value)->get());
      values.push_back(loop.getTiedLoopYieldedValue(value)->get());
    }
  }
};
} // namespace

/// True if one side is a step, and the other has nothing to do with how many
/// there are: then any number of steps may come behind.
static bool isOfStep(ValueRange operands) {
  if (operands.size() != 2)
    return !Origins(operands).loops.empty();
  Origins sides[] = {Origins(operands[0]), Origins(operands[1])};
  if (sides[0].loops.empty() && sides[1].loops.empty())
    return false;
  if (!sides[0].loops.empty() && !sides[1].loops.empty())
    return llvm::any_of(
        operands, [](Value value) { return constantOf(value).has_value(); });
  const Origins &step = sides[sides[0].loops.empty()];
  const Origins &other = sides[!sides[0].loops.empty()];
  for (Operation *op : step.loops) {
    Origins bound(cast<scf::ForOp>(op).getUpperBound());
    if (llvm::any_of(other.arguments, [&](Value argument) {
          return bound.arguments.contains(argument);
        }))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What an op asks
//===----------------------------------------------------------------------===//

/// A loop's variable is below the end of the loop: that cannot fail.
static bool isInLoop(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  auto index = compare ? dyn_cast<BlockArgument>(compare.getLhs()) : nullptr;
  auto loop =
      index ? dyn_cast<scf::ForOp>(index.getOwner()->getParentOp()) : nullptr;
  using Predicate = arith::CmpIPredicate;
  return loop && index == loop.getInductionVar() &&
         compare.getRhs() == loop.getUpperBound() &&
         (compare.getPredicate() == Predicate::ult ||
          compare.getPredicate() == Predicate::slt);
}

static unsigned widthOf(Type type) {
  constexpr unsigned kIndex = 64;
  return type.isIndex() ? kIndex : type.getIntOrFloatBitWidth();
}

static Question reaching(unsigned operand, uint64_t least) {
  // Numbers below zero are above all that a size can be.
  constexpr uint64_t kMost = (uint64_t(1) << 31) - 1;
  Question question;
  question.kind = Question::reach;
  question.operand = operand;
  question.least = std::min(least, kMost);
  question.wantsSecond = false;
  return question;
}

static Question ordering(bool isSecondIfSame, bool isSigned) {
  Question question;
  question.kind = Question::order;
  question.isSecondIfSame = isSecondIfSame;
  question.isSigned = isSigned;
  return question;
}

/// The smaller or the larger of two. Nothing is below zero, and few sizes are
/// zero.
static Question ofLimits(Operation *op) {
  bool isMax = isa<arith::MaxUIOp, arith::MaxSIOp>(op);
  Question question = ordering(false, isa<arith::MinSIOp, arith::MaxSIOp>(op));
  for (unsigned i : {0u, 1u})
    if (auto number = constantOf(op->getOperand(i));
        isMax && number && *number <= 1)
      (i == 0 ? question.wantsSecond : question.wantsFirst) = false;
  return question;
}

/// Bits of one number by those of another. A bit that is turned, as a phase is,
/// asks nothing.
static std::optional<Question> ofBits(Operation *op) {
  for (unsigned i : {0u, 1u})
    if (auto number = constantOf(op->getOperand(i))) {
      if (*number <= 1 && !isa<arith::AndIOp>(op))
        return std::nullopt;
      return reaching(1 - i, *number + 1);
    }
  return ordering(false, false);
}

static Question ofQuotient(Operation *op) {
  bool roundsUp = isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op);
  if (auto number = constantOf(op->getOperand(1)))
    return reaching(0, *number + roundsUp);
  return ordering(!roundsUp,
                  isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp>(op));
}

/// Nothing is asked of how far constants are shifted to the left.
static std::optional<Question> ofShift(Operation *op) {
  constexpr uint64_t kMost = 63;
  unsigned width = widthOf(op->getResult(0).getType());
  auto by = constantOf(op->getOperand(1));
  if (!by)
    return reaching(1, width - 1);
  if (isa<arith::ShLIOp>(op))
    return std::nullopt;
  return reaching(0, uint64_t(1) << std::min(*by, kMost));
}

/// A loop with at least one step, however it is launched.
static bool cannotBePassed(scf::ForOp loop) {
  auto first = constantOf(loop.getLowerBound());
  if (!first)
    return false;
  if (auto end = constantOf(loop.getUpperBound()))
    return *first < *end;
  Operation *end = loop.getUpperBound().getDefiningOp();
  return isa_and_nonnull<arith::MaxUIOp, arith::MaxSIOp>(end) &&
         llvm::any_of(end->getOperands(), [&](Value value) {
           auto least = constantOf(value);
           return least && *first < *least;
         });
}

static std::optional<Question> ofLoop(scf::ForOp loop, const Growing &growing) {
  SmallVector<Value, 3> bounds = {loop.getLowerBound(), loop.getUpperBound(),
                                  loop.getStep()};
  if (llvm::none_of(bounds, [&](Value v) { return growing.contains(v); }))
    return std::nullopt;
  Question question;
  question.kind = Question::trips;
  question.isSigned = true;
  question.wantsSecond = !cannotBePassed(loop);
  question.isOfStep = isOfStep(ValueRange(bounds).take_front(2));
  return question;
}

static std::optional<Question> ofInteger(Operation *op) {
  Type type = op->getResult(0).getType();
  if (isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
      !type.isInteger(1)) {
    unsigned width = widthOf(type);
    return width < 32 ? std::optional(reaching(0, uint64_t(1) << width))
                      : std::nullopt;
  }
  if (type.isInteger(1))
    return Question();
  if (isa<arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(op))
    return ofLimits(op);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return ofBits(op);
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
          arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    return ofQuotient(op);
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
    return ofShift(op);
  return std::nullopt;
}

std::optional<Question> simulate::questionOf(Operation *op,
                                             const Growing &growing) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return ofLoop(loop, growing);
  if (op->getNumResults() != 1 || !growing.contains(op->getResult(0)) ||
      isInLoop(op))
    return std::nullopt;
  std::optional<Question> question = ofInteger(op);
  if (question && question->kind == Question::reach)
    question->isOfStep =
        !Origins(op->getOperand(question->operand)).loops.empty();
  else if (question)
    question->isOfStep = isOfStep(op->getOperands());
  return question;
}
