//===- Plugin.cpp - Entry point of the tuner's plugin ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libhone_tune.so is a pass plugin that adds `hone-tune`. It brings the
// compiler's passes along; dialects come with libhone.so's dialect plugin.
//
//===----------------------------------------------------------------------===//

#include "hone-c/Version.h"
#include "hone/Plugin/Register.h"
#include "hone/Tuner/TunePass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "hone-tune", HONE_VERSION_STRING, [] {
            hone::registerPasses();
            hone::registerTuner();
          }};
}
