//===- BuildKernel.cpp - Scheduled matmuls to kernel IR -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass. It finds the matmuls, checks that each is ready to be built, and
// passes it to the builder of its kind. The code that builders share is in
// BuildKernelParts.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/BuildKernel.h"
#include "hone/Schedule/Host.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Build/BuildGemm.h"
#include "passes/Build/Host/BuildHost.h"
#include "passes/Passes.h"
#include "passes/Support.h"
#include "passes/WholeKernel.h"

namespace hone {
#define GEN_PASS_DEF_BUILDKERNEL
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

/// One line per kind of a GPU.
KernelBuilder hone::builderOf(const Schedule &schedule) {
  static const std::pair<const Kind *, KernelBuilder> builders[] = {
      {&WarpSpecialized::kind(), buildWarpSpecialized},
      {&MmaSync::kind(), buildMmaSync},
  };
  for (auto [kind, builder] : builders)
    if (kind == &schedule.kind())
      return builder;
  return nullptr;
}

namespace {

struct BuildKernel : hone::impl::BuildKernelBase<BuildKernel> {
  using BuildKernelBase::BuildKernelBase;

  void runOnOperation() override {
    SmallVector<MatmulOp> ops;
    getOperation().walk([&](MatmulOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (MatmulOp op : ops) {
      if (failed(checkReady(op)))
        return signalPassFailure();
      bool isHost = op.getArchAttr().getValue().isHost();
      if (isHost && op.getGather())
        op = copyRows(rewriter, op);
      SmallVector<MatmulOp, 2> parts = {op};
      if (!isHost)
        parts = {peelBatches(rewriter, op, kKernelBatches.size())};
      else if (op.getRagged())
        parts = peelGroups(rewriter, op);
      for (MatmulOp part : parts) {
        rewriter.setInsertionPoint(part);
        if (failed(build(rewriter, part)))
          return signalPassFailure();
      }
    }
    eraseWholeKernels(getOperation());
  }

private:
  LogicalResult build(IRRewriter &rewriter, MatmulOp op) {
    const Arch arch = op.getArchAttr().getValue();
    if (arch.isHost())
      return buildHostKernel(rewriter, op, op.getScheduleAttr().getValue(),
                             fallback);
    KernelModule module(getOperation(), arch);
    SmallVector<KernelPlan> plans;
    RangedSchedule schedules = op.getSchedules();
    for (ScheduleRange &range : schedules.ranges)
      if (failed(addPlan(module, op, range.schedule, plans)))
        return failure();
    if (failed(addPlan(module, op, schedules.last, plans)))
      return failure();
    setSchedules(op, schedules);
    return launch(rewriter, op, module,
                  schedules.ranges.empty() ? std::move(plans.front())
                                           : joinRanges(schedules, plans));
  }

  /// Builds the kernels of one of the matmul's schedules. The schedule may lose
  /// its rewrites.
  LogicalResult addPlan(KernelModule &module, MatmulOp op, Schedule &schedule,
                        SmallVectorImpl<KernelPlan> &plans) {
    KernelBuilder builder = builderOf(schedule);
    if (!builder)
      return op.emitOpError("expected a schedule of a GPU's kind, but got '")
             << schedule.kind().name << "'; use it with arch 'host' only";
    FailureOr<KernelPlan> plan =
        !strict && !schedule.rewrites().empty()
            ? buildAsFarAsPossible(module, op, schedule)
            : builder(module, op, schedule, fallback);
    if (failed(plan))
      return failure();
    plans.push_back(std::move(*plan));
    return success();
  }

  /// Rewrites that suit one matmul may not apply to another of the same problem
  /// with another layout. The build then drops them instead of failing.
  FailureOr<KernelPlan> buildAsFarAsPossible(KernelModule &module, MatmulOp op,
                                             Schedule &schedule) {
    std::string why;
    {
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &said) {
        if (said.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        why = said.str();
        return success();
      });
      FailureOr<KernelPlan> plan =
          builderOf(schedule)(module, op, schedule, fallback);
      if (succeeded(plan))
        return plan;
    }
    llvm::cantFail(schedule.decide(kRewrites, "[]"));
    op.emitWarning("this matmul is built without its rewrites: ") << why;
    return builderOf(schedule)(module, op, schedule, fallback);
  }

  void setSchedules(MatmulOp op, const RangedSchedule &schedules) {
    op.setScheduleAttr(ScheduleAttr::get(&getContext(), schedules.last));
    if (!schedules.ranges.empty())
      op.setRangesAttr(RangesAttr::get(&getContext(), schedules.ranges));
  }

  /// Replaces the matmul by the launch of its plan.
  LogicalResult launch(IRRewriter &rewriter, MatmulOp op, KernelModule &module,
                       KernelPlan made) {
    LaunchArgs args = collectArgs(op, GemmOperands(op), op.getSchedules());
    LaunchPlan plan;
    plan.args = args.getNames();
    plan.alternatives = std::move(made.alternatives);
    if (fallback && failed(verifyLastAlternative(op, plan, args)))
      return failure();
    FailureOr<SymbolRefAttr> name =
        module.addPlan(op.getLoc(), made.name, plan);
    if (failed(name))
      return failure();
    args.launch(rewriter, op, *name);
    return success();
  }

  /// Checks that the op has an arch and a schedule, and memref operands.
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
