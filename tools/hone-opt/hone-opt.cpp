//===- hone-opt.cpp - IR in, IR out ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with Hone's dialects and passes and the few upstream ones that stand
// around them, so that --help shows what is there and not a thousand lines
// more. Input is text: MLIR's reader of bytecode trusts its input, so bytecode
// is read on demand alone.
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "hone/Plugin/Register.h"
#include "hone/Text/File.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/Extensions/AllExtensions.h"
#include "mlir/Dialect/Linalg/TransformOps/DialectExtension.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

static llvm::cl::opt<bool> acceptBytecode(
    "accept-bytecode",
    llvm::cl::desc("Read MLIR bytecode as well as text. For trusted input: a "
                   "damaged file can corrupt memory"));

/// Reads, runs passes, prints. Returns the exit status.
static int run(int argc, char **argv, mlir::DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Hone optimizer driver\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  hone::FileKind kind = {"a file to read", hone::kMaxModuleBytes,
                         acceptBytecode};
  auto file = hone::readFileOrStdin(input, kind);
  if (!file) {
    llvm::errs() << "error: " << llvm::toString(file.takeError()) << "\n";
    return EXIT_FAILURE;
  }
  std::string error;
  auto result = mlir::openOutputFile(output, &error);
  if (!result) {
    llvm::errs() << "error: " << error << "\n";
    return EXIT_FAILURE;
  }
  if (failed(
          mlir::MlirOptMain(result->os(), std::move(*file), registry, config)))
    return EXIT_FAILURE;
  result->keep();
  return EXIT_SUCCESS;
}

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
  return run(argc, argv, registry);
}
