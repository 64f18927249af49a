//===- Route.cpp - Partial runs of the pipeline ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Route.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Plugin/Route.h"
#include "hone/Plugin/Register.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;

/// Reads `--pipeline=TEXT`.
static llvm::Error readPipeline(StringRef text, PipelineOptions &options) {
  std::string complaint;
  llvm::raw_string_ostream os(complaint);
  if (succeeded(options.parseFromString(text, os)))
    return llvm::Error::success();
  // For a value that an option does not have, LLVM prints the error itself.
  if (complaint.empty())
    complaint =
        llvm::formatv("expected options of hone-pipeline, but got '{0}'", text);
  return llvm::createStringError("--pipeline: " + StringRef(complaint).trim());
}

llvm::Error hone::setOptions(const PipelineChoice &choice,
                             PipelineOptions &options) {
  if (llvm::Error error = readPipeline(choice.pipeline, options))
    return error;
  if (options.arch.hasValue())
    return llvm::createStringError(
        "--pipeline: expected no 'arch', but got '%s'; use --arch=%s",
        options.arch.c_str(), options.arch.c_str());
  options.arch = choice.arch;
  if (!choice.schedule.empty())
    options.schedule = PinnedSchedule::parse(choice.schedule);
  if (!choice.database.empty())
    options.database = choice.database;
  if (choice.ranges)
    options.ranges = choice.ranges;
  return llvm::Error::success();
}

static llvm::Error
runWith(ModuleOp module, const PipelineChoice &choice,
        llvm::function_ref<void(OpPassManager &, PipelineOptions &)> build) {
  PipelineOptions options;
  if (llvm::Error error = setOptions(choice, options))
    return error;
  return runPasses(module, [&](OpPassManager &pm) { build(pm, options); });
}

llvm::Error hone::runToMatmuls(ModuleOp module, const PipelineChoice &choice) {
  return runWith(module, choice, [](OpPassManager &pm, auto &options) {
    buildPipeline(pm, options, PipelinePart::upTo(PipelineStep::bufferize));
  });
}

llvm::Error hone::runToSelect(ModuleOp module, const PipelineChoice &choice,
                              const SelectionSink &selected) {
  return runWith(module, choice, [&](OpPassManager &pm, auto &options) {
    buildPipeline(pm, options, PipelinePart::upTo(PipelineStep::select),
                  selected);
  });
}

llvm::Error hone::runSelectedToKernels(ModuleOp module,
                                       const PipelineChoice &choice) {
  return runWith(module, choice, [](OpPassManager &pm, auto &options) {
    options.schedule = PinnedSchedule();
    buildPipeline(pm, options, /*makeSources=*/nullptr,
                  PipelinePart::only(PipelineStep::build));
  });
}
