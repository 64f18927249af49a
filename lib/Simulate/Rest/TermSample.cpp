//===- TermSample.cpp - Values of terms for one sample --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TermSample.h.
//
//===----------------------------------------------------------------------===//

#include "TermSample.h"
#include "../Program.h"
#include "../Values/Elements.h"
#include "../Values/Scalars.h"
#include "Poison.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;

bool rest::isWhole(Type type) { return type.isIntOrIndex(); }

static double roundedAs(Type type, double value) {
  if (type.isF64())
    return value;
  return type.isF32() ? double(float(value)) : rounded(toElement(type), value);
}

double Sample::drawReal() {
  // Numbers of usual magnitude, then of others, and those of the terms'
  // constants.
  static constexpr double kScales[] = {1, 0.01, 10, 1e10, 100, 3, 1e-6, 30};
  double drawn = std::normal_distribution<double>()(random);
  unsigned which = random() % 8;
  if (number % 4 == 3 && which < 4)
    return before;
  if (number % 2 && !pool.empty() && which < 4)
    before = pool[random() % pool.size()];
  else if (number % 8 == 5 && which == 4)
    before = drawn < 0 ? -INFINITY : INFINITY;
  else if (number % 8 == 5 && which == 5)
    before = NAN;
  else
    before = drawn * kScales[number % 8];
  return before;
}

/// A small number, or one near a multiple of a power of 2; often 0 or 1.
static int64_t nearPower(unsigned width, uint64_t bits) {
  int64_t small = int64_t(bits % 32) - 16;
  unsigned shift = (bits >> 8) % (width + 1);
  if ((bits >> 16) % 4 == 0)
    return small % 2;
  uint64_t multiple = shift < 64 ? bits >> 20 << shift : 0;
  return llvm::SignExtend64(multiple + uint64_t(small), width);
}

int64_t Sample::drawWhole(unsigned width) {
  uint64_t bits = random();
  if (width == 1)
    return bits & 1;
  int64_t drawn = llvm::SignExtend64(bits, width);
  if (number % 2 && !pool.empty() && bits % 3 == 0) {
    double asked = pool[bits / 3 % pool.size()];
    if (std::fabs(asked) < std::ldexp(1, std::min(width, 54u) - 1))
      return wholeBefore = int64_t(asked);
  }
  // Also near the points where shifts and quotients change.
  if (number % 4 == 1)
    return wholeBefore = nearPower(width, bits);
  if (number % 4 != 3 || bits % 2)
    wholeBefore = number % 3 ? drawn % 64 : drawn;
  return wholeBefore;
}

Held Sample::leaf(const Term &term) {
  Held value;
  if (term.kind == Term::number) {
    auto symbolValue = [&](Symbol symbol) -> std::optional<int64_t> {
      auto [found, isNew] = symbols.try_emplace(symbol, 0);
      if (isNew) {
        auto last = terms.symbols.largest(Polynomial::of(symbol));
        uint64_t count = last ? uint64_t(*last) + 1 : 1000;
        found->second = number % 3 ? random() % std::min<uint64_t>(count, 8)
                                   : random() % count;
      }
      return found->second;
    };
    auto known = terms.symbols.evaluate(term.position, symbolValue);
    value.whole = known.value_or(0);
    value.isUnknown = !known;
  } else if (term.kind == Term::constant) {
    value.real.value = cast<FloatAttr>(term.attribute).getValueAsDouble();
  } else if (isWhole(term.type)) {
    value.whole = drawWhole(widthOf(term.type));
  } else {
    value.real.value = roundedAs(term.type, drawReal());
  }
  return value;
}

std::optional<Held> Sample::computeWhole(const Term &term, ArrayRef<Held> x) {
  Held result;
  if (!term.op)
    return std::nullopt;
  SmallVector<uint64_t, 3> operands;
  for (auto [value, id] : llvm::zip_equal(x, term.operands)) {
    result.isUnknown |= value.isUnknown;
    operands.push_back(uint64_t(value.whole) & llvm::maskTrailingOnes<uint64_t>(
                                                   widthOf(terms[id].type)));
  }
  unsigned width = widthOf(term.type);
  std::optional<uint64_t> bits = evaluateInteger(term.op, operands);
  result.isUnknown |= !bits || isPoison(term.op, operands);
  result.whole = width == 1 ? int64_t(bits.value_or(0) & 1)
                            : llvm::SignExtend64(bits.value_or(0), width);
  return result;
}

/// The op in f64; evaluated around its operands where they, or the op, are
/// inexact.
std::optional<Inexact<double>> Sample::computeReal(const Term &term,
                                                   const ScalarOp &op,
                                                   ArrayRef<Held> x,
                                                   bool isExact) {
  if (!op.inDouble)
    return std::nullopt;
  SmallVector<double, 3> values;
  double errors = 0, error = 0;
  for (auto [value, id] : llvm::zip_equal(x, term.operands)) {
    values.push_back(isWhole(terms[id].type) ? double(value.whole)
                                             : value.real.value);
    errors += value.real.error;
  }
  double result = op.inDouble(values.data());
  if (isExact)
    return Inexact<double>{roundedAs(term.type, result), 0};
  if (op.hasFormula())
    return settle(applyFormula(op, x[0].real, x[1].real), errors);
  bool isNear = op.isApproximated();
  double unit = term.type.isF64() ? 0x1p-52 : 0x1p-24;
  for (unsigned i = 0; i < values.size(); ++i) {
    if (isWhole(terms[term.operands[i]].type))
      continue;
    double reach = x[i].real.error;
    if (isNear && std::isfinite(values[i]))
      reach += kArgumentUnits * unit * std::fabs(values[i]);
    auto at = [&](double place) {
      SmallVector<double, 3> moved(values);
      moved[i] = place;
      return op.inDouble(moved.data());
    };
    if (op.error == ScalarOp::Error::wave)
      error += std::min(reach, 2.0);
    else if (reach != 0)
      error += spread(result, at(values[i] + kDeviations * reach),
                      at(values[i] - kDeviations * reach));
  }
  if (isNear)
    error += kFunctionUnits * unit * std::fabs(result);
  // Kernels flush an exponential below the normal numbers to 0.
  using L = ScalarOp::Lowering;
  bool isPower = op.lowering == L::exp || op.lowering == L::exp2;
  if (isNear)
    error += isPower ? double(std::numeric_limits<float>::min())
                     : kFunctionUnits * unit;
  return settle<double>({result, error}, errors);
}

/// The value stored as a float of this type.
static Inexact<double> stored(Type type, Inexact<double> x) {
  if (!type.isF64())
    return roundInto(toElement(type), x);
  x.error += 0x1p-52 * std::fabs(x.value);
  return x;
}

std::optional<Held> Sample::compute(const Term &term, ArrayRef<Held> x,
                                    bool isExact) {
  const ScalarOp *op = findScalarOp(term.name);
  if (!op)
    return std::nullopt;
  Held result;
  if (op->form == ScalarOp::selection) {
    result = x[0].whole ? x[1] : x[2];
    // Either of two equal values may be chosen.
    double a = x[1].real.value, b = x[2].real.value;
    bool isSame = isWhole(term.type)
                      ? x[1].whole == x[2].whole
                      : a == b || (std::isnan(a) && std::isnan(b));
    bool isDoubtful = x[0].isUnknown && !isSame;
    result.isUnknown |= isDoubtful;
    if (isDoubtful)
      result.real.error = INFINITY;
    return result;
  }
  if (op->form == ScalarOp::comparison && !op->ofIntegers) {
    auto predicate =
        arith::CmpFPredicate(cast<IntegerAttr>(term.attribute).getInt());
    result.whole = compareFloats(predicate, x[0].real.value, x[1].real.value);
    result.isUnknown = mayBeSwapped(x[0].real, x[1].real);
    return result;
  }
  if (op->ofIntegers && op->form != ScalarOp::toFloat)
    return computeWhole(term, x);
  if (op->form == ScalarOp::toInteger) {
    // Kernels saturate beyond the type's range.
    double limit = std::ldexp(1, widthOf(term.type) - 1);
    double a = std::trunc(x[0].real.value), e = kDeviations * x[0].real.error;
    result.isUnknown = !(std::fabs(a) < limit) ||
                       std::trunc(x[0].real.value + e) != a ||
                       std::trunc(x[0].real.value - e) != a ||
                       (term.name == "arith.fptoui" && a < 0);
    result.whole = result.isUnknown ? 0 : int64_t(a);
    return result;
  }
  if (op->form == ScalarOp::toFloat) {
    unsigned width = widthOf(terms[term.operands[0]].type);
    bool isSigned = term.name == "arith.sitofp";
    auto bits = uint64_t(x[0].whole) & llvm::maskTrailingOnes<uint64_t>(width);
    double value =
        isSigned ? double(llvm::SignExtend64(bits, width)) : double(bits);
    result.real = {roundedAs(term.type, value), 0};
    result.isUnknown = x[0].isUnknown;
    if (result.isUnknown)
      result.real.error = INFINITY;
    return result;
  }
  auto real = computeReal(term, *op, x, isExact);
  if (!real)
    return std::nullopt;
  result.real = isExact ? *real : stored(term.type, *real);
  return result;
}

std::optional<Held> Sample::evaluate(TermId id, bool isExact) {
  const Term &term = terms[id];
  auto &known = term.kind != Term::result ? leaves
                : isExact                 ? kernels
                                          : functions;
  if (auto found = known.find(id); found != known.end())
    return found->second;
  std::optional<Held> value;
  if (term.kind != Term::result) {
    value = leaf(term);
  } else {
    SmallVector<Held, 3> operands;
    for (TermId operand : term.operands) {
      auto own = evaluate(operand, isExact);
      if (!own)
        return std::nullopt;
      operands.push_back(*own);
    }
    value = compute(term, operands, isExact);
  }
  if (value)
    known[id] = *value;
  return value;
}
