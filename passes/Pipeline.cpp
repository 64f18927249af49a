//===- Pipeline.cpp - The whole route -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone-pipeline`, top to bottom:
//
//   linalg on tensors or memrefs
//     hone-match                 which ops are matmuls, in canonical form
//     one-shot-bufferize         tensors become memrefs (with plain layouts: a
//                                dynamic stride would hide what is contiguous)
//     hone-place-temporaries     buffers that kernels touch go to the GPU
//     hone-select-schedule       where it runs, and how
//     hone-build-kernel          kernel IR and launches
//     hone-lower-kernel          NVVM
//     hone-emit                  PTX and host calls
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/SelectSchedule.h"

using namespace mlir;

/// Bufferization with identity layouts at function boundaries, and nothing that
/// is not a tensor op touched.
static void addBufferization(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // Functions of other dialects and unknown ops pass through.
  options.allowUnknownOps = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  bufferization::BufferDeallocationPipelineOptions deallocation;
  bufferization::buildBufferDeallocationPipeline(pm, deallocation);
}

void hone::buildPipeline(OpPassManager &pm, const PipelineOptions &options,
                         const SourceFactory &makeSources) {
  MatchOptions match;
  match.strictAccumulator = options.strictAccumulator;
  match.arch = options.arch;
  pm.addPass(createMatch(match));

  // Bufferization knows linalg, but no arith or math on whole tensors.
  pm.addPass(createConvertElementwiseToLinalgPass());
  addBufferization(pm);

  PlaceTemporariesOptions place;
  place.arch = options.arch;
  pm.addPass(createPlaceTemporaries(place));

  SelectScheduleOptions select;
  select.arch = options.arch;
  select.schedule = options.schedule;
  select.database = options.database;
  select.guess = options.guess;
  select.require = options.require;
  select.deterministic = options.deterministic;
  pm.addPass(createSelectSchedule(select, makeSources));

  pm.addPass(createBuildKernel());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createLowerKernel());

  EmitOptions emit;
  emit.host = options.host;
  emit.format = options.format;
  pm.addPass(createEmit(emit));
}

void hone::registerEverything(const SourceFactory &makeSources) {
  registerMatch();
  registerPlaceTemporaries();
  registerPass([=] { return createSelectSchedule({}, makeSources); });
  registerBuildKernel();
  registerVerifyKernel();
  registerLowerKernel();
  registerEmit();
  PassPipelineRegistration<PipelineOptions>(
      "hone-pipeline",
      "match matmuls, schedule them, and lower them to PTX with host launches",
      [=](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, options, makeSources);
      });
}
