//===- Mistakes.h - Mistakes in kernels, one at a time ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One mistake at a time, systematically, by cause:
//
//   | cause  | mistakes                                                      |
//   |--------|---------------------------------------------------------------|
//   | waits  | a wait that is missing, too early, too late, only in one      |
//   |        | group or block, of another kind, for another phase            |
//   | counts | arrivals, bytes and groups that are one more or fewer, twice, |
//   |        | or somewhere else                                             |
//   | clears | sums and counters that are not reset                          |
//   | clips  | extents, tiles and steps of K that are cut in the wrong place |
//   | shares | blocks, slots, lines and columns of another owner             |
//   | plan   | boxes, swizzles, grid, block, cluster, memory, guards,        |
//   |        | workspace, parameters, registers                              |
//   | orders | other orders of additions, where numbers are invariant        |
//
// Each file Mistakes*.cpp lists those of one or two causes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SIMULATE_MISTAKES_H
#define HONE_TEST_SIMULATE_MISTAKES_H

#include "Cases.h"

namespace hone::test {

enum class Cause { waits, counts, clears, clips, shares, plan, orders };
llvm::StringRef toString(Cause cause);

/// A change of the `index`-th op of a kernel, or of its plan.
struct Mistake {
  Cause cause;
  std::string kind, op, detail;
  size_t index = 0;
  std::function<void(mlir::Operation *)> make;
  /// Instead of `make`: a change of the plan. `launch` is the changed launch,
  /// if the change concerns one.
  size_t launch = 0;
  std::function<void(simulate::Subject &)> replan;
  /// Wrong on some GPU or for some operands, even where a run on the CPU
  /// passes.
  bool cannotBeRight = false;

  std::string str() const {
    return kind + " " + op + (detail.empty() ? "" : " " + detail);
  }
};

/// Mistakes in the ops of a kernel of this problem.
std::vector<Mistake> mistakesIn(mlir::gpu::GPUFuncOp kernel,
                                const Problem &problem);
/// Mistakes in one of the launches up to the subject's. For the subject's own
/// launch, also mistakes in the parts of the plan that all launches share.
std::vector<Mistake> planMistakesIn(const simulate::Subject &subject,
                                    size_t launch);

/// The op at a mistake's index.
mlir::Operation *operationAt(mlir::gpu::GPUFuncOp kernel, size_t wanted);

/// A kernel with a mistake, kept next to the original in its module during this
/// object's lifetime.
class Mutant {
public:
  Mutant(mlir::gpu::GPUFuncOp kernel, const Mistake &mistake);
  ~Mutant() { copy->erase(); }
  Mutant(const Mutant &) = delete;

  mlir::gpu::GPUFuncOp kernel() const { return copy; }

private:
  mlir::gpu::GPUFuncOp copy;
};

} // namespace hone::test

#endif // HONE_TEST_SIMULATE_MISTAKES_H
