//===- ExecuteProduct.h - Reference product on real memory ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents that C should have after a launch, computed from the elements of
// its operands before.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_EXECUTEPRODUCT_H
#define HONE_LIB_SIMULATE_EXECUTEPRODUCT_H

#include "hone/Simulate/Execute.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone::simulate {

/// Elements from the first one of an operand to the end of its last one.
int64_t spanOf(const Execution &run, const OperandPlace &place);

/// The ends of ragged rows; none if rows have one B.
std::vector<int32_t> endsOf(const Execution &run);
/// The index of A's rows; none if they are read in order.
std::vector<int64_t> indexOf(const Execution &run);

class ProductCheck {
public:
  /// Stores the current contents of the operands.
  explicit ProductCheck(const Execution &run);

  /// Adds a finding if C differs from the expected contents.
  void compare(Verdict &verdict) const;
  /// Writes the expected contents to C.
  void store() const;

private:
  /// The inputs of an element of C.
  struct Element {
    std::array<int64_t, 4> at; ///< batch, inner batch, row, column
    Inexact<double> sum;
    llvm::ArrayRef<double> operands; ///< of the epilogue
  };
  using Visitor = llvm::function_ref<bool(const Element &element)>;
  void forElements(Visitor visit) const;
  bool visitMatrix(int64_t b, int64_t h, Visitor visit) const;
  /// Visits rows [`first`, `end`) of a batch, with a matrix B.
  bool visitRows(std::array<int64_t, 2> batch, int64_t first, int64_t end,
                 const std::vector<double> &left,
                 const std::vector<double> &right, Visitor visit) const;
  void visitGroups(Visitor visit) const;
  std::vector<double> matrix(size_t operand, int64_t b, int64_t h, char row,
                             char column) const;
  /// A by rows, from the images, through the index, or in order.
  std::vector<double> rowsOfA(int64_t b, int64_t h) const;
  std::vector<double> windows(const WindowArguments &of) const;
  Inexact<double> finish(const Element &element) const;
  double before(size_t operand, std::array<int64_t, 4> at) const;
  /// Visits the element of a sum.
  bool visitElement(std::array<int64_t, 4> at, Inexact<double> sum,
                    Visitor visit) const;

  const Execution &run;
  /// The elements of each operand, from the first to the last.
  std::vector<std::vector<uint8_t>> old;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_EXECUTEPRODUCT_H
