//===- Route.h - The pipeline, as far as a command needs it -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The route itself is lib/Driver/Pipeline.cpp; this runs it from its start with the
// sources of schedules that builds have.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_ROUTE_H
#define HONE_TOOLS_ROUTE_H

#include "hone/Driver/Compile.h"
#include "hone/Driver/Pipeline.h"

namespace hone {

struct PipelineChoice {
  std::string arch, schedule, database = {};
  int64_t ranges = 0; ///< most kernels for an unknown extent; 0: the usual
  std::string pipeline = {}; ///< more options, as the pipeline reads them
};
/// What a choice leaves open stays as the pipeline has it.
llvm::Error setOptions(const PipelineChoice &choice, PipelineOptions &options);
/// The pipeline until every matmul has a schedule; `selected` hears which.
llvm::Error runToSelect(mlir::ModuleOp module, const PipelineChoice &choice,
                        const SelectionSink &selected = nullptr);
/// From there to kernel IR. A schedule that was asked for and is none for some
/// problem is no error.
llvm::Error runSelectedToKernels(mlir::ModuleOp module,
                                 const PipelineChoice &choice);
/// Until matmuls are found and on memrefs, which the pipeline may be run on.
llvm::Error runToMatmuls(mlir::ModuleOp module, const PipelineChoice &choice);

} // namespace hone

#endif // HONE_TOOLS_ROUTE_H
