//===- Epilogue.cpp - Epilogues of a sum ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts and references.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Epilogue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
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
// Canonical texts
//===----------------------------------------------------------------------===//

std::string hone::canonicalText(Epilogue epilogue, ElementType out) {
  switch (epilogue) {
  case Epilogue::none:
    return "";
  case Epilogue::biasRelu:
    return "addf(acc, n:f32) | maximumf($0, 0:f32)";
  case Epilogue::biasGeluErf:
    return "addf(acc, n:f32) | mulf($0, 0.5:f32) | mulf($0, 0.707106769:f32) | "
           "erf($2) | addf($3, 1:f32) | mulf($1, $4)";
  case Epilogue::biasGeluTanh:
    return "addf(acc, n:f32) | mulf($0, 0.5:f32) | mulf($0, $0) | mulf($2, $0) "
           "| mulf($3, 0.0447149985:f32) | addf($0, $4) | "
           "mulf($5, 0.797884583:f32) | tanh($6) | addf($7, 1:f32) | "
           "mulf($1, $8)";
  case Epilogue::residual:
    return out == ElementType::f32
               ? "addf(acc, mn:f32)"
               : formatv("extf(mn:{0}):f32 | addf(acc, $0)", toString(out))
                     .str();
  }
  llvm_unreachable("an epilogue");
}

std::optional<Epilogue> hone::namedEpilogue(const Problem &problem) {
  for (size_t i = 1; i < std::size(kNames); ++i)
    if (canonicalText(Epilogue(i), problem.c) == problem.epilogue)
      return Epilogue(i);
  return std::nullopt;
}

std::string hone::requantizedText() {
  return "sitofp(acc):f32 | mulf($0, n:f32) | roundeven($1) | maximumf($2, "
         "-127:f32) | minimumf($3, 127:f32) | fptosi($4):i8";
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

int8_t hone::requantize(double sum, double factor) {
  constexpr float kMax = 127;
  float scaled = float(sum) * float(factor);
  return int8_t(std::clamp(std::nearbyint(scaled), -kMax, kMax));
}

/// The slopes of the functions are barely above 1, and a GPU evaluates them
/// with an error of a few units in the last place of x.
Tolerance hone::toleranceOfEpilogue(const Tolerance &ofSum, double largest,
                                    double steepest) {
  constexpr double kSteepest = 1.2;
  Tolerance tolerance = ofSum;
  tolerance.absolute =
      std::max(kSteepest, steepest) * ofSum.absolute + std::ldexp(largest, -20);
  return tolerance;
}

double hone::roundingOfSteps(llvm::ArrayRef<Inexact<double>> results,
                             ElementType type) {
  // For smooth functions hardly any error exceeds most others by this factor.
  constexpr double kJump = 8;
  std::vector<double> errors;
  for (const Inexact<double> &result : results) {
    double ofStore = std::max(unitRoundoff(type) * std::abs(result.value),
                              smallestError(type));
    if (std::isfinite(result.error))
      errors.push_back(std::max(0.0, result.error - ofStore));
  }
  if (errors.empty())
    return 0;
  auto high = errors.begin() + errors.size() * 99 / 100;
  std::nth_element(errors.begin(), high, errors.end());
  double max = 0, beyond = kJump * *high;
  for (double error : errors)
    if (error <= beyond)
      max = std::max(max, error);
  return kDeviations * max;
}
