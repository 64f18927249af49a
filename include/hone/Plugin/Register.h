//===- Register.h - Entry points for other programs -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points for a program that embeds Hone, whether it is mlir-opt with
// the plugin, hone-opt, or an ML compiler that links libhone:
//
//   mlir::DialectRegistry registry;
//   hone::registerDialects(registry);  // hone, kernel, and their targets
//   hone::registerPasses();            // hone-match, ..., hone-pipeline
//
//   hone::PipelineOptions options;     // or, instead of a pipeline's text:
//   options.arch = "sm_90a";
//   hone::buildPipeline(passManager, options);
//
// The first two may be called more than once. To offer schedules of your own,
// pass a SourceFactory to the buildPipeline of Driver/Pipeline.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_REGISTER_H
#define HONE_PLUGIN_REGISTER_H

#include "hone/Driver/Dialects.h"
#include "hone/Driver/Pipeline.h"

namespace hone {

/// Every pass, and `hone-pipeline`.
void registerPasses();

/// Adds `hone-pipeline`, or a part of it, as the tools use it: schedules come
/// from the database or tuning file that `options` name, the shipped
/// measurements, and the policy (Sources.h), then from the default. `selected`
/// is called for every schedule.
void buildPipeline(mlir::OpPassManager &pm, const PipelineOptions &options,
                   PipelinePart part = {},
                   const SelectionSink &selected = nullptr);

} // namespace hone

#endif // HONE_PLUGIN_REGISTER_H
