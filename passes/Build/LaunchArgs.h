//===- LaunchArgs.h - What the host passes to a launch ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a launch, each described once. The description gives both
// the code that computes the argument on the host and the facts about it that
// types state; with those, a builder decides whether a guard can fail:
//
//   LaunchArgs args;
//   args.addAddress("c", c);
//   args.addExtent("n", c, 1);
//   args.addStep("ldc", c, /*dim=*/0, /*unit=*/4);
//
//   args.facts().implies("ldc % 4 == 0 && ldc >= n")
//   args.launch(rewriter, loc, plan)
//
// A *step* is a stride that a kernel may need to be a multiple of `unit`
// elements. The elements of a dimension of extent 1 have no neighbours along
// it, and no kernel moves by its step: the host then passes a multiple of
// `unit` beyond the elements of a line, whatever the stride of the memref.
// This is why MatmulOp's layouts need not count the stride of such a dimension
// where they state how lines are aligned.
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
  /// 64 bits as they are.
  void addWord(llvm::StringRef name, mlir::Value word);
  /// A condition of the plan's language that the op states.
  void addFact(std::string condition);

  std::vector<std::string> getNames() const;
  /// What is known of the arguments when the plan is built.
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
    int64_t number = 0;           ///< the constant, or what divides
  };

  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc,
                   const Arg &arg) const;
  void addFactsOf(const Arg &arg, std::vector<std::string> &facts) const;
  std::string strideFact(const Arg &arg) const;
  /// The argument that is this extent; empty if there is none.
  std::string nameOfExtent(mlir::Value memref, int64_t dim) const;

  llvm::SmallVector<Arg> args;
  std::vector<std::string> conditions;
};

/// Fails with an error at `op` unless the last alternative of `plan` holds for
/// all arguments of which `args` states the facts.
mlir::LogicalResult verifyLastAlternative(mlir::Operation *op,
                                          const LaunchPlan &plan,
                                          const LaunchArgs &args);

} // namespace hone

#endif // HONE_PASSES_BUILD_LAUNCHARGS_H
