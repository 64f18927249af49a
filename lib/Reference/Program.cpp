//===- Program.cpp - Compiled module, ready to call -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a stand-in the whole pipeline runs as for the GPU. The emulation reads
// the module between its steps.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Program.h"
#include "BringMemory.h"
#include "hone-c/Runtime.h"
#include "hone/Driver/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;

void hone::keepReachable(ModuleOp module, StringRef function) {
  llvm::SmallPtrSet<Operation *, 8> kept;
  SmallVector<Operation *> next = {module.lookupSymbol(function)};
  while (!next.empty()) {
    Operation *op = next.pop_back_val();
    if (!op || !kept.insert(op).second)
      continue;
    if (auto uses = SymbolTable::getSymbolUses(op))
      for (SymbolTable::SymbolUse use : *uses)
        next.push_back(module.lookupSymbol(use.getSymbolRef()));
  }
  for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!kept.contains(other))
      other.erase();
}

Program::~Program() {
  for (void *handle : handles)
    honeUnregisterImage(handle);
}

/// A CPU has no 8-bit floats; LLVM's own error would be less clear.
static llvm::Error refuseShortFloats(ModuleOp module) {
  Type found;
  auto look = [&](TypeRange types) {
    for (Type type : types) {
      Type element = getElementTypeOrSelf(type);
      std::optional<ElementType> factor = toFactorType(element);
      if (factor && isShortFloat(*factor))
        found = element;
    }
  };
  module.walk([&](Operation *op) {
    look(op->getOperandTypes());
    look(op->getResultTypes());
  });
  if (!found)
    return llvm::Error::success();
  return llvm::createStringError(llvm::formatv(
      "expected types that this CPU has, but got {0}; use a GPU (--arch)",
      found));
}

/// Launches of another runtime, and binary code, are not emulated.
static llvm::Error refuseUnknownForms(const PipelineOptions &options) {
  if (options.host != LaunchForm::runtime)
    return llvm::createStringError(
        "expected launches through libhone_rt for the stand-in, but got "
        "host=gpu; use host=runtime");
  if (options.format != BinaryFormat::ptx)
    return llvm::createStringError(
        "expected kernels as text for the stand-in, but got format=cubin; use "
        "format=ptx");
  return llvm::Error::success();
}

llvm::Error Program::compileForStandIn(ModuleOp module,
                                       const PipelineOptions &options,
                                       const SourceFactory &makeSources) {
  if (llvm::Error error = refuseUnknownForms(options))
    return error;
  auto run = [&](PipelinePart part) {
    return runPasses(module, [&](OpPassManager &pm) {
      buildPipeline(pm, options, makeSources, part);
    });
  };
  if (llvm::Error error = run(PipelinePart::upTo(PipelineStep::select)))
    return error;
  if (llvm::Error error = standIn->recordLaunches(module))
    return error;
  if (llvm::Error error = run(PipelinePart::only(PipelineStep::build)))
    return error;
  standIn->addKernels(module);
  // Lowered like in the last step, which makes PTX.
  OwningOpRef<ModuleOp> lowered = module.clone();
  if (llvm::Error error = runPasses(
          *lowered, [](OpPassManager &pm) { pm.addPass(createLowerKernel()); }))
    return error;
  if (llvm::Error error = standIn->addCode(*lowered))
    return error;
  if (llvm::Error error = run(PipelinePart::only(PipelineStep::emit)))
    return error;
  standIn->addImages(module);
  return llvm::Error::success();
}

llvm::Error Program::load(Change change) {
  OwningOpRef<ModuleOp> copy = emitted->clone();
  if (change)
    change(*copy);
  if (llvm::Error error = bringMemory(*copy))
    return error;
  JitOptions code;
  code.optLevel = 1; // It runs only briefly.
  code.symbols = Emulation::symbols();
  auto made = Jit::create(*copy, code);
  if (!made)
    return made.takeError();
  jit = std::move(*made);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>>
Program::compile(ModuleOp module, const PipelineOptions &options,
                 const SourceFactory &makeSources, Target target,
                 llvm::StringMap<void *> symbols, uint64_t seed) {
  if (target == Target::host)
    if (llvm::Error error = refuseShortFloats(module))
      return std::move(error);
  OwningOpRef<ModuleOp> copy = module.clone();
  auto program = std::make_unique<Program>();
  PipelineOptions chosen;
  chosen.copyOptionValuesFrom(options);
  // A failed launch is an error of the call and does not end the tool.
  if (!options.onError.hasValue())
    chosen.onError = OnError::leave;
  if (target == Target::standIn) {
    EmulationOptions emulation;
    emulation.seed = seed;
    program->standIn = std::make_unique<Emulation>(emulation);
    llvm::Error error = program->compileForStandIn(*copy, options, makeSources);
    program->emitted = std::move(copy);
    if (!error)
      error = program->load(/*change=*/nullptr);
    if (error)
      return std::move(error);
    return program;
  }
  if (llvm::Error error = runPasses(*copy, [&](OpPassManager &pm) {
        buildPipeline(pm, chosen, makeSources);
      }))
    return std::move(error);
  if (llvm::Error error = bringMemory(*copy))
    return std::move(error);
  if (target == Target::device) {
    program->images = imagesOf(*copy);
    for (const std::string &image : program->images)
      program->handles.push_back(
          honeRegisterImage(image.c_str(), image.size()));
  }
  JitOptions code;
  code.symbols = std::move(symbols);
  auto jit = Jit::create(*copy, code);
  if (!jit)
    return jit.takeError();
  program->jit = std::move(*jit);
  return program;
}

//===----------------------------------------------------------------------===//
// The stand-in's memory
//===----------------------------------------------------------------------===//

namespace {
class StandInMemory : public Memory {
public:
  StandInMemory(Emulation &device, bool isOnHost)
      : device(device), isOnHost(isOnHost) {}

  llvm::Expected<void *> allocate(size_t bytes) override {
    void *pointer =
        isOnHost ? device.allocateOnHost(bytes) : device.allocate(bytes);
    if (pointer)
      return pointer;
    return llvm::createStringError("out of memory");
  }
  void free(void *pointer) override { device.release(pointer); }
  void freeResult(void *pointer) override { device.release(pointer); }
  llvm::Error copyIn(void *to, const void *from, size_t bytes) override {
    return copyOut(to, from, bytes);
  }
  llvm::Error copyOut(void *to, const void *from, size_t bytes) override {
    device.copy(to, from, bytes);
    return finish();
  }
  /// The program itself has waited for results on the host.
  llvm::Error finish() override {
    return isOnHost ? llvm::Error::success() : device.finish();
  }
  bool isOfHost() const override { return isOnHost; }

private:
  Emulation &device;
  bool isOnHost;
};
} // namespace

std::unique_ptr<Memory> Program::standInMemory(bool isOnHost) {
  return standIn ? std::make_unique<StandInMemory>(*standIn, isOnHost)
                 : nullptr;
}
