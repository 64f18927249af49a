//===- Bounds.h - Upper bounds of numbers for all sizes ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bound is a sum of products of the plan's arguments with coefficients that
// are not negative: ceildiv(m, 64) * n is at most m * n / 64 + n. The maximum
// of such a sum follows from the known limits of the arguments:
//
//   | of                 | is at most                                        |
//   |--------------------|---------------------------------------------------|
//   | an extent          | 2^31 less a tile                                  |
//   | tiles of C         | 2^31 - 1                                          |
//   | m * n * batch      | 2^40: elements of C, which are in memory          |
//   | a product in the   | its limit there, `m * ceildiv(k, 8) < 2^31`       |
//   | guard              |                                                   |
//   | the workspace      | 2^36 bytes, as for the operands that are copied   |
//   | a distance         | 2^40                                              |
//   | resident clusters  | 2^16                                              |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PLAN_BOUNDS_H
#define HONE_LIB_SIMULATE_PLAN_BOUNDS_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

/// The plan's formula of an argument of the kernel, or none.
PlanFormula formulaOf(mlir::Value value, const KernelLaunch &launch);

class Bound {
public:
  /// The numbers of arguments, in order; one may occur several times.
  using Product = std::vector<unsigned>;

  Bound(double constant = 0) {
    if (constant > 0)
      terms[{}] = constant;
  }
  static Bound ofArgument(unsigned number);

  Bound operator+(const Bound &other) const;
  Bound operator*(const Bound &other) const;
  Bound operator*(double factor) const;
  /// A bound that neither of them exceeds.
  static Bound either(const Bound &one, const Bound &other);

  std::map<Product, double> terms;
};

/// The limits of a plan's arguments where an alternative is taken.
class ArgumentLimits {
public:
  explicit ArgumentLimits(const Subject &subject);

  /// The maximum of `bound`.
  double largest(const Bound &bound) const;
  /// The bound with the smaller maximum.
  const Bound &smaller(const Bound &one, const Bound &other) const;
  /// The bound of a formula of the plan.
  Bound ofFormula(const PlanFormula &formula) const;
  /// The bound of the argument `name`, or 1 where the plan has none.
  Bound ofArgument(llvm::StringRef name) const;
  /// The bound of the number of tiles of all of C.
  Bound ofTiles() const { return Bound::ofArgument(names.size()); }

private:
  void readGuard(const PlanFormula &guard);
  void limit(const PlanFormula &formula, double limit, bool mayHaveMin);
  void splitBatches();
  /// Numbers after those of arguments: C's tiles, and batch / heads.
  unsigned outerBatches() const { return names.size() + 1; }
  double largest(const Bound::Product &product) const;

  std::vector<std::string> names;
  std::vector<double> max;
  std::vector<std::pair<Bound::Product, double>> products;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_PLAN_BOUNDS_H
