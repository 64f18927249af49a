//===- Passes.h - The passes and the pipeline -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the passes of Passes.td and of `hone-pipeline`, which is all
// of them in order.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_PASSES_H
#define HONE_PASSES_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hone {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// Options of `hone-pipeline`: those of its passes, by the same names.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> arch{
      *this, "arch",
      llvm::cl::desc("chip or ISA (h200, sm_80, ..., native, host)"),
      llvm::cl::init("sm_90a")};
  Option<std::string> schedule{
      *this, "schedule", llvm::cl::desc("use this schedule for every matmul"),
      llvm::cl::init("")};
  Option<std::string> host{
      *this, "host", llvm::cl::desc("what launches kernels: runtime or gpu"),
      llvm::cl::init("runtime")};
  Option<std::string> format{
      *this, "format", llvm::cl::desc("what the binary holds: ptx or cubin"),
      llvm::cl::init("ptx")};
  Option<bool> strictAccumulator{
      *this, "strict-accumulator",
      llvm::cl::desc(
          "leave matmuls alone whose accumulator is narrower than f32"),
      llvm::cl::init(false)};
};

/// Adds the whole route: match, bufferize, place, select, build, lower, emit.
void buildPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Registers every pass and the pipeline.
void registerEverything();

} // namespace hone

#endif // HONE_PASSES_PASSES_H
