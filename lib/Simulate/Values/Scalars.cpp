//===- Scalars.cpp - Math of epilogues ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops by their rows (hone/Arithmetic/ScalarOps.h).
//
//===----------------------------------------------------------------------===//

#include "../Program.h"
#include "Elements.h"
#include "ScalarSteps.h"
#include "dialects/Hone/Hone.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool simulate::compareFloats(arith::CmpFPredicate predicate, double a,
                             double b) {
  using P = arith::CmpFPredicate;
  // Bits: equal, greater, less, unordered. Up to ORD, the predicates' numbers
  // are these bits; from UEQ on, they are the numbers minus one.
  auto bits = unsigned(predicate);
  if (predicate == P::UNO)
    bits = 8;
  else if (predicate >= P::UEQ && predicate != P::AlwaysTrue)
    bits += 1;
  unsigned is = std::isnan(a) || std::isnan(b) ? 8 : a == b ? 1 : a > b ? 2 : 4;
  return bits & is;
}

static bool isWhole(Type type) { return type.isInteger(); }

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static ScalarRegion::Step::Kind kindOf(const ScalarOp &op) {
  using Step = ScalarRegion::Step;
  switch (op.form) {
  case ScalarOp::selection:
    return Step::select;
  case ScalarOp::comparison:
    return op.ofIntegers ? Step::wholes : Step::compare;
  case ScalarOp::toInteger:
    return Step::toWhole;
  case ScalarOp::toFloat:
    return Step::toReal;
  case ScalarOp::plain:
  case ScalarOp::widening:
  case ScalarOp::narrowing:
  case ScalarOp::reinterpretation:
    break;
  }
  return op.ofIntegers ? Step::wholes : Step::reals;
}

/// The properties that are the same in each evaluation.
static ScalarRegion::Step stepOf(ScalarRegion::Step::Kind kind, Type type) {
  ScalarRegion::Step step{kind};
  step.isWhole = isWhole(type);
  if (step.isWhole)
    step.width = type.getIntOrFloatBitWidth();
  else
    step.type = toElement(type);
  return step;
}

/// A truth value is 0 or 1; other integers are signed.
static ScalarRegion::Step stepOf(arith::ConstantOp op) {
  ScalarRegion::Step step = stepOf(ScalarRegion::Step::constant, op.getType());
  if (!step.isWhole) {
    step.real = cast<FloatAttr>(op.getValue()).getValueAsDouble();
    return step;
  }
  APInt value = cast<IntegerAttr>(op.getValue()).getValue();
  step.whole = step.width == 1 ? value.getZExtValue() : value.getSExtValue();
  return step;
}

/// An op that is not modelled is a finding; its value is a NaN.
static ScalarRegion::Step stepOf(Operation *op) {
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  ScalarRegion::Step step =
      stepOf(row ? kindOf(*row) : ScalarRegion::Step::constant,
             op->getResult(0).getType());
  if (!row)
    step.real = NAN;
  step.op = op;
  step.row = row;
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    step.whole = int64_t(compare.getPredicate());
  return step;
}

ScalarRegion::ScalarRegion(Block &block) {
  llvm::SmallDenseMap<Value, unsigned, 16> numbers;
  auto add = [&](Value value, Step step) {
    numbers[value] = steps.size();
    steps.push_back(std::move(step));
  };
  auto numberOf = [&](Value value) {
    // A constant may have been moved out of the region.
    if (!numbers.count(value))
      add(value, stepOf(cast<arith::ConstantOp>(value.getDefiningOp())));
    return numbers[value];
  };
  for (Value argument : block.getArguments())
    add(argument, stepOf(Step::argument, argument.getType()));
  for (Operation &op : block.without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    Step step = stepOf(&op);
    for (Value operand : op.getOperands())
      step.operands.push_back(numberOf(operand));
    add(op.getResult(0), std::move(step));
  }
  last = numberOf(block.getTerminator()->getOperand(0));
}

ScalarRegion::~ScalarRegion() = default;

//===----------------------------------------------------------------------===//
// In f32
//===----------------------------------------------------------------------===//

namespace {
/// A value of a region: a float, or an integer with its sign.
struct Held {
  float real = 0;
  int64_t whole = 0;
};
} // namespace

int64_t simulate::evaluateWhole(const ScalarRegion::Step &step,
                                ArrayRef<int64_t> x) {
  SmallVector<uint64_t, 3> operands;
  for (auto [value, type] : llvm::zip_equal(x, step.op->getOperandTypes()))
    operands.push_back(uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(
                                             type.getIntOrFloatBitWidth()));
  // No op in an epilogue divides.
  uint64_t bits = evaluateInteger(step.op, operands).value_or(0);
  return step.width == 1 ? bits & 1 : llvm::SignExtend64(bits, step.width);
}

int64_t simulate::toWhole(double value, unsigned width) {
  double limit = std::ldexp(1, width - 1);
  double whole = std::isnan(value) ? 0 : std::trunc(value);
  if (whole >= limit)
    return int64_t(~(uint64_t(1) << 63) >> (64 - width));
  return int64_t(std::max(whole, -limit));
}

static Held evaluateHeld(const ScalarRegion::Step &step, ArrayRef<Held> x) {
  using Step = ScalarRegion::Step;
  switch (step.kind) {
  case Step::select:
    return x[0].whole ? x[1] : x[2];
  case Step::compare:
    return {0, compareFloats(arith::CmpFPredicate(step.whole), x[0].real,
                             x[1].real)};
  case Step::toWhole:
    return {0, toWhole(x[0].real, step.width)};
  case Step::toReal:
    return {float(rounded(step.type, float(x[0].whole))), 0};
  case Step::wholes:
    return {0, evaluateWhole(step, llvm::map_to_vector(x, [](const Held &held) {
                               return held.whole;
                             }))};
  default:
    llvm_unreachable("floats are evaluated together");
  }
}

/// Ops on shorter floats round to their type, which may overflow.
static void evaluateReals(const ScalarRegion::Step &step,
                          ArrayRef<const Held *> x,
                          MutableArrayRef<Held> results) {
  SmallVector<float, 3> values(x.size());
  for (size_t at = 0; at < results.size(); ++at) {
    for (size_t i = 0; i < x.size(); ++i)
      values[i] = x[i][at].real;
    results[at] = {step.row->inFloat(values.data()), 0};
  }
  if (step.type != ElementType::f32)
    for (Held &result : results)
      result.real = float(rounded(step.type, result.real));
}

std::vector<double> ScalarRegion::inFloat(
    size_t count, llvm::function_ref<double(size_t, size_t)> arguments) const {
  auto argument = [&](size_t i, size_t element) -> Held {
    double value = arguments(i, element);
    return steps[i].isWhole ? Held{0, int64_t(value)} : Held{float(value), 0};
  };
  auto constant = [](const Step &step) -> Held {
    return {float(step.real), step.whole};
  };
  auto evaluate = [](const Step &step, ArrayRef<const Held *> x,
                     MutableArrayRef<Held> results) {
    if (step.kind == Step::reals)
      return evaluateReals(step, x, results);
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = evaluateHeld(step, operandsAt(x, i));
  };
  std::vector<Held> held =
      walkSteps<Held>(steps, last, count, argument, constant, evaluate);
  std::vector<double> results(count);
  for (size_t i = 0; i < count; ++i)
    results[i] = steps[last].isWhole ? double(held[i].whole) : held[i].real;
  return results;
}

double ScalarRegion::inFloat(ArrayRef<double> arguments) const {
  return inFloat(1, [&](size_t i, size_t) { return arguments[i]; }).front();
}
