//===- Execute.h - Kernels of products on real memory -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proof runs a kernel on made-up operands of chosen sizes. Here one
// alternative of a plan runs with the numbers that a program passes, on
// operands in the memory of this process, and leaves its result there:
//
//   Execution run;
//   run.subject = ...;     kernels, plan, alternative and problem
//   run.arguments = ...;   what the program passes, in the plan's order
//   run.operands = ...;    where the problem says that A, B, C, e0 ... are
//   auto verdict = execute(run);
//
// Formulas of the plan turn the arguments into grids and parameters. Where
// operands are is stated apart from that, so a parameter that leads anywhere
// else is a finding, as are all faults that a proof looks for. Then C is
// compared with the reference.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_EXECUTE_H
#define HONE_SIMULATE_EXECUTE_H

#include "hone/Simulate/Reference.h"
#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

/// An operand of a matmul in memory: the element at (b, h, m, n, k) is
/// `strides` times these indices behind `address`.
struct OperandPlace {
  std::string name; ///< a, b, c, e0, e1, ...
  ElementType type;
  int64_t address = 0;
  /// Dimensions, of "bhmnk", and for each the elements between neighbours.
  std::string letters;
  std::vector<int64_t> strides;

  int64_t strideOf(char letter) const;
};

struct Execution {
  Subject subject;
  /// Extents by letter; 1 for a batch that the problem does not have.
  std::map<char, int64_t> extents;
  std::vector<OperandPlace> operands;
  /// Values of the plan's arguments, in its order.
  std::vector<int64_t> arguments;
  /// Address of the workspace, and the clusters that the device holds at once.
  int64_t workspace = 0, resident = 0;
  const Reference *reference = nullptr;
};

/// Runs all launches of the alternative. An error if its numbers cannot be
/// evaluated.
llvm::Expected<Verdict> execute(const Execution &run);

/// Computes C from the problem alone, in place of the kernels.
void computeProduct(const Execution &run);

} // namespace hone::simulate

#endif // HONE_SIMULATE_EXECUTE_H
