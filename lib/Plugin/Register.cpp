//===- Register.cpp - Registration for a host program ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single list of registry entries that Hone's passes need, so that stock
// mlir-opt, the tools and an embedding compiler behave alike.
//
//===----------------------------------------------------------------------===//

#include "hone/Plugin/Register.h"
#include "hone/Plugin/Sources.h"

void hone::buildPipeline(mlir::OpPassManager &pm,
                         const PipelineOptions &options, PipelinePart part,
                         const SelectionSink &selected) {
  buildPipeline(pm, options, openSources, part, selected);
}

void hone::registerPasses() {
  // The pass registry rejects a second registration of the same name.
  static bool once = [] {
    registerEverything(openSources);
    return true;
  }();
  (void)once;
}
