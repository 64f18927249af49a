//===- Pipeline.cpp - Whole pass pipeline ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone-pipeline`, top to bottom:
//
//   linalg on tensors or memrefs
//     hone-reorder-products      fewer multiplications           | reorder
//     hone-match                 which ops are matmuls, in canonical form
//     hone-decompose             linalg ops that combine several
//     hone-fuse-rest             elementwise ops fused           | rest=gpu
//     one-shot-bufferize         tensors become memrefs (with plain layouts: a
//                                dynamic stride would hide contiguous data)
//     hone-separate-results      no result is returned twice     | destinations
//     hone-take-destinations     results become arguments        | destinations
//     hone-outline-rest          one function per rest kernel    | rest=gpu
//     hone-carry-buffers         buffers that loops hand on
//     hone-place-buffers         memory space of each buffer, and copies
//     hone-insert-waits          waits of the host for the device
//     hone-pool-buffers          one allocation per function
//     hone-select-schedule       target and schedule
//     hone-build-kernel          kernel IR and launches
//     hone-build-rest            kernels of the rest             | rest=gpu
//     hone-recall-verdicts       kernels without a proof
//     hone-lower-kernel          NVVM
//     hone-emit                  PTX and host calls
//
//===----------------------------------------------------------------------===//

#include "hone/Driver/Pipeline.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/SelectSchedule.h"

using namespace mlir;
using namespace hone;

static void addMatching(OpPassManager &pm, const PipelineOptions &options) {
  if (options.reorder != Reorder::kept) {
    ReorderProductsOptions reorder;
    reorder.reorder = options.reorder;
    pm.addPass(createReorderProducts(reorder));
  }
  MatchOptions match;
  match.strictAccumulator = options.strictAccumulator;
  match.arch = options.arch;
  match.f32 = options.f32;
  match.f8 = options.f8;
  match.scales = options.scales;
  match.numbers = options.numbers;
  match.require = options.require;
  pm.addPass(createMatch(match));
  if (options.rest == Rest::gpu) {
    CopyRowsOptions copy;
    copy.arch = options.arch;
    pm.addPass(createCopyRows(copy));
  }
}

/// Bufferization with identity layouts at function boundaries, of tensor ops
/// only.
static void addBufferization(OpPassManager &pm,
                             const PipelineOptions &pipeline) {
  // Bufferization supports linalg, but no arith or math on whole tensors.
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addNestedPass<func::FuncOp>(createDecompose());
  if (pipeline.rest == Rest::gpu) {
    FuseRestOptions fuse;
    fuse.arch = pipeline.arch;
    pm.addPass(createFuseRest(fuse));
    // Parts of a whole are computed at their final place.
    pm.addPass(bufferization::createEmptyTensorEliminationPass());
  }
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // The state of a loop has a plain layout, too.
  options.unknownTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // Functions of other dialects and unknown ops pass through.
  options.allowUnknownOps = true;
  // A loop may carry a tensor that its body recomputes.
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
}

/// Results become the caller's memory: arguments after the others.
static void addDestinations(OpPassManager &pm) {
  // An allocation that is returned directly becomes an argument. One that is
  // reshaped and back again, as after matmuls, would be copied.
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createSeparateResults());
  pm.addPass(createTakeDestinations());
}

/// Upstream's deallocation, without decisions at run time for the state of
/// loops.
static void addDeallocation(OpPassManager &pm, const PipelineOptions &options) {
  CarryBuffersOptions carry;
  carry.arch = options.arch;
  pm.addPass(createCarryBuffers(carry));
  memref::ExpandReallocPassOptions realloc;
  realloc.emitDeallocs = false;
  pm.addPass(memref::createExpandReallocPass(realloc));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(createCarryBuffers(carry));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
}

static void addPlacement(OpPassManager &pm, const PipelineOptions &options) {
  if (options.results == ResultForm::destinations)
    addDestinations(pm);
  if (options.rest == Rest::gpu) {
    // A part already at its final place need not be copied.
    pm.addPass(createCSEPass());
    pm.addPass(createCanonicalizerPass());
    OutlineRestOptions outline;
    outline.arch = options.arch;
    // An option that is no such text is an error of hone-match.
    llvm::Expected<Numbers> numbers = Numbers::parse(options.numbers);
    outline.invariant = numbers && numbers->isInvariant();
    llvm::consumeError(numbers.takeError());
    pm.addPass(createOutlineRest(outline));
  }
  addDeallocation(pm, options);
  PlaceBuffersOptions place;
  place.arch = options.arch;
  place.arguments = options.arguments;
  pm.addPass(createPlaceBuffers(place));
  InsertWaitsOptions wait;
  wait.arch = options.arch;
  pm.addPass(createInsertWaits(wait));
  PoolBuffersOptions pool;
  pool.arch = options.arch;
  pool.workspace = options.workspace;
  pm.addPass(createPoolBuffers(pool));
}

static void addSelection(OpPassManager &pm, const PipelineOptions &options,
                         const SourceFactory &makeSources,
                         const SelectionSink &selected) {
  SelectScheduleOptions select;
  select.arch = options.arch;
  select.schedule = options.schedule;
  select.database = options.database;
  select.guess = options.guess;
  select.shipped = options.shipped;
  select.ranges = options.ranges;
  select.require = options.require;
  select.deterministic = options.deterministic;
  pm.addPass(createSelectSchedule(select, makeSources, selected));
}

static void addBuilding(OpPassManager &pm, const PipelineOptions &options) {
  BuildKernelOptions build;
  build.fallback = options.fallback;
  // A requested schedule is mandatory; a found one may fit less well.
  build.strict = options.schedule.isGiven();
  pm.addPass(createBuildKernel(build));
  if (options.rest == Rest::gpu) {
    BuildRestOptions rest;
    rest.arch = options.arch;
    pm.addPass(createBuildRest(rest));
  }
  pm.addPass(createCanonicalizerPass());
}

static void addVerdicts(OpPassManager &pm, const PipelineOptions &options) {
  RecallVerdictsOptions recall;
  recall.database = options.database;
  recall.prove = options.prove;
  pm.addPass(createRecallVerdicts(recall));
}

static void addEmission(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createLowerKernel());
  EmitOptions emit;
  emit.host = options.host;
  emit.format = options.format;
  emit.onError = options.onError;
  pm.addPass(createEmit(emit));
}

void hone::buildPipeline(OpPassManager &pm, const PipelineOptions &options,
                         const SourceFactory &makeSources, PipelinePart part,
                         const SelectionSink &selected) {
  if (part.has(PipelineStep::match))
    addMatching(pm, options);
  if (part.has(PipelineStep::bufferize))
    addBufferization(pm, options);
  if (part.has(PipelineStep::place))
    addPlacement(pm, options);
  if (part.has(PipelineStep::select))
    addSelection(pm, options, makeSources, selected);
  if (part.has(PipelineStep::build))
    addBuilding(pm, options);
  if (part.has(PipelineStep::prove))
    addVerdicts(pm, options);
  if (part.has(PipelineStep::emit))
    addEmission(pm, options);
}

void hone::registerEverything(const SourceFactory &makeSources) {
  registerReorderProducts();
  registerMatch();
  registerDecompose();
  registerCopyRows();
  registerFuseRest();
  registerSeparateResults();
  registerOutlineRest();
  registerCarryBuffers();
  registerPlaceBuffers();
  registerInsertWaits();
  registerPoolBuffers();
  registerPass([=] { return createSelectSchedule({}, makeSources); });
  registerBuildKernel();
  registerBuildRest();
  registerVerifyKernel();
  registerRecallVerdicts();
  registerLowerKernel();
  registerEmit();
  PassPipelineRegistration<PipelineOptions>(
      "hone-pipeline",
      "match matmuls, schedule them, and lower them to PTX with host launches",
      [=](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, options, makeSources);
      });
}
