//===- Program.cpp - A compiled module, ready to be called ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a stand-in the passes that decide about memory and time run for the GPU,
// and those that write kernels for the CPU: it is the first that it is there to
// judge.
//
//===----------------------------------------------------------------------===//

#include "hone/Evaluate/Program.h"
#include "hone-c/Runtime.h"
#include "hone/Evaluate/Compile.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Emit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;

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
  PipelineOptions host;
  host.arch = "host";
  llvm::Error error = runPasses(module, [&](OpPassManager &pm) {
    buildPipeline(pm, options, makeSources,
                  PipelinePart::upTo(PipelineStep::place));
    buildPipeline(pm, host, makeSources,
                  {PipelineStep::select, PipelineStep::build});
  });
  if (error)
    return error;
  emitRuntimeMemory(module);
  standIn = std::make_unique<StandIn>();
  return standIn->delay(module);
}

llvm::Expected<std::unique_ptr<Program>>
Program::compile(ModuleOp module, const PipelineOptions &options,
                 const SourceFactory &makeSources, Target target,
                 llvm::StringMap<void *> symbols) {
  if (target != Target::device)
    if (llvm::Error error = refuseShortFloats(module))
      return std::move(error);
  OwningOpRef<ModuleOp> copy = module.clone();
  auto program = std::make_unique<Program>();
  PipelineOptions chosen;
  chosen.copyOptionValuesFrom(options);
  // A failed launch is an error of the call, not the end of the tool.
  if (!options.onError.hasValue())
    chosen.onError = OnError::leave;
  llvm::Error error =
      target == Target::standIn
          ? program->compileForStandIn(*copy, chosen, makeSources)
          : runPasses(*copy, [&](OpPassManager &pm) {
              buildPipeline(pm, chosen, makeSources);
            });
  if (error)
    return std::move(error);
  if (target == Target::device) {
    program->images = imagesOf(*copy);
    for (const std::string &image : program->images)
      program->handles.push_back(
          honeRegisterImage(image.c_str(), image.size()));
  }
  JitOptions code;
  code.symbols =
      target == Target::standIn ? StandIn::symbols() : std::move(symbols);
  auto jit = Jit::create(*copy, code);
  if (!jit)
    return jit.takeError();
  program->jit = std::move(*jit);
  if (program->standIn)
    if (llvm::Error error = program->standIn->attach(*program->jit))
      return std::move(error);
  return program;
}

//===----------------------------------------------------------------------===//
// The stand-in's memory
//===----------------------------------------------------------------------===//

namespace {
class StandInMemory : public Memory {
public:
  explicit StandInMemory(StandIn &device) : device(device) {}

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
  llvm::Error finish() override {
    device.synchronize();
    return llvm::Error::success();
  }

private:
  StandIn &device;
};
} // namespace

std::unique_ptr<Memory> Program::standInMemory() {
  return standIn ? std::make_unique<StandInMemory>(*standIn) : nullptr;
}
