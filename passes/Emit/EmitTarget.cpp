//===- EmitTarget.cpp - Targets that LLVM can translate kernels for -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's NVPTX back end ends the process at an instruction that the target
// lacks, and at a PTX version that does not support the target. For an unknown
// processor it uses its oldest one. A module may be any text, so its target is
// checked first.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Arch.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Emit/Emit.h"

using namespace mlir;
using namespace hone;

/// The oldest PTX version that supports every processor of the table.
static constexpr unsigned kOldestPtx = 80;

/// Checks for "+ptx80" or a later version. Without a feature, LLVM chooses.
static LogicalResult checkFeatures(gpu::GPUModuleOp module,
                                   StringRef features) {
  unsigned version = 0;
  StringRef number = features;
  if (features.empty() ||
      (number.consume_front("+ptx") && !number.getAsInteger(10, version) &&
       version >= kOldestPtx))
    return success();
  return module.emitError("expected one feature, +ptx")
         << kOldestPtx << " or a later PTX version, but got '" << features
         << "'";
}

/// The compute capability from which on LLVM selects an instruction for `op`.
/// Other ops check this themselves, exist everywhere, or become inline PTX,
/// which ptxas checks.
static int capabilityFor(Operation *op) {
  constexpr int kHopper = 90;
  return isa<NVVM::GriddepcontrolOp, NVVM::ClusterArriveOp,
             NVVM::ClusterArriveRelaxedOp, NVVM::ClusterWaitOp,
             NVVM::CpAsyncBulkCommitGroupOp, NVVM::CpAsyncBulkWaitGroupOp,
             NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp,
             NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp,
             NVVM::CpAsyncBulkTensorPrefetchOp, NVVM::FenceMbarrierInitOp,
             NVVM::FenceProxyOp, NVVM::MBarrierArriveExpectTxOp,
             NVVM::MBarrierTryWaitParityOp, NVVM::MapaOp, NVVM::PrefetchOp,
             NVVM::StMatrixOp, NVVM::SetMaxRegisterOp>(op)
             ? kHopper
             : 0;
}

LogicalResult hone::checkTarget(gpu::GPUModuleOp module,
                                NVVM::NVVMTargetAttr target) {
  if (target.getLink())
    return module.emitError("expected a target that links nothing, but got ")
           << target.getLink();
  StringRef chip = target.getChip();
  llvm::Expected<Arch> arch = Arch::lookup(chip);
  if (!arch || arch->isHost() || arch->isa != chip) {
    llvm::consumeError(arch.takeError());
    return module.emitError("expected a target of sm_80 to sm_90a, but got '")
           << chip << "'; use hone-build-kernel, which names it";
  }
  if (failed(checkFeatures(module, target.getFeatures())))
    return failure();
  WalkResult result = module.walk([&](Operation *op) {
    bool isOfArch =
        isa<NVVM::SetMaxRegisterOp>(op) && !StringRef(chip).ends_with("a");
    if (capabilityFor(op) <= arch->capability && !isOfArch)
      return WalkResult::advance();
    op->emitError("expected a target that has this instruction, but got '")
        << chip << "'; use " << (isOfArch ? "sm_90a" : "sm_90 or sm_90a");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
