//===- LaunchArgs.h - Arguments of a launch ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a launch, each described once. The description gives both
// the code that computes the argument on the host and the facts that types
// state about it. With these facts, a builder decides whether a guard can fail:
//
//   LaunchArgs args;
//   args.addAddress("c", c);
//   args.addExtent("n", c, 1);
//   args.addStep("ldc", c, /*dim=*/0, /*unit=*/4);
//
//   PlanFormula ldc = PlanFormula::argument("ldc");
//   args.facts().implies(equals(ldc % 4, 0))
//   args.launch(rewriter, loc, plan)
//
// A *step* is a stride that a kernel may need to be a multiple of `unit`
// elements. The elements of a dimension of extent 1 have no neighbours along
// it, and no kernel moves by its step. The host then passes a multiple of
// `unit` beyond the elements of a line, for any stride of the memref. So
// MatmulOp's layouts ignore the stride of such a dimension where they state the
// alignment of lines.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_LAUNCHARGS_H
#define HONE_PASSES_BUILD_LAUNCHARGS_H

#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Guards/GuardImplication.h"
#include "hone/Runtime/LaunchPlan.h"
#include "mlir/IR/PatternMatch.h"

namespace hone {

/// Named 64-bit values of a launch, in the order in which the plan lists them.
class LaunchArgs {
public:
  /// The byte address of a memref's first element. Its bytes have a size
  /// (bytesOfElement).
  void addAddress(llvm::StringRef name, mlir::Value memref);
  /// Extent and stride (elements) of one dimension.
  void addExtent(llvm::StringRef name, mlir::Value memref, int64_t dim);
  void addStride(llvm::StringRef name, mlir::Value memref, int64_t dim);
  /// The stride of `dim`, which a kernel may need to be a multiple of `unit`;
  /// see above. Lines run along `inner`.
  void addStep(llvm::StringRef name, mlir::Value memref, int64_t dim,
               int64_t inner, int64_t unit);
  /// The product of the first `count` extents.
  void addExtents(llvm::StringRef name, mlir::Value memref, int64_t count);
  void addConstant(llvm::StringRef name, int64_t value);
  /// Adds 64 bits unchanged.
  void addWord(llvm::StringRef name, mlir::Value word);
  /// A condition that the op states.
  void addFact(PlanFormula condition);

  std::vector<std::string> getNames() const;
  /// The facts about the arguments that are known when the plan is built.
  GuardFacts facts() const;

  /// The launch of a plan with these arguments.
  kernel::LaunchOp launch(mlir::RewriterBase &rewriter, mlir::Location loc,
                          mlir::SymbolRefAttr plan) const;
  /// Replaces `op` with the launch of a plan with these arguments, and keeps
  /// its problem and schedule on the launch.
  void launch(mlir::RewriterBase &rewriter, MatmulOp op,
              mlir::SymbolRefAttr plan) const;

private:
  struct Arg {
    enum Kind { address, extents, stride, roundedExtent, constant, word } kind;
    std::string name;
    mlir::Value value;
    int64_t first = 0, count = 1; ///< dimensions of `value`
    int64_t number = 0;           ///< the constant, or the divisor
  };

  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc,
                   const Arg &arg) const;
  void addFactsOf(const Arg &arg, GuardFacts &facts) const;
  PlanFormula strideFact(const Arg &arg) const;
  /// The name of the argument with this extent; empty if there is none.
  std::string nameOfExtent(mlir::Value memref, int64_t dim) const;

  llvm::SmallVector<Arg> args;
  std::vector<PlanFormula> conditions;
};

/// Fails with an error at `op` unless the last alternative of `plan` holds for
/// all arguments that satisfy the facts of `args`.
mlir::LogicalResult verifyLastAlternative(mlir::Operation *op,
                                          const LaunchPlan &plan,
                                          const LaunchArgs &args);

} // namespace hone

#endif // HONE_PASSES_BUILD_LAUNCHARGS_H
