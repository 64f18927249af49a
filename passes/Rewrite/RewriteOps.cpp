//===- RewriteOps.cpp - Rewrites as transforms ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops of the menu share this implementation and differ in the function.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"
#include "passes/Rewrite/Rewrite.h"

#define GET_OP_CLASSES
#include "passes/Rewrite/RewriteOps.h.inc"

using namespace mlir;
using namespace hone;
using namespace hone::rewrite;

/// Checks that the argument is one of the rewrite's words and changes
/// something.
template <typename OpT>
static LogicalResult verifyValue(OpT op) {
  auto words = decisionOf(*rewriteNamed(OpT::kRewrite)).words.drop_front();
  if (llvm::is_contained(words, op.getValue()))
    return success();
  return op.emitOpError("expected one of ")
         << llvm::join(words, ", ") << ", but got '" << op.getValue() << "'";
}

template <typename OpT>
static DiagnosedSilenceableFailure applyTo(OpT op, gpu::GPUFuncOp kernel) {
  Outcome refused = rewriteNamed(OpT::kRewrite)->apply(kernel, op.getValue());
  if (!refused)
    return DiagnosedSilenceableFailure::success();
  auto failure = emitSilenceableFailure(
      op.getLoc(), messageOf(OpT::kRewrite, op.getValue(), *refused));
  failure.attachNote(refused->at->getLoc()) << "this op";
  return failure;
}

template <typename OpT>
static void
addEffects(OpT op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(op.getKernelMutable(), effects);
  transform::modifiesPayload(effects);
}

/// One line per op.
#define HONE_REWRITES(DO)                                                      \
  DO(LoadsOp)                                                                  \
  DO(PrefetchOp)                                                               \
  DO(FlightOp)                                                                 \
  DO(ProductsOp)                                                               \
  DO(HandoverOp)                                                               \
  DO(SkewOp)                                                                   \
  DO(UnrollOp)                                                                 \
  DO(StoresOp)                                                                 \
  DO(StagingOp)                                                                \
  DO(NextOp)                                                                   \
  DO(BeginOp)

#define HONE_REWRITE(OpT)                                                      \
  LogicalResult rewrite::OpT::verify() { return verifyValue(*this); }          \
  DiagnosedSilenceableFailure rewrite::OpT::applyToOne(                        \
      transform::TransformRewriter &, gpu::GPUFuncOp kernel,                   \
      transform::ApplyToEachResultList &, transform::TransformState &) {       \
    return applyTo(*this, kernel);                                             \
  }                                                                            \
  void rewrite::OpT::getEffects(                                               \
      SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {               \
    addEffects(*this, effects);                                                \
  }
HONE_REWRITES(HONE_REWRITE)
#undef HONE_REWRITE
#undef HONE_REWRITES

#define GET_OP_CLASSES
#include "passes/Rewrite/RewriteOps.cpp.inc"

namespace {
class RewriteExtension
    : public transform::TransformDialectExtension<RewriteExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RewriteExtension)

  void init() {
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<kernel::KernelDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "passes/Rewrite/RewriteOps.cpp.inc"
        >();
  }
};
} // namespace

void hone::rewrite::registerTransforms(DialectRegistry &registry) {
  registry.addExtensions<RewriteExtension>();
}
