//===- hone-opt.cpp - mlir-opt with Hone's passes -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with Hone's dialects and passes and the few upstream ones around
// them, so that --help shows these and not a thousand lines more. Input is
// text: MLIR's reader of bytecode trusts its input, so bytecode is read only on
// request.
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "hone-c/Runtime.h"
#include "hone/Plugin/Register.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Text/CrashGuard.h"
#include "hone/Text/File.h"
#include "hone/Tuner/TunePass.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/Extensions/AllExtensions.h"
#include "mlir/Dialect/Linalg/TransformOps/DialectExtension.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

static llvm::cl::opt<bool> acceptBytecode(
    "accept-bytecode",
    llvm::cl::desc("Read MLIR bytecode as well as text. For trusted input: a "
                   "damaged file can corrupt memory"));

/// The text or bytecode of the file, if it is safe for a parser.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
read(llvm::StringRef path) {
  hone::FileKind kind = {"a file to read", hone::kMaxModuleBytes,
                         acceptBytecode};
  auto file = hone::readFileOrStdin(path, kind);
  if (!file || hone::isBytecode((*file)->getBuffer()))
    return file;
  if (auto found = hone::tooMuchOf((*file)->getBuffer()))
    return llvm::createStringError(
        llvm::formatv("{0}:{1}: {2}", path, found->line, found->what));
  return file;
}

/// Runs MlirOptMain; an error if its parser crashed. A pass that crashes ends
/// the process as usual.
static llvm::Expected<mlir::LogicalResult>
optimize(std::unique_ptr<llvm::MemoryBuffer> file, llvm::raw_ostream &out,
         mlir::DialectRegistry &registry,
         const mlir::MlirOptMainConfig &config) {
  std::string name = file->getBufferIdentifier().str();
  mlir::MlirOptMainConfig guarded = config;
  // Passes are set up after the text is parsed.
  guarded.setPassPipelineSetupFn([&](mlir::PassManager &passes) {
    hone::disableCrashGuard();
    return config.setupPassPipeline(passes);
  });
  mlir::LogicalResult result = mlir::failure();
  hone::enableCrashGuard();
  bool isWhole = hone::endsByItself([&] {
    result = mlir::MlirOptMain(out, std::move(file), registry, guarded);
  });
  return isWhole ? llvm::Expected<mlir::LogicalResult>(result)
                 : hone::parserCrashed(name, /*said=*/"");
}

static int fail(llvm::Error error) {
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return EXIT_FAILURE;
}

/// Errors show the op as it is in the source. Its generic form, without the
/// names of operands while passes run, is printed on request.
static void hideOpsOfErrors() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("mlir-print-op-on-diagnostic");
  if (found != options.end() && !found->second->getNumOccurrences())
    static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(false);
}

/// Reads, runs passes, prints. Returns the exit status.
static int run(int argc, char **argv, mlir::DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Hone optimizer driver\n", registry);
  hideOpsOfErrors();
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  auto file = read(input);
  if (!file)
    return fail(file.takeError());
  std::string error;
  auto result = mlir::openOutputFile(output, &error);
  if (!result) {
    llvm::errs() << "error: " << error << "\n";
    return EXIT_FAILURE;
  }
  auto ended = optimize(std::move(*file), result->os(), registry, config);
  if (!ended)
    return fail(ended.takeError());
  if (failed(*ended))
    return EXIT_FAILURE;
  result->keep();
  return EXIT_SUCCESS;
}

/// A pass of ours that does not exist, or "". LLVM reads `--hone-mach` as `-h`
/// with more letters, and prints its help with status 0. Plugins may have more
/// passes.
static llvm::StringRef unknownPass(int argc, char **argv) {
  llvm::StringRef unknown;
  for (llvm::StringRef arg : llvm::ArrayRef(argv, argc).drop_front()) {
    if (arg.starts_with("--load-") || arg.starts_with("-load-"))
      return "";
    llvm::StringRef name = arg.ltrim('-').split('=').first;
    if (arg.starts_with("-") && name.starts_with("hone-") &&
        !mlir::PassInfo::lookup(name) && !mlir::PassPipelineInfo::lookup(name))
      unknown = arg;
  }
  return unknown;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hone::registerDialects(registry);
  hone::registerPasses();
  hone::registerTuner();
  registry.insert<mlir::tosa::TosaDialect>();
  // The dialects of rewrite scripts, and of the ops that find kernels for them.
  registry.insert<mlir::transform::TransformDialect>();
  mlir::linalg::registerTransformDialectExtension(registry);
  mlir::transform::registerInterpreterPass();
  mlir::transform::registerPreloadLibraryPass();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  mlir::bufferization::registerOneShotBufferizePass();
  // mlir/Conversion/Passes.h registers them too, and compiles for ten seconds.
  mlir::registerPass([] { return mlir::tosa::createTosaToLinalgNamed(); });
  mlir::registerPass([] { return mlir::tosa::createTosaToLinalg(); });
  mlir::registerPass([] { return mlir::createGpuToLLVMConversionPass(); });
  if (hone::isHelpRequested(argc, argv)) {
    hone::printHelp(registry);
    return 0;
  }
  // Passes report the runtime's errors themselves.
  honeSetErrorHandler([](int32_t, const char *, void *) {}, nullptr);
  if (llvm::StringRef name = unknownPass(argc, argv); !name.empty()) {
    llvm::errs() << "error: expected a pass or a pipeline, but got '" << name
                 << "'; use --help for the list\n";
    return EXIT_FAILURE;
  }
  return run(argc, argv, registry);
}
