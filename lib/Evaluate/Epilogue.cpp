//===- Epilogue.cpp - What follows a sum ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IR and reference.
//
//===----------------------------------------------------------------------===//

#include "hone/Evaluate/Epilogue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

static constexpr StringRef kNames[] = {"none", "bias+relu", "bias+gelu(erf)",
                                       "bias+gelu(tanh)", "residual"};

StringRef hone::toString(Epilogue epilogue) {
  return kNames[static_cast<size_t>(epilogue)];
}

llvm::Expected<Epilogue> hone::parseEpilogue(StringRef name) {
  auto found = llvm::find(kNames, name);
  if (found != std::end(kNames))
    return static_cast<Epilogue>(found - std::begin(kNames));
  return llvm::createStringError(
      formatv("expected an epilogue, but got '{0}'; use {1:$[, ]}", name,
              llvm::make_range(std::begin(kNames), std::end(kNames))));
}

//===----------------------------------------------------------------------===//
// IR
//===----------------------------------------------------------------------===//

/// The steps from %x (f32), the sum with its bias, to %y (f32).
static StringRef activation(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::biasRelu:
    return "%zero = arith.constant 0.0 : f32\n"
           "%y = arith.maximumf %x, %zero : f32\n";
  case Epilogue::biasGeluErf:
    return "%root = arith.constant 0.70710678 : f32\n"
           "%half = arith.constant 0.5 : f32\n"
           "%one = arith.constant 1.0 : f32\n"
           "%0 = arith.mulf %x, %root : f32\n"
           "%1 = math.erf %0 : f32\n"
           "%2 = arith.addf %1, %one : f32\n"
           "%3 = arith.mulf %x, %half : f32\n"
           "%y = arith.mulf %3, %2 : f32\n";
  case Epilogue::biasGeluTanh:
    return "%cubic = arith.constant 0.044715 : f32\n"
           "%root = arith.constant 0.79788456 : f32\n"
           "%half = arith.constant 0.5 : f32\n"
           "%one = arith.constant 1.0 : f32\n"
           "%0 = arith.mulf %x, %x : f32\n"
           "%1 = arith.mulf %0, %x : f32\n"
           "%2 = arith.mulf %1, %cubic : f32\n"
           "%3 = arith.addf %x, %2 : f32\n"
           "%4 = arith.mulf %3, %root : f32\n"
           "%5 = math.tanh %4 : f32\n"
           "%6 = arith.addf %5, %one : f32\n"
           "%7 = arith.mulf %x, %half : f32\n"
           "%y = arith.mulf %7, %6 : f32\n";
  case Epilogue::none:
  case Epilogue::residual:
    return "%one = arith.constant 1.0 : f32\n"
           "%y = arith.mulf %x, %one : f32\n";
  }
  llvm_unreachable("an epilogue");
}

std::string hone::epilogueText(Epilogue epilogue, ElementType type,
                               StringRef operandType) {
  if (epilogue == Epilogue::none)
    return "";
  bool residual = epilogue == Epilogue::residual;
  StringRef out = toString(type), operand = residual ? out : "f32";
  std::string text =
      formatv(" epilogue(%e[{0}] : {1}) {{\n^bb0(%sum: f32, %v: {2}):\n",
              residual ? "m, n" : "n", operandType, operand);
  text += operand == "f32" ? "%x = arith.addf %sum, %v : f32\n"
                           : formatv("%w = arith.extf %v : {0} to f32\n"
                                     "%x = arith.addf %sum, %w : f32\n",
                                     operand)
                                 .str();
  text += activation(epilogue);
  text += out == "f32" ? "hone.yield %y : f32\n"
                       : formatv("%z = arith.truncf %y : f32 to {0}\n"
                                 "hone.yield %z : {0}\n",
                                 out)
                             .str();
  return text + "}";
}

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

double hone::applyEpilogue(Epilogue epilogue, double x) {
  switch (epilogue) {
  case Epilogue::none:
  case Epilogue::residual:
    return x;
  case Epilogue::biasRelu:
    return std::max(x, 0.0);
  case Epilogue::biasGeluErf:
    return 0.5 * x * (1 + std::erf(x * 0.70710678f));
  case Epilogue::biasGeluTanh:
    return 0.5 * x * (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
  }
  llvm_unreachable("an epilogue");
}

/// The functions are steeper than 1 by little, and a GPU evaluates them with an
/// error of a few units in the last place of x.
Tolerance hone::toleranceOfEpilogue(const Tolerance &ofSum, double largest,
                                    double steepest) {
  constexpr double kSteepest = 1.2;
  Tolerance tolerance = ofSum;
  tolerance.absolute =
      std::max(kSteepest, steepest) * ofSum.absolute + std::ldexp(largest, -20);
  return tolerance;
}
