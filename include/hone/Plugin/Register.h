//===- Register.h - Everything a host program must register -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that embeds Hone calls these, whether it is mlir-opt through the
// plugin, hone-opt, or an ML compiler that links libhone:
//
//   mlir::DialectRegistry registry;
//   hone::registerDialects(registry);  // hone, kernel, what they lower to
//   hone::registerPasses();            // hone-match, ..., hone-pipeline
//
//   hone::PipelineOptions options;     // or, instead of a pipeline's text:
//   options.arch = "sm_90a";
//   hone::buildPipeline(passManager, options);
//
// The first two may be called more than once. Whoever has schedules of their own
// to offer hands a SourceFactory to the buildPipeline of passes/Passes.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_REGISTER_H
#define HONE_PLUGIN_REGISTER_H

#include "passes/Dialects.h"
#include "passes/Passes.h"

namespace hone {

/// Every pass of passes/Passes.td and `hone-pipeline`.
void registerPasses();

/// Adds `hone-pipeline` as the tools have it: schedules come from the database
/// or tuning file that `options` name, then from the cost model, then from the
/// default. Or a part of it; `selected` hears of every schedule.
void buildPipeline(mlir::OpPassManager &pm, const PipelineOptions &options,
                   PipelinePart part = {},
                   const SelectionSink &selected = nullptr);

} // namespace hone

#endif // HONE_PLUGIN_REGISTER_H
