//===- Epilogue.h - The named epilogues -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogues that `hone check` checks and `hone bench gemm` times, each in
// three forms: as the canonical text of a problem, as an f64 reference on the
// CPU, and as the second of two kernels (hone_epilogue in lib/Measure).
//
// | name            | of the sum s, with the operand e                        |
// |-----------------|---------------------------------------------------------|
// | bias+relu       | max(x, 0),              x = s + e[n]                    |
// | bias+gelu(erf)  | x (1 + erf(x/sqrt 2))/2,   "                            |
// | bias+gelu(tanh) | its usual approximation,   "                            |
// | residual        | s + e[m, n]                                             |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_EPILOGUE_H
#define HONE_REFERENCE_EPILOGUE_H

#include "hone/Numerics/ErrorBound.h"
#include "hone/Schedule/Problem.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace hone {

/// In the order of the constants from gpucheck::kBiasRelu on.
enum class Epilogue { none, biasRelu, biasGeluErf, biasGeluTanh, residual };

llvm::StringRef toString(Epilogue epilogue);
llvm::Expected<Epilogue> parseEpilogue(llvm::StringRef name);

/// Its canonical text in a Problem with results of type `out`.
std::string canonicalText(Epilogue epilogue, ElementType out);
/// The epilogue of a problem; nothing if it has none, or none of these.
std::optional<Epilogue> namedEpilogue(const Problem &problem);

/// The conversion of a sum of integers to an i8: times a factor for each
/// column, rounded, clamped to -127 to 127. -128 marks an unwritten result.
std::string requantizedText();
/// The same, with every rounding step of a kernel, so it is exact.
int8_t requantize(double sum, double factor);

/// The function in the program of `x`, the sum with bias or residual.
double applyEpilogue(Epilogue epilogue, double x);
/// The tolerance of a result, given the tolerance `ofSum` of sums, if no `x` is
/// larger than `largest`. `steepest` is the function's largest slope, if that
/// is more than those of the named ones.
Tolerance toleranceOfEpilogue(const Tolerance &ofSum, double largest,
                              double steepest = 0);
/// The possible effect of intermediate rounding (a step that is stored in a
/// narrower type) on a result stored as `type`, by the rule of ErrorBound.h:
/// the maximum over `results`, except for the few next to a jump, where it is
/// unbounded.
double roundingOfSteps(llvm::ArrayRef<Inexact<double>> results,
                       ElementType type);

} // namespace hone

#endif // HONE_REFERENCE_EPILOGUE_H
