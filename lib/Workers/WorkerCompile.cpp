//===- WorkerCompile.cpp - Worker that compiles kernels -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a problem and a schedule to device code and a launch plan: the passes,
// the proof of the kernel's barriers, the assembler. For the host, to an object
// file.
//
//===----------------------------------------------------------------------===//

#include "WorkerChannel.h"
#include "hone/Assemble/Assemble.h"
#include "hone/Jit/Object.h"
#include "hone/Matmul/MatmulKernel.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Simulate/VerdictCache.h"
#include "hone/Workers/Serve.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace hone;
using llvm::Error;
using llvm::StringRef;

namespace {
class Compiler {
public:
  explicit Compiler(const std::string &verdicts) : verdicts(verdicts) {}
  protocol::Compiled compile(const protocol::Compile &job);

private:
  Error build(const protocol::Compile &job, protocol::Kernel &kernel);
  void assemble(const protocol::Compile &job, StringRef isa,
                protocol::Kernel &kernel);
  mlir::MLIRContext &getContext();

  std::unique_ptr<mlir::MLIRContext> context;
  int64_t kernels = 0; ///< compiled in the context so far
  simulate::VerdictCache verdicts;
};
} // namespace

/// A context keeps everything made in it, so it is replaced now and then.
mlir::MLIRContext &Compiler::getContext() {
  constexpr int64_t kMax = 200;
  if (!context || ++kernels > kMax) {
    context = makeContext();
    context->disableMultithreading();
    kernels = 0;
  }
  return *context;
}

/// Runs ptxas on the kernels, and stores its machine code if requested. Without
/// ptxas there are no facts, and the driver compiles.
void Compiler::assemble(const protocol::Compile &job, StringRef isa,
                        protocol::Kernel &kernel) {
  for (std::string &image : kernel.images) {
    auto assembly = assemblePtx(image, isa, Listing::no);
    if (!assembly) {
      llvm::consumeError(assembly.takeError());
      continue;
    }
    for (const KernelReport &report : assembly->report.kernels)
      kernel.facts[report.name] = {report.registers,
                                   report.spillStores + report.spillLoads,
                                   llvm::join(report.faults(), "; ")};
    if (job.code)
      image = std::move(assembly->cubin);
  }
}

/// Compiles to machine code of this CPU.
static llvm::Expected<std::string>
compileForHost(mlir::MLIRContext &context, const KernelRequest &request) {
  auto program = ProblemModule::of(context, request.problem);
  if (!program)
    return program.takeError();
  mlir::ModuleOp module = *program->module;
  if (Error error = runToKernels(module, {"host", request.schedule}))
    return std::move(error);
  if (Error error = runFromKernel(module))
    return std::move(error);
  return compileObject(module);
}

Error Compiler::build(const protocol::Compile &job, protocol::Kernel &kernel) {
  llvm::Expected<Arch> arch = Arch::lookup(job.arch);
  if (!arch)
    return arch.takeError();
  KernelRequest request = {job.problem,  job.schedule, job.fallback,
                           job.kernelIr, job.batchesB, job.kernelText};
  if (arch->isHost()) {
    auto object = compileForHost(getContext(), request);
    if (!object)
      return object.takeError();
    kernel.images = {std::move(*object)};
    return Error::success();
  }
  auto compiled = compileMatmul(getContext(), request, job.arch, &verdicts);
  if (!compiled)
    return compiled.takeError();
  kernel.plan = compiled->plan.str();
  kernel.images = std::move(compiled->images);
  assemble(job, arch->isa, kernel);
  return Error::success();
}

protocol::Compiled Compiler::compile(const protocol::Compile &job) {
  auto start = std::chrono::steady_clock::now();
  protocol::Compiled result;
  result.number = job.number;
  if (job.inject != "compile-skip")
    if (Error error = build(job, result.kernel)) {
      result.status =
          error.isA<RefusedRewrite>() ? Status::illegal : Status::compileError;
      result.reason = llvm::toString(std::move(error));
    }
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  result.seconds = passed.count();
  return result;
}

int hone::serveCompiler(bool isRehearsal, const std::string &verdicts) {
  WorkerChannel channel;
  Compiler compiler(verdicts);
  while (true) {
    auto message = channel.receive();
    if (message && !*message)
      return 0;
    auto job = message ? protocol::read<protocol::Compile>(**message)
                       : message.takeError();
    if (!job) {
      llvm::errs() << llvm::toString(job.takeError()) << "\n";
      return 1;
    }
    if (isRehearsal)
      breakDown(job->inject);
    channel.send(protocol::toJson(compiler.compile(*job)));
  }
}
