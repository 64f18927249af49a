//===- LowerKernelCluster.cpp - Blocks and kernels that work together -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers what crosses the border of a block: the points at which kernels of a
// stream may overlap.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

/// Both points are one instruction.
template <typename Op, NVVM::GridDepActionKind kind>
struct LowerDepend : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::GriddepcontrolOp>(op, kind);
    return success();
  }
};

using LowerDependWait =
    LowerDepend<DependWaitOp, NVVM::GridDepActionKind::wait>;
using LowerDependRelease =
    LowerDepend<DependReleaseOp, NVVM::GridDepActionKind::launch_dependents>;

} // namespace

void hone::populateClusterPatterns(const TypeConverter &types,
                                   RewritePatternSet &patterns) {
  patterns.add<LowerDependWait, LowerDependRelease>(types,
                                                    patterns.getContext());
}
