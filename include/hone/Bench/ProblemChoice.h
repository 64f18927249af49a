//===- ProblemChoice.h - The problems of hone tune --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems come from a module, as they are after hone-match and bufferization,
// or from shapes on the command line or in a file, one per line:
//
//   512,512,512
//   4096,4096,4096,nn,bf16:f32   # with its own layout and types
//   conv:8x28x28x64:96x3x3:1:1   # a convolution (hone/Schedule/Convolution.h)
//
// An unknown extent cannot be measured. If `dims` has values for it, the
// problem is tuned for each of them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_PROBLEMCHOICE_H
#define HONE_BENCH_PROBLEMCHOICE_H

#include "hone/Schedule/Problem.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <string>
#include <vector>

namespace hone {

/// The options that select problems.
struct ProblemChoice {
  std::string file, problem, shape, shapes, grid, sample;
  std::string layouts = "nt,nn", types = "f16:f16";
  std::string numbers; ///< a list; empty: those that the problems state
  std::vector<int64_t> dims;

  bool isNone() const {
    return file.empty() && problem.empty() && shape.empty() && shapes.empty() &&
           grid.empty();
  }
};

/// "invariant,invariant:4"
llvm::Expected<std::vector<Numbers>> parseNumbersList(llvm::StringRef text);
/// Each problem with each of the choice's numbers.
llvm::Expected<std::vector<Problem>>
withEachNumbers(llvm::ArrayRef<Problem> problems, const ProblemChoice &choice);

/// Called for each problem that is left out, with the reason.
using ProblemNote = std::function<void(const std::string &)>;

/// Problems that are given without a module. One extent of each may be open.
llvm::Expected<std::vector<Problem>> problemsOf(const ProblemChoice &choice);
/// The problems of the matmuls of a module of memrefs; without a value in
/// `dims`, one extent of each may be open.
std::vector<Problem> problemsIn(mlir::ModuleOp module,
                                llvm::ArrayRef<int64_t> dims,
                                const ProblemNote &note);

/// The problems that represent one with an open extent: they have the values of
/// rangeLadder(). Empty for a problem without an open extent.
std::vector<Problem> ladderOf(const Problem &problem);

} // namespace hone

#endif // HONE_BENCH_PROBLEMCHOICE_H
