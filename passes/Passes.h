//===- Passes.h - The passes and the pipeline -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of Passes.td and `hone-pipeline`, which runs them in order.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_PASSES_H
#define HONE_PASSES_PASSES_H

#include "hone/Schedule/ScheduleSource.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include <functional>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hone {

/// How reliable the schedule of every matmul must be.
enum class Require {
  any,      ///< any source
  measured, ///< by hand, or measured: exactly, rounded, or nearest
  exact     ///< by hand, or measured for exactly this problem
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass requireValues() {
  return llvm::cl::values(
      clEnumValN(Require::any, "any", "a guess or the default will do"),
      clEnumValN(Require::measured, "measured", "of this or of a like problem"),
      clEnumValN(Require::exact, "exact", "of exactly this problem"));
}

/// What a build does about kernels that have no verdict.
enum class Prove {
  no,      ///< it says how many there are
  yes,     ///< proves them; one that is wrong is an error
  required ///< so is one of which the proof cannot tell
};
/// Its spellings, for options. A name alone (which needs ValueOptional), or
/// `true`, asks for most.
inline llvm::cl::ValuesClass proveValues() {
  return llvm::cl::values(
      clEnumValN(Prove::no, "no", "a remark says how many there are"),
      clEnumValN(Prove::no, "false", "the same"),
      clEnumValN(Prove::yes, "yes", "they are proven; a wrong one is an error"),
      clEnumValN(Prove::required, "required",
                 "so is one of which the proof cannot tell"),
      clEnumValN(Prove::required, "true", "the same"),
      clEnumValN(Prove::required, "", "the same"));
}

/// Where what is not a matmul runs.
enum class Rest {
  host, ///< ops are left, for others to lower
  gpu   ///< kernels
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass restValues() {
  return llvm::cl::values(
      clEnumValN(Rest::host, "host",
                 "it is left, in memory the host can reach"),
      clEnumValN(Rest::gpu, "gpu", "it becomes kernels, too"));
}

/// Where a function has the buffers that it needs on the device.
enum class Workspace {
  allocated, ///< in memory of its own
  argument   ///< in memory that whoever calls it brings along
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass workspaceValues() {
  return llvm::cl::values(
      clEnumValN(Workspace::allocated, "allocated",
                 "in memory that it allocates and frees"),
      clEnumValN(Workspace::argument, "argument",
                 "in memory of the caller's, its last argument"));
}

/// What emitted host code does where a launch, copy, wait or allocation fails.
enum class OnError {
  abort,  ///< the program ends, with a message
  leave,  ///< the function returns, and honeTakeStatus says why
  handler ///< it goes on; libhone_rt's error handler is called
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass onErrorValues() {
  return llvm::cl::values(
      clEnumValN(OnError::abort, "abort",
                 "the program prints what failed, and aborts"),
      clEnumValN(OnError::leave, "return",
                 "the function frees its memory and returns; its caller reads "
                 "honeTakeStatus"),
      clEnumValN(OnError::handler, "handler",
                 "the program goes on; libhone_rt's error handler is called"));
}

/// How products of f32 may be computed (hone/Schedule/Problem.h).
inline llvm::cl::ValuesClass productsValues() {
  return llvm::cl::values(
      clEnumValN(Products::exact, "exact", "in f32, which no tensor core does"),
      clEnumValN(Products::tf32x3, "tf32x3",
                 "in three products of tf32, as accurately as f32 sums are"),
      clEnumValN(Products::tf32, "tf32", "in one product of tf32: 10 bits"));
}

/// How sums of 8-bit floats may be computed.
inline llvm::cl::ValuesClass sumsValues() {
  return llvm::cl::values(
      clEnumValN(Products::blocks, "blocks",
                 "short sums of 128 products, added up in f32"),
      clEnumValN(Products::shortSums, "short",
                 "as tensor cores do it: about 14 bits, from end to end"));
}

/// Which scales of A and B may become factors of their sums (MatchScales.cpp).
enum class Scales {
  kept,   ///< none
  proven, ///< where the result is not less accurate than the program's
  moved   ///< all, those that are rounded with each element, too
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass scalesValues() {
  return llvm::cl::values(
      clEnumValN(Scales::kept, "kept", "none"),
      clEnumValN(Scales::proven, "proven",
                 "those in f32, and powers of two that round nothing"),
      clEnumValN(
          Scales::moved, "moved",
          "all, though the program rounds products with them to 16 bits"));
}

#define GEN_PASS_DECL
#include "hone/passes/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "hone/passes/Passes.h.inc"

/// Options of `hone-pipeline`: those of its passes, under the same names.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> arch{
      *this, "arch",
      llvm::cl::desc("chip or ISA (h200, sm_80, ..., native, host)"),
      llvm::cl::init("sm_90a")};
  Option<std::string> schedule{
      *this, "schedule", llvm::cl::desc("use this schedule for every matmul"),
      llvm::cl::init("")};
  Option<std::string> database{
      *this, "database",
      llvm::cl::desc("database or tuning file to ask (see hone db)"),
      llvm::cl::init("")};
  Option<bool> guess{
      *this, "guess",
      llvm::cl::desc("where nothing was measured, ask the policy"),
      llvm::cl::init(true)};
  Option<bool> shipped{
      *this, "shipped",
      llvm::cl::desc("ask the measurements that are built in, too"),
      llvm::cl::init(true)};
  Option<unsigned> ranges{
      *this, "ranges",
      llvm::cl::desc("most kernels for a matmul with one unknown extent; the "
                     "launch picks"),
      llvm::cl::init(24)};
  Option<Require> require{
      *this, "require",
      llvm::cl::desc("an error where a schedule is less well founded"),
      llvm::cl::init(Require::any), requireValues()};
  Option<bool> deterministic{
      *this, "deterministic",
      llvm::cl::desc("an error where a schedule depends on this machine"),
      llvm::cl::init(false)};
  Option<Prove> prove{
      *this,
      "prove",
      llvm::cl::desc("what to do about kernels that have no verdict beside the "
                     "database: no, yes (prove them) or required"),
      llvm::cl::init(Prove::no),
      llvm::cl::ValueOptional,
      proveValues()};
  Option<std::string> host{
      *this, "host", llvm::cl::desc("what launches kernels: runtime or gpu"),
      llvm::cl::init("runtime")};
  Option<std::string> format{
      *this, "format", llvm::cl::desc("what the binary holds: ptx or cubin"),
      llvm::cl::init("ptx")};
  Option<OnError> onError{
      *this, "on-error",
      llvm::cl::desc("what host code does where a launch, copy, wait or "
                     "allocation fails: abort, return or handler"),
      llvm::cl::init(OnError::abort), onErrorValues()};
  Option<std::string> arguments{
      *this, "arguments",
      llvm::cl::desc("where public functions have arguments and results: "
                     "device or host"),
      llvm::cl::init("device")};
  Option<std::string> results{
      *this, "results",
      llvm::cl::desc("how functions give results: returned, or destinations "
                     "(memory of the caller's, behind the arguments)"),
      llvm::cl::init("returned")};
  Option<Rest> rest{*this, "rest",
                    llvm::cl::desc("what is not a matmul is left to the host, "
                                   "or lowered to kernels: host or gpu"),
                    llvm::cl::init(Rest::host), restValues()};
  Option<Workspace> workspace{
      *this, "workspace",
      llvm::cl::desc("where functions have their buffers on the device: "
                     "allocated, or argument (memory of the caller's)"),
      llvm::cl::init(Workspace::allocated), workspaceValues()};
  Option<bool> fallback{
      *this, "fallback",
      llvm::cl::desc("kernels for operands that the chosen ones can not take, "
                     "too"),
      llvm::cl::init(true)};
  Option<Products> f32{
      *this, "f32",
      llvm::cl::desc("how products of f32 may be computed where an op does not "
                     "say it"),
      llvm::cl::init(Products::exact), productsValues()};
  Option<Products> f8{
      *this, "f8",
      llvm::cl::desc(
          "how sums of 8-bit floats may be computed where an op does "
          "not say it"),
      llvm::cl::init(Products::blocks), sumsValues()};
  Option<Scales> scales{
      *this, "scales",
      llvm::cl::desc("which scales of A and B their sums may have instead"),
      llvm::cl::init(Scales::proven), scalesValues()};
  Option<bool> strictAccumulator{
      *this, "strict-accumulator",
      llvm::cl::desc(
          "leave matmuls alone whose accumulator is narrower than f32"),
      llvm::cl::init(false)};
};

/// The sources that hone-select-schedule may use: a file of measurements, or
/// none, those that are built in, and what guesses.
struct SourceOptions {
  std::string database;
  bool guess = true, shipped = true;
  /// Most schedules of a matmul with one unknown extent.
  unsigned ranges = 24;
  /// A database that is damaged anywhere is an error; else a warning, where a
  /// question comes to the damage.
  bool soundOnly = false;
};

/// Makes the sources of hone-select-schedule, or reports why not. A program
/// that wants none says so: a factory that gives an empty list.
using SourceFactory = std::function<mlir::FailureOr<ScheduleSources>(
    mlir::MLIRContext *context, const SourceOptions &options)>;

/// Called with the schedule of each hone.matmul.
using SelectionSink =
    std::function<void(mlir::Operation *matmul, const Selection &)>;

/// The steps of `hone-pipeline`, in order.
enum class PipelineStep {
  match,     ///< linalg becomes hone.matmul
  bufferize, ///< tensors become memrefs; they may be matched again
  place,     ///< buffers are freed, and placed where kernels reach them
  select,    ///< every hone.matmul gets a schedule
  build,     ///< schedules become kernel IR
  prove,     ///< kernels have a verdict, or a remark
  emit       ///< kernel IR becomes PTX and host calls
};
/// A range of steps: a tool that stops half-way or starts there decides as a
/// build does.
struct PipelinePart {
  PipelineStep first = PipelineStep::match, last = PipelineStep::emit;

  bool has(PipelineStep step) const { return first <= step && step <= last; }
  static PipelinePart upTo(PipelineStep last) {
    return {PipelineStep::match, last};
  }
  static PipelinePart only(PipelineStep step) { return {step, step}; }
};

/// Adds the pipeline, or a part of it, with sources of one's own; without any,
/// a matmul that nobody wrote a schedule for is an error.
/// hone/Plugin/Register.h has a version with this library's: databases, tuning
/// files, the policy.
void buildPipeline(mlir::OpPassManager &pm, const PipelineOptions &options,
                   const SourceFactory &makeSources, PipelinePart part = {},
                   const SelectionSink &selected = nullptr);
/// Registers every pass and the pipeline.
void registerEverything(const SourceFactory &makeSources);

} // namespace hone

#endif // HONE_PASSES_PASSES_H
