//===- Questions.cpp - Questions about a kernel's sizes -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Questions.h.
//
//===----------------------------------------------------------------------===//

#include "Questions.h"
#include "Carries.h"
#include "Degrees.h"
#include "Edges.h"
#include "Loops.h"
#include "Origins.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

//===----------------------------------------------------------------------===//
// Questions of an op
//===----------------------------------------------------------------------===//

/// True for a comparison of a loop's variable with the loop's end, which cannot
/// fail.
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

/// Whether an operand reaches `min`, and was below it before.
static Question reaching(unsigned operand, uint64_t min) {
  Question question;
  question.kind = Question::reach;
  question.operand = operand;
  question.min = min;
  question.needsSecond = min > 1;
  return question;
}

static Question unanswerable() {
  Question question;
  question.kind = Question::unanswerable;
  return question;
}

static Question ordering(unsigned slack, bool isSigned) {
  Question question;
  question.kind = Question::order;
  question.slack = slack;
  question.isSigned = isSigned;
  return question;
}

/// True for min(share * ceil(x / 4), x): the start of one of four shares of x.
static bool startsShare(Operation *op, const Growing &growing) {
  auto product = op->getOperand(0).getDefiningOp<arith::MulIOp>();
  if (!isa<arith::MinUIOp>(op) || !product)
    return false;
  auto isShare = [&](Value number, Value share) {
    auto each = share.getDefiningOp<arith::CeilDivUIOp>();
    return each && each.getLhs() == op->getOperand(1) &&
           constantOf(each.getRhs()) && !growing.contains(number);
  };
  return isShare(product.getLhs(), product.getRhs()) ||
         isShare(product.getRhs(), product.getLhs());
}

/// True for a value that is never below zero and is zero only at the smallest
/// sizes: no difference, but sums, products and quotients of arguments.
static bool isPlain(Value value) {
  if (constantOf(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<gpu::GPUFuncOp>(value.getParentBlock()->getParentOp());
  if (isa<kernel::WorkerOp>(op))
    return true;
  return isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::CeilDivUIOp,
             arith::ExtUIOp, arith::MinUIOp, arith::MaxUIOp>(op) &&
         llvm::all_of(op->getOperands(), isPlain);
}

/// The maximum factor of tiles, parts and slots. Trials have sizes that are
/// larger than this multiple of another size.
constexpr uint64_t kMaxFactor = 16;

/// True for a value that no trial has to find below zero or one: few sizes are
/// zero. A difference of sizes may be zero or negative, unless it is a rest of
/// the first one.
static bool isRarelyZero(Value value) {
  if (isPlain(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::SubIOp>(op))
    return isa_and_nonnull<arith::MinUIOp>(op->getOperand(1).getDefiningOp());
  return factorOf(value) <= kMaxFactor;
}

/// True for min(x - 1, 1) in a loop from 1 to x: where x is 1 there is no such
/// step.
static bool isPastInLoop(Operation *op, Value value, uint64_t number) {
  auto less = value.getDefiningOp<arith::SubIOp>();
  if (!less || constantOf(less.getRhs()) != 1)
    return false;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (auto first = constantOf(loop.getLowerBound());
        first && loop.getUpperBound() == less.getLhs() && *first >= number &&
        *first <= uint64_t(std::numeric_limits<int32_t>::max()))
      return true;
  return false;
}

/// True for a quotient or a remainder of a multiple of the divisor: the quotient
/// is a product, and the remainder is zero at every size.
static bool dividesMultiple(Operation *op) {
  if (!isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
           arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    return false;
  auto number = constantOf(op->getOperand(1));
  return number && isMultipleOf(op->getOperand(0), *number);
}

/// True for a number that never changes: it is the remainder of a multiple, has
/// passed its limit in its loop, or its loop has at most one round.
static bool hasOneResult(Operation *op) {
  if (op->getNumOperands() != 2)
    return false;
  if (isa<arith::RemUIOp, arith::RemSIOp>(op) && dividesMultiple(op))
    return true;
  return llvm::any_of(ArrayRef<unsigned>{0, 1}, [&](unsigned i) {
    auto number = constantOf(op->getOperand(i));
    Value other = op->getOperand(1 - i);
    return number && (constantOf(beforeOnlyRound(other)) ||
                      (isa<arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp,
                           arith::MaxSIOp>(op) &&
                       isPastInLoop(op, other, *number)));
  });
}

/// The question of a minimum or a maximum.
static std::optional<Question> ofLimits(Operation *op, const Growing &growing) {
  if (startsShare(op, growing))
    return std::nullopt;
  bool isMax = isa<arith::MaxUIOp, arith::MaxSIOp>(op);
  Question question =
      ordering(areOfOneArgument(op->getOperand(0), op->getOperand(1)),
               isa<arith::MinSIOp, arith::MaxSIOp>(op));
  for (unsigned i : {0u, 1u})
    if (auto number = constantOf(op->getOperand(i));
        number && isPastInLoop(op, op->getOperand(1 - i), *number))
      (i == 0 ? question.needsSecond : question.needsFirst) = false;
    else if (isMax && number && *number <= 1 &&
             isRarelyZero(op->getOperand(1 - i)))
      (i == 0 ? question.needsSecond : question.needsFirst) = false;
  return question;
}

/// True for a number that is 0 or 1.
static bool isBit(Value value) {
  if (auto number = constantOf(value))
    return *number <= 1;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::ExtUIOp>(op))
    return op->getOperand(0).getType().isInteger(1);
  if (isa<arith::AndIOp>(op))
    return llvm::any_of(op->getOperands(), isBit);
  return isa<arith::XOrIOp, arith::OrIOp>(op) &&
         llvm::all_of(op->getOperands(), isBit);
}

/// The question of a bit operation on two numbers. A toggled bit, like a phase,
/// has no question.
static std::optional<Question> ofBits(Operation *op) {
  for (unsigned i : {0u, 1u})
    if (auto number = constantOf(op->getOperand(i))) {
      if (*number <= 1 && !isa<arith::AndIOp>(op))
        return std::nullopt;
      return reaching(1 - i, *number + 1);
    }
  if (llvm::any_of(op->getOperands(), isBit))
    return std::nullopt;
  return unanswerable();
}

/// The question of `x` divided by a number: x reaches the size of a whole
/// round, where quotients and remainders repeat, and `more`.
static Question dividing(Value x, uint64_t number, unsigned more) {
  uint64_t factor = factorOf(x);
  bool isWhole = number % factor == 0 || factor % number == 0;
  uint64_t round = isWhole ? number : llvm::SaturatingMultiply(factor, number);
  Question question = reaching(0, round + more);
  question.needsSecond &= !isPlain(x);
  return question;
}

/// A number below a size has to reach its end, and the first number of the next
/// round if there are several. The quotients of workers are covered by other
/// questions, since trials use as many workers as the launch allows.
static std::optional<Question> ofQuotient(Operation *op) {
  constexpr unsigned kToTheEnd = 2;
  bool roundsUp = isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op);
  if (dividesMultiple(op))
    return std::nullopt;
  if (auto number = constantOf(op->getOperand(1)); number && *number)
    return dividing(op->getOperand(0), *number, roundsUp);
  if (factorOf(op->getOperand(1)) > kMaxFactor)
    return unanswerable();
  if (isOfWorkers(op->getOperand(0)) && isOfWorkers(op->getOperand(1)))
    return std::nullopt;
  Question question = ordering(
      kToTheEnd, isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp>(op));
  question.needsFirst = constantOf(op->getOperand(0)) ||
                        !Origins(op->getOperand(1)).loops.empty();
  return question;
}

/// Shifts to the left by a constant have no question.
static std::optional<Question> ofShift(Operation *op) {
  constexpr uint64_t kMax = 63;
  unsigned width = widthOf(op->getResult(0).getType());
  auto by = constantOf(op->getOperand(1));
  if (!by)
    return reaching(1, width - 1);
  if (isa<arith::ShLIOp>(op))
    return std::nullopt;
  return dividing(op->getOperand(0), uint64_t(1) << std::min(*by, kMax), 0);
}

/// The question of a size plus or minus a constant, which may be below zero:
/// then later ops compute other results than for larger sizes. A sum that is
/// used as a coordinate only has no question.
static std::optional<Question> ofSum(Operation *op) {
  if (llvm::none_of(op->getUsers(), [](Operation *user) {
        return isa<arith::ArithDialect, scf::SCFDialect>(user->getDialect());
      }))
    return std::nullopt;
  unsigned width = widthOf(op->getResult(0).getType());
  for (unsigned i : {0u, 1u})
    if (auto number = constantOf(op->getOperand(i))) {
      if (constantOf(beforeOnlyRound(op->getOperand(1 - i))))
        return std::nullopt;
      int64_t value =
          width < 64 ? llvm::SignExtend64(*number, width) : int64_t(*number);
      return reaching(1 - i, value < 0 ? -uint64_t(value) : uint64_t(value));
    }
  return std::nullopt;
}

/// True for a product of two numbers of one loop or argument: a polynomial,
/// which may be correct at every size that is tried, and wrong elsewhere. The
/// shares of workers are such products by design: for those the degree is
/// bounded.
static bool isPolynomial(Operation *op, const Growing &growing) {
  if (!isa<arith::MulIOp>(op) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value value) { return growing.contains(value); }))
    return false;
  // Numbers below a size have questions of their own.
  auto isNumbered = [&](Value value) {
    Operation *from = value.getDefiningOp();
    while (isa_and_nonnull<arith::ExtUIOp>(from))
      from = from->getOperand(0).getDefiningOp();
    return isa_and_nonnull<arith::DivUIOp, arith::RemUIOp>(from) &&
           growing.contains(from->getOperand(1));
  };
  if (llvm::any_of(op->getOperands(), isNumbered))
    return false;
  Origins a(op->getOperand(0)), b(op->getOperand(1));
  if (llvm::any_of(a.loops,
                   [&](Operation *loop) { return b.loops.contains(loop); }))
    return true;
  return llvm::any_of(a.arguments, [&](Value argument) {
    return b.arguments.contains(argument) && !isOfWorkers(op->getResult(0));
  });
}

/// True for a comparison or a difference of numbers of different arguments,
/// such as m and n: a kernel that behaves differently where they are equal
/// would have to be tried with every number of tiles.
static bool comparesSizes(Operation *op) {
  if (!isa<arith::CmpIOp, arith::SubIOp, arith::MinUIOp, arith::MinSIOp,
           arith::MaxUIOp, arith::MaxSIOp>(op))
    return false;
  Origins a(op->getOperand(0)), b(op->getOperand(1));
  auto isOfSizes = [](const Origins &of) {
    return of.loops.empty() && !of.arguments.empty() &&
           llvm::all_of(of.arguments, [](Value argument) {
             return isa<BlockArgument>(argument);
           });
  };
  return isOfSizes(a) && isOfSizes(b) &&
         llvm::none_of(a.arguments, [&](Value argument) {
           return b.arguments.contains(argument);
         });
}

static std::optional<Question> ofInteger(Operation *op,
                                         const Growing &growing) {
  if (comparesSizes(op))
    return unanswerable();
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
    return ofLimits(op, growing);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return ofBits(op);
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
          arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    return ofQuotient(op);
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
    return ofShift(op);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return ofSum(op);
  if (isPolynomial(op, growing))
    return unanswerable();
  return std::nullopt;
}

/// True if `loop` adds up numbers of a high degree, or doubles a number.
static bool carriesTooMuch(scf::ForOp loop, Degrees &degrees) {
  return llvm::any_of(loop.getRegionIterArgs(), [&](Value value) {
    return value.getType().isIntOrIndex() && degrees.isTooHigh(value);
  });
}

/// The question of a number, and whether it is about a step.
static std::optional<Question> ofOne(Operation *op, const Growing &growing) {
  std::optional<Question> question = ofInteger(op, growing);
  // All rounds after the first are alike.
  constexpr uint64_t kRounds = 2;
  if (question && question->kind == Question::reach)
    question->isOfStep =
        question->min > kRounds && !isa<arith::AddIOp, arith::SubIOp>(op) &&
        !Origins(op->getOperand(question->operand)).loops.empty();
  else if (question)
    question->isOfStep =
        isOfStep(op->getOperands()) &&
        !(question->kind == Question::order && question->slack);
  return question;
}

SmallVector<Question, 1>
simulate::questionsOf(Operation *op, const Growing &growing, Degrees &degrees) {
  SmallVector<Question, 1> questions;
  auto add = [&](std::optional<Question> question) {
    if (question)
      questions.push_back(*question);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    add(carriesTooMuch(loop, degrees) ? unanswerable()
                                      : questionOf(loop, growing));
    return questions;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (growing.contains(branch.getCondition()))
      add(Question());
    return questions;
  }
  if (op->getNumResults() != 1 || !growing.contains(op->getResult(0)) ||
      isInLoop(op))
    return questions;
  bool isTooHigh =
      isa<arith::MulIOp>(op) && degrees.isTooHigh(op->getResult(0));
  add(isTooHigh ? unanswerable() : ofOne(op, growing));
  add(edgeOf(op));
  addCarries(op, growing, questions);
  if (!op->getResult(0).getType().isInteger(1) && !hasOneResult(op)) {
    Question question;
    question.kind = Question::change;
    question.needsFirst = false;
    add(question);
  }
  return questions;
}
