//===- Degrees.h - Degrees of a kernel's integers in its sizes --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A polynomial of degree d in each of its variables, which is zero where every
// variable has d + 1 values, is zero everywhere. Trials give every size, step
// and worker at least three values. So an integer of degree two or less that is
// correct in all of them is correct at every size. One of a higher degree may
// be correct at all sizes that are tried, and wrong beyond them.
//
//   | value                                   | degree in each variable       |
//   |-----------------------------------------|-------------------------------|
//   | a constant, a rank, a bit               | 0                             |
//   | an argument, a loop's variable, a       | 1 in itself                   |
//   | worker, a tile                          |                               |
//   | x * y                                   | of x and of y, added          |
//   | x + y, min(x, y), a choice, x / 20      | the larger one                |
//   | x / y and x % y, where y grows          | 1 in the variables of x and y |
//   | a sum over a loop                       | of the number added, and 1    |
//   |                                         | more in the loop's variable   |
//   | ... and doubles, or multiplies; 1 << x  | unbounded                     |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_UNTRIED_DEGREES_H
#define HONE_LIB_SIMULATE_UNTRIED_DEGREES_H

#include "Growing.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace hone::simulate {

/// The maximum degree that the values of the trials determine.
constexpr unsigned kMaxDegree = 2;

class Degrees {
public:
  explicit Degrees(const Growing &growing) : growing(growing) {}
  /// True if `value` is of a degree above `kMaxDegree` in some variable.
  bool isTooHigh(mlir::Value value);

private:
  struct Degree {
    llvm::SmallDenseMap<mlir::Value, unsigned> in;
    bool isUnbounded = false;
    /// Bit i: it is a sum with the i-th of the carried values whose degrees are
    /// being computed.
    uint64_t sumWith = 0;

    void add(const Degree &factor);
    void raiseTo(const Degree &other);
  };
  static Degree ofVariable(mlir::Value value);
  static Degree unbounded();

  Degree find(mlir::Value value);
  Degree compute(mlir::Value value);
  Degree ofOp(mlir::Operation *op, unsigned result);
  Degree ofProduct(mlir::Operation *op);
  Degree ofQuotient(mlir::Operation *op);
  Degree ofSum(mlir::Operation *op);
  Degree ofCarried(mlir::scf::ForOp loop, mlir::BlockArgument value);
  Degree larger(mlir::ValueRange values);

  const Growing &growing;
  llvm::DenseMap<mlir::Value, Degree> known;
  /// The carried values whose degrees are being computed, and the preliminary
  /// results.
  struct Carried {
    mlir::Value value;
    llvm::DenseMap<mlir::Value, Degree> known;
  };
  llvm::SmallVector<Carried> carried;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_UNTRIED_DEGREES_H
