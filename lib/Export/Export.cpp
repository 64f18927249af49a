//===- Export.cpp - Export of a module for other programs -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the original module, runs the pipeline, reads the C interface,
// compiles, and checks the undefined symbols of the object file.
//
//===----------------------------------------------------------------------===//

#include "hone/Export/Export.h"
#include "Guards.h"
#include "Interface.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Driver/Compile.h"
#include "hone/Jit/Object.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Memory/Buffers.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;

/// From linalg to host code and images.
static llvm::Error runPipeline(ModuleOp module, const PipelineOptions &given,
                               const SourceFactory &makeSources) {
  PipelineOptions options;
  options.copyOptionValuesFrom(given);
  options.results = ResultForm::returned;
  options.host = LaunchForm::runtime;
  // Functions called from C return a status.
  if (!given.onError.hasValue())
    options.onError = OnError::leave;
  DialectRegistry inlining;
  func::registerInlinerExtension(inlining);
  module.getContext()->appendDialectRegistry(inlining);
  return runPasses(module, [&](OpPassManager &pm) {
    // The result of a callee would need a copy to the caller's destination, and
    // its ownership would be known only at run time. Otherwise nothing changes:
    // matmuls get the same schedules as in any build.
    pm.addPass(createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
    pm.addPass(createSymbolDCEPass());
    buildPipeline(pm, options, makeSources,
                  PipelinePart::upTo(PipelineStep::bufferize));
    // Then a result that is reshaped and back again is still an allocation.
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createSeparateResults());
    pm.addPass(createPrepareExport());
    buildPipeline(pm, options, makeSources,
                  {PipelineStep::place, PipelineStep::emit});
  });
}

/// Gives the C names to the dispatchers. Functions that C cannot call become
/// private, so LLVM sees all their callers.
static llvm::Error hideBodies(ModuleOp module, const Interface &interface) {
  for (const ExportedFunction &exported : interface.functions) {
    auto function = module.lookupSymbol<func::FuncOp>(exported.symbol);
    std::string name = bodyName(exported);
    auto hidden = StringAttr::get(module.getContext(), name);
    if (failed(SymbolTable::replaceAllSymbolUses(function, hidden, module)))
      return errorAt(function.getLoc(),
                     "expected uses of the function that can be renamed");
    function.setName(name);
    function.setPrivate();
    function->removeAttr(kProductNumbersAttr);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (StringRef attribute : {kResultAttr, kWrittenAttr, kWorkspaceAttr})
        function.removeArgAttr(i, attribute);
  }
  // A dispatcher's name may be that of a function which only the module calls.
  SymbolTable symbols(module);
  for (const ExportedFunction &exported : interface.functions)
    if (Operation *taken = symbols.lookup(exported.name))
      if (failed(symbols.renameToUnique(taken, {})))
        return errorAt(taken->getLoc(),
                       "expected uses of the function that can be renamed");
  return llvm::Error::success();
}

static llvm::Expected<std::string> compile(ModuleOp module,
                                           const Interface &interface,
                                           const ExportOptions &options) {
  if (llvm::Error error = hideBodies(module, interface))
    return std::move(error);
  ObjectOptions code;
  code.cpu = options.cpu;
  code.isLinkedInMemory = false;
  code.finish = [&](ModuleOp lowered) {
    addLack(lowered);
    guardAllocations(lowered);
    return addDispatchers(lowered, interface);
  };
  return compileObject(module, code);
}

/// The text of an emitted plan.
static std::string textOf(ArrayAttr lines) {
  std::string text;
  for (auto line : lines.getAsRange<StringAttr>())
    text += (line.getValue() + "\n").str();
  return text;
}

/// Adds the images and plans, for reading and for programs with their own
/// launches.
static void addKernels(ModuleOp module, const std::string &prefix,
                       std::vector<ExportedFile> &files) {
  for (auto binary : module.getOps<gpu::BinaryOp>()) {
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
      bool isText = object.getFormat() == gpu::CompilationTarget::Assembly;
      files.push_back(
          {prefix + "." + binary.getName().str() + (isText ? ".ptx" : ".cubin"),
           object.getObject().getValue().str()});
    }
    for (NamedAttribute plan : kernel::plansOf(binary))
      files.push_back({prefix + "." + plan.getName().str() + ".plan",
                       textOf(cast<ArrayAttr>(plan.getValue()))});
  }
}

llvm::Expected<std::vector<ExportedFile>>
hone::exportModule(ModuleOp module, const PipelineOptions &pipeline,
                   const SourceFactory &makeSources,
                   const ExportOptions &options) {
  llvm::Expected<Arch> arch = resolveArchName(pipeline.arch);
  if (!arch)
    return arch.takeError();
  if (llvm::Error error = checkExportable(module, options.name))
    return std::move(error);
  OwningOpRef<ModuleOp> copy = module.clone();
  if (llvm::Error error = runPipeline(*copy, pipeline, makeSources))
    return std::move(error);
  auto interface = readInterface(*copy, options.name);
  if (!interface)
    return interface.takeError();
  interface->arch = arch->name;
  interface->isHost = arch->isHost();

  std::vector<ExportedFile> files;
  addKernels(*copy, options.name, files);
  auto object = compile(*copy, *interface, options);
  if (!object)
    return object.takeError();
  auto libraries = librariesFor(*object);
  if (!libraries)
    return libraries.takeError();
  interface->libraries = *libraries;
  files.push_back({options.name + ".h", printHeader(*interface)});
  files.push_back({options.name + ".o", std::move(*object)});
  return files;
}
