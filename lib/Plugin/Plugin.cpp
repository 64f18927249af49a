//===- Plugin.cpp - Entry points for mlir-opt -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libhone.so is a dialect plugin and a pass plugin. The dialect entry point
// registers the passes too, so one `--load-dialect-plugin` is enough.
//
//===----------------------------------------------------------------------===//

#include "hone-c/Version.h"
#include "hone/Plugin/Register.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "hone", HONE_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            hone::registerDialects(*registry);
            hone::registerPasses();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "hone", HONE_VERSION_STRING,
          [] { hone::registerPasses(); }};
}
