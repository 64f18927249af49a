//===- Rewrite.h - Kernels that are changed once they are built -*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A builder builds what its author thought of. A *rewrite* changes one thing of
// a kernel that is built: where a wait stands, when a slot is given back, who
// loads what first. Each is a function from kernel IR to kernel IR, and has one
// name under which three doors lead to it:
//
//   | who              | says                                                |
//   |------------------|-----------------------------------------------------|
//   | a schedule       | rewrites = [flight(0)]                              |
//   | a transform      | transform.kernel.flight "0" in %kernel              |
//   | a C++ program    | rewriteNamed("flight")->apply(kernel, "0")          |
//
// A rewrite looks for the ops that it changes by what they do (who loads, who
// multiplies, which barrier gives slots back), not by where a builder puts
// them. It looks first and changes then: where it does not apply the kernel is
// as it was, and the refusal names the op that is not as expected. It need not
// know whether the result is right. The simulator does (docs/Simulate.md).
//
// To add one: its words in the kind's row (lib/Schedule), a function here, a
// line in the menu, an op in RewriteOps.td, a test (docs/Rewrites.md).
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

/// Why a rewrite does not apply, and at which op: "expected ..., but got ...".
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

/// All there are.
llvm::ArrayRef<Rewrite> menu();
const Rewrite *rewriteNamed(llvm::StringRef name);
/// The decision of a kind of schedule that has the rewrite's name: its words,
/// and what it is about.
const Decision &decisionOf(const Rewrite &rewrite);

/// "flight(0): " and why, as a message at an op.
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
