//===- Program.cpp - A compiled module, ready to be called ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a stand-in the whole pipeline runs as for the GPU. The emulation looks at
// the module between its steps.
//
//===----------------------------------------------------------------------===//

#include "hone/Evaluate/Program.h"
#include "BringMemory.h"
#include "hone-c/Runtime.h"
#include "hone/Evaluate/Compile.h"
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

/// A CPU has no floats of 8 bits, which LLVM would say in words of its own.
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

llvm::Error Program::compileForStandIn(ModuleOp module,
                                       const PipelineOptions &options,
                                       const SourceFactory &makeSources) {
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
  // Lowered as the last step does it, whose result is PTX.
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

llvm::Expected<std::unique_ptr<Program>>
Program::compile(ModuleOp module, const PipelineOptions &options,
                 const SourceFactory &makeSources, Target target,
                 llvm::StringMap<void *> symbols, uint64_t seed,
                 Change change) {
  if (target == Target::host)
    if (llvm::Error error = refuseShortFloats(module))
      return std::move(error);
  OwningOpRef<ModuleOp> copy = module.clone();
  auto program = std::make_unique<Program>();
  PipelineOptions chosen;
  chosen.copyOptionValuesFrom(options);
  // A failed launch is an error of the call, not the end of the tool.
  if (!options.onError.hasValue())
    chosen.onError = OnError::leave;
  if (target == Target::standIn) {
    EmulationOptions emulation;
    emulation.seed = seed;
    program->standIn = std::make_unique<Emulation>(emulation);
  }
  llvm::Error error =
      target == Target::standIn
          ? program->compileForStandIn(*copy, options, makeSources)
          : runPasses(*copy, [&](OpPassManager &pm) {
              buildPipeline(pm, chosen, makeSources);
            });
  if (error)
    return std::move(error);
  if (change)
    change(*copy);
  if (llvm::Error error = bringMemory(*copy))
    return std::move(error);
  if (target == Target::device) {
    program->images = imagesOf(*copy);
    for (const std::string &image : program->images)
      program->handles.push_back(
          honeRegisterImage(image.c_str(), image.size()));
  }
  JitOptions code;
  // A stand-in's host code runs for a moment.
  if (target == Target::standIn)
    code.optLevel = 1;
  code.symbols =
      target == Target::standIn ? Emulation::symbols() : std::move(symbols);
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
  explicit StandInMemory(Emulation &device) : device(device) {}

  llvm::Expected<void *> allocate(size_t bytes) override {
    if (void *pointer = device.allocate(bytes))
      return pointer;
    return llvm::createStringError("expected memory, but got none");
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
  llvm::Error finish() override { return device.finish(); }

private:
  Emulation &device;
};
} // namespace

std::unique_ptr<Memory> Program::standInMemory() {
  return standIn ? std::make_unique<StandInMemory>(*standIn) : nullptr;
}
