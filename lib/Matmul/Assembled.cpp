//===- Assembled.cpp - Assembler report of matmuls ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the pipeline up to PTX, and finds a matmul's kernels by the launch plan,
// which names them.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/Assembled.h"
#include "dialects/Hone/Hone.h"
#include "hone/Driver/Compile.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Emit/Emit.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace hone;
using llvm::Error;

static Error assembleModule(gpu::GPUModuleOp module, AssemblyReport &all) {
  FailureOr<std::string> ptx = translateToPtx(module);
  if (failed(ptx))
    return llvm::createStringError("expected kernels that become PTX");
  auto target = cast<NVVM::NVVMTargetAttr>(module.getTargetsAttr()[0]);
  auto assembly = assemblePtx(*ptx, target.getChip());
  if (!assembly)
    return assembly.takeError();
  llvm::append_range(all.kernels, std::move(assembly->report.kernels));
  return Error::success();
}

/// The kernels that the plan of `launch` names.
static std::vector<KernelReport> kernelsOf(kernel::LaunchOp launch,
                                           const AssemblyReport &all) {
  std::vector<KernelReport> kernels;
  auto module =
      launch->getParentOfType<ModuleOp>().lookupSymbol<gpu::GPUModuleOp>(
          launch.getPlan().getRootReference());
  kernel::PlanAttr plan = kernel::planOf(module, launch);
  if (!plan)
    return kernels;
  for (const PlanAlternative &alternative : plan.getValue().alternatives)
    for (const KernelLaunch &each : alternative.launches)
      if (const KernelReport *report = all.find(each.entry))
        kernels.push_back(*report);
  return kernels;
}

llvm::Expected<std::vector<std::vector<KernelReport>>>
hone::assembleMatmuls(ModuleOp scheduled) {
  // Matmuls become launches in place; those on the host do not.
  std::vector<bool> launches;
  scheduled.walk([&](MatmulOp op) {
    launches.push_back(!op.getArchAttr().getValue().isHost());
  });
  OwningOpRef<ModuleOp> module = scheduled.clone();
  if (Error error = runToKernels(*module))
    return std::move(error);
  Error error = runPasses(
      *module, [](OpPassManager &pm) { pm.addPass(createLowerKernel()); });
  if (error)
    return std::move(error);
  AssemblyReport all;
  for (auto kernels : module->getOps<gpu::GPUModuleOp>())
    if (kernels->hasAttr(kernel::kPlansAttr))
      if (Error error = assembleModule(kernels, all))
        return std::move(error);
  std::vector<std::vector<KernelReport>> result(launches.size());
  size_t next = 0;
  module->walk([&](kernel::LaunchOp launch) {
    while (next < launches.size() && !launches[next])
      ++next;
    if (next < result.size())
      result[next++] = kernelsOf(launch, all);
  });
  return result;
}
