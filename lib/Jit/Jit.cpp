//===- Jit.cpp - JIT compilation of a module for the CPU ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All steps from a module to function addresses: copy, lower, translate,
// optimise for this CPU, link with the symbols given by the caller.
//
//===----------------------------------------------------------------------===//

#include "hone/Jit/Jit.h"
#include "LowerToLLVM.h"
#include "hone/Jit/Object.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

llvm::MutableArrayRef<int64_t> JitArguments::allocate(size_t words) {
  return storage.emplace_back(words);
}

llvm::MutableArrayRef<int64_t> JitArguments::addDescriptor(size_t rank) {
  llvm::MutableArrayRef<int64_t> words = allocate(3 + 2 * rank);
  pointers.push_back(&descriptors.emplace_back(words.data()));
  return words;
}

void JitArguments::addMemRef(void *data, ArrayRef<int64_t> sizes,
                             ArrayRef<int64_t> strides, int64_t offset) {
  assert(sizes.size() == strides.size() && "expected one stride per size");
  llvm::MutableArrayRef<int64_t> words = addDescriptor(sizes.size());
  words[0] = words[1] = reinterpret_cast<int64_t>(data);
  words[2] = offset;
  llvm::copy(sizes, words.begin() + 3);
  llvm::copy(strides, words.begin() + 3 + sizes.size());
}

void JitArguments::addMemRef(void *data, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  addMemRef(data, sizes, strides);
}

llvm::ArrayRef<int64_t> JitArguments::addMemRefResult(size_t rank) {
  return addDescriptor(rank);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
/// Collects the errors of passes and translation for the JIT's own error.
class Complaints {
public:
  explicit Complaints(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          llvm::raw_string_ostream(text) << "; " << diagnostic;
          return success();
        }) {}

  llvm::Error asError() const {
    return llvm::createStringError(
        "expected a module of bufferized host code, but got one that does not "
        "lower to LLVM" +
        text);
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

/// Registers the translations that lowered modules need.
static void registerTranslations(MLIRContext *context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  gpu::registerOffloadingLLVMTranslationInterfaceExternalModels(registry);
  context->appendDialectRegistry(registry);
}

/// The target machine of this CPU, or of the one that LLVM calls `cpu`.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder>
describeTarget(const std::string &cpu) {
  using llvm::orc::JITTargetMachineBuilder;
  if (cpu.empty())
    return JITTargetMachineBuilder::detectHost();
  llvm::Triple triple(llvm::sys::getProcessTriple());
  JITTargetMachineBuilder builder(triple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(cpu))
    return llvm::createStringError(
        llvm::formatv("expected a CPU of {0} that LLVM supports, but got "
                      "'{1}'; use e.g. x86-64-v3, or native for this one",
                      triple.getArchName(), cpu));
  builder.setCPU(cpu);
  return builder;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(llvm::orc::JITTargetMachineBuilder builder,
                  unsigned optLevel) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  builder.setCodeGenOptLevel(llvm::CodeGenOpt::getLevel(optLevel).value_or(
      llvm::CodeGenOptLevel::Aggressive));
  return builder.createTargetMachine();
}

/// A machine for this CPU, for code that stays in this process.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(unsigned optLevel) {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  return makeTargetMachine(std::move(*builder), optLevel);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(const ObjectOptions &options) {
  llvm::InitializeNativeTarget();
  auto builder = describeTarget(options.cpu);
  if (!builder)
    return builder.takeError();
  // The linker may place the code anywhere.
  builder->setRelocationModel(llvm::Reloc::PIC_);
  if (!options.isLinkedInMemory) {
    builder->setCodeModel(llvm::CodeModel::Small);
    builder->getOptions().EmulatedTLS = false;
  }
  return makeTargetMachine(std::move(*builder), options.optLevel);
}

static void registerSymbols(ExecutionEngine &engine,
                            const llvm::StringMap<void *> &symbols) {
  engine.registerSymbols([&](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap map;
    for (const auto &symbol : symbols)
      map[interner(symbol.getKey())] = {
          llvm::orc::ExecutorAddr::fromPtr(symbol.getValue()),
          llvm::JITSymbolFlags::Exported};
    return map;
  });
}

static llvm::Expected<std::unique_ptr<ExecutionEngine>>
makeEngine(ModuleOp module, const JitOptions &options) {
  // One machine optimises; the other one, owned by the engine, generates code.
  auto optimizer = makeTargetMachine(options.optLevel);
  if (!optimizer)
    return optimizer.takeError();
  auto generator = makeTargetMachine(options.optLevel);
  if (!generator)
    return generator.takeError();

  SmallVector<StringRef> libraries(options.libraries.begin(),
                                   options.libraries.end());
  auto transformer = makeOptimizingTransformer(
      options.optLevel, /*sizeLevel=*/0, optimizer->get());
  ExecutionEngineOptions engineOptions;
  engineOptions.transformer = transformer;
  engineOptions.jitCodeGenOptLevel = (*generator)->getOptLevel();
  engineOptions.sharedLibPaths = libraries;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  return ExecutionEngine::create(module, engineOptions, std::move(*generator));
}

llvm::Expected<std::unique_ptr<Jit>> Jit::create(ModuleOp module,
                                                 const JitOptions &options) {
  Complaints complaints(module.getContext());
  registerTranslations(module.getContext());
  OwningOpRef<ModuleOp> copy = module.clone();
  jit::dropUnusedBinaries(*copy);
  if (failed(jit::lowerToLLVM(*copy)))
    return complaints.asError();
  auto engine = makeEngine(*copy, options);
  if (!engine)
    return llvm::joinErrors(complaints.asError(), engine.takeError());
  registerSymbols(**engine, options.symbols);
  (*engine)->initialize();
  return std::unique_ptr<Jit>(new Jit(std::move(*engine)));
}

namespace {
/// A module's code for a machine.
struct MachineCode {
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};
} // namespace

/// Translates a copy of `module`, without optimization.
static llvm::Error translate(ModuleOp module, const ObjectOptions &options,
                             MachineCode &code) {
  if (llvm::Error error = makeTargetMachine(options).moveInto(code.machine))
    return error;
  Complaints complaints(module.getContext());
  registerTranslations(module.getContext());
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(jit::lowerToLLVM(*copy)) ||
      (options.finish && failed(options.finish(*copy))))
    return complaints.asError();
  code.module = translateModuleToLLVMIR(*copy, code.context);
  if (!code.module)
    return complaints.asError();
  ExecutionEngine::setupTargetTripleAndDataLayout(code.module.get(),
                                                  code.machine.get());
  return llvm::Error::success();
}

llvm::Expected<std::string> hone::llvmIrOf(ModuleOp module) {
  MachineCode code;
  if (llvm::Error error = translate(module, ObjectOptions(), code))
    return std::move(error);
  std::string text;
  llvm::raw_string_ostream(text) << *code.module;
  return text;
}

llvm::Expected<std::string> hone::compileObject(ModuleOp module,
                                                const ObjectOptions &options) {
  MachineCode code;
  if (llvm::Error error = translate(module, options, code))
    return std::move(error);
  auto optimize = makeOptimizingTransformer(options.optLevel, /*sizeLevel=*/0,
                                            code.machine.get());
  if (llvm::Error error = optimize(code.module.get()))
    return std::move(error);
  auto object = llvm::orc::SimpleCompiler(*code.machine)(*code.module);
  if (!object)
    return object.takeError();
  return (*object)->getBuffer().str();
}

Jit::Jit(std::unique_ptr<ExecutionEngine> engine) : engine(std::move(engine)) {}
Jit::~Jit() = default;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

template <typename T>
static llvm::Expected<T> orExpectedPublic(llvm::Expected<T> function,
                                          StringRef name) {
  if (function)
    return *function;
  return llvm::createStringError(llvm::formatv(
      "expected a public function, but got '{0}'; use a name that "
      "the module defines: {1}",
      name, llvm::toString(function.takeError())));
}

llvm::Expected<Jit::Function> Jit::lookup(StringRef name) {
  return orExpectedPublic(engine->lookupPacked("_mlir_ciface_" + name.str()),
                          name);
}

llvm::Expected<void *> Jit::lookupAddress(StringRef name) {
  return orExpectedPublic(engine->lookup("_mlir_ciface_" + name.str()), name);
}

llvm::Error Jit::invoke(StringRef name,
                        llvm::MutableArrayRef<void *> arguments) {
  llvm::Expected<Function> function = lookup(name);
  if (!function)
    return function.takeError();
  (*function)(arguments.data());
  return llvm::Error::success();
}
