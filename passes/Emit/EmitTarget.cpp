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

/// The number of "+ptx80", or 0.
static unsigned ptxVersionOf(StringRef feature) {
  unsigned version = 0;
  return feature.consume_front("+ptx") && !feature.getAsInteger(10, version)
             ? version
             : 0;
}

/// True if LLVM selects an instruction for `op` from sm_90 on. Other ops check
/// this themselves, exist everywhere, or become inline PTX, which ptxas checks.
static bool needsHopper(Operation *op) {
  return isa<NVVM::GriddepcontrolOp, NVVM::ClusterArriveOp,
             NVVM::ClusterArriveRelaxedOp, NVVM::ClusterWaitOp,
             NVVM::CpAsyncBulkCommitGroupOp, NVVM::CpAsyncBulkWaitGroupOp,
             NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp,
             NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp,
             NVVM::CpAsyncBulkTensorPrefetchOp, NVVM::FenceMbarrierInitOp,
             NVVM::FenceProxyOp, NVVM::MBarrierArriveExpectTxOp,
             NVVM::MBarrierTryWaitParityOp, NVVM::MapaOp, NVVM::PrefetchOp,
             NVVM::StMatrixOp>(op);
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
    return module.emitError("expected a target of sm_80 to sm_121f, but got '")
           << chip << "'; use hone-build-kernel, which names it";
  }
  // The table asks for the oldest version that has all of its processors.
  StringRef features = target.getFeatures();
  if (!features.empty() &&
      ptxVersionOf(features) < ptxVersionOf(arch->features))
    return module.emitError("expected one feature, ")
           << arch->features << " or a later PTX version, but got '" << features
           << "'";
  bool isHopper = arch->capability >= 90;
  WalkResult result = module.walk([&](Operation *op) {
    bool isOfArch = isa<NVVM::SetMaxRegisterOp>(op) && !chip.ends_with("a");
    if ((isHopper || !needsHopper(op)) && !isOfArch)
      return WalkResult::advance();
    op->emitError("expected a target that has this instruction, but got '")
        << chip << "'; use " << (isOfArch ? "sm_90a" : "sm_90 or newer");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
