//===- Emit.cpp - Emission of PTX, plans and host launches ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass. It translates each lowered kernel module to a `gpu.binary` and each
// `kernel.launch` to host code. The output has builtin and upstream attributes
// only, so mlir-runner and mlir-translate read it without the plugin.
//
//===----------------------------------------------------------------------===//

#include "passes/Emit/Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Emit/Failures.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
#define GEN_PASS_DEF_EMIT
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {

struct Emit : hone::impl::EmitBase<Emit> {
  using EmitBase::EmitBase;

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules;
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (module->hasAttr(kernel::kPlansAttr))
        modules.push_back(module);
    for (gpu::GPUModuleOp module : modules)
      if (failed(emitBinary(module)))
        return signalPassFailure();

    SmallVector<kernel::LaunchOp> launches;
    getOperation().walk([&](kernel::LaunchOp op) { launches.push_back(op); });
    for (kernel::LaunchOp launch : launches)
      if (failed(emitLaunch(launch)))
        return signalPassFailure();
    // Ops of the gpu dialect without tokens are synchronous.
    bool usesRuntime = getOperation().lookupSymbol("honeLaunch") != nullptr;
    bool isPlain = host == LaunchForm::gpu && !usesRuntime;
    emitResidents(getOperation(), !isPlain);
    if (isPlain)
      dropWaits(getOperation());
    else
      emitRuntimeMemory(getOperation());
    // A module for another GPU runtime without launches of Hone stays free of
    // libhone_rt.
    if ((host == LaunchForm::runtime || !launches.empty()) &&
        failed(checkFailures(getOperation(), onError)))
      return signalPassFailure();
    attributesToText(getOperation());
  }

private:
  LogicalResult emitBinary(gpu::GPUModuleOp module) {
    for (auto kernel : module.getOps<gpu::GPUFuncOp>())
      return kernel.emitError("expected a kernel in the LLVM dialect, but got "
                              "kernel IR; run hone-lower-kernel first");
    FailureOr<std::string> ptx = translateToPtx(module);
    if (failed(ptx))
      return failure();
    std::string object = std::move(*ptx);
    auto kind = gpu::CompilationTarget::Assembly;
    if (format == BinaryFormat::cubin) {
      FailureOr<Assembly> assembly = assemble(module, object);
      if (failed(assembly))
        return failure();
      object = std::move(assembly->cubin);
      kind = gpu::CompilationTarget::Binary;
    }
    OpBuilder builder(module);
    auto target = cast<NVVM::NVVMTargetAttr>(module.getTargetsAttr()[0]);
    auto properties = builder.getDictionaryAttr(
        builder.getNamedAttr("O", builder.getI32IntegerAttr(target.getO())));
    Attribute held = gpu::ObjectAttr::get(
        &getContext(), target, kind, builder.getStringAttr(object), properties,
        /*kernels=*/nullptr);
    auto binary = gpu::BinaryOp::create(
        builder, module.getLoc(), module.getName(),
        /*offloadingHandler=*/nullptr, builder.getArrayAttr({held}));
    binary->setAttr(kernel::kPlansAttr, module->getAttr(kernel::kPlansAttr));
    module.erase();
    return success();
  }

  LogicalResult emitLaunch(kernel::LaunchOp launch) {
    auto binary = getOperation().lookupSymbol<gpu::BinaryOp>(
        launch.getPlan().getRootReference());
    kernel::PlanAttr found = kernel::planOf(binary, launch);
    if (!found)
      return launch.emitError(
          "expected a gpu.module that was lowered, with a plan of "
          "that name, but got none; run hone-lower-kernel first");
    const LaunchPlan &plan = found.getValue();
    auto names = launch.getNames().getAsValueRange<StringAttr>();
    if (!llvm::equal(names, plan.args))
      return launch.emitError("expected the arguments of the plan (")
             << llvm::join(plan.args, ", ") << "), but got ("
             << llvm::join(names, ", ") << ")";
    if (host == LaunchForm::gpu && isPlainLaunch(plan))
      return emitGpuLaunch(launch, plan, binary.getName());
    return emitRuntimeLaunch(launch, plan, onError);
  }
};

} // namespace
