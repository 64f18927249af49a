//===- TermSample.h - Values of terms for one sample ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a value for each leaf, and computes the terms' values: in f64 with an
// error bound, or rounded to the kernel's type.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_TERMSAMPLE_H
#define HONE_LIB_SIMULATE_REST_TERMSAMPLE_H

#include "Terms.h"
#include "hone/Numerics/ErrorBound.h"
#include <random>

namespace hone::simulate::rest {

/// A float with its error, or an integer, which is exact or unknown.
struct Held {
  Inexact<double> real = {0, 0};
  int64_t whole = 0;
  bool isUnknown = false;
};

/// Evaluates terms for one choice of leaves.
class Sample {
public:
  Sample(const Terms &terms, llvm::ArrayRef<double> pool, unsigned number)
      : terms(terms), pool(pool), number(number), random(number * 7919 + 1) {}

  /// Nothing if an op is not modelled.
  std::optional<Held> evaluate(TermId id, bool isExact);

private:
  Held leaf(const Term &term);
  std::optional<Held> compute(const Term &term, llvm::ArrayRef<Held> x,
                              bool isExact);
  std::optional<Held> computeWhole(const Term &term, llvm::ArrayRef<Held> x);
  std::optional<Inexact<double>> computeReal(const Term &term,
                                             const ScalarOp &op,
                                             llvm::ArrayRef<Held> x,
                                             bool isExact);
  double drawReal();
  int64_t drawWhole(unsigned width);

  const Terms &terms;
  llvm::ArrayRef<double> pool;
  unsigned number;
  std::mt19937_64 random;
  /// The last number drawn: sometimes it is reused, so that leaves are equal.
  double before = 0;
  int64_t wholeBefore = 0;
  std::map<TermId, Held> leaves, kernels, functions;
  std::map<Symbol, int64_t> symbols;
};

/// True for integers and truth values.
bool isWhole(mlir::Type type);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_TERMSAMPLE_H
