//===- EmitPtx.cpp - Kernel modules to PTX and machine code ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX comes from LLVM alone. MLIR's own path to a binary drops the output of
// ptxas. Here ptxas runs separately, and its output becomes warnings at the
// matmul of the kernel.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Emit/Emit.h"

using namespace mlir;
using namespace hone;

/// Name of the first function that the PTX declares and does not define.
static std::optional<StringRef> unresolvedCall(StringRef ptx) {
  size_t at = ptx.find(".extern .func");
  if (at == StringRef::npos)
    return std::nullopt;
  // ".extern .func  (.param .b32 r) name ("; the result is optional.
  StringRef rest = ptx.substr(at + StringRef(".extern .func").size()).ltrim();
  if (rest.consume_front("("))
    rest = rest.split(')').second.ltrim();
  return rest.take_until([](char c) { return c == '(' || isspace(c); });
}

/// Checks the values that LLVM reads as unsigned numbers: any other value ends
/// the process.
static LogicalResult checkLaunchBounds(LLVM::LLVMFuncOp func) {
  for (StringRef name : {NVVM::NVVMDialect::getMaxntidAttrName(),
                         NVVM::NVVMDialect::getReqntidAttrName(),
                         NVVM::NVVMDialect::getClusterDimAttrName()}) {
    auto extents = func->getAttrOfType<DenseI32ArrayAttr>(name);
    if (extents && llvm::any_of(extents.asArrayRef(),
                                [](int32_t extent) { return extent < 1; }))
      return func.emitError("expected positive extents in ")
             << name << ", but got " << extents;
  }
  for (StringRef name : {NVVM::NVVMDialect::getMinctasmAttrName(),
                         NVVM::NVVMDialect::getMaxnregAttrName(),
                         NVVM::NVVMDialect::getClusterMaxBlocksAttrName()}) {
    auto number = func->getAttrOfType<IntegerAttr>(name);
    if (number && (number.getValue().getSignificantBits() > 32 ||
                   number.getValue().getSExtValue() < 1))
      return func.emitError("expected a positive number of 32 bits in ")
             << name << ", but got " << number;
  }
  return success();
}

FailureOr<std::string> hone::translateToPtx(gpu::GPUModuleOp module) {
  ArrayAttr targets = module.getTargetsAttr();
  if (!targets || targets.size() != 1 || !isa<NVVM::NVVMTargetAttr>(targets[0]))
    return module.emitError(
               "expected one #nvvm.target on a module with launch plans, but "
               "got ")
           << Attribute(targets ? targets
                                : ArrayAttr::get(module.getContext(), {}));
  auto target = dyn_cast<gpu::TargetAttrInterface>(targets[0]);
  if (!target)
    return module.emitError(
               "expected a target that can be serialized, but got ")
           << module.getTargetsAttr()[0]
           << "; register the NVVM target interface";
  if (failed(checkTarget(module, cast<NVVM::NVVMTargetAttr>(targets[0]))))
    return failure();
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (failed(checkLaunchBounds(func)))
      return failure();
  gpu::TargetOptions options(
      /*toolkitPath=*/{}, /*librariesToLink=*/{}, /*cmdOptions=*/{},
      /*elfSection=*/{}, gpu::CompilationTarget::Assembly);
  auto serialized = target.serializeToObject(module, options);
  if (!serialized)
    return module.emitError("LLVM could not translate the kernels to PTX");
  // The serializer may append the terminator that JIT loaders need.
  std::string ptx(serialized->data(), serialized->size());
  while (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  if (auto name = unresolvedCall(ptx))
    return module.emitError(
               "expected kernels that call no library, but got a call of '")
           << *name << "'";
  return ptx;
}

void hone::reportFaults(gpu::GPUModuleOp module, const AssemblyReport &report) {
  for (const KernelReport &kernel : report.kernels) {
    Operation *func = module.lookupSymbol(kernel.name);
    for (const std::string &fault : kernel.faults())
      mlir::emitWarning(func ? func->getLoc() : module.getLoc(), "ptxas: '")
          << kernel.name << "' " << fault;
  }
}

FailureOr<Assembly> hone::assemble(gpu::GPUModuleOp module, StringRef ptx) {
  if (!findTool("ptxas"))
    return module.emitError(
        "expected ptxas on the PATH or in CUDA_HOME for format=cubin, "
        "but got none; use format=ptx, which needs no toolkit");
  auto target = cast<NVVM::NVVMTargetAttr>(module.getTargetsAttr()[0]);
  llvm::Expected<Assembly> assembly = assemblePtx(ptx, target.getChip());
  if (!assembly)
    return module.emitError(llvm::toString(assembly.takeError()));
  reportFaults(module, assembly->report);
  return std::move(*assembly);
}
