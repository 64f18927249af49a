//===- Pipeline.h - The pipeline hone-pipeline ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The route from linalg to PTX: the passes of passes/Passes.td and of the proof
// (hone/Simulate/Passes.h), in order.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DRIVER_PIPELINE_H
#define HONE_DRIVER_PIPELINE_H

#include "hone/Simulate/Passes.h"
#include "hone/passes/Passes.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hone {

/// Options of `hone-pipeline`: those of its passes, under the same names and
/// with the same defaults.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> arch{
      *this, "arch",
      llvm::cl::desc("chip or ISA (h200, sm_80, ..., native, host)"),
      llvm::cl::init(SelectScheduleOptions().arch)};
  Option<PinnedSchedule> schedule{
      *this, "schedule", llvm::cl::desc("use this schedule for every matmul")};
  Option<std::string> database{
      *this, "database",
      llvm::cl::desc("database or tuning file to ask (see hone db)"),
      llvm::cl::init(SelectScheduleOptions().database)};
  Option<bool> guess{
      *this, "guess",
      llvm::cl::desc("where nothing was measured, ask the policy"),
      llvm::cl::init(SelectScheduleOptions().guess)};
  Option<bool> shipped{
      *this, "shipped",
      llvm::cl::desc("ask the measurements that are built in, too"),
      llvm::cl::init(SelectScheduleOptions().shipped)};
  Option<unsigned> ranges{
      *this, "ranges",
      llvm::cl::desc("most kernels for a matmul with one unknown extent; the "
                     "launch picks"),
      llvm::cl::init(SelectScheduleOptions().ranges)};
  Option<Require> require{
      *this, "require",
      llvm::cl::desc("an error where a schedule is less well founded"),
      llvm::cl::init(SelectScheduleOptions().require), requireValues()};
  Option<bool> deterministic{
      *this, "deterministic",
      llvm::cl::desc("an error where a schedule depends on this machine"),
      llvm::cl::init(SelectScheduleOptions().deterministic)};
  Option<Prove> prove{
      *this,
      "prove",
      llvm::cl::desc("what to do about kernels that have no verdict beside the "
                     "database: no, yes (prove them) or required"),
      llvm::cl::init(RecallVerdictsOptions().prove),
      llvm::cl::ValueOptional,
      proveValues()};
  Option<LaunchForm> host{
      *this, "host",
      llvm::cl::desc("the form of launches in host code: runtime or gpu"),
      llvm::cl::init(EmitOptions().host), launchFormValues()};
  Option<BinaryFormat> format{
      *this, "format",
      llvm::cl::desc("the contents of the binary: ptx or cubin"),
      llvm::cl::init(EmitOptions().format), binaryFormatValues()};
  Option<OnError> onError{
      *this, "on-error",
      llvm::cl::desc("what host code does where a launch, copy, wait or "
                     "allocation fails: abort, return or handler"),
      llvm::cl::init(EmitOptions().onError), onErrorValues()};
  Option<MemorySide> arguments{
      *this, "arguments",
      llvm::cl::desc("the memory of arguments and results of public functions: "
                     "device or host"),
      llvm::cl::init(PlaceBuffersOptions().arguments), memorySideValues()};
  Option<ResultForm> results{
      *this, "results",
      llvm::cl::desc("how functions give results: returned, or destinations "
                     "(memory of the caller, after the arguments)"),
      llvm::cl::init(ResultForm::returned), resultFormValues()};
  Option<Rest> rest{*this, "rest",
                    llvm::cl::desc("what is not a matmul is left to the host, "
                                   "or lowered to kernels: host or gpu"),
                    llvm::cl::init(Rest::host), restValues()};
  Option<Workspace> workspace{
      *this, "workspace",
      llvm::cl::desc("where functions have their buffers on the device: "
                     "allocated, or argument (memory of the caller's)"),
      llvm::cl::init(PoolBuffersOptions().workspace), workspaceValues()};
  Option<bool> fallback{
      *this, "fallback",
      llvm::cl::desc("kernels for operands that the chosen ones cannot take, "
                     "too"),
      llvm::cl::init(BuildKernelOptions().fallback)};
  Option<Products> f32{
      *this, "f32",
      llvm::cl::desc("how products of f32 may be computed where an op does not "
                     "say it"),
      llvm::cl::init(MatchOptions().f32), productsValues()};
  Option<Products> f8{
      *this, "f8",
      llvm::cl::desc(
          "how sums of 8-bit floats may be computed where an op does "
          "not say it"),
      llvm::cl::init(MatchOptions().f8), sumsValues()};
  Option<Reorder> reorder{
      *this, "reorder",
      llvm::cl::desc("products that may be written in another order to "
                     "multiply less"),
      llvm::cl::init(Reorder::kept), reorderValues()};
  Option<Scales> scales{
      *this, "scales",
      llvm::cl::desc("which scales of A and B their sums may have instead"),
      llvm::cl::init(MatchOptions().scales), scalesValues()};
  Option<std::string> numbers{
      *this, "numbers",
      llvm::cl::desc("which runs give the same bits where an op does not say "
                     "it: free, deterministic, invariant or invariant:PARTS"),
      llvm::cl::init(MatchOptions().numbers)};
  Option<bool> strictAccumulator{
      *this, "strict-accumulator",
      llvm::cl::desc(
          "leave matmuls alone whose accumulator is narrower than f32"),
      llvm::cl::init(MatchOptions().strictAccumulator)};

  /// Hides MLIR's parser, which checks less (CheckedPass.h).
  mlir::LogicalResult
  parseFromString(llvm::StringRef text,
                  llvm::raw_ostream &errors = llvm::errs()) {
    return parseOptions(*this, text, errors);
  }
};

/// The steps of `hone-pipeline`, in order.
enum class PipelineStep {
  match,     ///< linalg becomes hone.matmul
  bufferize, ///< tensors become memrefs; they may be matched again
  place,     ///< buffers are freed, and placed in memory that kernels access
  select,    ///< every hone.matmul gets a schedule
  build,     ///< schedules become kernel IR
  prove,     ///< kernels have a verdict, or a remark
  emit       ///< kernel IR becomes PTX and host calls
};
/// A range of steps, so that a tool that stops or starts in the middle makes
/// the same decisions as a build.
struct PipelinePart {
  PipelineStep first = PipelineStep::match, last = PipelineStep::emit;

  bool has(PipelineStep step) const { return first <= step && step <= last; }
  static PipelinePart upTo(PipelineStep last) {
    return {PipelineStep::match, last};
  }
  static PipelinePart only(PipelineStep step) { return {step, step}; }
};

/// Adds the pipeline, or a part of it, with the caller's sources. Without
/// sources, a matmul is an error if it has no schedule and the option gives
/// none. hone/Plugin/Register.h has a version with this library's sources:
/// databases, tuning files, the policy.
void buildPipeline(mlir::OpPassManager &pm, const PipelineOptions &options,
                   const SourceFactory &makeSources, PipelinePart part = {},
                   const SelectionSink &selected = nullptr);
/// Registers every pass and the pipeline.
void registerEverything(const SourceFactory &makeSources);

} // namespace hone

#endif // HONE_DRIVER_PIPELINE_H
