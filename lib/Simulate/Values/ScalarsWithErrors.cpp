//===- ScalarsWithErrors.cpp - Epilogues in f64 with error bounds ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each value is in f64, with a bound of its error (ErrorBound.h).
//
//===----------------------------------------------------------------------===//

#include "ScalarSteps.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "hone/Numerics/ErrorBound.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

using Number = Inexact<double>;

/// Any op: evaluated at its operands, and slightly above and below each
/// operand.
static Number evaluateFunction(const ScalarRegion::Step &step,
                               ArrayRef<Number> operands) {
  SmallVector<double, 3> values;
  for (const Number &operand : operands)
    values.push_back(operand.value);
  constexpr double kUnit = 0x1p-24;
  double value = step.row->inDouble(values.data()), error = 0, errors = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Number &operand = operands[i];
    double reach = operand.error;
    if (step.row->isApproximated() && std::isfinite(operand.value))
      reach += kArgumentUnits * kUnit * std::abs(operand.value);
    auto at = [&](double place) {
      SmallVector<double, 3> moved(values);
      moved[i] = place;
      return step.row->inDouble(moved.data());
    };
    if (reach != 0)
      error += spread(value, at(operand.value + kDeviations * reach),
                      at(operand.value - kDeviations * reach));
    errors += operand.error;
  }
  if (step.row->isApproximated())
    error += kFunctionUnits * kUnit * std::abs(value);
  if (step.row->error == ScalarOp::Error::approximatedNearZero)
    error += kFunctionUnits * kUnit;
  return settle<double>({value, error}, errors);
}

namespace {
/// A value of a region: a float with its error, or an integer and the bound of
/// its error.
struct Doubted {
  Number real = {0, 0};
  int64_t whole = 0;
  double doubt = 0;
};
} // namespace

/// The error of a condition is its doubt.
static Doubted evaluateSelect(ArrayRef<Doubted> x) {
  Doubted chosen = x[0].whole ? x[1] : x[2];
  if (x[0].doubt == 0)
    return chosen;
  const Number &a = x[1].real, &b = x[2].real;
  if (a.value != b.value)
    chosen.real.error =
        std::max(a.error, b.error) + std::abs(a.value - b.value);
  if (x[1].whole != x[2].whole)
    chosen.doubt = std::max(x[1].doubt, x[2].doubt) +
                   std::abs(double(x[1].whole) - double(x[2].whole));
  return chosen;
}

/// Truncates the value; the result is unknown where it may exceed the type's
/// range.
static Doubted evaluateToWhole(const Number &x, unsigned width) {
  double limit = std::ldexp(1, width - 1);
  double reach = kDeviations * x.error;
  double above = std::trunc(x.value + reach);
  double below = std::trunc(x.value - reach);
  Doubted result = {{0, 0}, toWhole(x.value, width), 0};
  bool isInside = below >= -limit && above < limit;
  result.doubt = isInside ? spread(std::trunc(x.value), above, below)
                          : std::numeric_limits<double>::infinity();
  return result;
}

/// An op on integers alone: evaluated at its operands, and slightly above and
/// below.
static Doubted evaluateWholes(const ScalarRegion::Step &step,
                              ArrayRef<Doubted> x) {
  auto wholes = llvm::map_to_vector(
      x, [](const Doubted &operand) { return operand.whole; });
  Doubted result = {{0, 0}, evaluateWhole(step, wholes), 0};
  for (size_t i = 0; i < x.size(); ++i) {
    const Doubted &operand = x[i];
    constexpr double kMax = 0x1p40;
    if (operand.doubt == 0)
      continue;
    if (!(operand.doubt < kMax)) {
      result.doubt = std::numeric_limits<double>::infinity();
      return result;
    }
    auto at = [&](int64_t place) {
      auto moved = wholes;
      moved[i] = place;
      return double(evaluateWhole(step, moved));
    };
    auto reach = int64_t(std::ceil(kDeviations * operand.doubt));
    result.doubt += spread(double(result.whole), at(operand.whole + reach),
                           at(operand.whole - reach));
  }
  return result;
}

static Number evaluateReal(const ScalarRegion::Step &step, ArrayRef<Number> x) {
  if (step.row->error == ScalarOp::Error::operand)
    return {step.row->inDouble(&x[0].value), x[0].error};
  if (step.row->hasFormula())
    return settle(applyFormula(*step.row, x[0], x[1]), x[0].error + x[1].error);
  return evaluateFunction(step, x);
}

static Doubted evaluateDoubted(const ScalarRegion::Step &step,
                               ArrayRef<Doubted> x) {
  using Step = ScalarRegion::Step;
  Number result;
  switch (step.kind) {
  case Step::select:
    return evaluateSelect(x);
  case Step::compare: {
    const Number &a = x[0].real, &b = x[1].real;
    bool is = compareFloats(arith::CmpFPredicate(step.whole), a.value, b.value);
    return {{0, 0}, is, mayBeSwapped(a, b) ? 1.0 : 0.0};
  }
  case Step::toWhole:
    return evaluateToWhole(x[0].real, step.width);
  case Step::wholes:
    return evaluateWholes(step, x);
  case Step::toReal:
    result = {double(x[0].whole), x[0].doubt};
    break;
  default:
    SmallVector<Number, 3> reals(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      reals[i] = x[i].real;
    result = evaluateReal(step, reals);
  }
  return {roundInto(step.type, result), 0, 0};
}

std::vector<Number> ScalarRegion::withErrors(
    size_t count, llvm::function_ref<Number(size_t, size_t)> arguments) const {
  auto argument = [&](size_t i, size_t element) -> Doubted {
    Number number = arguments(i, element);
    return steps[i].isWhole
               ? Doubted{{0, 0}, int64_t(number.value), number.error}
               : Doubted{number, 0, 0};
  };
  auto constant = [](const Step &step) -> Doubted {
    return {{step.real, 0}, step.whole, 0};
  };
  auto evaluate = [](const Step &step, ArrayRef<const Doubted *> x,
                     MutableArrayRef<Doubted> results) {
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = evaluateDoubted(step, operandsAt(x, i));
  };
  std::vector<Doubted> doubted =
      walkSteps<Doubted>(steps, last, count, argument, constant, evaluate);
  std::vector<Number> results(count);
  for (size_t i = 0; i < count; ++i)
    results[i] = steps[last].isWhole
                     ? Number{double(doubted[i].whole), doubted[i].doubt}
                     : doubted[i].real;
  return results;
}

Number ScalarRegion::withErrors(ArrayRef<Number> arguments) const {
  return withErrors(1, [&](size_t i, size_t) { return arguments[i]; }).front();
}
