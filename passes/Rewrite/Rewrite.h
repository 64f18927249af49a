//===- Rewrite.h - Rewrites of finished kernels -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A *rewrite* changes one thing of a kernel that is built: the place of a wait,
// the time at which a slot is given back, or the order of loads. Each rewrite
// is a function from kernel IR to kernel IR. It has one name, under which three
// interfaces call it:
//
//   | interface        | use                                                 |
//   |------------------|-----------------------------------------------------|
//   | a schedule       | rewrites = [flight(0)]                              |
//   | a transform      | transform.kernel.flight "0" in %kernel              |
//   | a C++ program    | rewriteNamed("flight")->apply(kernel, "0")          |
//
// A rewrite finds the ops that it changes by their function (the loads, the
// products, the barrier that gives slots back), not by their position. It
// checks before it changes: where it does not apply, the kernel stays
// unchanged, and the refusal names the op that is not as expected. A rewrite
// need not prove that its result is correct; the simulator does
// (docs/Simulate.md).
//
// To add one: its words in the kind's row (lib/Schedule), a function here, a
// line in the menu, an op in RewriteOps.td, a test (CONTRIBUTING.md).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REWRITE_REWRITE_H
#define HONE_PASSES_REWRITE_REWRITE_H

#include "hone/Schedule/Schedule.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hone::rewrite {

/// The reason why a rewrite does not apply, and the op: "expected ..., but got
/// ...".
struct Refusal {
  mlir::Operation *at;
  std::string why;
};
/// Nothing: the kernel was rewritten.
using Outcome = std::optional<Refusal>;

struct Rewrite {
  llvm::StringLiteral name;
  /// `value` is one of the rewrite's words, and not the first.
  Outcome (*apply)(mlir::gpu::GPUFuncOp kernel, llvm::StringRef value);
};

/// All rewrites.
llvm::ArrayRef<Rewrite> menu();
const Rewrite *rewriteNamed(llvm::StringRef name);
/// The decision of the schedule kinds that has the rewrite's name, with its
/// words and its description.
const Decision &decisionOf(const Rewrite &rewrite);

/// "flight(0): " and the reason, as a message at an op.
std::string messageOf(llvm::StringRef name, llvm::StringRef value,
                      const Refusal &refusal);

/// Applies all rewrites of `schedule`, one after the other. Reports the first
/// that does not apply as an error at its op; the kernel is then half
/// rewritten.
mlir::LogicalResult rewriteKernel(mlir::gpu::GPUFuncOp kernel,
                                  const Schedule &schedule);

/// Adds the ops of the menu to the Transform dialect.
void registerTransforms(mlir::DialectRegistry &registry);

} // namespace hone::rewrite

#endif // HONE_PASSES_REWRITE_REWRITE_H
