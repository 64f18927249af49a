//===- Route.h - Partial runs of the pipeline -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline itself is in lib/Driver/Pipeline.cpp. These functions run it
// from its start with the sources of schedules that builds have.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_ROUTE_H
#define HONE_PLUGIN_ROUTE_H

#include "hone/Driver/Compile.h"
#include "hone/Driver/Pipeline.h"

namespace hone {

/// A module, and how a build treats it: options of several commands.
struct PipelineChoice {
  std::string file, arch = "sm_90a", schedule, database;
  int64_t ranges = 0;   ///< max kernels for an unknown extent; 0: default
  std::string pipeline; ///< more options, as the pipeline reads them
};
/// The side that a command's --arguments names; the command has checked it.
inline MemorySide sideOf(llvm::StringRef word) {
  return word == "host" ? MemorySide::host : MemorySide::device;
}

/// Sets the options of `choice.pipeline`, then those that the command has
/// itself. Fails for an `arch` in `choice.pipeline`.
llvm::Error setOptions(const PipelineChoice &choice, PipelineOptions &options);
/// Runs the pipeline until every matmul has a schedule; calls `selected` for
/// each.
llvm::Error runToSelect(mlir::ModuleOp module, const PipelineChoice &choice,
                        const SelectionSink &selected = nullptr);
/// Runs from there to kernel IR. A requested schedule that is illegal for some
/// problem is not an error.
llvm::Error runSelectedToKernels(mlir::ModuleOp module,
                                 const PipelineChoice &choice);
/// Runs until matmuls are found and on memrefs, where the pipeline may
/// continue.
llvm::Error runToMatmuls(mlir::ModuleOp module, const PipelineChoice &choice);

} // namespace hone

#endif // HONE_PLUGIN_ROUTE_H
