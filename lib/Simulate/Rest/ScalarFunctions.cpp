//===- ScalarFunctions.cpp - Ops on floats, in f64 ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By the canonical names of ops (Terms.h).
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hone::simulate;
using namespace hone::simulate::rest;

static double minMax(double a, double b, bool isMax, bool keepsNan) {
  if (std::isnan(a) || std::isnan(b))
    return keepsNan ? NAN : std::isnan(a) ? b : a;
  return isMax ? std::max(a, b) : std::min(a, b);
}

static double flushed(double x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0, x)
                                                          : x;
}

using X = ArrayRef<double>;

RealFunction rest::functionOf(StringRef name) {
  return llvm::StringSwitch<RealFunction>(name)
      .Case("arith.addf", [](X x) { return x[0] + x[1]; })
      .Case("arith.subf", [](X x) { return x[0] - x[1]; })
      .Case("arith.mulf", [](X x) { return x[0] * x[1]; })
      .Case("arith.divf", [](X x) { return x[0] / x[1]; })
      .Case("arith.negf", [](X x) { return -x[0]; })
      .Case("arith.extf", [](X x) { return x[0]; })
      .Case("arith.truncf", [](X x) { return x[0]; })
      .Case("arith.maximumf",
            [](X x) { return minMax(x[0], x[1], true, true); })
      .Case("arith.minimumf",
            [](X x) { return minMax(x[0], x[1], false, true); })
      .Case("arith.maxnumf",
            [](X x) { return minMax(x[0], x[1], true, false); })
      .Case("arith.minnumf",
            [](X x) { return minMax(x[0], x[1], false, false); })
      .Case("math.absf", [](X x) { return std::fabs(x[0]); })
      .Case("math.ceil", [](X x) { return std::ceil(x[0]); })
      .Case("math.floor", [](X x) { return std::floor(x[0]); })
      .Case("math.round", [](X x) { return std::round(x[0]); })
      .Case("math.roundeven", [](X x) { return std::nearbyint(x[0]); })
      .Case("math.trunc", [](X x) { return std::trunc(x[0]); })
      .Case("math.copysign", [](X x) { return std::copysign(x[0], x[1]); })
      .Case("math.erf", [](X x) { return std::erf(x[0]); })
      .Case("math.exp", [](X x) { return std::exp(x[0]); })
      .Case("math.exp2", [](X x) { return std::exp2(x[0]); })
      .Case("math.log", [](X x) { return std::log(x[0]); })
      .Case("math.log2", [](X x) { return std::log2(x[0]); })
      .Case("math.tanh", [](X x) { return std::tanh(x[0]); })
      .Case("math.sin", [](X x) { return std::sin(x[0]); })
      .Case("math.cos", [](X x) { return std::cos(x[0]); })
      .Case("math.fma", [](X x) { return std::fma(x[0], x[1], x[2]); })
      .Case("math.sqrt", [](X x) { return std::sqrt(x[0]); })
      .Case("math.rsqrt", [](X x) { return 1 / std::sqrt(x[0]); })
      .Case("math.powf", [](X x) { return std::pow(x[0], x[1]); })
      .Case("math.fpowi", [](X x) { return std::pow(x[0], x[1]); })
      .Case("llvm.nvvm.ex2.approx.ftz.f32",
            [](X x) { return flushed(std::exp2(flushed(x[0]))); })
      .Case("llvm.nvvm.lg2.approx.f", [](X x) { return std::log2(x[0]); })
      .Case("llvm.nvvm.rcp.approx.ftz.f",
            [](X x) { return flushed(1 / flushed(x[0])); })
      .Case("llvm.nvvm.rsqrt.approx.f", [](X x) { return 1 / std::sqrt(x[0]); })
      .Default(nullptr);
}

bool rest::isApproximated(StringRef name) {
  for (StringRef each : {"erf", "exp", "exp2", "log", "log2", "tanh", "sin",
                         "cos", "sqrt", "rsqrt", "powf", "fpowi"})
    if (name == ("math." + each).str())
      return true;
  return false;
}
