//===- RestCode.cpp - CPU code of the rest's kernels ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a lowered module to function addresses. RestIr.cpp has the changes
// of the LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "RestCode.h"
#include "Intrinsics.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace hone;
using namespace hone::emulate;

RestCode::RestCode() = default;
RestCode::~RestCode() = default;

static void registerTranslations(MLIRContext *context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  context->appendDialectRegistry(registry);
}

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> makeJit() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!target)
    return target.takeError();
  // The instruction treats subnormals as 0.
  target->addFeatures({"-avx512bf16"});
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*target))
                 .create();
  if (!jit)
    return jit;
  llvm::orc::SymbolMap symbols;
  for (const auto &symbol : kernelSymbols())
    symbols[(*jit)->mangleAndIntern(symbol.getKey())] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.getValue()),
        llvm::JITSymbolFlags::Exported};
  llvm::orc::JITDylib &library = (*jit)->getMainJITDylib();
  if (llvm::Error error =
          library.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  return jit;
}

/// Keeps the kernels of `names` that `module` defines and erases all others.
static std::vector<std::string> keepKernels(gpu::GPUModuleOp module,
                                            const llvm::StringSet<> &names) {
  std::vector<std::string> kept;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
    if (names.contains(function.getName()))
      kept.push_back(function.getName().str());
    else if (!function.isExternal())
      function.erase();
  }
  return kept;
}

llvm::Error RestCode::add(ModuleOp lowered, const llvm::StringSet<> &names) {
  registerTranslations(lowered.getContext());
  for (auto original : lowered.getOps<gpu::GPUModuleOp>()) {
    OwningOpRef<gpu::GPUModuleOp> copy(original.clone());
    std::vector<std::string> kernels = keepKernels(*copy, names);
    if (kernels.empty())
      continue;
    auto context = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> module =
        translateModuleToLLVMIR(copy->getOperation(), *context);
    if (!module)
      return llvm::createStringError(
          "expected kernels of the rest that translate to LLVM IR");
    if (!jit) {
      auto made = makeJit();
      if (!made)
        return made.takeError();
      jit = std::move(*made);
    }
    module->setDataLayout(jit->getDataLayout());
    module->setTargetTriple(jit->getTargetTriple());
    if (llvm::Error error = prepareForCpu(*module, kernels, meeting))
      return error;
    if (llvm::Error error = jit->addIRModule(
            llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
      return error;
    for (const std::string &kernel : kernels) {
      auto address = jit->lookup(shimName(kernel));
      if (!address)
        return address.takeError();
      code[kernel] = address->toPtr<KernelCode>();
    }
  }
  return llvm::Error::success();
}

KernelCode RestCode::find(StringRef kernel, bool &meets) const {
  meets = meeting.contains(kernel);
  return code.lookup(kernel);
}
