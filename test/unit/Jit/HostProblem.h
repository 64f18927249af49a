//===- HostProblem.h - A matmul to build, run and check ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One `hone.matmul` with unknown extents, compiled once and run on any number
// of shapes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_JIT_HOSTPROBLEM_H
#define HONE_TEST_UNIT_JIT_HOSTPROBLEM_H

#include "hone/Jit/Jit.h"
#include <string>

namespace hone::test {

struct Extents {
  int64_t m, n, k;
};

struct HostProblem {
  std::string a = "f32", b = "f32", c = "f32"; ///< element types
  bool colA = false, colB = false;             ///< K x M and N x K operands
  bool turnedA = false, turnedB = false; ///< the first stride is the unit one
  int64_t batch = 0;                     ///< 0: a plain matmul
  bool sharedA = false, sharedB = false;
  bool readsC = false;
  /// max(sum + operand, -1), with an f32 operand of these dimensions.
  bool hasEpilogue = false;
  std::string operandDims;
  std::string schedule;
  /// LLVM's optimization level: compiling takes most of a test's time.
  unsigned optLevel = 1;

  /// The module.
  std::string text() const;
  llvm::Expected<std::unique_ptr<Jit>> compile() const;
  /// Runs it on random numbers, or on zeros and ones if `isExact`. Returns the
  /// fault, or an empty string.
  std::string run(Jit &jit, const Extents &extents, bool isExact) const;
};

} // namespace hone::test

#endif // HONE_TEST_UNIT_JIT_HOSTPROBLEM_H
