//===- Execute.h - Kernels on real operands ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proof runs a kernel on synthetic operands of chosen sizes. This runs one
// alternative of a plan with the arguments of a program, on operands in the
// memory of this process, and stores the result there:
//
//   Execution run;
//   run.subject = ...;     kernels, plan, alternative and problem
//   run.arguments = ...;   the program's arguments, in the plan's order
//   run.operands = ...;    where A, B, C, e0 ... of the problem are
//   auto verdict = execute(run);
//
// Formulas of the plan turn the arguments into grids and parameters. The
// operands' addresses are given separately, so a parameter that leads to
// another address is a finding, as are all faults of a proof. Then C is
// compared with the reference.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_EXECUTE_H
#define HONE_SIMULATE_EXECUTE_H

#include "hone/Simulate/Reference.h"
#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

/// An operand of a matmul in memory: the element at (b, h, m, n, k) is at
/// `address` plus `strides` times these indices.
struct OperandPlace {
  std::string name; ///< a, b, c, e0, e1, ...
  ElementType type;
  int64_t address = 0;
  /// Dimensions, of "bhmnk" or "iyxc", and for each the elements between
  /// neighbours.
  std::string letters;
  std::vector<int64_t> strides;

  int64_t strideOf(char letter) const;
};

struct Execution {
  Subject subject;
  /// Extents by letter; 1 for a batch that the problem does not have.
  std::map<char, int64_t> extents;
  /// For an A that is read through windows: its images (i), rows (y), columns
  /// (x) and channels (c) have these letters.
  std::optional<WindowArguments> window;
  std::vector<OperandPlace> operands;
  /// The ends of ragged rows: their address, and one for each matrix of B (b).
  std::optional<int64_t> segments;
  /// The index of A's rows, whose number has the letter r: its address, and the
  /// bytes of each.
  std::optional<int64_t> index;
  int64_t indexBytes = 4;
  /// Values of the plan's arguments, in its order.
  std::vector<int64_t> arguments;
  /// Address of the workspace, and the clusters that the device holds at once.
  int64_t workspace = 0, resident = 0;
  const Reference *reference = nullptr;
};

/// Runs all launches of the alternative. An error if its numbers cannot be
/// evaluated.
llvm::Expected<Verdict> execute(const Execution &run);

/// Computes C from the problem alone, without the kernels.
void computeProduct(const Execution &run);

} // namespace hone::simulate

#endif // HONE_SIMULATE_EXECUTE_H
