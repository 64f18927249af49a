//===- Sides.cpp - Kernels of a GPU and of this CPU -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Pair.h.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "hone/Corpus/Pair.h"
#include "hone/Driver/Compile.h"
#include "hone/Driver/Pipeline.h"
#include "hone/Jit/Object.h"
#include "hone/Matmul/HostProduct.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Simulate/Reference.h"
#include "hone/Simulate/Simulate.h"
#include "hone/Text/File.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include <dlfcn.h>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

Error hone::checkLinalg(mlir::MLIRContext &context, StringRef text,
                        const Problem &problem) {
  auto module = parseModule(context, text);
  if (!module)
    return module.takeError();
  PipelineOptions options;
  options.arch = "h200";
  if (Error error = runPasses(**module, [&](mlir::OpPassManager &pm) {
        buildPipeline(pm, options, /*makeSources=*/nullptr,
                      PipelinePart::upTo(PipelineStep::bufferize));
      }))
    return error;
  std::vector<Problem> found;
  (*module)->walk([&](MatmulOp op) { found.push_back(op.getProblem()); });
  if (found.size() == 1 && found[0] == problem)
    return Error::success();
  return llvm::createStringError(
      formatv("expected linalg of '{0}', but hone-match finds '{1}'",
              problem.str(), found.empty() ? "" : found[0].str()));
}

//===----------------------------------------------------------------------===//
// The GPU
//===----------------------------------------------------------------------===//

/// Proves every kernel of a module, numbers included.
static Error proveAll(mlir::ModuleOp module,
                      const simulate::Reference &reference, GpuTexts &texts) {
  auto subjects = simulate::subjectsOf(module);
  if (failed(subjects) || subjects->empty())
    return llvm::createStringError("expected kernels, but got none");
  for (const simulate::Subject &subject : *subjects) {
    simulate::SimulateOptions options;
    options.reference = &reference;
    auto proof = simulate::prove(subject, options);
    if (!proof)
      return proof.takeError();
    if (!proof->passed())
      return llvm::createStringError("not proven: " +
                                     proof->findings.front().text);
    texts.sizes += proof->sizes;
    texts.error = std::max(texts.error, proof->error.value_or(0));
  }
  return Error::success();
}

llvm::Expected<GpuTexts> hone::makeGpuTexts(mlir::MLIRContext &context,
                                            const Problem &problem,
                                            const Schedule &schedule,
                                            StringRef arch) {
  auto program = ProblemModule::of(context, problem.open());
  if (!program)
    return program.takeError();
  mlir::ModuleOp module = *program->module;
  simulate::Reference reference(program->matmul);
  if (Error error =
          runToKernels(module, {arch.str(), schedule, /*fallback=*/false}))
    return std::move(error);
  GpuTexts texts;
  llvm::raw_string_ostream(texts.kernelIr) << module << "\n";
  if (Error error = proveAll(module, reference, texts))
    return std::move(error);
  auto compiled = compileFromKernel(module);
  if (!compiled)
    return compiled.takeError();
  for (const std::string &image : compiled->images)
    texts.ptx += image.c_str(); // up to its NUL
  return texts;
}

//===----------------------------------------------------------------------===//
// The CPU
//===----------------------------------------------------------------------===//

HostSide::HostSide(std::string compiler, std::string folder)
    : compiler(std::move(compiler)), folder(std::move(folder)),
      context(makeContext()) {
  context->disableMultithreading();
}

HostSide::~HostSide() = default;

llvm::Expected<HostSide::Kernel *> HostSide::kernelOf(const Problem &problem) {
  llvm::Expected<Arch> arch = Arch::lookup("host");
  if (!arch)
    return arch.takeError();
  Problem open = problem.open();
  Schedule schedule = defaultSchedule(problem, *arch);
  Kernel &kernel = kernels[kernelKey(open, schedule, *arch)];
  if (kernel.function)
    return &kernel;
  auto program = ProblemModule::of(*context, open);
  if (!program)
    return program.takeError();
  mlir::ModuleOp module = *program->module;
  if (Error error = runToKernels(module, {"host", schedule}))
    return std::move(error);
  if (Error error = runFromKernel(module))
    return std::move(error);
  auto text = llvmIrOf(module);
  if (!text)
    return text.takeError();
  auto bytes = compileObject(module);
  if (!bytes)
    return bytes.takeError();
  if (Error error = LinkedObject::create(*bytes).moveInto(kernel.object))
    return std::move(error);
  auto address = kernel.object->lookup("matmul");
  if (!address)
    return address.takeError();
  kernel.llvmIr = std::move(*text);
  kernel.function = *address;
  return &kernel;
}

llvm::Expected<std::string> HostSide::llvmIr(const Problem &problem) {
  auto kernel = kernelOf(problem);
  if (!kernel)
    return kernel.takeError();
  return (*kernel)->llvmIr;
}

namespace {
/// A compiled file of C.
class LoopNest {
public:
  static llvm::Expected<LoopNest> compile(StringRef text,
                                          const std::string &compiler,
                                          const std::string &folder);
  LoopNest(LoopNest &&other)
      : library(std::exchange(other.library, nullptr)), run(other.run) {}
  ~LoopNest() {
    if (library)
      dlclose(library);
  }
  void operator()(void *a, void *b, void *c) const { run(a, b, c); }

private:
  LoopNest() = default;
  void *library = nullptr;
  void (*run)(void *, void *, void *) = nullptr;
};
} // namespace

llvm::Expected<LoopNest> LoopNest::compile(StringRef text,
                                           const std::string &compiler,
                                           const std::string &folder) {
  std::string source = folder + "/nest.c", object = folder + "/nest.so";
  if (Error error = writeFile(source, text))
    return std::move(error);
  StringRef words[] = {compiler, "-O2", "-march=native", "-fPIC", "-shared",
                       "-w",     "-o",  object,          source};
  std::string why;
  if (llvm::sys::ExecuteAndWait(compiler, words, std::nullopt, {}, 60, 0, &why))
    return llvm::createStringError(
        formatv("'{0}' does not compile the C: {1}", compiler, why));
  LoopNest nest;
  nest.library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (nest.library)
    nest.run =
        reinterpret_cast<decltype(nest.run)>(dlsym(nest.library, "matmul"));
  // The next nest has the same name; the loader compares files.
  llvm::sys::fs::remove(object);
  if (!nest.run)
    return llvm::createStringError("expected a function 'matmul' in the C");
  return nest;
}

llvm::Expected<HostErrors> HostSide::check(const Problem &problem,
                                           StringRef loops) {
  auto kernel = kernelOf(problem);
  if (!kernel)
    return kernel.takeError();
  auto nest = LoopNest::compile(loops, compiler, folder);
  if (!nest)
    return nest.takeError();
  HostProduct product;
  if (Error error = product.set(problem))
    return std::move(error);
  auto &[a, b, c] = product.matrices();
  for (HostMatrix *matrix : {&a, &b, &c})
    if (matrix->lead != matrix->width())
      return llvm::createStringError("expected lines without padding");
  HostErrors errors;
  product.poison();
  (*nest)(a.bytes.data(), b.bytes.data(), c.bytes.data());
  if (Error error = product.check(/*whole=*/true).moveInto(errors.loops))
    return std::move(error);
  std::vector<char> first = c.bytes;
  product.poison();
  product.run(reinterpret_cast<HostProduct::Kernel>((*kernel)->function));
  if (Error error = product.check(/*whole=*/true).moveInto(errors.host))
    return std::move(error);
  size_t size = sizeOf(problem.c);
  for (size_t i = 0; i < first.size(); i += size)
    errors.different += !std::equal(&first[i], &first[i] + size, &c.bytes[i]);
  if (errors.loops <= 1 && errors.host <= 1)
    return errors;
  return llvm::createStringError(
      formatv("expected errors of at most 1 tolerance, but got {0:f2} of the "
              "C and {1:f2} of the host's kernel",
              errors.loops, errors.host));
}
