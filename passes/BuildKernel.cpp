//===- BuildKernel.cpp - Scheduled matmuls to kernel IR -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: finds the matmuls, checks that each is ready to be built, and hands
// it to the builder of its family. What the builders share is in
// BuildKernelParts.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/BuildKernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/BuildGemm.h"
#include "passes/BuildHost.h"
#include "passes/Passes.h"
#include "passes/Support.h"

namespace hone {
#define GEN_PASS_DEF_BUILDKERNEL
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {

/// Dispatches to the builder of a schedule's family.
struct BuildFamily {
  RewriterBase &rewriter;
  MatmulOp op;
  bool fallback;

  LogicalResult operator()(const MmaSync &schedule) {
    return buildMmaSync(rewriter, op, schedule);
  }
  LogicalResult operator()(const WsCoop &schedule) {
    return buildWsCoop(rewriter, op, schedule, fallback);
  }
  LogicalResult operator()(const WsPingpong &schedule) {
    return buildWsPingpong(rewriter, op, schedule, fallback);
  }
  LogicalResult operator()(const Small &schedule) {
    return buildSmall(rewriter, op, schedule, fallback);
  }
  LogicalResult operator()(const ClusterSplitK &schedule) {
    return buildClusterSplitK(rewriter, op, schedule, fallback);
  }
  LogicalResult operator()(const StreamK &schedule) {
    return buildStreamK(rewriter, op, schedule, fallback);
  }
  LogicalResult operator()(const SwapAb &schedule) {
    return buildSwapAb(rewriter, op, schedule, fallback);
  }
  LogicalResult operator()(const Host &) {
    return buildHostKernel(rewriter, op);
  }
};

struct BuildKernel : hone::impl::BuildKernelBase<BuildKernel> {
  using BuildKernelBase::BuildKernelBase;

  void runOnOperation() override {
    SmallVector<MatmulOp> ops;
    getOperation().walk([&](MatmulOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (MatmulOp op : ops) {
      if (failed(checkReady(op)))
        return signalPassFailure();
      if (!op.getArchAttr().getValue().isHost())
        op = peelBatches(rewriter, op, kKernelBatches.size());
      rewriter.setInsertionPoint(op);
      if (failed(std::visit(BuildFamily{rewriter, op, fallback},
                            op.getScheduleAttr().getValue())))
        return signalPassFailure();
    }
  }

private:
  /// The op must say where it runs and how, and lie in memory.
  LogicalResult checkReady(MatmulOp op) {
    if (!op.getScheduleAttr() || !op.getArchAttr())
      return op.emitError(
          "expected a matmul with an arch and a schedule, but got none; "
          "run hone-select-schedule first");
    if (!isa<MemRefType>(op.getC().getType()))
      return op.emitError("expected operands in memory, but got ")
             << op.getC().getType() << "; bufferize first, e.g. with "
             << "one-shot-bufferize{bufferize-function-boundaries "
                "function-boundary-type-conversion=identity-layout-map}";
    return success();
  }
};

} // namespace
