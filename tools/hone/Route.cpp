//===- Route.cpp - The pipeline, as far as a command needs it -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Route.h.
//
//===----------------------------------------------------------------------===//

#include "Route.h"
#include "hone/Plugin/Register.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace hone;

namespace {
/// What a choice leaves open stays as the pipeline has it.
struct ChosenOptions : PipelineOptions {
  explicit ChosenOptions(const PipelineChoice &choice) {
    arch = choice.arch;
    schedule = choice.schedule;
    database = choice.database;
    if (choice.ranges)
      ranges = choice.ranges;
  }
};
} // namespace

llvm::Error hone::runToMatmuls(ModuleOp module, StringRef arch) {
  PipelineOptions options;
  options.arch = arch.str();
  return runPasses(module, [&](OpPassManager &pm) {
    buildPipeline(pm, options, PipelinePart::upTo(PipelineStep::bufferize));
  });
}

llvm::Error hone::runToSelect(ModuleOp module, const PipelineChoice &choice,
                              const SelectionSink &selected) {
  return runPasses(module, [&](OpPassManager &pm) {
    buildPipeline(pm, ChosenOptions(choice),
                  PipelinePart::upTo(PipelineStep::select), selected);
  });
}
