//===- hone-opt.cpp - IR in, IR out ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with Hone's dialects and passes and the few upstream ones that stand
// around them, so that --help shows what is there and not a thousand lines
// more.
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "hone/Plugin/Register.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/Extensions/AllExtensions.h"
#include "mlir/Dialect/Linalg/TransformOps/DialectExtension.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hone::registerDialects(registry);
  hone::registerPasses();
  registry.insert<mlir::tosa::TosaDialect>();
  // Scripts of rewrites, and what finds kernels for them.
  registry.insert<mlir::transform::TransformDialect>();
  mlir::linalg::registerTransformDialectExtension(registry);
  mlir::transform::registerInterpreterPass();
  mlir::transform::registerPreloadLibraryPass();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  mlir::bufferization::registerOneShotBufferizePass();
  mlir::registerTosaToLinalgNamed();
  mlir::registerTosaToLinalg();
  mlir::registerGpuToLLVMConversionPass();
  if (hone::wantsHelp(argc, argv)) {
    hone::printHelp(registry);
    return 0;
  }
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Hone optimizer driver\n", registry));
}
